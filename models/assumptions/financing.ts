/** The bank loan and the loan from the seller. */
import { annualConstantOf, monthlyFactorOf, type DeclaredAssumption } from './declare.ts';

export const FINANCING: readonly DeclaredAssumption[] = [
  // Loans
  ['loan_to_value', '0.75', 'share', 'proposal', 'Within the 60 to 75 % that banks quote.'],
  ['loan_rate_pct', '7.00', 'percent', 'proposal', 'Within the 6.00 to 7.50 % that banks quote in 2026.'],
  ['loan_years', '30', 'years', 'proposal', 'Amortisation, paid monthly.'],
  [
    'loan_monthly_factor',
    monthlyFactorOf('loan_rate_pct', 'loan_years'),
    'factor',
    'computed',
    'm / (1 - (1 + m)^-n) with m = loan_rate_pct / 1200 and n = 12 x loan_years, to twenty decimals.',
  ],
  [
    'loan_annual_constant',
    annualConstantOf('loan_rate_pct', 'loan_years'),
    'factor',
    'computed',
    'Twelve monthly payments per dollar of loan.',
  ],
  ['minimum_loan', '50000', 'usd', 'proposal', 'Smallest loan a lender is taken to make.'],
  ['seller_down_share', '0.15', 'share', 'proposal', 'Down payment to a carrying seller, inside the quoted 5 to 30 %.'],
  ['seller_rate_pct', '5.00', 'percent', 'proposal', 'Rate of a carrying seller, inside the quoted 4 to 8 %.'],
  ['seller_years', '30', 'years', 'proposal', 'Amortisation of a carrying seller.'],
  [
    'seller_monthly_factor',
    monthlyFactorOf('seller_rate_pct', 'seller_years'),
    'factor',
    'computed',
    'The same with seller_rate_pct and seller_years.',
  ],
  [
    'seller_annual_constant',
    annualConstantOf('seller_rate_pct', 'seller_years'),
    'factor',
    'computed',
    'Twelve monthly payments per dollar of seller loan.',
  ],
];
