/**
 * Builds the real models over a few given rows. Every input table exists as the pipeline would make it; rows name
 * only the columns that matter, the rest get plain values or null.
 */
import { createHash } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { createTable, type Column, type RecordDefinition } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { Assumption, currentAssumptions } from '../../models/assumptions.ts';
import { auditModels, type ModelResult } from '../../models/audit.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, loadReferences, type Model } from '../../models/index.ts';
import { Provenance, RejectedRow, Run, SoldLead, SourceRead } from '../../models/inputs.ts';
import { loadRowRecords } from '../../sources/index.ts';

export type GivenRow = Readonly<Record<string, unknown>>;
/** Rows by table. The name of a model stands for its result: the model itself is then not built. */
export type Given = Readonly<Record<string, readonly GivenRow[]>>;

/** Plain values of columns that must not be null and that a test does not care about. */
const PLAIN: Readonly<Record<Column['kind'], unknown>> = {
  text: 'x',
  enum: 'x',
  date: '2026-11-21',
  instant: '2026-11-21T12:00:00Z',
  money: '0.00',
  percent: '0.00',
  ratio: '0.00',
  integer: 0,
  flag: false,
  json: '[]',
};

/** Fill a row from its record: given values, else null where the record allows it, else a plain value. */
function complete(columns: readonly Column[], row: GivenRow): GivenRow {
  for (const name of Object.keys(row))
    if (!columns.some((c) => c.name === name)) throw new Error(`the test gives ${name}, which is no column`);
  return Object.fromEntries(
    columns.map((c) => [
      c.name,
      c.name in row ? row[c.name] : c.absent !== undefined ? null : (c.values?.[0] ?? PLAIN[c.kind]),
    ]),
  );
}

/** Insert rows in JSON form. */
async function insert(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  rows: readonly GivenRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const shape = `[{${columns.map((c) => `${JSON.stringify(c.name)}: "VARCHAR"`).join(', ')}}]`;
  const casts = columns.map((c) => `CAST(row.${identifier(c.name)} AS ${c.sql}) AS ${identifier(c.name)}`).join(', ');
  await connection.run(
    `INSERT INTO ${identifier(table)} SELECT ${casts} FROM (SELECT unnest(from_json(CAST($1 AS JSON), ${literal(shape)})) AS row)`,
    [JSON.stringify(rows.map((r) => complete(columns, r)))],
  );
}

const columnsOf = (record: RecordDefinition): readonly Column[] => record.columns;
const nullable = (columns: readonly Column[]): Column[] =>
  columns.map((c) => ({ ...c, absent: c.absent ?? 'an older snapshot did not have it' }));

/** Empty input tables, as a build finds them, and the tables of given models. @returns the models left to build */
export async function createInputs(
  connection: DuckDBConnection,
  models: readonly Model[],
  given: Given,
): Promise<Model[]> {
  const tables = new Map<string, readonly Column[]>([
    ['run', columnsOf(Run)],
    ['declared_assumptions', columnsOf(Assumption)],
    ['source_reads', columnsOf(SourceRead)],
    ['rejected_rows', columnsOf(RejectedRow)],
    ['sold_leads', columnsOf(SoldLead)],
    ...(await loadRowRecords()).map((r) => [`staged_${r.name}`, [...r.columns, ...Provenance.columns]] as const),
    ...models
      .filter((m) => m.contract.publish)
      .map((m) => [`previous_${m.name}`, nullable(m.contract.record.columns)] as const),
    ...models.filter((m) => m.name in given).map((m) => [m.name, m.contract.record.columns] as const),
  ]);
  for (const [table, columns] of tables) await connection.run(createTable(table, columns));
  for (const reference of loadReferences()) {
    const table = `ref_${reference.name}`;
    await connection.run(createTable(table, reference.record.columns));
    const types = reference.record.columns.map((c) => `${literal(c.name)}: ${literal(c.sql)}`).join(', ');
    await connection.run(
      `INSERT INTO ${identifier(table)} FROM read_csv(${literal(reference.csvPath)}, header = true, nullstr = '', columns = {${types}})`,
    );
  }
  const standard: Given = {
    run: [{ as_of: '2026-11-21', observed_at: '2026-11-21T12:00:00Z', assumption_set_id: currentAssumptions().id }],
    declared_assumptions: currentAssumptions().rows,
  };
  for (const [table, rows] of Object.entries({ ...standard, ...given })) {
    const columns = tables.get(table);
    if (!columns) throw new Error(`the test gives rows of ${table}, which is neither an input nor a model`);
    await insert(connection, table, columns, rows);
  }
  return models.filter((m) => !(m.name in given));
}

export interface Built {
  /** Rows of a table in JSON form, ordered by all columns. */
  rows(table: string, where?: string): Promise<Record<string, unknown>[]>;
  /** The one row that holds. */
  one(table: string, where?: string): Promise<Record<string, unknown>>;
  readonly results: readonly ModelResult[];
  /** Names of blocking audits that found rows. */
  readonly broken: readonly string[];
  readonly connection: DuckDBConnection;
  close(): void;
}

/** UUID version 5 of a name under the service's namespace, as anybody can make it from RFC 9562. */
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

/** All models, read once. */
const all = loadModels();

/**
 * Build the models over given rows. With `only`, just those and the ones they need must be given or buildable.
 * @param session statements that set the session up otherwise, such as another time zone
 */
export async function build(
  given: Given,
  only?: (model: Model) => boolean,
  session: readonly string[] = [],
): Promise<Built> {
  const duck = await openDuck(':memory:', { threads: 2, memoryLimit: '1GB' });
  try {
    for (const statement of session) await duck.connection.run(statement);
    const models = await createInputs(duck.connection, await all, given);
    const results = await auditModels(
      duck.connection,
      await buildModels(duck.connection, only ? models.filter(only) : models),
    );
    const rows = (table: string, where = 'true'): Promise<Record<string, unknown>[]> =>
      rowsOf(duck.connection, `SELECT * FROM ${identifier(table)} WHERE ${where} ORDER BY ALL`);
    return {
      rows,
      results,
      connection: duck.connection,
      broken: results
        .flatMap((r) => r.audits)
        .filter((a) => a.blocking && a.failing > 0)
        .map((a) => a.name),
      async one(table, where) {
        const found = await rows(table, where);
        if (found.length !== 1 || !found[0]) throw new Error(`${found.length} rows in ${table}, expected one`);
        return found[0];
      },
      close: () => duck.close(),
    };
  } catch (error) {
    duck.close();
    throw error;
  }
}
