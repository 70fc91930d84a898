/** The bank loan and the loan from the seller. */
import { monthlyFactorOf, type DeclaredAssumption } from './declare.ts';

export const FINANCING: readonly DeclaredAssumption[] = [
  // Loans
  ['loan_to_value', '0.75', 'share', 'proposal', 'Within the 60 to 75 % that banks quote.'],
  [
    'loan_rate_method',
    'survey',
    'method',
    'proposal',
    'survey: the newest week of MORTGAGE30US at or before the day, plus loan_rate_spread; loan_rate_pct if there is ' +
      'none. declared: loan_rate_pct.',
  ],
  [
    'loan_rate_spread',
    '0.25',
    'percent_points',
    'proposal',
    'Added to the survey rate, which covers home loans: a small commercial loan costs at least as much.',
  ],
  ['loan_rate_stress', '1.00', 'percent_points', 'proposal', 'Added to the rate of the loan in the stressed coverage.'],
  [
    'loan_rate_pct',
    '7.00',
    'percent',
    'proposal',
    'Within the 6.00 to 7.50 % that banks quote in 2026. Used if loan_rate_method is declared or no survey is known.',
  ],
  ['loan_years', '30', 'years', 'proposal', 'Amortization, paid monthly: 20, 25 or 30.'],
  [
    'loan_coverage',
    '1.25',
    'multiple',
    'evidence',
    'Net cash flow over debt service at which a lender sizes a loan: 1.25 for Fannie Mae small loans (term sheet of ' +
      '2026-02-26, second hand) and for Freddie Mac small balance loans in standard markets (broker page, 2022); ' +
      '1.20 in top, 1.30 in small and 1.40 in very small markets. No public list assigns the markets.',
  ],
  [
    'closing_cost_share',
    '0.03',
    'share',
    'proposal',
    "Buyer's closing costs over price, the low end of the 3 to 5 % that buyers of apartments report.",
  ],
  ['minimum_loan', '50000', 'usd', 'proposal', 'Smallest loan that a lender is assumed to make.'],
  ['seller_down_share', '0.15', 'share', 'proposal', 'Down payment in seller financing, within the quoted 5 to 30 %.'],
  ['seller_rate_pct', '5.00', 'percent', 'proposal', 'Rate of seller financing, within the quoted 4 to 8 %.'],
  ['seller_years', '30', 'years', 'proposal', 'Amortization of seller financing.'],
  [
    'seller_monthly_factor',
    monthlyFactorOf('seller_rate_pct', 'seller_years'),
    'factor',
    'computed',
    'm / (1 - (1 + m)^-n) with m = seller_rate_pct / 1200 and n = 12 x seller_years, to twenty decimals.',
  ],
];
