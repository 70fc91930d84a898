/** Build the models in a database whose input tables exist, hold each to its contract and run its audits. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { allOf } from '../lib/all.ts';
import { commentOn } from '../lib/record.ts';
import { rowsOf } from '../lib/duck.ts';
import { identifier } from '../lib/sql.ts';
import { bringUpToDate, carriedSelect, carriesRows, failingOfChanged, nothingCarried } from './carried.ts';
import { auditsOf, type Audit } from './contract.ts';
import { GraphError, orderOf, tablesRead } from './graph.ts';
import { macrosSql, type Layer, type Model } from './index.ts';

/** Failing rows that are kept for reading. */
const ROWS_KEPT = 20;

export interface AuditResult extends Audit {
  /** Number of failing rows; 0 where the audit holds. */
  readonly failing: number;
  /** The first failing rows, in JSON form. */
  readonly rows: readonly Record<string, unknown>[];
}

export interface ModelResult {
  readonly name: string;
  readonly layer: Layer;
  readonly rows: number;
  readonly audits: readonly AuditResult[];
}

/** A model does not give what its contract says. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** What is known of models before their inputs are there: the tables that each reads, by its name. */
export type Reads = ReadonlyMap<string, readonly string[]>;

export interface Building {
  readonly models: readonly Model[];
  /** What readsOf gave, where it was asked before. */
  readonly reads?: Reads;
  /** Another connection: models of which neither reads the other are then built two at a time. */
  readonly beside?: DuckDBConnection;
  /** Attached database that published tables are built in. */
  readonly published?: string;
  /** Published tables that lie in it as they were in the snapshot before. */
  readonly there?: readonly string[];
  /** Names of audits that found no row in the snapshot before, and are what they were then. */
  readonly held?: ReadonlySet<string>;
}

/** Create the macros that models use, and read from each model's SQL which tables it reads. @throws GraphError for what is not one SELECT of tables */
export async function readsOf(connection: DuckDBConnection, models: readonly Model[]): Promise<Reads> {
  await connection.run(macrosSql());
  const reads = new Map<string, readonly string[]>();
  for (const { name, sql } of models) {
    try {
      reads.set(name, await tablesRead(connection, sql));
    } catch (error) {
      throw error instanceof GraphError ? new GraphError(`model ${name}: ${error.message}`) : error;
    }
  }
  return reads;
}

/**
 * Build every model in the order its SQL implies.
 *
 * A column that is missing, too many, out of order or of another type stops the build with ContractError; rows
 * that break an audit do not: they are in the result, and the caller decides.
 *
 * Published tables are built in their published order, so that nobody has to sort them again; one that carries rows of
 * the snapshot before is in no order. With `published`, they are built in that attached database, and a view bears their
 * name here. Of those that lie `there` only what changed is written, and an audit that `held` is seen again only for that.
 * @throws GraphError for an unknown table or a circle; ContractError; Error naming the model when its SQL fails
 */
export async function buildModels(connection: DuckDBConnection, { models, reads: known, beside, published, there = [], held = new Set() }: Building): Promise<ModelResult[]> {
  const reads = known ?? await readsOf(connection, models);
  const existing = await rowsOf(connection, `SELECT table_name FROM duckdb_tables() WHERE database_name = current_catalog() AND schema_name = current_schema()
    UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal AND database_name = current_catalog() AND schema_name = current_schema()`);
  const inputs = new Set(existing.map((r) => String(r['table_name'])));
  for (const { name } of models) if (inputs.has(name)) throw new GraphError(`model ${name} has the name of an input table`);
  const byName = new Map(models.map((m) => [m.name, m]));
  const order = orderOf(reads, inputs).flatMap((name) => byName.get(name) ?? []);
  const built = await inLanes([connection, ...(beside ? [beside] : [])], longestFirst(order, reads), reads,
    (own, model) => buildModel(own, model, published, there.includes(model.name), held));
  return order.flatMap(({ name }) => built.get(name) ?? []);
}

/** Tables of very many rows take the longest: they come first, with what they read. */
function longestFirst(order: readonly Model[], reads: Reads): readonly Model[] {
  const long = new Set<string>();
  for (const { name, contract } of [...order].reverse()) if (contract.carries || long.has(name)) for (const needed of [name, ...reads.get(name) ?? []]) long.add(needed);
  return [...order.filter(({ name }) => long.has(name)), ...order.filter(({ name }) => !long.has(name))];
}

/** Build models on several connections, each when those it reads are there. Of those that can be built the first goes on. */
async function inLanes(connections: readonly DuckDBConnection[], models: readonly Model[], reads: Reads, build: (own: DuckDBConnection, model: Model) => Promise<ModelResult>): Promise<ReadonlyMap<string, ModelResult>> {
  const built = new Map<string, ModelResult>();
  const waiting = [...models];
  let step = Promise.withResolvers<void>();
  const lane = async (own: DuckDBConnection): Promise<void> => {
    while (waiting.length > 0) {
      const at = waiting.findIndex(({ name }) => (reads.get(name) ?? []).every((table) => !reads.has(table) || built.has(table)));
      const [model] = at === -1 ? [] : waiting.splice(at, 1);
      if (!model) {
        await step.promise;
        continue;
      }
      try {
        built.set(model.name, await build(own, model));
      } catch (error) {
        waiting.length = 0;
        throw error;
      } finally {
        step.resolve();
        step = Promise.withResolvers();
      }
    }
  };
  await allOf(connections.map(lane));
  return built;
}

