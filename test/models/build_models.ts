/**
 * Builds the real models over the input rows of a test. Every input table exists as the pipeline creates it; a row
 * names only the columns that matter to the test.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before } from 'node:test';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { createTable, type Column } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import { auditModels, type ModelResult } from '../../models/audit.ts';
import { buildModels } from '../../models/build.ts';
import type { SqlColumn } from '../../models/columns.ts';
import { isMart, loadModels, type Model } from '../../models/index.ts';
import { inputColumns } from '../../models/inputs.ts';
import { loadReferences, referenceSql } from '../../models/references.ts';
import { loadRowRecords } from '../../sources/index.ts';
import { modelsOf, sharedColumns } from '../pipelines/some_tables.ts';

export type InputRow = Readonly<Record<string, unknown>>;

export const CUYAHOGA = { county_fips: '39035', county: 'Cuyahoga County, OH' };
/** A listing of four units in Cleveland for $200,000. */
export const listingRow = (listing_id: string, given: InputRow = {}): InputRow => ({
  source: 'site',
  listing_id,
  city: 'Cleveland',
  state: 'OH',
  zip: '44102',
  list_price: '200000.00',
  units: 4,
  ...given,
});
/** A debt of a parcel of Cuyahoga County. */
export const debtRow = (parcel_raw: string, given: InputRow = {}): InputRow => ({
  source: 'tax',
  ...CUYAHOGA,
  parcel_raw,
  amount: '2000.00',
  ...given,
});
/** A first mortgage sale of the sheriff of Cuyahoga County in sixteen days. */
export const saleRow = (case_number: string, given: InputRow = {}): InputRow => ({
  source: 'sheriff',
  ...CUYAHOGA,
  case_number,
  state: 'OH',
  zip: '44102',
  sale_kind: 'mortgage_foreclosure',
  sale_round: 1,
  sale_date: '2026-12-07',
  appraised_value: '90000.00',
  ...given,
});
/** An open record of a public list of Cuyahoga County. */
export const recordRow = (signal_type: string, record_number: string, given: InputRow = {}): InputRow => ({
  source: 'city',
  ...CUYAHOGA,
  signal_type,
  record_number,
  ...given,
});

/** HUD's rents of Cleveland's area in fiscal year 2026. */
export const hudRow = (given: InputRow = {}): InputRow => ({
  source: 'hud_fmr',
  fips: '3903599999',
  county_fips: '39035',
  hud_area_code: 'METRO17410N17460',
  hud_area_name: 'Cleveland',
  fmr_2: '1250.00',
  fiscal_year: 2026,
  effective_on: '2025-10-01',
  ...given,
});

/** Rows by table. The name of a model stands for its result: that model is then not built. */
export type Inputs = Readonly<Record<string, readonly InputRow[]>>;

/** Values of the columns that a row does not name and that have no null; of an enum, its first value. */
const DEFAULTS: Readonly<Record<Column['kind'], unknown>> = {
  text: 'x',
  enum: 'x',
  date: '2026-11-21',
  instant: '2026-11-21T09:00:00Z',
  money: '0.00',
  percent: '0.00',
  ratio: '0.00',
  degrees: '0.00000',
  integer: 0,
  flag: false,
  json: '[]',
};
/** Such texts with a form that audits check. */
const TEXTS: Readonly<Record<string, string>> = {
  page_sha256: 'a'.repeat(64),
  source_url: 'https://public.example/',
  listing_url: 'https://site.example/',
};

/** The first version of a listing, as the snapshot before has it. */
export const earlierListing = (listing: InputRow, price: string, firstSeen: string, given: InputRow): InputRow => ({
  ...TEXTS,
  page_row: 0,
  availability: 'for_sale',
  ...listing,
  version: 1,
  is_latest: true,
  change: 'added',
  relisted: false,
  list_price: price,
  first_price: price,
  version_first_seen: firstSeen,
  listing_first_seen: firstSeen,
  ...given,
});

/** A column of an input, or of a model that is no mart: a value that no row states is null. */
type StatedColumn = Column | SqlColumn;

