/**
 * Any filters on any list give what an independent query over the Parquet files gives, page by page and each row once.
 * The queries are written apart from the server: values stand in the SQL text and parts of a name are told by LIKE.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { AS_OF, dataFolder, rowsOfTable, type DataFolder, type Row } from '../support/snapshot_fixtures.ts';

const SEED = 20_261_120;
const ROWS = 120;

/** Names that are each other's parts, and have what a pattern, a regular expression or SQL would read something into. */
const NAMES = [
  'Cleveland',
  'cleveland',
  'Cleve',
  '100% City',
  '100 City',
  'O_Fallon',
  'OXFallon',
  "O'Fallon",
  'a\\b',
  'São Paulo',
  'St. Louis',
  '(x)',
  '--',
  'Straße',
];
const COUNTIES = [
  'Cuyahoga County, OH',
  'Stark County, OH',
  'St_rk County, OH',
  '100% County, OH',
  "O'Brien County, IA",
];
const anything = fc
  .string({ minLength: 1, maxLength: 3 })
  .filter((s) => /^[^\p{Cc}\p{Cs}]+$/u.test(s) && s.trim() === s);
/** What is asked for: one of these, or a part, in upper or lower case, and now and then what is in none. */
const askedOf = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...names, 'cleve', 'County', '%', '_', '\\', "'"),
          fc.constantFrom('as is', 'upper', 'lower'),
        )
        .map(([value, how]) => (how === 'upper' ? value.toUpperCase() : how === 'lower' ? value.toLowerCase() : value)),
    },
    { weight: 1, arbitrary: anything },
  );
const name = askedOf(NAMES);
const county = askedOf(COUNTIES);
const money = fc.constantFrom('0', '0.01', '133331.01', '500000', '500000.5', '99999.999999', '-1', '007');
const percent = fc.constantFrom('0', '5', '5.15', '8.5', '11.999999');
const units = fc.integer({ min: 0, max: 30 });
const score = fc.integer({ min: 0, max: 100 });
const day = fc
  .integer({ min: -20, max: 20 })
  .map((n) => new Date(Date.parse(AS_OF) + n * 86_400_000).toISOString().slice(0, 10));
const flag = fc.boolean();

type Asked = Readonly<Record<string, string | number | boolean | undefined>>;
interface List {
  readonly path: string;
  readonly table: string;
  readonly order: string;
  readonly filters: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Conditions that rows must meet; undefined ones do not apply. */
  readonly rows: (f: Asked) => readonly (string | undefined)[];
}

const text = (value: unknown): string => literal(String(value));
/** The column contains the text, upper or lower case, no character of which is a wildcard. */
const has = (column: string, value: unknown): string | undefined =>
  value === undefined
    ? undefined
    : `lower(${column}) LIKE '%' || replace(replace(replace(lower(${text(value)}), '!', '!!'), '%', '!%'), '_', '!_') || '%' ESCAPE '!'`;
