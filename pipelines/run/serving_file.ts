/**
 * Writes a serving file: SQLite that the API reads (models/serving). Same rows, same bytes: tables are streamed in
 * their order into one transaction, and the file is neither reused nor compacted.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import type { FieldKind } from '../../lib/record.ts';
import { identifier } from '../../lib/sql.ts';
import { LOOKUP_TABLES } from '../../models/serving/lookup_tables.ts';
import {
  codeBytes,
  codedColumns,
  PART_ROWS,
  rankName,
  SERVED,
  servingVersion,
  SERVING_FILES,
  TABLES,
  VALUES_PART,
  type TableName,
} from '../../models/serving/tables.ts';
import { codedSql, isNumber, linesSql } from '../../models/serving/text.ts';

/** Pages that hold a record's text of a few kilobytes. */
const PAGE_BYTES = 8_192;

/** The values of a column, each row with the number of its value. */
class CodedValues {
  readonly #isNumber: boolean;
  readonly #codes = new Map<DuckDBValue, number>();
  readonly #rows: Int32Array;

  constructor(kind: FieldKind, rows: number) {
    this.#isNumber = isNumber(kind);
    this.#rows = new Int32Array(rows).fill(-1);
  }

  set(row: number, value: DuckDBValue): void {
    if (value === null) return;
    let code = this.#codes.get(value);
    if (code === undefined) this.#codes.set(value, (code = this.#codes.size));
    this.#rows[row] = code;
  }

  /** The sorted values as bytes, and the code of each row: 0 is null, the smallest value is 1. */
  finish(): { readonly values: Uint8Array; readonly count: number; readonly codes: Uint32Array } {
    const given = [...this.#codes.keys()] as (bigint | string)[];
    const order = given.map((_, i) => i).sort((a, b) => ((given[a] ?? 0) < (given[b] ?? 0) ? -1 : 1));
    const codeOf = new Uint32Array(given.length);
    for (const [place, first] of order.entries()) codeOf[first] = place + 1;
    const sorted = order.map((i) => given[i] ?? 0);
    const values = this.#isNumber
      ? new Uint8Array(BigInt64Array.from(sorted as bigint[]).buffer)
      : Buffer.from(JSON.stringify(sorted));
    return { values, count: given.length, codes: Uint32Array.from(this.#rows, (code) => codeOf[code] ?? 0) };
  }
}

/** Codes in as few bytes as their values need. */
function narrow(codes: Uint32Array, bytes: 1 | 2 | 4): Uint8Array | Uint16Array | Uint32Array {
  return bytes === 1 ? Uint8Array.from(codes) : bytes === 2 ? Uint16Array.from(codes) : codes;
}

class ServingWriter {
  readonly #connection: DuckDBConnection;
  readonly #db: DatabaseSync;

  constructor(connection: DuckDBConnection, path: string) {
    this.#connection = connection;
    this.#db = new DatabaseSync(path);
    this.#db.exec(
      `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = ${servingVersion()}; BEGIN;
      CREATE TABLE tables (name TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE coded (name TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (name, part))`,
    );
  }

  /** Pass each row of a query to `take`. @returns their number */
  async #each(sql: string, width: number, take: (at: number, row: readonly DuckDBValue[]) => unknown): Promise<number> {
    const result = await this.#connection.stream(sql);
    let rows = 0;
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      const columns = Array.from({ length: width }, (_, i) => chunk.getColumnValues(i));
      for (let i = 0; i < chunk.rowCount; i += 1)
        take(
          rows + i,
          columns.map((values) => values[i] ?? null),
        );
      rows += chunk.rowCount;
    }
    return rows;
  }

