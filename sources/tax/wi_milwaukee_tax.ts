/**
 * City of Milwaukee, Wisconsin: delinquent real estate taxes, from the City Treasurer's table on the open data portal.
 * A row is one parcel and levy year. Amounts are the principal only: interest and penalties come on top.
 *
 * Known from public readers of the table: its columns, and that it changes nightly. No row was recorded. The other
 * cities of the county are not in it.
 */
import { mailing } from '../readers/addresses.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import { MILWAUKEE, milwaukeeTerms } from '../readers/open_data/portals.ts';
import type { Cells } from '../readers/open_data/table.ts';
import { cents, decimal, optional, published, refuse, year } from '../values.ts';

const HOME = 'https://data.milwaukee.gov/dataset/delinquent-real-estate-tax-accounts';
const levyYear = (row: Cells): number =>
  year('Levy Year', row['Levy Year']) ?? refuse('blank_levy_year', 'Levy Year is blank');
const principal = (row: Cells): bigint =>
  cents('Total Tax Principal', row['Total Tax Principal']) ??
  refuse('blank_amount', `Total Tax Principal of levy year ${levyYear(row)} is blank`);

export default ckanTable<'tax'>({
  name: 'wi_milwaukee_tax',
  family: 'tax',
  title: "Milwaukee tax delinquency (City Treasurer's open data)",
  home: HOME,
  county: MILWAUKEE.county,
  covers: { kinds: ['tax_delinquent'], city: MILWAUKEE.city },
  terms: milwaukeeTerms(HOME),
  everyDays: 1,
  expect: { minRows: 5, maxRejectShare: 0.02, maxDropShare: 0.3, joins: { address: 0.7 } },
  portal: MILWAUKEE.portal,
  resource: '8f1367e1-6f8f-44cc-8ed6-2eecd8267ec7',
  columns: [
    'Tax Key #',
    "Owner's Name",
    "Owner's Mailing Address",
    'City',
    'State',
    'Zip',
    'Property Address',
    'Levy Year',
    'Total Tax Principal',
  ],
  group: ['Tax Key #'],
  link: 'Tax Key #',
  identity: (row) => ({ parcel_raw: published(row['Tax Key #']) }),
  record: (rows) => {
    const latest = rows.reduce((newest, row) => (levyYear(row) > levyYear(newest) ? row : newest));
    const owed = rows.filter((row) => principal(row) > 0n);
    return {
      owner_name: optional(latest["Owner's Name"]),
      street: optional(latest['Property Address']),
      city: MILWAUKEE.city,
      ...mailing([latest["Owner's Mailing Address"], [latest.City, latest.State, latest.Zip].map(optional).join(' ')]),
      amount: decimal(rows.reduce((sum, row) => sum + principal(row), 0n)),
      amount_basis: 'principal',
      years_delinquent: new Set(owed.map(levyYear)).size,
    };
  },
});