/** @param index of the row in its table: its place on the page unless it names another */
function fillRow(columns: readonly StatedColumn[], row: InputRow, index: number): InputRow {
  for (const name of Object.keys(row))
    if (!columns.some((c) => c.name === name)) throw new Error(`the test has a value of ${name}, which is no column`);
  const defaultOf = (column: StatedColumn): unknown => {
    if (!('kind' in column) || column.absent !== undefined) return null;
    const { name, values, kind } = column;
    return name === 'page_row' ? index : (TEXTS[name] ?? values?.[0] ?? DEFAULTS[kind]);
  };
  return Object.fromEntries(columns.map((c) => [c.name, c.name in row ? row[c.name] : defaultOf(c)]));
}

/** Insert rows in JSON form. */
async function insert(
  connection: DuckDBConnection,
  table: string,
  columns: readonly StatedColumn[],
  rows: readonly InputRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const shape = `[{${columns.map((c) => `${JSON.stringify(c.name)}: "VARCHAR"`).join(', ')}}]`;
  const casts = columns.map((c) => `CAST(row.${identifier(c.name)} AS ${c.sql}) AS ${identifier(c.name)}`).join(', ');
  await connection.run(
    `INSERT INTO ${identifier(table)} SELECT ${casts}
    FROM (SELECT unnest(from_json(CAST($1 AS JSON), ${literal(shape)})) AS row)`,
    [JSON.stringify(rows.map((r, i) => fillRow(columns, r, i)))],
  );
}

/** Columns of each input table, and of the models whose rows the test states. */
async function inputTables(
  models: readonly Model[],
  inputs: Inputs,
): Promise<ReadonlyMap<string, readonly StatedColumn[]>> {
  const stated = models.filter((model) => model.name in inputs);
  const found = stated.some((model) => !isMart(model)) ? await sharedColumns() : undefined;
  return new Map<string, readonly StatedColumn[]>([
    ...inputColumns(models.filter(isMart), await loadRowRecords()),
    ...stated.map(
      (model) => [model.name, isMart(model) ? model.contract.record.columns : (found?.get(model.name) ?? [])] as const,
    ),
  ]);
}

/**
 * Create the input tables that models read, filled with the rows of a test.
 * @param models to find those that the test states rows of
 * @param built models that read the tables. Default: all
 * @returns the models left to build
 */
export async function createInputs(
  connection: DuckDBConnection,
  models: readonly Model[],
  inputs: Inputs,
  built = models,
): Promise<Model[]> {
  const tables = new Map(await inputTables(models, inputs));
  const standard: Inputs = {
    run: [{ as_of: '2026-11-21', observed_at: '2026-11-21T12:00:00Z', assumption_set_id: currentAssumptions().id }],
    declared_assumptions: currentAssumptions().rows,
  };
  const rowsByTable = { ...standard, ...inputs };
  const sql = built.flatMap((model) => [model.sql, ...model.audits.map((audit) => audit.sql)]).join('\n');
  for (const [table, columns] of tables)
    if (table in rowsByTable || sql.includes(table))
      await connection.run(
        createTable(
          table,
          columns.map((column) => ('kind' in column ? column : { ...column, absent: 'not stated' })),
        ),
      );
  const references = loadReferences().filter(({ name }) => sql.includes(`ref_${name}`));
  for (const statement of references.flatMap(referenceSql)) await connection.run(statement);
  for (const { name, columns } of references.filter((each) => `ref_${each.name}` in inputs)) {
    tables.set(`ref_${name}`, columns);
    await connection.run(`DELETE FROM ${identifier(`ref_${name}`)}`);
  }
  for (const [table, rows] of Object.entries(rowsByTable)) {
    const columns = tables.get(table);
    if (!columns) throw new Error(`the test has rows of ${table}, which is neither an input table nor a model`);
    await insert(connection, table, columns, rows);
  }
  return models.filter((m) => !(m.name in inputs));
}

