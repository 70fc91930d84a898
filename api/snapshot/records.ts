/** Records as JSON texts, written by the database and cached while the snapshot serves. */
import { LRUCache } from 'lru-cache';
import { ABSENT, NOT_RECORDED, type Cause, type Column, type RecordDefinition } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import type { Database } from './database.ts';
import { columnOf, TABLES, type TableName } from '../../models/serving/tables.ts';

/** Bytes of text cached per snapshot. */
const CACHE_BYTES = 32 << 20;
/** Selections of fields whose SQL and texts are cached; callers choose them freely. */
const MAX_SHAPES = 200;
/** Estimated size of a cache entry besides its text. */
const ENTRY_BYTES = 200;

/** SQL for a value in its JSON form (lib/record.ts): decimals and days as text, instants in UTC to the second. */
function valueSql({ name, kind }: Column): string {
  const column = identifier(name);
  switch (kind) {
    case 'money':
    case 'percent':
    case 'ratio':
    case 'degrees':
    case 'date':
      return `CAST(${column} AS VARCHAR)`;
    case 'instant':
      return `strftime(${column}, '%Y-%m-%dT%H:%M:%SZ')`;
    case 'text':
    case 'enum':
    case 'integer':
    case 'flag':
    case 'json':
      return column;
  }
}

const causeSql = (cause: Cause): string => {
  if (typeof cause === 'string') return literal(cause);
  const code = 'of' in cause ? identifier(cause.of) : literal(cause.code);
  return cause.if === undefined ? code : `CASE WHEN ${cause.if} THEN ${code} END`;
};

/** SQL for the reason of each of these fields that is null, as an object in JSON. */
function absentSql(table: TableName, names: readonly string[]): string {
  const { causes = {} }: RecordDefinition = TABLES[table];
  const reasons = names.flatMap((name) => {
    const own = causes[name];
    if (!own) return [];
    const code = `coalesce(${[...own, NOT_RECORDED].map(causeSql).join(', ')})`;
    return [`CASE WHEN ${identifier(name)} IS NULL THEN '${JSON.stringify(name)}:"' || ${code} || '"' END`];
  });
  return reasons.length === 0 ? `JSON '{}'` : `CAST('{' || concat_ws(',', ${reasons.join(', ')}) || '}' AS JSON)`;
}

/** SQL for the text of a record with these fields. */
export function recordSql(table: TableName, names = allFields(table)): string {
  const fields = names.map((name) => {
    const value = name === ABSENT ? absentSql(table, names) : valueSql(columnOf(table, name));
    return `${literal(name)}, ${value}`;
  });
  return `CAST(json_object(${fields.join(', ')}) AS VARCHAR)`;
}

/** SELECT of row ids and record texts. $1 is a JSON array of row ids. */
const recordsSql = (table: TableName, names: readonly string[]): string =>
  `SELECT rowid AS row, ${recordSql(table, names)} AS text
    FROM ${table} WHERE rowid IN (SELECT unnest(from_json($1, '["BIGINT"]')))`;

/** Names of the fields of a full record. */
export function allFields(table: TableName): readonly string[] {
  const { columns, causes }: RecordDefinition = TABLES[table];
  const names = columns.map((column) => column.name);
  return causes === undefined ? names : [...names, ABSENT];
}

/** A kind of record: some columns of a table. */
interface Shape {
  readonly sql: string;
  /** Prefix of its cache keys. */
  readonly key: string;
}

export class Records {
  readonly #database: Pick<Database, 'rows'>;
  readonly #shapes = new LRUCache<string, Shape>({ max: MAX_SHAPES });
  #shapesMade = 0;
  readonly #texts: LRUCache<string, Buffer>;

  constructor(database: Pick<Database, 'rows'>, cacheBytes = CACHE_BYTES) {
    this.#database = database;
    this.#texts = new LRUCache({ maxSize: cacheBytes, sizeCalculation: (text) => text.length + ENTRY_BYTES });
  }

  #shapeOf(table: TableName, columns: readonly string[]): Shape {
    const name = `${table} ${columns.join(' ')}`;
    let shape = this.#shapes.get(name);
    if (!shape) {
      const sql = recordsSql(table, columns);
      this.#shapesMade += 1;
      shape = { sql, key: `${this.#shapesMade}:` };
      this.#shapes.set(name, shape);
    }
    return shape;
  }

  /** Texts of the records in these rows, in their order. @param columns default: all of the record */
  async texts(table: TableName, rows: readonly number[], columns = allFields(table)): Promise<Buffer[]> {
    const { sql, key } = this.#shapeOf(table, columns);
    const found = new Map<number, Buffer>();
    for (const row of rows) {
      const text = this.#texts.get(key + row);
      if (text) found.set(row, text);
    }
    const missing = rows.filter((row) => !found.has(row));
    if (missing.length > 0) {
      for (const read of await this.#database.rows(sql, [JSON.stringify(missing)])) {
        const text = Buffer.from(String(read['text']));
        found.set(Number(read['row']), text);
        this.#texts.set(key + String(read['row']), text);
      }
    }
    return rows.map((row) => {
      const text = found.get(row);
      if (!text) throw new Error(`${table} has no row ${row}`);
      return text;
    });
  }
}
