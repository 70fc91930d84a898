/**
 * Sale days of a county that another project scraped, as staged sheriff sales: a JSON array, or one object per line.
 * Pure.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { Candidate, Page } from '../../contract.ts';
import { checkColumns } from '../../csv/csv.ts';
import { parseJson } from '../../json.ts';
import { candidate, line, optional, refuse, zip } from '../../values.ts';
import type { Item } from './items.ts';
import { dayOfTime, previewUrl, parseSale, type County, type Sale } from './rows.ts';

const COLUMNS = [
  'county',
  'start_date',
  'case_status',
  'case_number',
  'parcel_id',
  'property_address',
  'appraised_value',
  'opening_bid',
  'deposit_requirement',
];

/**
 * Street and ZIP of a scraped address. The scraper joined the lines and lost the last word of the city: "1200 EXAMPLE
 * ROAD ROCKY, OH, 44116" is in Rocky River, "34 WEST EXAMPLE STREET , OH, 44102" in Cleveland. The rest of the city is
 * removed from the street, and the city stays unknown.
 */
function scrapedAddress(printed: string | null): Pick<Sale, 'street' | 'city' | 'zip'> {
  const match = /^(.*),\s*OH\s*,\s*([\d-]*)\s*$/u.exec(printed ?? '');
  const joined = match?.[1];
  if (joined === undefined) return { street: optional(printed), city: null, zip: null };
  const street = /\s$/u.test(joined) ? joined : joined.replace(/\s+\S+$/u, '');
  return { street: optional(street), city: null, zip: zip('zip', match?.[2]) };
}

function scrapedSale(county: County, row: JsonObject): { readonly values: Sale; readonly sourceUrl: string } {
  const text = (name: string): string | null => line(row[name]);
  if (text('county')?.toLowerCase() !== county.name.toLowerCase())
    refuse('other_county', `county is ${JSON.stringify(row['county'])}, expected ${county.name}`);
  const slot = text('start_date');
  const saleDate = dayOfTime(slot);
  if (saleDate === null)
    return refuse(
      'sale_date_overwritten',
      `start_date is ${JSON.stringify(slot)}: the status replaced the time, so the file does not state the sale day`,
    );
  const item: Item = {
    aid: '',
    slot: { label: null, text: slot, amount: null },
    labelled: [
      ['Case Status', text('case_status') ?? ''],
      ['Case #', text('case_number') ?? ''],
      ['Parcel ID', text('parcel_id') ?? ''],
      ['Appraised Value', text('appraised_value') ?? ''],
      ['Opening Bid', text('opening_bid') ?? ''],
      ['Deposit Requirement', text('deposit_requirement') ?? ''],
    ],
  };
  const address = typeof row['property_address'] === 'string' ? row['property_address'] : null;
  return {
    values: {
      ...parseSale(county, { item, saleDate, area: null, saleType: undefined }),
      // The file has no item numbers.
      item_id: null,
      ...scrapedAddress(address),
    },
    sourceUrl: previewUrl(`https://${county.host}`, saleDate),
  };
}

export function parseScraped(county: County, page: Page): readonly Candidate[] {
  const text = page.text().trim();
  const rows = text.startsWith('[')
    ? parseJson(text, 'the file', page.url)
    : text.split('\n').map((entry) => parseJson(entry, 'a line of the file', page.url));
  return (rows as readonly JsonObject[]).map((row) => {
    checkColumns(Object.keys(row), COLUMNS, page.url, ['geocode']);
    return candidate(
      () => JSON.stringify(row),
      () => scrapedSale(county, row),
    );
  });
}
