/**
 * Every list with random filters, and the query over the Parquet file that gives the same rows. The queries share no
 * code with the server: values are SQL literals, and text search uses LIKE.
 */
import * as fc from 'fast-check';
import { DAY_MS } from '../../../lib/time.ts';
import { literal } from '../../../lib/sql.ts';
import { AS_OF } from '../support/snapshot_fixtures.ts';

/** Names that contain each other, and characters that are special in patterns, regular expressions and SQL. */
export const NAMES = [
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
export const COUNTIES = [
  'Cuyahoga County, OH',
  'Stark County, OH',
  'St_rk County, OH',
  '100% County, OH',
  "O'Brien County, IA",
];

const anyText = fc
  .string({ minLength: 1, maxLength: 3 })
  .filter((s) => /^[^\p{Cc}\p{Cs}]+$/u.test(s) && s.trim() === s);
/** A search text: one of these, or a part, in any case, and sometimes any text. */
const searchFor = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...names, 'cleve', 'County', '%', '_', '\\', "'"),
          fc.constantFrom('as is', 'upper', 'lower'),
        )
        .map(([value, letterCase]) => {
          if (letterCase === 'upper') return value.toUpperCase();
          return letterCase === 'lower' ? value.toLowerCase() : value;
        }),
    },
    { weight: 1, arbitrary: anyText },
  );
const name = searchFor(NAMES);
const county = searchFor(COUNTIES);
/** ZIPs of deals and records; 44113 is of Cuyahoga County, 44702 of Stark County, 85001 of no county that is read. */
export const ZIPS = ['44113', '44702', '85001', null];
/** The counties of COUNTIES whose ZIPs the reference table has. */
export const COUNTY_CODES: Readonly<Record<string, string>> = {
  'Cuyahoga County, OH': '39035',
  'Stark County, OH': '39151',
};
const place = {
  state: fc.constantFrom('OH', 'oh', 'Mo', 'ZZ'),
  city: name,
  county,
  zip: fc.constantFrom('44113', '44702', '85001', '00000'),
};
const money = fc.constantFrom('0', '0.01', '133331.01', '500000', '500000.5', '99999.999999', '-1', '007');
const percent = fc.constantFrom('0', '5', '5.15', '8.5', '11.999999');
const units = fc.integer({ min: 0, max: 30 });
const score = fc.integer({ min: 0, max: 100 });
const day = fc
  .integer({ min: -20, max: 20 })
  .map((n) => new Date(Date.parse(AS_OF) + n * DAY_MS).toISOString().slice(0, 10));
const flag = fc.boolean();
export const KINDS = ['two_to_four', 'five_up', 'unknown'];
const kind = fc.constantFrom(...KINDS, 'vacant_lot');

export type Filters = Readonly<Record<string, string | number | boolean | undefined>>;
export interface ListQuery {
  readonly path: string;
  readonly table: string;
  readonly order: string;
  readonly filters: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Conditions on the rows; undefined ones do not apply. */
  readonly conditions: (f: Filters) => readonly (string | undefined)[];
}

const text = (value: unknown): string => literal(String(value));
const escapedLike = (value: unknown): string =>
  `replace(replace(replace(lower(${text(value)}), '!', '!!'), '%', '!%'), '_', '!_')`;
