/**
 * The fields of a deal on its loan: the rate of the day, the loan that the price needs, and the loan that a lender
 * sizes.
 */
import { date, flag, integer, money, oneOf, percent, ratio, text } from '../../lib/record.ts';
import { DSCR_REASONS } from '../absence/inside.ts';
import {
  COMPUTED,
  DECLARED_RATE,
  NO_DSCR,
  NO_DSCR_UNDERWRITTEN,
  NO_INCOME,
  NO_PITIA,
  NO_PRICE,
} from '../absence/deals.ts';

const RATE = { absent: DECLARED_RATE } as const;
const SIZED = { absent: NO_DSCR_UNDERWRITTEN } as const;

export const debt = {
  // Rate
  loan_rate_pct: percent('The survey rate plus loan_rate_spread, or the declared rate.'),
  loan_rate_basis: oneOf(
    ['survey', 'declared'],
    'survey: the newest survey week at or before the day; declared: the assumption loan_rate_pct, by ' +
      'loan_rate_method or because no survey week is known.',
  ),
  loan_rate_series: text('Series of the survey rate.', RATE),
  loan_rate_on: date('Last day of the survey week.', RATE),
  loan_rate_age_days: integer('Days from loan_rate_on to the data clock.', { ...RATE, unit: 'days', follows: 'day' }),
  loan_rate_source_url: text('Page of the survey rate.', RATE),
  loan_rate_is_made_up: flag('True if the survey rate is made up, as in the sandbox.', RATE),

  // The loan that the price needs
  loan_amount: money('Loan at the declared loan-to-value.', { absent: NO_PRICE }),
  monthly_payment: money('Monthly payment of loan_amount at loan_rate_pct over the declared years.', {
    absent: NO_PRICE,
  }),
  annual_debt_service: money('Twelve payments.', { absent: NO_PRICE }),
  dscr_underwritten: ratio('noi_underwritten over annual_debt_service.', SIZED),
  dscr_reason: oneOf(DSCR_REASONS, 'Why dscr_status is not computed.', { absent: COMPUTED }),
  debt_yield_pct: percent('noi over loan_amount.', { absent: NO_DSCR }),
  break_even_occupancy_pct: percent('operating_expenses and annual_debt_service over gross_potential_rent.', SIZED),
  rent_over_pitia: ratio(
    'gross_potential_rent over annual_debt_service, tax_after_reset and insurance (PITIA), of 2 to 4 units.',
    { absent: NO_PITIA },
  ),

  // The loan that a lender sizes
  net_cash_flow: money('noi_underwritten less reserves: the income on which a lender sizes the loan.', {
    absent: NO_INCOME,
  }),
  loan_sized: money(
    'The lower of loan_amount and the loan that net_cash_flow covers loan_coverage times, in whole dollars. 0 if ' +
      'loan_binding is none or minimum_loan.',
    SIZED,
  ),
  loan_binding: oneOf(
    ['loan_to_value', 'debt_coverage', 'minimum_loan', 'none'],
    'Limit that determines loan_sized. minimum_loan: the income covers less than the smallest loan; ' +
      'none: net_cash_flow is not positive.',
    SIZED,
  ),
  debt_service_sized: money('Twelve payments of loan_sized.', SIZED),
  cash_flow_after_debt: money('net_cash_flow less debt_service_sized: cash left before income tax.', SIZED),
  cash_needed: money('list_price less loan_sized, plus closing costs. Without repairs.', SIZED),
  cash_on_cash_pct: percent('cash_flow_after_debt over cash_needed.', SIZED),
};