const is = (column: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `lower(${column}) = lower(${text(value)})`;
const compare = (column: string, sign: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `${column} ${sign} ${String(value)}`;
const onDay = (column: string, sign: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `${column} ${sign} DATE ${text(value)}`;
const exactly = (column: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `${column} = ${text(value)}`;

const dealFilters = {
  state: fc.constantFrom('OH', 'oh', 'Mo', 'ZZ'),
  city: name,
  min_price: money,
  max_price: money,
  min_cap: percent,
  min_units: units,
  max_units: units,
  min_score: score,
  status: fc.constantFrom('Hot', 'Warm', 'Pass'),
};
const dealRows = (f: Asked): readonly (string | undefined)[] => [
  "listing_status = 'active'",
  f['state'] === undefined ? undefined : `state = ${text(String(f['state']).toUpperCase())}`,
  is('city', f['city']),
  compare('list_price', '>=', f['min_price']),
  compare('list_price', '<=', f['max_price']),
  compare('cap_rate', '>=', f['min_cap']),
  compare('units', '>=', f['min_units']),
  compare('units', '<=', f['max_units']),
  compare('deal_score', '>=', f['min_score']),
  exactly('rental_status', f['status']),
];
const OFF = "('cancelled', 'withdrawn', 'postponed', 'removed')";
const filingFilters = { entity_type: fc.constantFrom('domestic_llc', 'foreign_llc', 'water_company') };
const state = { state: fc.constantFrom('OH', 'CO') };
const filingRows = (f: Asked): readonly (string | undefined)[] => [
  exactly('source_state', f['state']),
  exactly('entity_type', f['entity_type']),
  has('business_name', f['name']),
  has('registered_agent_name', f['agent']),
  is('business_city', f['city']),
  onDay('filing_date', '>=', f['from_date']),
  onDay('filing_date', '<=', f['to_date']),
];
const recentRows = (f: Asked): readonly (string | undefined)[] => [
  `first_seen >= DATE ${text(AS_OF)} - 6`,
  exactly('source_state', f['state']),
  exactly('entity_type', f['entity_type']),
];
const registers = [
  ['', {}, state],
  ['/ohio', { state: 'OH' }, {}],
  ['/colorado', { state: 'CO' }, {}],
] as const;

const LISTS: readonly List[] = [
  { path: '/api/deals', table: 'deals', order: 'deal_score DESC', filters: dealFilters, rows: dealRows },
  { path: '/api/deals/basic', table: 'deals', order: 'cap_rate DESC', filters: dealFilters, rows: dealRows },
  {
    path: '/api/deals/hot',
    table: 'deals',
    order: 'deal_score DESC',
    filters: {},
    rows: () => [
      "listing_status = 'active'",
      'cap_rate >= 8.5',
      "cap_rate_source = 'advertised'",
      "dscr_status = 'computed'",
    ],
  },
  {
    path: '/api/signals',
    table: 'signals',
    order: 'amount DESC',
    filters: {
      county,
      signal_type: fc.constantFrom('tax_delinquent', 'TAX_DELINQUENT', 'fire'),
      min_amount: money,
      has_address: flag,
    },
    rows: (f) => [
      "signal_state IN ('listed', 'unknown')",
      has('county', f['county']),
      exactly('signal_type', f['signal_type']),
      compare('amount', '>=', f['min_amount']),
      compare('has_address', '=', f['has_address']),
    ],
  },
  {
    path: '/api/auctions',
    table: 'auctions',
    order: 'sale_date ASC',
    filters: { county, from_date: day, to_date: day, min_appraised: money, include_past: flag },
    rows: (f) => [
      f['include_past'] === true
        ? `sale_date < DATE ${text(AS_OF)} OR sale_status NOT IN ${OFF}`
        : `sale_date >= DATE ${text(AS_OF)} AND sale_status NOT IN ${OFF}`,
      has('county', f['county']),
      onDay('sale_date', '>=', f['from_date']),
      onDay('sale_date', '<=', f['to_date']),
      compare('appraised_value', '>=', f['min_appraised']),
    ],
  },
  {
    path: '/api/leads',
    table: 'leads',
    order: 'lead_score DESC',
    filters: { county, min_score: score, lead_type: fc.constantFrom('tax_delinquent', 'sheriff_sale_auction') },
    rows: (f) => [
      `last_verified >= DATE ${text(AS_OF)} - 7`,
      `sale_date IS NULL OR sale_date >= DATE ${text(AS_OF)}`,
      has('county', f['county']),
      compare('lead_score', '>=', f['min_score']),
      exactly('lead_type', f['lead_type']),
    ],
  },
  ...registers.flatMap(([prefix, own, filter]): List[] => [
    {
      path: `${prefix}/api/filings/recent`,
      table: 'filings',
      order: 'first_seen DESC',
      filters: { ...filter, ...filingFilters },
      rows: (f) => recentRows({ ...f, ...own }),
    },
    {
      path: `${prefix}/api/filings`,
      table: 'filings',
      order: 'filing_date DESC',
      filters: { ...filter, ...filingFilters, name, agent: name, city: name, from_date: day, to_date: day },
      rows: (f) => filingRows({ ...f, ...own }),
    },
  ]),
];

/** A value of the list for a row, in no step with the other columns. */
const pick = <T>(values: readonly T[], i: number, column: number): T =>
  values[createHash('sha256').update(`${column} ${i}`).digest().readUInt32BE() % values.length] as T;
const dayBefore = (n: number): string => new Date(Date.parse(AS_OF) - n * 86_400_000).toISOString().slice(0, 10);
const amount = (i: number): string | null =>
  i % 9 === 0
    ? null
    : pick(
        [
          '0.00',
          '0.01',
          '133331.01',
          '133331.02',
          '500000.00',
          '500000.50',
          '99999.99',
          '100000.00',
          '999999999999.99',
        ],
        i,
        1,
      );

const deal = (i: number): Row => ({
  state: pick(['OH', 'MO', 'IN'], i, 2),
  city: pick(NAMES, i, 3),
  list_price: amount(i),
  cap_rate: i % 6 === 0 ? null : pick(['4.99', '5.15', '5.16', '8.49', '8.50', '8.51', '9.00', '12.00'], i, 4),
  units: i % 8 === 0 ? null : i % 30,
  deal_score: (i * 7) % 23,
  rental_status: pick(['Hot', 'Warm', 'Pass'], i, 5),
  listing_status: pick(['active', 'active', 'active', 'sold', 'under_contract', 'delisted'], i, 6),
  cap_rate_source: i % 6 === 0 ? 'none' : pick(['advertised', 'advertised', 'derived_from_stated_noi'], i, 7),
  dscr_status: pick(['computed', 'computed', 'insufficient_data', 'not_applicable'], i, 8),
});

describe('random filters', () => {
  let folder: DataFolder;
  let started: Started;
  let duck: Duck;
  let snapshot: string;
  const buyer = buyerWith();

  before(async () => {
    folder = await dataFolder();
    snapshot = await folder.publish(`${AS_OF}.01`, {
      deals: rowsOfTable('deals', ROWS, deal),
      signals: rowsOfTable('signals', ROWS, (i) => ({
        county: pick(COUNTIES, i, 9),
        amount: amount(i),
        has_address: i % 3 === 0,
        ...(i % 3 === 0 ? { address: `${i} A St` } : {}),
        signal_state: pick(['listed', 'listed', 'removed', 'unknown'], i, 10),
      })),
      auctions: rowsOfTable('auctions', ROWS, (i) => ({
        county: pick(COUNTIES, i, 11),
        sale_date: dayBefore((i % 29) - 14),
        appraised_value: amount(i),
        sale_status: pick(
          ['scheduled', 'cancelled', 'sold', 'postponed', 'unknown', 'removed', 'withdrawn', 'result_unknown'],
          i,
          12,
        ),
      })),
      leads: rowsOfTable('leads', ROWS, (i) => ({
        county: pick(COUNTIES, i, 13),
        lead_score: (i * 11) % 101,
        last_verified: `${dayBefore(i % 10)}T${i % 2 ? '00:00:00' : '23:59:59'}Z`,
        lead_type: i % 2 ? 'tax_delinquent' : 'sheriff_sale_auction',
        sale_date: i % 2 ? null : dayBefore((i % 7) - 3),
      })),
      filings: rowsOfTable('filings', ROWS, (i) => ({
        source_state: i % 3 ? 'OH' : 'CO',
        source: i % 3 ? 'ohio_sos' : 'colorado_sos',
        entity_type: pick(['domestic_llc', 'foreign_llc'], i, 14),
        business_name: `${pick(NAMES, i, 15)} ${i % 5}`,
        registered_agent_name: i % 4 ? pick(NAMES, i, 16) : null,
        business_city: i % 5 ? pick(NAMES, i, 17) : null,
        filing_date: dayBefore((i % 37) - 5),
        first_seen: `${dayBefore(i % 12)}T${i % 2 ? '00:00:00' : '23:59:59'}Z`,
      })),
    });
    started = await startApp(folder.path);
    duck = await openDuck();
  });
  after(async () => {
    duck.close();
    await started.close();
    await folder.remove();
  });

  /** All pages of a list. */
  const pages = async (path: string, query: Asked, limit: number): Promise<{ ids: string[]; totals: Set<unknown> }> => {
    const ids: string[] = [];
    const totals = new Set<unknown>();
    for (let cursor: unknown; cursor !== null;) {
      const given = Object.entries({ ...query, limit, ...(cursor === undefined ? {} : { cursor }) })
        .filter(([, v]) => v !== undefined)
        .map(([k, v]): [string, string] => [k, String(v)]);
      const response = await buyer.fetch(`${started.url}${path}?${new URLSearchParams(given).toString()}`);
      const body = await bodyOf(response);
      if (response.status === 404 && cursor === undefined) return { ids, totals: totals.add(body['total_matches']) };
      assert.equal(response.status, 200, JSON.stringify(body));
      const records = body['records'] as { id: string }[];
      assert.ok(records.length === limit || body['next_cursor'] === null, 'only the last page is short');
      assert.equal(body['count'], records.length);
      ids.push(...records.map((r) => r.id));
      totals.add(body['total_matches']);
      cursor = body['next_cursor'];
    }
    return { ids, totals };
  };

  for (const [index, list] of LISTS.entries()) {
    it(`on ${list.path} give what a query over the file gives`, async () => {
      const matched = { some: 0, none: 0, paged: 0 };
      const file = literal(join(snapshot, `${list.table}.parquet`));
      // A few filters at a time: with all of them nothing would ever match.
      const names = Object.keys(list.filters);
      const filters = fc
        .subarray(names, { maxLength: Math.min(3, names.length) })
        .chain((some) =>
          fc.record(Object.fromEntries(Object.entries(list.filters).filter(([key]) => some.includes(key)))),
        ) as fc.Arbitrary<Asked>;
      await fc.assert(
        fc.asyncProperty(filters, fc.constantFrom(names.length === 0 ? 2 : 17, 60, 500), async (f, limit) => {
          const conditions =
            list
              .rows(f)
              .filter((c) => c !== undefined)
              .map((c) => `(${c})`)
              .join(' AND ') || 'true';
          const expected = (
            await rowsOf(
              duck.connection,
              `SELECT id FROM read_parquet(${file}) WHERE ${conditions} ORDER BY ${list.order} NULLS LAST, id`,
            )
          ).map((r) => r['id']);
          const { ids, totals } = await pages(list.path, f, limit);
          assert.deepEqual(ids, expected);
          assert.deepEqual([...totals], [expected.length]);
          if (expected.length === 0) matched.none += 1;
          else matched.some += 1;
          if (expected.length > limit) matched.paged += 1;
        }),
        { numRuns: names.length === 0 ? 8 : 10 + 5 * names.length, seed: SEED + index },
      );
      // Filters that never match, or never fill a page, would prove nothing.
      assert.ok(matched.some > 0 && matched.paged > 0, JSON.stringify(matched));
      if (names.length > 2) assert.ok(matched.none > 0, JSON.stringify(matched));
    });
  }
});
