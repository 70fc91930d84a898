/**
 * City of Milwaukee, Wisconsin: the assessor's Master Property File (MPROP), about 160,000 parcels of the city.
 * CONVEY_FEE is the state's transfer fee of the last conveyance: 0.3 % of the price since September 1981 (Wis. Stat.
 * 77.22), before that 0.1 %. A price is computed from the fee of 1982 or later; a fee of 0 is a transfer without a
 * price. The file does not say whether a conveyance was a sale at market. Known from public readers of the file: the
 * columns. No row was recorded, and the form of CONVEY_DATE is not confirmed: a form that values.ts does not know is
 * refused, which quarantines the source.
 */
import { mailing } from '../readers/addresses.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import { MILWAUKEE, milwaukeeTerms } from '../readers/open_data/portals.ts';
import type { Cells } from '../readers/open_data/table.ts';
import { cents, date, decimal, divide, integer, joined, money, optional, published, year, zip } from '../values.ts';

const HOME = 'https://data.milwaukee.gov/dataset/mprop';
const TRANSFER_FEE = '0.003';
/** First full year of this fee. */
const FEE_SINCE = '1982-01-01';

/** "912-914" for a range of house numbers. */
function houseNumber({ HOUSE_NR_LO, HOUSE_NR_HI, HOUSE_NR_SFX }: Cells): string | null {
  const [low, high] = [optional(HOUSE_NR_LO), optional(HOUSE_NR_HI)];
  const range = high === null || high === low || /^0*$/u.test(high) ? low : `${low}-${high}`;
  return low === null || /^0*$/u.test(low) ? null : joined([range, HOUSE_NR_SFX], '');
}

/** Price and day of the last conveyance. */
function lastSale({ CONVEY_DATE, CONVEY_FEE }: Cells) {
  const day = date('CONVEY_DATE', CONVEY_DATE);
  const fee = cents('CONVEY_FEE', CONVEY_FEE, { zeroIsUnknown: true });
  const price = fee === null || day === null || day < FEE_SINCE ? null : decimal(divide(fee, TRANSFER_FEE));
  return { last_sale_date: day, last_sale_price: price, last_sale_basis: day === null ? null : 'unknown' } as const;
}

export default ckanTable<'parcels'>({
  name: 'wi_milwaukee_parcels',
  family: 'parcels',
  title: 'Milwaukee parcels (Master Property File)',
  home: HOME,
  county: MILWAUKEE.county,
  covers: { kinds: ['parcel_roll'], city: MILWAUKEE.city },
  terms: milwaukeeTerms(HOME),
  everyDays: 7,
  expect: { minRows: 5, maxRejectShare: 0.02, maxDropShare: 0.1, joins: { address: 0.9, zip: 0.9 } },
  portal: MILWAUKEE.portal,
  resource: '0a2c7f31-cd15-4151-8222-09dd57d5f16d',
  columns: (
    'TAXKEY HOUSE_NR_LO SDIR STREET STTYPE OWNER_NAME_1 OWNER_MAIL_ADDR OWNER_CITY_STATE OWNER_ZIP GEO_ZIP_CODE ' +
    'C_A_TOTAL LAND_USE YR_BUILT NR_UNITS CONVEY_DATE CONVEY_FEE'
  ).split(' '),
  optional: ['HOUSE_NR_HI', 'HOUSE_NR_SFX', 'OWNER_NAME_2'],
  link: 'TAXKEY',
  identity: ({ TAXKEY }) => ({ parcel_raw: published(TAXKEY) }),
  record: ([row]) => ({
    is_lot: false,
    street: optional(row.STREET) === null ? null : joined([houseNumber(row), row.SDIR, row.STREET, row.STTYPE]),
    city: MILWAUKEE.city,
    city_is_municipality: true,
    zip: zip('GEO_ZIP_CODE', row.GEO_ZIP_CODE),
    county_value: money('C_A_TOTAL', row.C_A_TOTAL, { zeroIsUnknown: true }),
    owner_name: joined([row.OWNER_NAME_1, row.OWNER_NAME_2], ' & '),
    ...mailing([row.OWNER_MAIL_ADDR, joined([row.OWNER_CITY_STATE, row.OWNER_ZIP])]),
    ...lastSale(row),
    year_built: year('YR_BUILT', row.YR_BUILT),
    units: integer('NR_UNITS', row.NR_UNITS, { zeroIsUnknown: true }),
    property_class: optional(row.LAND_USE),
  }),
});
