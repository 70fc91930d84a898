/**
 * Hamilton County, Ohio: addresses of the delinquency list's parcels, from the CAGIS parcel layer. Only delinquent
 * parcels are read, a twentieth of the county's 350,000. A parcel that the layer does not yet mark as delinquent has no
 * address until it does.
 *
 * Numbers: AUDPTYID has the thirteen characters of the Auditor's parcel_number, AUDPCLID the first eleven of them,
 * which all condominium units of a lot share. PARCELID has twelve characters and joins nothing.
 *
 * Known from public readers: this path, its condition on DELQ_TAXES, and its fields ADDRNO, ADDRST, ADDRSF, DELQ_TAXES
 * and AUDPCLID. At layer 0 of the server pages of 200 work, and 1,000 in an order are HTTP 400. Numbers repeat: 354,521
 * rows, 352,529 numbers. Not confirmed: that this layer has AUDPTYID, which is known from other tables of the county.
 * Without it, a parcel is found by its eleven characters where one listed parcel has them. No row was recorded.
 *
 * City and ZIP are not known from any recorded column. The Auditor's monthly workbook has location_city and
 * location_zip blank in every row, and of its tax_district_desc one value was seen, "CINTI CORP-CINTI CSD", of some 240
 * districts; of the list's tax_district, none. A table of the districts would give the municipality.
 *
 * ANNUAL_TAXES is known from public readers of the layer and from the county's own property report, which shows it next
 * to the market value. It is read where the layer has it.
 *
 * SALDAT and SALAMT, known from a public reader of the layer, are the last transfer; its validity is not known. No
 * value of SALDAT was recorded: milliseconds, days with dashes or slashes and eight digits are read, other forms not.
 *
 * The layer's debts are not read: the Auditor's list states them with the owner, and is newer for some parcels.
 */
import { arcgisAddresses } from '../readers/arcgis/adapter.ts';
import { EASTERN, lastSale, layerDay, transferPrice } from '../readers/arcgis/values.ts';
import { joined, money, optional } from '../values.ts';

/** Whether CAGIS marks a parcel as deleted. The flag has been seen as a word, a letter and a number. */
const isSet = (flag: unknown): boolean => /^(?:y|yes|t|true|1)$/iu.test(optional(flag) ?? '');

/** "0" means no house number. */
const houseNumber = (value: unknown): string | null => ((text) => (text === '0' ? null : text))(optional(value));

/** The county's own suffixes that Publication 28 does not have. "AV" is one of its spellings. */
const SUFFIXES: Readonly<Record<string, string>> = { TE: 'TER' };

const suffix = (value: unknown): string | null => ((text) => SUFFIXES[text ?? ''] ?? text)(optional(value));

/** Day of the last transfer, or null for a form that is not known: the addresses of the layer do not depend on it. */
function saleDay(value: unknown, readOn: string): string | null {
  const text = optional(value);
  const digits = /^(\d{4})(\d\d)(\d\d)$/u.exec(text ?? '');
  const day = digits && typeof value === 'string' ? digits.slice(1).join('-') : value;
  const isKnown = typeof day === 'number' || /^\d{4}-\d\d-\d\d|^\d{1,2}\/\d{1,2}\/\d{4}/u.test(optional(day) ?? '');
  return isKnown ? layerDay('SALDAT', day, { zone: EASTERN, latest: readOn, impossible: 'null' }) : null;
}

export default arcgisAddresses({
  name: 'oh_hamilton_parcels',
  title: 'Hamilton County parcel addresses (CAGIS parcel layer)',
  county: { fips: '39061', name: 'Hamilton County', state: 'OH' },
  layer: 'https://cagisonline.hamilton-co.org/arcgis/rest/services/HCE/Cadastral/MapServer/2',
  where: 'DELQ_TAXES > 0',
  terms: {
    basis: 'public_record',
    note:
      'The auditor says that the data are public records but does not endorse commercial use; ' +
      'the terms of the map server were not obtained.',
  },
  everyDays: 1,
  minIntervalMs: 2000,
  expect: { minRows: 50, maxRejectShare: 0.05, maxDropShare: 0.3, joins: { address: 0.7, parcel: 0.6 } },
  pageSize: 200,
  parcel: ['AUDPTYID', 'AUDPCLID'],
  needed: ['DELQ_TAXES', 'ADDRNO', 'ADDRST', 'ADDRSF', 'MKT_TOTAL_VAL', 'CLASS', 'PAR_DELETED'],
  optional: ['LOC_ST_DIR', 'ANNUAL_TAXES', 'SALDAT', 'SALAMT'],
  gone: (feature) =>
    isSet(feature.PAR_DELETED)
      ? `PAR_DELETED is ${JSON.stringify(feature.PAR_DELETED)}: the parcel no longer exists`
      : null,
  values: (feature, { readOn }) => ({
    is_lot: optional(feature.AUDPTYID) === null,
    street:
      optional(feature.ADDRST) === null
        ? null
        : joined([houseNumber(feature.ADDRNO), feature.LOC_ST_DIR, feature.ADDRST, suffix(feature.ADDRSF)]),
    city: null,
    city_is_municipality: false,
    zip: null,
    county_value: money('MKT_TOTAL_VAL', feature.MKT_TOTAL_VAL, { zeroIsUnknown: true }),
    annual_taxes: money('ANNUAL_TAXES', feature.ANNUAL_TAXES, { zeroIsUnknown: true }),
    ...lastSale(saleDay(feature.SALDAT, readOn), transferPrice('SALAMT', feature.SALAMT)),
    property_class: optional(feature.CLASS),
  }),
});
