/** Small snapshots for the tests of the server, in the format of the pipeline: from the records of the marts. */
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { pointAt, sha256OfFile } from '../../../lib/files.ts';
import { CHANGE_LISTS } from '../../../models/marts/change_feeds.ts';
import type { RecordDefinition } from '../../../lib/record.ts';
import type { Route } from '../../../api/routes/define.ts';
import { TABLES, type TableName } from '../../../models/serving/tables.ts';
import { DATABASE, filledSnapshot, FILE_FACTS, type GivenRows, type Row } from './snapshot_files.ts';

export type { Row };

export const AS_OF = '2026-11-20';
export const NOTICE = 'Made-up data of a test.';

/** A UUID that ends in `n`. */
export const uuid = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;

interface Shape {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: unknown[];
  pattern?: string;
  properties?: Record<string, Shape>;
  required?: string[];
}

/** A minimal value of a JSON column: null if allowed, empty lists, required fields only, decimals for text patterns. */
function defaultJson({ anyOf, type, const: fixed, enum: values, pattern, properties, required = [] }: Shape): unknown {
  if (anyOf || Array.isArray(type)) return null;
  if (fixed !== undefined) return fixed;
  if (values) return values[0];
  if (type === 'object') return Object.fromEntries(required.map((key) => [key, defaultJson(properties?.[key] ?? {})]));
  if (type === 'array') return [];
  if (type === 'integer') return 0;
  if (type === 'boolean') return false;
  return pattern === undefined ? 'x' : '1.00';
}

/** Values of columns by kind; of an enum the first of its values, of any other kind a text. */
const BY_KIND: Readonly<Record<string, unknown>> = {
  date: AS_OF,
  instant: `${AS_OF}T12:00:00Z`,
  money: '1.00',
  percent: '1.00',
  ratio: '1.00',
  integer: 0,
  flag: false,
};

const DEFAULTS: Record<TableName, (n: number) => Row> = {
  deals: (n) => ({
    id: uuid(n),
    address: `${n} Main St`,
    address_key: `${n} MAIN ST`,
    street_key: 'MAIN ST',
    house_low: n,
    house_high: n,
    city: 'Cleveland',
    state: 'OH',
    zip: '44113',
    source: 'heartland',
    listing_url: `https://site.example/listings/${n}`,
    list_price: '740000.00',
    units: 8,
    cap_rate: '7.40',
    noi: '54760.00',
    noi_source: 'derived_from_advertised_cap',
    deal_score: 31,
  }),
  signals: (n) => ({
    id: uuid(n),
    county: 'Cuyahoga County, OH',
    parcel_id: `P-${n}`,
    parcel_key: `P${n}`,
    amount: '1000.00',
  }),
  auctions: (n) => ({
    id: uuid(n),
    county: 'Cuyahoga County, OH',
    sale_date: '2026-12-07',
    case_number: `CV-${n}`,
    appraised_value: '150000.00',
  }),
  leads: (n) => ({ id: uuid(n), county: 'Cuyahoga County, OH', address: `${n} Oak St`, lead_score: 50 }),
  filings: (n) => ({
    id: uuid(n),
    document_number: `D${n}`,
    business_name: `Company ${n} LLC`,
    source: 'ohio_sos',
    source_state: 'OH',
  }),
  sources: () => ({}),
  assumptions: (n) => ({ assumption_set_id: 'uw-test', key: `key_${n}`, value: '0.05' }),
  reports: (n) => ({ id: uuid(n), assumption_set_id: 'uw-test' }),
  property_keys: (n) => ({ record_id: uuid(n), property_key: `parcel:39035:P${n}` }),
  coverage: (n) => ({ metro: `Metro ${n}`, kind: 'tax_delinquent', status: 'covered', why: null }),
  changes: (n) => ({ id: uuid(1000 + n), record_id: uuid(n), change: 'new', state: 'OH' }),
  change_feeds: () => ({ complete_since: '2026-11-19T12:00:00Z' }),
  endings: (n) => ({ id: uuid(n), open_url: `https://county.example/open/${n}` }),
  owners: (n) => ({
    id: uuid(n),
    owner_name: `Company ${n} LLC`,
    owner_key: `COMPANY ${n} LLC`,
    county: 'Cuyahoga County, OH',
    state: 'OH',
    properties_count: 2,
  }),
  listing_history: (n) => ({
    deal_id: uuid(n),
    source: 'heartland',
    listing_id: `L${n}`,
    version: 1,
    listing_url: `https://site.example/listings/${n}`,
    list_price: '740000.00',
  }),
  metro_days: () => ({ metro: 'Cleveland' }),
  places: (n) => ({ id: uuid(n), state: 'OH' }),
};

