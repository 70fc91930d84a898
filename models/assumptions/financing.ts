/** The bank loan and the loan from the seller. */
import {
  dollars,
  factor,
  LOAN_RATE,
  MAX_RATE_POINTS,
  method,
  multiple,
  percent,
  percentPoints,
  share,
  years,
  type Declaration,
} from './declare.ts';
import { monthlyFactorOf } from './loan_factors.ts';
import { LOAN_YEARS } from '../references.ts';

export const FINANCING: readonly Declaration[] = [
  // Loans
  share('loan_to_value', '0.75', 'proposal', 'Within the 60 to 75 % that banks quote.', { isPositive: true }),
  method(
    'loan_rate_method',
    'survey',
    'proposal',
    'survey: the newest week of MORTGAGE30US at or before the day, plus loan_rate_spread; loan_rate_pct if there is ' +
      'none. declared: loan_rate_pct.',
  ),
  percentPoints(
    'loan_rate_spread',
    '0.25',
    'proposal',
    'Added to the survey rate, which covers home loans: a small commercial loan costs at least as much.',
    { most: MAX_RATE_POINTS },
  ),
  percent(
    'loan_rate_pct',
    '7.00',
    'proposal',
    'Within the 6.00 to 7.50 % that banks quote in 2026. Used if loan_rate_method is declared or no survey is known.',
    { ...LOAN_RATE },
  ),
  years('loan_years', '30', 'proposal', 'Amortization, paid monthly: 20, 25 or 30.', { options: LOAN_YEARS }),
  multiple(
    'loan_coverage',
    '1.25',
    'evidence',
    'Net cash flow over debt service at which a lender sizes a loan: 1.25 for Fannie Mae small loans (term sheet of ' +
      '2026-02-26, second hand) and for Freddie Mac small balance loans in standard markets (broker page, 2022); ' +
      '1.20 in top, 1.30 in small and 1.40 in very small markets. No public list assigns the markets.',
  ),
  share(
    'closing_cost_share',
    '0.03',
    'proposal',
    "Buyer's closing costs over price, the low end of the 3 to 5 % that buyers of apartments report.",
  ),
  dollars('minimum_loan', '50000', 'proposal', 'Smallest loan that a lender is assumed to make.'),
  share('seller_down_share', '0.15', 'proposal', 'Down payment in seller financing, within the quoted 5 to 30 %.'),
  percent('seller_rate_pct', '5.00', 'proposal', 'Rate of seller financing, within the quoted 4 to 8 %.', {
    isPositive: true,
  }),
  years('seller_years', '30', 'proposal', 'Amortization of seller financing.', { isPositive: true }),
  factor(
    'seller_monthly_factor',
    monthlyFactorOf('seller_rate_pct', 'seller_years'),
    'computed',
    'm / (1 - (1 + m)^-n) with m = seller_rate_pct / 1200 and n = 12 x seller_years, to twenty decimals.',
  ),
];
