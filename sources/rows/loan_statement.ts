import { date, defineRecord, integer, money, oneOf, percent, ratio, text } from '../../lib/record.ts';
import { UP_TO_TEN_BILLION } from '../ranges.ts';

const NOT_FILED = 'the filing leaves it out';
const NOT_THE_WHOLE = 'the filing leaves it out, or the row is one of several properties of the loan';
const NO_STATEMENT = 'no statement was filed since the loan was securitized';

/** One property of a securitized loan in a monthly filing of its trust (SEC form ABS-EE, exhibit EX-102). */
export const LoanStatement = defineRecord(
  'loan_statement',
  'One row per trust, loan, property and month.',
  ['trust', 'asset_number', 'property_number', 'reported_on'],
  {
    trust: text('Name of the trust, or its CIK if the filing does not name it.'),
    asset_number: text('Number of the loan in the trust, such as "3" or "3-001".'),
    property_number: integer('Position of the property in its loan, from 1.'),
    reported_on: date('Last day of the reporting period.'),
    property_type: text('Code of the property type, such as MF for multifamily.', { absent: NOT_FILED }),
    city: text('City of the property.', { absent: NOT_FILED }),
    state: text('Two-letter state.', { absent: 'the row sums up several properties, or the filing leaves it out' }),
    zip: text('Five-digit ZIP.', { absent: NOT_FILED }),
    units: integer('Number of units.', { absent: NOT_FILED, unit: 'units' }),
    year_built: integer('Year of construction.', { absent: NOT_FILED, unit: 'year' }),
    property_count: integer('Number of properties of the loan.', { absent: NOT_FILED, unit: 'properties' }),
    valuation: money('Appraised value at securitization.', { absent: NOT_FILED, range: UP_TO_TEN_BILLION }),
    valuation_on: date('Day of that valuation.', { absent: NOT_FILED }),
    underwritten_revenue: money('Revenue as underwritten, per year.', { absent: NOT_FILED, range: UP_TO_TEN_BILLION }),
    underwritten_expenses: money('Operating expenses as underwritten, per year.', {
      absent: NOT_FILED,
      range: UP_TO_TEN_BILLION,
    }),
    underwritten_noi: money('Net operating income as underwritten, per year.', {
      absent: NOT_FILED,
      range: UP_TO_TEN_BILLION,
    }),
    underwritten_ncf: money('Net cash flow as underwritten, per year: NOI less reserves.', {
      absent: NOT_FILED,
      range: UP_TO_TEN_BILLION,
    }),
    underwritten_occupancy_pct: percent('Physical occupancy at securitization.', { absent: NOT_FILED }),
    underwritten_coverage: ratio('Debt service coverage of the underwritten NCF.', { absent: NOT_FILED }),
    recent_revenue: money('Revenue of the most recent statement.', { absent: NO_STATEMENT, range: UP_TO_TEN_BILLION }),
    recent_expenses: money('Operating expenses of the most recent statement.', {
      absent: NO_STATEMENT,
      range: UP_TO_TEN_BILLION,
    }),
    recent_noi: money('Net operating income of the most recent statement.', {
      absent: NO_STATEMENT,
      range: UP_TO_TEN_BILLION,
    }),
    recent_ncf: money('Net cash flow of the most recent statement.', {
      absent: NO_STATEMENT,
      range: UP_TO_TEN_BILLION,
    }),
    recent_starts_on: date('First day of the most recent statement.', { absent: NO_STATEMENT }),
    recent_ends_on: date('Last day of the most recent statement. Statements cover 3 to 12 months.', {
      absent: NO_STATEMENT,
    }),
    recent_period: oneOf(
      ['full_year', 'other_period'],
      'Length of the most recent statement. full_year: 350 to 380 days; other_period: shorter or longer, so that its ' +
        'figures are not those of a year.',
      { absent: NO_STATEMENT },
    ),
    recent_occupancy_pct: percent('Most recent physical occupancy.', { absent: NO_STATEMENT }),
    recent_coverage: ratio('Debt service coverage of the most recent NCF.', { absent: NO_STATEMENT }),
    loan_amount: money('Original amount of the loan.', { absent: NOT_THE_WHOLE, range: UP_TO_TEN_BILLION }),
    interest_rate_pct: percent('Interest rate at origination, per year.', { absent: NOT_THE_WHOLE, decimals: 6 }),
    amortization_months: integer('Months of amortization; 0 for interest only.', {
      absent: NOT_THE_WHOLE,
      unit: 'months',
    }),
    interest_only_months: integer('Months of interest only at the start.', { absent: NOT_THE_WHOLE, unit: 'months' }),
    accrual_method: text('Code of the interest accrual method, such as 3 for actual/360.', { absent: NOT_THE_WHOLE }),
  },
);