const defaultsByTable = new Map<TableName, Row>();

/** Values of the columns that neither DEFAULTS nor a test states, computed once: JSON Schemas take long. */
function defaultsOf(table: TableName): Row {
  const known = defaultsByTable.get(table);
  if (known) return known;
  const record: RecordDefinition = TABLES[table];
  const defaults = Object.fromEntries(
    record.columns.map((c) => [
      c.name,
      c.absent !== undefined
        ? null
        : c.kind === 'json'
          ? defaultJson(z.toJSONSchema(record.schema.shape[c.name] ?? z.never()) as Shape)
          : (c.values?.[0] ?? BY_KIND[c.kind] ?? 'x'),
    ]),
  );
  defaultsByTable.set(table, defaults);
  return defaults;
}

/** The n-th row of a table: default values, nulls if allowed, and the given values. Checked against the record. */
export function rowOf(table: TableName, n: number, given: Row = {}): Row {
  const record: RecordDefinition = TABLES[table];
  return record.schema.parse({ ...defaultsOf(table), ...DEFAULTS[table](n), ...given }) as Row;
}

/** Rows 1..n of a table; `given` may differ from row to row. */
export const rowsOfTable = (table: TableName, n: number, given: (i: number) => Row = () => ({})): Row[] =>
  Array.from({ length: n }, (_, i) => rowOf(table, i + 1, given(i + 1)));

/** A row of change_feeds for each list, as every snapshot has. */
const changeFeeds = (): Row[] => CHANGE_LISTS.map((list, i) => rowOf('change_feeds', i + 1, { list }));

/** The query that a path needs to match the first rows of the fixtures, with its question mark; or ''. */
export const neededQuery = (path: string): string => (path === '/api/lookup' ? '?apn=P-1' : '');

/** A path with query that the first rows of the fixtures match. */
export const callOf = (route: Route): string =>
  `${route.path.replaceAll(':id', uuid(1)).replace(':list', 'deals')}${neededQuery(route.path)}`;

export interface DataFolder {
  readonly path: string;
  /** Write a snapshot, by default of the sandbox, and by default let `current` name it. @returns its folder */
  publish(
    runId: string,
    tables: GivenRows,
    options?: { readonly current?: boolean; readonly data?: 'sandbox' | 'live' },
  ): Promise<string>;
  /** Let `current` name an existing snapshot. */
  switchTo(runId: string): Promise<void>;
  remove(): Promise<void>;
}

/** A new data folder. */
export async function dataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), 'dealfeed-api-'));
  const switchTo = (runId: string): Promise<void> => pointAt(join(path, 'current'), join('snapshots', runId));
  return {
    path,
    switchTo,
    remove: () => rm(path, { recursive: true, force: true }),
    async publish(runId, given, { current = true, data = 'sandbox' } = {}) {
      const folder = join(path, 'snapshots', runId);
      await cp(await filledSnapshot({ change_feeds: changeFeeds(), ...given }), folder, { recursive: true });
      const facts = join(folder, FILE_FACTS);
      const files = JSON.parse(await readFile(facts, 'utf8')) as Record<string, unknown>;
      await rm(facts);
      const database = join(folder, DATABASE);
      await writeFile(
        join(folder, 'manifest.json'),
        JSON.stringify({
          run_id: runId,
          as_of: AS_OF,
          generated_at: `${AS_OF}T12:00:00Z`,
          data_clock: data,
          notice: NOTICE,
          assumption_set_id: 'uw-test',
          ...files,
          sources: [],
          database: { file: DATABASE, bytes: (await stat(database)).size, sha256: await sha256OfFile(database) },
        }),
      );
      if (current) await switchTo(runId);
      return folder;
    },
  };
}

interface ManifestFile {
  readonly tables: Record<string, unknown>;
  readonly database: Record<string, unknown>;
  readonly serving: readonly Record<string, unknown>[];
}

export async function changeManifest(folder: string, change: (manifest: ManifestFile) => void): Promise<void> {
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as ManifestFile;
  change(manifest);
  await writeFile(path, JSON.stringify(manifest));
}