export interface Built {
  /** Values of columns of the only row that meets the condition. */
  values(table: string, where: string, ...columns: readonly string[]): Promise<unknown[]>;
  /** Rows of a table in JSON form, sorted by all columns; of one in parts, with those that stay as they were. */
  rows(table: string, where?: string): Promise<Record<string, unknown>[]>;
  /** The only row that meets the condition. */
  one(table: string, where?: string): Promise<Record<string, unknown>>;
  readonly results: readonly ModelResult[];
  /** Names of the blocking audits that failed. */
  readonly failed: readonly string[];
  readonly connection: DuckDBConnection;
  close(): void;
  [Symbol.dispose](): void;
}

/** UUID version 5 of a name under the service's namespace, by RFC 9562. */
export function uuid5(name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from('5ae1f6494a91594686cec8b9e324add1', 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}

const allModels = loadModels();

/**
 * Build and audit the models.
 * @param only models to build besides the terms; their other inputs must be stated
 * @param session statements that run first, such as another time zone
 */
export async function build(
  inputs: Inputs,
  only: (model: Model) => boolean = () => true,
  session: readonly string[] = [],
): Promise<Built> {
  return buildOver(
    inputs,
    (await allModels).filter((model) => model.name === 'terms' || only(model)),
    session,
  );
}

/**
 * Build and audit the models that fill these published tables. The other published tables are empty.
 * @param empty models without rows, as modelsOf takes them
 */
export const buildTables = async (
  inputs: Inputs,
  tables: readonly string[],
  empty: readonly string[] = [],
): Promise<Built> => buildOver(inputs, await modelsOf(tables, empty), []);

async function buildOver(inputs: Inputs, selected: readonly Model[], session: readonly string[]): Promise<Built> {
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '1GB' });
  const { connection, close } = duck;
  try {
    for (const statement of session) await connection.run(statement);
    const left = await createInputs(connection, await allModels, inputs, selected);
    const isThere = (table: string): boolean => table in inputs || selected.some(({ name }) => name === table);
    const models = selected
      .filter(({ name }) => left.some((m) => m.name === name))
      .map((model) => ({
        ...model,
        audits: model.audits.filter(({ name }) => isThere(/[._]id_in_(\w+)$/u.exec(name)?.[1] ?? model.name)),
      }));
    /** The table; of one in parts, with the rows of the previous snapshot that today's do not replace. */
    const wholeTable = (table: string): string => {
      const contract = models.find(({ name }) => name === table)?.contract;
      if (!contract?.publish.parts) return identifier(table);
      const today = identifier(table);
      return `(FROM ${today} UNION ALL BY NAME
        FROM previous_${table} ANTI JOIN ${today} USING (${contract.record.key.join(', ')}))`;
    };
    const results = await auditModels(connection, await buildModels(connection, models));
    const audits = results.flatMap((r) => r.audits);
    const rows = (table: string, where = 'true'): Promise<Record<string, unknown>[]> =>
      rowsOf(connection, `SELECT * FROM ${wholeTable(table)} WHERE ${where} ORDER BY ALL`);
    const one = async (table: string, where?: string): Promise<Record<string, unknown>> => {
      const [row, ...others] = await rows(table, where);
      if (!row || others.length > 0) throw new Error(`${row ? 'several' : 'no'} rows in ${table}, expected one`);
      return row;
    };
    return {
      rows,
      one,
      async values(table, where, ...columns) {
        const row = await one(table, where);
        return columns.map((column) => row[column]);
      },
      results,
      connection,
      failed: audits.filter((a) => a.blocking && a.failing > 0).map((a) => a.name),
      close,
      [Symbol.dispose]: close,
    };
  } catch (error) {
    duck.close();
    throw error;
  }
}

/** A build before the tests of a group, whose audits all pass. It is closed after them. */
export function builtBefore(make: () => Promise<Built>): Built {
  let built: Built;
  before(async () => {
    built = await make();
    assert.deepEqual(built.failed, []);
  });
  after(() => built.close());
  return new Proxy({} as Built, { get: (_, name) => built[name as keyof Built] });
}
