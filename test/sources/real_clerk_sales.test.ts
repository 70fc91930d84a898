/**
 * Real items of Florida and Pennsylvania, where the folder that holds them is present: written into the form of the
 * site, read by the adapter, and compared with another reading of the same items. The folder has no undecoded answers
 * of so many counties, so the marks and boxes around the values are ours.
 */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type Page, Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { realAuctionSource } from '../../sources/families/realauction/counties.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';

const florida = realAuctionSource('fl_duval_foreclosure');
const butler = realAuctionSource('pa_butler_sheriff');

const REAL = new URL('../../../shared/real/more/realauction/', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of real files is not here';
const textOf = (file: string): string => readFileSync(new URL(file, REAL), 'utf8');

type Item = Readonly<Record<string, string>>;

/** Label by key of the JSON items, whose author made the keys of the labels. */
const LABELS: Readonly<Record<string, string>> = {
  auction_type: 'Auction Type',
  case_: 'Case #',
  certificate_: 'Certificate #',
  final_judgment_amount: 'Final Judgment Amount',
  opening_bid: 'Opening Bid',
  parcel_id: 'Parcel ID',
  alternate_key: 'Alternate Key',
  property_address: 'Property Address',
  assessed_value: 'Assessed Value',
  'property_app._market_value': 'Property App. Market Value',
  plaintiff_max_bid: 'Plaintiff Max Bid',
  'plaintiff_max\nbid': 'Plaintiff Max\nBid',
};

/**
 * City lines are printed in two forms. A third has no comma, as its author's ZIP shows, who cut three characters off
 * the line. An item with `street_address` has its ZIP in the address instead.
 */
function cityLine({ city, zip = '' }: Item, at: number): string | undefined {
  if (city === undefined) return undefined;
  const digits = zip.slice(-5);
  if (zip !== digits) return `${city}${zip.includes(' FL ') ? ' FL' : ''} ${digits}`;
  return `${city}, ${at % 2 === 0 ? 'FL- ' : ''}${zip}`;
}

/** Every third item has plain table cells, the others marked ones. */
function card(item: Item, at: number): string {
  const [label, value] = at % 3 === 0 ? ['<th>', '<td>'] : ['<td class="AD_LBL">', '<td class="AD_DTA">'];
  const end = label.replace(/<(t.).*/u, '</$1>');
  const row = (name: string, text: string): string => `<tr>${label}${name}${end}${value}${text}</td></tr>`;
  const rows = Object.entries(LABELS).flatMap(([key, name]) => {
    const text = item[key];
    const line = key === 'property_address' ? cityLine(item, at) : undefined;
    return text === undefined ? [] : [row(`${name}:`, text), ...(line === undefined ? [] : [row('', line)])];
  });
  return (
    `<div class="AUCTION_ITEM PREVIEW" aid="${at + 1}"><div class="AUCTION_DETAILS"><table class="ad_tab"><tbody>` +
    `${rows.join('')}</tbody></table></div></div>`
  );
}

const dayOf = (item: Item): string => (item['auction_date'] ?? '').replace(/^(\d\d)\/(\d\d)\/(\d{4}).*$/u, '$3-$1-$2');

/** Pages of the items, one for each sale day. */
function pagesOf(items: readonly Item[]): Page[] {
  const numbered = items.map((item, at) => ({ item, at }));
  return [...Map.groupBy(numbered, ({ item }) => dayOf(item))].map(([saleDate, ofDay]) => {
    const slot = { label: 'Auction Starts', text: `${ofDay[0]?.item['auction_date']?.slice(0, 10)} 11:00 AM ET` };
    const slots = Object.fromEntries(ofDay.map(({ at }) => [at + 1, { ...slot, amount: null }]));
    const body = {
      retHTML: ofDay.map(({ item, at }) => card(item, at)).join(''),
      rlist: ofDay.map(({ at }) => at + 1).join(','),
    };
    return pageOf(new TextEncoder().encode(JSON.stringify(body)), {
      kind: 'items',
      url: 'https://duval.realforeclose.com/index.cfm',
      context: { saleDate, area: 'W', slots: JSON.stringify(slots) },
    });
  });
}

/** Dollars as printed: null for no text, 0.00 and Hidden. */
function dollars(text: string | undefined): string | null {
  const figure = (text ?? '').replace(/[$,]/gu, '');
  return /^\d+\.\d\d$/u.test(figure) && Number(figure) > 0 ? figure : null;
}

const PLACEHOLDERS = /^(?:UNKNOWN|N\/A|CONFIDENTIAL|(?:00 )?UNASSIGNED.*)$/u;

/** Another reading of an item, from its values as its author split them. */
function expected(item: Item): Readonly<Record<string, unknown>> {
  const parcel = item['parcel_id'] ?? item['alternate_key'] ?? '';
  const printed = item['street_address'] ?? item['property_address'] ?? '';
  const isTaxDeed = item['auction_type'] === 'TAXDEED';
  // A city and its ZIP, or a street whose ZIP its author did not split off.
  const city = /^([A-Z]+)(\d{5})$/u.exec(printed);
  return {
    case_number: item['case_'],
    auction_type: isTaxDeed ? 'tax_deed_sale' : 'foreclosure_sale',
    parcel_raw: [...parcel].some((c) => c >= '0' && c <= '9') ? parcel : null,
    street: city !== null || printed === '' || PLACEHOLDERS.test(printed) ? null : printed,
    city: city?.[1] ?? item['city'] ?? null,
    zip: city?.[2] ?? item['zip']?.slice(-5) ?? null,
    judgment_amount: dollars(item['final_judgment_amount']),
    opening_bid: dollars(item['opening_bid']),
    assessed_value: dollars(item['assessed_value'] ?? item['property_app._market_value']),
    plaintiff_max_bid: dollars(item['plaintiff_max_bid'] ?? item['plaintiff_max\nbid']),
    certificate_number: item['certificate_'] || null,
    sale_date: dayOf(item),
    status: 'scheduled',
  };
}

/** Rows in, out, refused, merged, and the rows with another value than the other reading has. */
async function figures(spec: SourceSpec, items: readonly Item[]): Promise<{ counts: number[]; wrong: unknown[] }> {
  const { rowsIn, rows, rejects, merged } = await parsed(spec, pagesOf(items));
  const wrong = rows.flatMap((row) => {
    const item = items[Number(row['item_id']) - 1] ?? {};
    return Object.entries(expected(item))
      .filter(([name, value]) => row[name] !== value)
      .map(([name, value]) => ({ name, found: row[name], value }));
  });
  return { counts: [rowsIn, rows.length, rejects.length, merged], wrong };
}

const jsonItems = (file: string): Item[] => JSON.parse(textOf(file)) as Item[];

test('foreclosure items of many counties: 309 rows in, 309 out, none wrong', { skip }, async () => {
  const items = jsonItems('fl_foreclosure_2026-03-14_sample.json').filter((item) => item['case_'] !== undefined);
  const { counts, wrong } = await figures(florida, items);
  assert.deepEqual(wrong, []);
  assert.deepEqual(counts, [309, 309, 0, 0]);
});

test('two items without td cells quarantine their page', { skip }, async () => {
  const empty = jsonItems('fl_foreclosure_2026-03-14_sample.json').filter((item) => item['case_'] === undefined);
  assert.equal(empty.length, 2);
  await assert.rejects(
    parsed(florida, pagesOf(empty)),
    (error) => error instanceof Quarantine && error.reason === 'missing_column',
  );
});

test('tax deed items: 481 rows in, 481 out, none wrong', { skip }, async () => {
  const { counts, wrong } = await figures(florida, jsonItems('fl_all_counties_taxdeed_2026-03-14.json'));
  assert.deepEqual(wrong, []);
  assert.deepEqual(counts, [481, 481, 0, 0]);
});

/** A page of one item, or of the items in `markup`. */
function decoded(markup: string, saleDate: string): Page {
  const html = markup.includes('AUCTION_ITEM')
    ? markup
    : `<div class="AUCTION_ITEM" aid="1"><div class="AUCTION_DETAILS"><table>${markup}</table></div></div>`;
  const aids = [...html.matchAll(/aid="(\d+)"/gu)].map(([, aid = '']) => aid);
  const slot = { label: 'Auction Starts', text: `${saleDate.replace(/^(.{4})-(..)-(..)$/u, '$2/$3/$1')} 10:00 AM ET` };
  const slots = JSON.stringify(Object.fromEntries(aids.map((aid) => [aid, { ...slot, amount: null }])));
  return pageOf(new TextEncoder().encode(JSON.stringify({ retHTML: html, rlist: aids.join(',') })), {
    kind: 'items',
    url: 'https://butler.pa.realforeclose.com/index.cfm',
    context: { saleDate, area: 'W', slots },
  });
}

test('the two items of Butler County, Pennsylvania: 2 rows in, 2 out', { skip }, async () => {
  const page = decoded(textOf('butler_pa_items_trimmed.html'), '2026-09-18');
  const { rowsIn, rows, rejects } = await parsed(butler, [page]);
  assert.deepEqual([rowsIn, rows.length, rejects], [2, 2, []]);
  const cells = [...textOf('butler_pa_items_trimmed.html').matchAll(/<th>(.*?):?<\/th><td>(.*?)<\/td>/gu)];
  const printed = (label: string): string[] =>
    cells.filter(([, name]) => name === label).map(([, , text = '']) => text);
  const values = (name: string): unknown[] => rows.map((row) => row[name]);
  assert.deepEqual(
    values('case_number'),
    printed('Case #').map((text) => text.replace(' (0)', '')),
  );
  assert.deepEqual(
    rows.map((row) => `${String(row['city'])}, ${String(row['zip'])}`),
    printed(''),
  );
  assert.deepEqual(values('judgment_amount'), printed('Final Judgment Amount').map(dollars));
  assert.deepEqual(values('opening_bid'), printed('Opening Bid').map(dollars));
});