  /** A statement that inserts a row into a table of these columns, which it creates. */
  #inserter(table: string, columns: readonly string[]): StatementSync {
    this.#db.exec(`CREATE TABLE ${identifier(table)} (${columns.join(', ')})`);
    return this.#db.prepare(`INSERT INTO ${identifier(table)} VALUES (${columns.map(() => '?').join(', ')})`);
  }

  /** A statement that inserts a row's names into the index of parts of names. */
  #nameInserter(table: string, names: readonly string[]): StatementSync {
    const index = identifier(`${table}_names`);
    this.#db.exec(`CREATE VIRTUAL TABLE ${index} USING fts5(${names.join(', ')}, detail = none, tokenize = 'trigram')`);
    return this.#db.prepare(
      `INSERT INTO ${index} (rowid, ${names.join(', ')}) VALUES (?${', ?'.repeat(names.length)})`,
    );
  }

  /** Write the text, the keys and the columns of a table. @throws Error if rows are missing: a stream may end early */
  async table(table: TableName): Promise<void> {
    const { keys = {}, names = [], orderBy, ranks = [] } = SERVED[table];
    const name = identifier(table);
    const [counted] = await rowsOf(this.#connection, `SELECT count(*) AS n FROM ${name}`);
    const rows = Number(counted?.['n']);
    const keyNames = Object.keys(keys);
    const coded = codedColumns(table).map((column) => ({
      ...column,
      values: new CodedValues(column.kind, rows),
    }));
    const insert = this.#inserter(table, ['pos INTEGER PRIMARY KEY', 'lines TEXT NOT NULL', ...keyNames]);
    const insertNames = names.length === 0 ? null : this.#nameInserter(table, names);
    const selected = [
      linesSql(TABLES[table]),
      ...Object.values(keys),
      ...coded.map(({ kind, sql }) => codedSql(kind, sql)),
      ...names.map((column) => `lower(${column})`),
    ];
    const first = 1 + keyNames.length;
    const order = orderBy === undefined ? '' : ` ORDER BY ${orderBy}`;
    const sql = `SELECT ${selected.join(', ')} FROM ${name}${order}`;
    const read = await this.#each(sql, selected.length, (pos, row) => {
      insert.run(pos, ...(row.slice(0, first) as SQLInputValue[]));
      for (const [i, { values }] of coded.entries()) values.set(pos, row[first + i] ?? null);
      insertNames?.run(pos, ...(row.slice(first + coded.length) as SQLInputValue[]));
    });
    if (read !== rows) throw new Error(`${read} of the ${rows} rows of ${table} came`);
    for (const key of keyNames) this.#db.exec(`CREATE INDEX ${identifier(`${table}_${key}`)} ON ${name} (${key})`);
    for (const column of coded) {
      const { values, count, codes } = column.values.finish();
      this.#parts(`${table} ${column.name}`, narrow(codes, codeBytes(count)), values);
      if (ranks.includes(column.name)) this.#parts(`${table} ${rankName(column.name)}`, this.#ranked(table, codes));
    }
    this.#db.prepare('INSERT INTO tables VALUES (?, ?)').run(table, rows);
  }

  /** The rows by a column, the largest value first, nulls last, then by id. */
  #ranked(table: TableName, codes: Uint32Array): Uint32Array {
    const found = this.#db.prepare(`SELECT id FROM ${identifier(table)} ORDER BY pos`).all();
    const ids = found.map((row) => String(row['id']));
    const byId = (a: number, b: number): number => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1);
    return Uint32Array.from(ids.keys()).sort((a, b) => (codes[b] ?? 0) - (codes[a] ?? 0) || byId(a, b));
  }

  /** Write codes in parts, after their values. */
  #parts(name: string, codes: Uint8Array | Uint16Array | Uint32Array, values?: Uint8Array): void {
    const insert = this.#db.prepare('INSERT INTO coded VALUES (?, ?, ?)');
    if (values) insert.run(name, VALUES_PART, values);
    for (let part = 0; part * PART_ROWS < codes.length; part += 1) {
      const { buffer, byteOffset, byteLength } = codes.subarray(part * PART_ROWS, (part + 1) * PART_ROWS);
      insert.run(name, part, new Uint8Array(buffer, byteOffset, byteLength));
    }
  }

  async lookupTables(): Promise<void> {
    for (const { name, columns, sql, indexes = [] } of LOOKUP_TABLES) {
      const insert = this.#inserter(name, columns);
      await this.#each(sql, columns.length, (_, row) => insert.run(...(row as SQLInputValue[])));
      for (const [i, index] of indexes.entries())
        this.#db.exec(`CREATE INDEX ${identifier(`${name}_${i}`)} ON ${identifier(name)} ${index}`);
    }
  }

  commit(): void {
    this.#db.exec('COMMIT');
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Write one of SERVING_FILES from the published tables, as the connection sees them: in their order, with the types of
 * the models, beside the references and the macros.
 */
export async function writeServingFile(connection: DuckDBConnection, file: string, path: string): Promise<void> {
  const writer = new ServingWriter(connection, path);
  try {
    const tables = SERVING_FILES.get(file) ?? [];
    for (const table of tables) await writer.table(table);
    if (tables.includes('deals')) await writer.lookupTables();
    writer.commit();
  } finally {
    writer.close();
  }
}
