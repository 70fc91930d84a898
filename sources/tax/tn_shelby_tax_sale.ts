/**
 * Shelby County, Tennessee (Memphis): parcels of the coming tax sales, a weekly file of the County Trustee.
 *
 * Known from public readers of the file: its columns, parcels such as "035087  00049" with two spaces, streets without
 * their suffix, and a code of the sale such as TS2301 instead of its day. A sale without a day is no row of auctions:
 * what the file states is that taxes of the parcel are unpaid and a sale for them is prepared, with no amount.
 */
import { completeRow } from '../../lib/record.ts';
import { postedCsv } from '../readers/posted_csv.ts';
import { TaxParcel } from '../rows/tax_parcel.ts';
import { joined, refuse, required } from '../values.ts';

const FIPS = '47157';
const SALE = /^TS\d{4}$/u;

export default postedCsv({
  name: 'tn_shelby_tax_sale',
  family: 'tax',
  title: 'Shelby County, Tennessee: parcels of the coming tax sales',
  home: 'https://www.shelbycountytrustee.com/191/Tax-Sale-Schedule',
  county: { fips: FIPS, name: 'Shelby County', state: 'TN' },
  // Parcels whose taxes are unpaid but in no sale yet are not on it.
  covers: { kinds: [] },
  terms: {
    basis: 'public_record',
    note: 'The County Trustee links the file on its page of the tax sale schedule; no license is stated there.',
  },
  everyDays: 7,
  hosts: ['scgpublic.s3.amazonaws.com'],
  minIntervalMs: 2000,
  row: TaxParcel,
  expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 0.9, joins: { address: 0.8 } },
  file: 'https://scgpublic.s3.amazonaws.com/TaxSaleExtract.csv',
  needed: ['ParcelID', 'Street Number', 'Street Name', 'Tax Sale'],
  known: ['Alt_Parcel', 'Register GIS'],
  values: (cells) => {
    const sale = required('tax_sale', cells['Tax Sale']);
    if (!SALE.test(sale))
      refuse('unknown_tax_sale', `Tax Sale is ${JSON.stringify(sale)}, expected a code such as TS2301`);
    // Spaces are part of a parcel number.
    const parcel = (cells['ParcelID'] ?? '').trim();
    required('parcel_id', parcel);
    return completeRow(TaxParcel, {
      county_fips: FIPS,
      county: 'Shelby County, TN',
      parcel_raw: parcel,
      street: joined([cells['Street Number'], cells['Street Name']]),
    });
  },
});