/** The column contains the text, ignoring case, without wildcards. */
const contains = (column: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `lower(${column}) LIKE '%' || ${escapedLike(value)} || '%' ESCAPE '!'`;
const equalsIgnoringCase = (column: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `lower(${column}) = lower(${text(value)})`;
const compare = (column: string, sign: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `${column} ${sign} ${String(value)}`;
const compareDay = (column: string, sign: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `${column} ${sign} DATE ${text(value)}`;
/** Counties with known ZIPs whose name contains the text. */
const knownCounties = (value: unknown): string[] =>
  Object.keys(COUNTY_CODES).filter((known) => known.toLowerCase().includes(String(value).toLowerCase()));
/** Whether a lower bound is above its upper one, or deals are asked for by an unknown county. Both are refused. */
export const isRefused = (path: string, f: Filters): boolean => {
  if (path.startsWith('/api/deals') && f['county'] !== undefined && knownCounties(f['county']).length === 0)
    return true;
  const from = f['from_date'] ?? (path === '/api/auctions' && f['include_past'] !== true ? AS_OF : '');
  return (
    Number(f['min_price'] ?? -Infinity) > Number(f['max_price'] ?? Infinity) ||
    Number(f['min_units'] ?? -Infinity) > Number(f['max_units'] ?? Infinity) ||
    String(from) > String(f['to_date'] ?? '9')
  );
};
const equals = (column: string, value: unknown): string | undefined =>
  value === undefined ? undefined : `${column} = ${text(value)}`;

/** Conditions of the place, of a table that has the name of the county. */
const placeConditions = (f: Filters): readonly (string | undefined)[] => [
  f['state'] === undefined ? undefined : `state = ${text(String(f['state']).toUpperCase())}`,
  equalsIgnoringCase('city', f['city']),
  contains('county', f['county']),
  equals('zip', f['zip']),
];

const ZIP_OF_COUNTY: Readonly<Record<string, string>> = { 'Cuyahoga County, OH': '44113', 'Stark County, OH': '44702' };
const dealFilters = {
  ...place,
  min_price: money,
  max_price: money,
  min_cap: percent,
  min_units: units,
  max_units: units,
  min_score: score,
  status: fc.constantFrom('Hot', 'Warm', 'Pass', 'hot', 'PASS'),
  min_cap_underwritten: percent,
  max_cap_gap: fc.constantFrom('-2', '0', '0.01', '1.3', '1.29'),
  underwrite_reliability: fc.constantFrom('ok', 'OK', 'proxy_out_of_range', 'unknown'),
  min_dscr: fc.constantFrom('0', '1', '1.2', '1.21'),
  listed_since: day,
};
const dealConditions = (f: Filters): readonly (string | undefined)[] => [
  "listing_status = 'active'",
  ...placeConditions({ ...f, county: undefined }),
  f['county'] === undefined
    ? undefined
    : `zip IN (${knownCounties(f['county'])
        .map((known) => text(ZIP_OF_COUNTY[known]))
        .join(', ')})`,
  compare('list_price', '>=', f['min_price']),
  compare('list_price', '<=', f['max_price']),
  compare('cap_rate', '>=', f['min_cap']),
  compare('units', '>=', f['min_units']),
  compare('units', '<=', f['max_units']),
  compare('deal_score', '>=', f['min_score']),
  equalsIgnoringCase('rental_status', f['status']),
  compare('cap_rate_underwritten', '>=', f['min_cap_underwritten']),
  compare('cap_gap_pct', '<=', f['max_cap_gap']),
  equalsIgnoringCase('underwrite_reliability', f['underwrite_reliability']),
  compare('dscr', '>=', f['min_dscr']),
  compareDay('coalesce(listed_on, CAST(first_seen AS DATE))', '>=', f['listed_since']),
];
const CALLED_OFF = "('cancelled', 'withdrawn', 'postponed', 'removed')";
const filingFilters = { entity_type: fc.constantFrom('domestic_llc', 'foreign_llc', 'water_company') };
const state = { state: fc.constantFrom('OH', 'CO') };
const filingConditions = (f: Filters): readonly (string | undefined)[] => [
  equals('source_state', f['state']),
  equals('entity_type', f['entity_type']),
  contains('business_name', f['name']),
  contains('registered_agent_name', f['agent']),
  equalsIgnoringCase('business_city', f['city']),
  compareDay('filing_date', '>=', f['from_date']),
  compareDay('filing_date', '<=', f['to_date']),
];
/** Both registers have a filing of the day of the snapshot. */
const recentConditions = (f: Filters): readonly (string | undefined)[] => [
  `filing_date BETWEEN DATE ${text(AS_OF)} - 6 AND DATE ${text(AS_OF)}`,
  equals('source_state', f['state']),
  equals('entity_type', f['entity_type']),
];
const registers = [
  ['', {}, state],
  ['/ohio', { state: 'OH' }, {}],
  ['/colorado', { state: 'CO' }, {}],
] as const;

export const LISTS: readonly ListQuery[] = [
  { path: '/api/deals', table: 'deals', order: 'deal_score DESC', filters: dealFilters, conditions: dealConditions },
  {
    path: '/api/deals/basic',
    table: 'deals',
    order: 'cap_rate DESC',
    filters: dealFilters,
    conditions: dealConditions,
  },
  {
    path: '/api/deals/hot',
    table: 'deals',
    order: 'deal_score DESC',
    filters: {},
    conditions: () => ["listing_status = 'active'", 'cap_rate >= 8.5', "dscr_status = 'computed'"],
  },
  {
    path: '/api/signals',
    table: 'signals',
    order: 'amount DESC',
    filters: {
      ...place,
      signal_type: fc.constantFrom('tax_delinquent', 'TAX_DELINQUENT', 'code_violation', 'fire'),
      min_amount: money,
      has_address: flag,
      property_kind: kind,
    },
    conditions: (f) => [
      "signal_state IN ('listed', 'unknown')",
      ...placeConditions(f),
      equalsIgnoringCase('signal_type', f['signal_type']),
      compare('amount', '>=', f['min_amount']),
      compare('has_address', '=', f['has_address']),
      equals('property_kind', f['property_kind']),
    ],
  },
  {
    path: '/api/auctions',
    table: 'auctions',
    order: 'sale_date ASC',
    filters: {
      ...place,
      from_date: day,
      to_date: day,
      min_appraised: money,
      include_past: flag,
      auction_type: fc.constantFrom('sheriff_sale', 'foreclosure_sale', 'tax_sale'),
    },
    conditions: (f) => [
      f['include_past'] === true
        ? `sale_date < DATE ${text(AS_OF)} OR sale_status NOT IN ${CALLED_OFF}`
        : `sale_date >= DATE ${text(AS_OF)} AND sale_status NOT IN ${CALLED_OFF}`,
      ...placeConditions(f),
      compareDay('sale_date', '>=', f['from_date']),
      compareDay('sale_date', '<=', f['to_date']),
      compare('appraised_value', '>=', f['min_appraised']),
      equals('auction_type', f['auction_type']),
    ],
  },
  {
    path: '/api/leads',
    table: 'leads',
    order: 'lead_score DESC',
    filters: {
      ...place,
      min_score: score,
      min_signals: fc.integer({ min: 1, max: 4 }),
      lead_type: fc.constantFrom('tax_delinquent', 'sheriff_sale_auction'),
      property_kind: kind,
    },
    conditions: (f) => [
      `last_verified >= DATE ${text(AS_OF)} - 7`,
      `sale_date IS NULL OR sale_date >= DATE ${text(AS_OF)}`,
      ...placeConditions(f),
      compare('lead_score', '>=', f['min_score']),
      compare('signals_count', '>=', f['min_signals']),
      equals('lead_type', f['lead_type']),
      equals('property_kind', f['property_kind']),
    ],
  },
  ...registers.flatMap(([prefix, own, filter]): ListQuery[] => [
    {
      path: `${prefix}/api/filings/recent`,
      table: 'filings',
      order: "entity_status IN ('Delinquent', 'Dissolved') IS TRUE, filing_date DESC",
      filters: { ...filter, ...filingFilters },
      conditions: (f) => recentConditions({ ...f, ...own }),
    },
    {
      path: `${prefix}/api/filings`,
      table: 'filings',
      order: 'filing_date DESC',
      filters: { ...filter, ...filingFilters, name, agent: name, city: name, from_date: day, to_date: day },
      conditions: (f) => filingConditions({ ...f, ...own }),
    },
  ]),
];
