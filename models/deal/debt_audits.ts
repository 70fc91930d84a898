/** Audits of a deal's debt. */
import { never, type Audit } from '../contract.ts';

export const DEBT_AUDITS: readonly Audit[] = [
  never(
    'deals',
    'loan_rate_as_said',
    'every deal has the loan rate of the day; what a survey gives is null exactly if the rate is declared',
    `loan_rate_pct <> (SELECT loan_rate_pct FROM int_loan_rates)
      OR (loan_rate_series IS NULL) <> (loan_rate_basis = 'declared')
      OR (loan_rate_on IS NULL) <> (loan_rate_basis = 'declared')
      OR (loan_rate_age_days IS NULL) <> (loan_rate_basis = 'declared')
      OR (loan_rate_source_url IS NULL) <> (loan_rate_basis = 'declared')
      OR (loan_rate_is_made_up IS NULL) <> (loan_rate_basis = 'declared')`,
  ),
  never(
    'deals',
    'loan_sized_as_said',
    'loan_sized is at most loan_amount, equal to it exactly if loan_to_value binds, and 0 exactly if there is no loan',
    `loan_sized > loan_amount
      OR (loan_binding = 'loan_to_value') <> (loan_sized = loan_amount)
      OR (loan_binding IN ('none', 'minimum_loan')) <> (loan_sized = 0)
      OR (loan_binding = 'none') <> (net_cash_flow <= 0)`,
  ),
  never(
    'deals',
    'loan_sized_is_covered',
    'net_cash_flow covers the sized loan as lenders require',
    `loan_sized > 0
      AND quotient(net_cash_flow, debt_service_sized) < CAST(assumption('loan_coverage') AS DECIMAL(14, 2))`,
  ),
  never(
    'deals',
    'cash_adds_up',
    'net cash flow, cash flow after debt, cash needed and its return follow from the other figures of the row',
    `net_cash_flow <> noi_underwritten - reserves
      OR cash_flow_after_debt <> net_cash_flow - debt_service_sized
      OR cash_needed <> list_price - loan_sized
        + rounded(wide(list_price) * CAST(assumption('closing_cost_share') AS DECIMAL(6, 4)))
      OR cash_on_cash_pct <> percentage(cash_flow_after_debt, cash_needed)`,
  ),
  never(
    'deals',
    'loan_absent_as_said',
    'the sized loan and its cash are null exactly if dscr_underwritten is, and rent_over_pitia is of 2 to 4 units',
    `(loan_sized IS NULL) <> (dscr_underwritten IS NULL)
      OR (loan_binding IS NULL) <> (loan_sized IS NULL)
      OR (debt_service_sized IS NULL) <> (loan_sized IS NULL)
      OR (cash_flow_after_debt IS NULL) <> (loan_sized IS NULL)
      OR (cash_needed IS NULL) <> (loan_sized IS NULL)
      OR (cash_on_cash_pct IS NULL) <> (loan_sized IS NULL)
      OR (net_cash_flow IS NULL) <> (noi_underwritten IS NULL)
      OR (rent_over_pitia IS NOT NULL AND (loan_sized IS NULL OR units > 4))`,
  ),
];
