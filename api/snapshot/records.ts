/** Records as the JSON text that is sent, made by the database and cached while the snapshot serves. */
import { LRUCache } from 'lru-cache';
import type { Column } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import type { Database } from './database.ts';
import { columnOf, TABLES, type TableName } from './tables.ts';

/** Bytes of text cached per snapshot. */
const CACHE_BYTES = 32 << 20;
/** Selections of fields whose SQL and texts are cached; callers choose them freely. */
const MOST_SHAPES = 200;
/** Estimated size of a cache entry besides its text. */
const ENTRY_BYTES = 200;

/** SQL for a value in its JSON form (lib/record.ts): decimals and days as text, instants in UTC to the second. */
function valueSql({ name, kind }: Column): string {
  const column = identifier(name);
  switch (kind) {
    case 'money':
    case 'percent':
    case 'ratio':
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

/** SELECT of row ids and record texts. $1 is a JSON array of row ids. */
function recordsSql(table: TableName, columns: readonly Column[]): string {
  const fields = columns.map((column) => `${literal(column.name)}, ${valueSql(column)}`).join(', ');
  return `SELECT rowid AS row, CAST(json_object(${fields}) AS VARCHAR) AS text
    FROM ${table} WHERE rowid IN (SELECT unnest(from_json($1, '["BIGINT"]')))`;
}

const allColumns = (table: TableName): readonly string[] => TABLES[table].columns.map((c) => c.name);

/** A kind of record: some columns of a table. */
interface Shape {
  readonly sql: string;
  /** Prefix of its cache keys. */
  readonly key: string;
}

export class Records {
  readonly #database: Pick<Database, 'rows'>;
  readonly #shapes = new LRUCache<string, Shape>({ max: MOST_SHAPES });
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
      const sql = recordsSql(
        table,
        columns.map((column) => columnOf(table, column)),
      );
      this.#shapesMade += 1;
      shape = { sql, key: `${this.#shapesMade}:` };
      this.#shapes.set(name, shape);
    }
    return shape;
  }

  /** Texts of the records in these rows, in their order. @param columns default: all of the record */
  async texts(table: TableName, rows: readonly number[], columns = allColumns(table)): Promise<Buffer[]> {
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
