/**
 * Allegheny County, Pennsylvania: delinquent county real estate taxes. A row is one parcel and tax year, with the
 * bill, penalties, interest and payments. A parcel's debt is their balance over all years, 0 or less if it has paid.
 * The city's and the school districts' taxes are debts of their own and in other tables.
 *
 * Known from public readers: the columns; a blank total_payments is no payment, and a balance can be negative. No row
 * was recorded. Owner and address are not in the table: the address is on the assessment roll (pa_allegheny_parcels).
 */
import { ALLEGHENY, wprdcTerms } from '../readers/open_data/portals.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import { daysOf, type Cells, type Group } from '../readers/open_data/table.ts';
import { cents, decimal, published, refuse, year } from '../values.ts';

const HOME = 'https://data.wprdc.org/dataset/delinquent-real-estate-taxes';

/** Cents still owed of a year. */
function balance(row: Cells): bigint {
  const bill = cents('orig_bill', row.orig_bill) ?? refuse('blank_amount', 'orig_bill is blank');
  const part = (column: string): bigint => cents(column, row[column]) ?? 0n;
  return bill + part('penalties') + part('interest') - part('total_payments');
}

const owed = (rows: Group): bigint => rows.reduce((sum, row) => sum + balance(row), 0n);

export default ckanTable<'tax'>({
  name: 'pa_allegheny_tax',
  family: 'tax',
  title: 'Allegheny County tax delinquency (county taxes)',
  home: HOME,
  county: ALLEGHENY.county,
  covers: { kinds: ['tax_delinquent'] },
  terms: wprdcTerms('CC0', HOME),
  everyDays: 31,
  // A payment of the month is seen while the lead is still offered.
  readEveryDays: 7,
  expect: {
    minRows: 1,
    maxRejectShare: 0.02,
    maxDropShare: 0.3,
    joins: { address: 0.7, parcel: 0.6 },
  },
  portal: ALLEGHENY.portal,
  resource: '96e9d6b2-3e1a-4a0c-8ef6-23a049c263d8',
  columns: ['parcel_id', 'year', 'orig_bill', 'penalties', 'interest', 'total_payments'],
  optional: ['last_pay_date'],
  group: ['parcel_id'],
  link: 'parcel_id',
  identity: ({ parcel_id: parcel }) => ({ parcel_raw: published(parcel) }),
  record: (rows) => ({
    amount: decimal(owed(rows)),
    amount_basis: 'net',
    paid_on: owed(rows) > 0n ? null : (daysOf('last_pay_date', rows).at(-1) ?? null),
    years_delinquent: new Set(rows.filter((row) => balance(row) > 0n).map((row) => year('year', row.year))).size,
  }),
});
