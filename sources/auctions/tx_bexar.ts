/**
 * Bexar County, Texas: layers of the county's foreclosure map.
 *
 * Known from 126 recorded rows of April 2026: two forms of an address. With CITY, ADDRESS is the street; without it,
 * ADDRESS is "12 EXAMPLE LN  SAN ANTONIO  TEXAS  78227" with two spaces between its parts, and ZIP may be the house
 * number. YEAR and MONTH are those of the sale. The layers have the current months only, and no owner or amount.
 *
 * Some months have no tax sale: an empty map after a full one is quarantined, and the sales of the last good read stay
 * until the next list.
 */
import type { SourceSpec } from '../contract.ts';
import { integer, line, optional, refuse, tidy, zip } from '../values.ts';
import type { Situs } from '../readers/addresses.ts';
import { arcgisSales } from '../readers/arcgis/adapter.ts';
import type { Attributes, SaleLayer } from '../readers/arcgis/layer.ts';

const TUESDAY = 2;

/**
 * Day of the foreclosure and tax sales of a month: its first Tuesday, or its first Wednesday if that Tuesday is January
 * 1 or July 4 (Texas Property Code 51.002, Texas Tax Code 34.01).
 * @param month 1 to 12; another number refuses the row, as does a year outside 2000 to 2099
 */
function firstTuesday(year: number, month: number): string {
  if (!(year >= 2000 && year <= 2099)) refuse('bad_year', `the year of the sale is ${year}, expected 2000 to 2099`);
  if (!(month >= 1 && month <= 12)) refuse('bad_month', `the month of the sale is ${month}, expected 1 to 12`);
  const weekday = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const tuesday = 1 + ((TUESDAY - weekday + 7) % 7);
  const isHoliday = (month === 1 && tuesday === 1) || (month === 7 && tuesday === 4);
  return new Date(Date.UTC(year, month - 1, tuesday + (isHoliday ? 1 : 0))).toISOString().slice(0, 10);
}

const TERMS: SourceSpec['terms'] = {
  basis: 'public_record',
  note:
    'Notices of sale are public record, which the County Clerk shows on a public map; ' +
    "the terms of the county's map server were not obtained.",
  url: 'https://maps.bexar.org/foreclosures/',
};

/** Address of the property, from its field or from the parts of the joined text. */
function parseSitus(attributes: Attributes): Situs {
  const text = tidy(attributes.ADDRESS) ?? '';
  const parts = /^(.+?)\s{2,}(\S.*?)\s{2,}(?:TEXAS|TX)(?:\s+(\d{5}))?(?:-\d{4})?$/iu.exec(text);
  const [, street = text, city = null, joinedZip = null] = parts ?? [];
  const published = zip('ZIP', attributes.ZIP);
  const isHouseNumber = published !== null && street.startsWith(`${published} `);
  return {
    street: line(street),
    city: optional(attributes.CITY) ?? line(city),
    zip: joinedZip ?? (isHouseNumber ? null : published),
  };
}

/**
 * Fields that the declarations of both layers share.
 * @param index number of the layer
 */
const bexarSales = (
  index: number,
  sale_kind: 'mortgage_foreclosure' | 'tax_foreclosure',
): Omit<SaleLayer, 'name' | 'title' | 'covers' | 'auctionType' | 'expect'> => ({
  county: { fips: '48029', name: 'Bexar County', state: 'TX' },
  layer: `https://maps.bexar.org/arcgis/rest/services/CC/ForeclosuresProd/MapServer/${index}`,
  where: '1=1',
  terms: TERMS,
  everyDays: 1,
  minIntervalMs: 2000,
  record: 'DOC_NUMBER',
  needed: ['ADDRESS', 'YEAR', 'MONTH', 'CITY', 'ZIP'],
  optional: ['TYPE'],
  values: (feature) => {
    const year = integer('YEAR', feature.YEAR) ?? refuse('blank_year', 'YEAR is blank');
    const month = integer('MONTH', feature.MONTH) ?? refuse('blank_month', 'MONTH is blank');
    return {
      ...parseSitus(feature),
      sale_date: firstTuesday(year, month),
      status: 'scheduled',
      sale_type_raw: optional(feature.TYPE),
      sale_kind,
    };
  },
});

export default [
  arcgisSales({
    ...bexarSales(0, 'mortgage_foreclosure'),
    name: 'tx_bexar_foreclosures',
    title: 'Bexar County foreclosure sales (County Clerk)',
    covers: { kinds: ['foreclosure_sale'] },
    auctionType: 'foreclosure_sale',
    expect: {
      minRows: 1,
      maxRejectShare: 0.05,
      maxDropShare: 0.9,
      joins: { address: 0.9, zip: 0.9 },
      newest: { column: 'sale_date', maxAgeDays: 35 },
    },
  }),
  // By the cause number of the judgment.
  arcgisSales({
    ...bexarSales(1, 'tax_foreclosure'),
    name: 'tx_bexar_tax_sales',
    title: 'Bexar County tax sales (County Clerk)',
    covers: { kinds: ['tax_sale'] },
    auctionType: 'tax_sale',
    expect: { minRows: 0, maxRejectShare: 0.05, maxDropShare: 0.95, joins: { address: 0.9, zip: 0.9 } },
  }),
];