/** A model's SQL without its last semicolon, so that it can stand inside another statement. */
const selectOf = (sql: string): string => sql.trim().replace(/;$/u, '');

/** Make a model's table, or its view. */
async function create(connection: DuckDBConnection, { name, sql, contract }: Model, published: string | undefined, isThere: boolean): Promise<void> {
  const run = async (statement: string): Promise<void> => { await connection.run(statement); };
  const { view, carries, publish } = contract;
  const table = published !== undefined && publish ? `${identifier(published)}.main.${identifier(name)}` : identifier(name);
  const select = selectOf(sql);
  if (view === true) return run(`CREATE VIEW ${identifier(name)} AS ${select}`);
  const hasCarried = carries !== undefined && await carriesRows(connection, name, contract);
  const whole = (rows: string, order: string): Promise<void> => run(`CREATE TABLE ${table} AS SELECT * FROM (\n${rows}\n) ${order}`);
  if (!hasCarried) await whole(select, publish ? `ORDER BY ${publish.orderBy.join(', ')}` : '');
  else if (isThere) await bringUpToDate(connection, name, select, carries, table);
  else await whole(await carriedSelect(connection, name, select, carries), '');
  if (table !== identifier(name)) await run(`CREATE VIEW ${identifier(name)} AS FROM ${table}`);
  if (carries && !hasCarried) await nothingCarried(connection, name);
}

async function buildModel(connection: DuckDBConnection, model: Model, published: string | undefined, isThere: boolean, held: ReadonlySet<string>): Promise<ModelResult> {
  const { name, layer, contract } = model;
  const { record } = contract;
  // NOT NULL is left to an audit: it keeps the rows that break it, where a constraint would only stop.
  try {
    await create(connection, model, published, isThere);
  } catch (error) {
    throw new Error(`model ${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const found = await rowsOf(connection, `DESCRIBE ${identifier(name)}`);
  checkColumns(`model ${name}`, record.columns.map((c) => ({ column: c.name, type: c.sql })),
    found.map((r) => ({ column: String(r['column_name']), type: String(r['column_type']) })));
  // Beside published tables the others are gone with the build. One transaction: each of its own would be flushed to the disk.
  if (contract.view !== true && published === undefined) await connection.run(['BEGIN', ...commentOn(name, record.about, record.columns), 'COMMIT'].join(';\n'));
  const audits = auditsOf(model);
  const ofChanged = contract.carries && isThere ? await failingOfChanged(connection, name, contract.carries, audits.filter((a) => held.has(a.name))) : new Map<Audit, number>();
  const { rows, failing: ofAll } = await countFailing(connection, name, audits.filter((a) => !ofChanged.has(a)));
  const failing = new Map([...ofChanged, ...ofAll]);
  const results: AuditResult[] = [];
  for (const audit of audits) results.push(await runAudit(connection, audit, failing.get(audit)));
  return { name, layer, rows, audits: results };
}

/**
 * How many rows a model has, and how many of them meet each audit's condition: all in one pass over the table. Of a key
 * it is only seen there that no two rows share it; which do, the audit itself says.
 */
async function countFailing(connection: DuckDBConnection, model: string, audits: readonly Audit[]): Promise<{ rows: number; failing: ReadonlyMap<Audit, number> }> {
  const counted = audits.flatMap((audit) => (audit.condition !== undefined ? [{ audit, count: `count_if(${audit.condition})` }]
    : audit.unique ? [{ audit, count: `count(*) - count(DISTINCT (${audit.unique.map(identifier).join(', ')}))` }] : []));
  const [counts] = await rowsOf(connection, `SELECT count(*) AS n${counted.map(({ count }, i) => `, ${count} AS audit_${i}`).join('')} FROM ${identifier(model)}`)
    // Which of them cannot be computed shows when each runs alone.
    .catch(() => rowsOf(connection, `SELECT count(*) AS n FROM ${identifier(model)}`));
  const failing = new Map<Audit, number>();
  for (const [i, { audit }] of counted.entries()) {
    const found = counts?.[`audit_${i}`];
    if (found !== undefined && (audit.condition !== undefined || Number(found) === 0)) failing.set(audit, Number(found));
  }
  return { rows: Number(counts?.['n']), failing };
}

interface Shape {
  readonly column: string;
  readonly type: string;
}

/** Columns, their order and their types must be the contract's. @throws ContractError naming the first that is not. */
export function checkColumns(what: string, expected: readonly Shape[], got: readonly Shape[]): void {
  const say = (shape: Shape | undefined): string => (shape ? `${shape.column} ${shape.type}` : 'nothing');
  for (let i = 0; i < Math.max(expected.length, got.length); i += 1) {
    const [want, have] = [expected[i], got[i]];
    if (want?.column !== have?.column || want?.type !== have?.type) {
      throw new ContractError(`${what}: column ${i + 1} is expected to be ${say(want)}, got ${say(have)}`);
    }
  }
}

/** @param counted number of failing rows, where it is known */
async function runAudit(connection: DuckDBConnection, audit: Audit, counted: number | undefined): Promise<AuditResult> {
  try {
    const failing = counted ?? Number((await rowsOf(connection, `SELECT count(*) AS n FROM (${audit.sql})`))[0]?.['n']);
    const rows = failing === 0 ? [] : await rowsOf(connection, `SELECT * FROM (${audit.sql}) ORDER BY ALL LIMIT ${ROWS_KEPT}`);
    return { ...audit, failing, rows };
  } catch (error) {
    throw new Error(`audit ${audit.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
