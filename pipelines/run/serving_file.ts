/**
 * Writes the serving files: SQLite that the API reads (models/serving). Same rows, same bytes: tables are streamed in
 * their order into one transaction, and a file is neither reused nor compacted.
 */
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api';
import { closing } from '../../lib/closing.ts';
import { rowsOf } from '../../lib/duck.ts';
import { sha256OfFile } from '../../lib/files.ts';
import type { FieldKind } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { isVerified } from '../../lib/verified.ts';
import type { Manifest } from '../../models/manifest.ts';
import { LOOKUP_TABLES } from '../../models/serving/lookup_tables.ts';
import {
  codeBytes,
  codedColumns,
  COUNTED,
  isFileOf,
  packsOf,
  PART_ROWS,
  rankName,
  SERVED,
  SERVING_FILE,
  servingVersion,
  TABLE_NAMES,
  TABLES,
  VALUES_PART,
  wordsOf,
  type TableName,
} from '../../models/serving/tables.ts';
import { withReasonsInside } from '../../models/inside.ts';
import { codedSql, isNumber, linesSql, PACK_ROWS, packTexts } from '../../models/serving/text.ts';
import { WordIndex } from '../../models/serving/words.ts';

/** Pages that hold a record's text of a few kilobytes. */
const PAGE_BYTES = 8_192;

/** Wide rows that are read at a time. */
const WIDE_ROWS = 512;

/** Conditions that split the rows of a table, in their order. */
const rowRanges = (rows: number): readonly string[] =>
  Array.from({ length: Math.ceil(rows / WIDE_ROWS) }, (_, i) => {
    return ` WHERE rowid BETWEEN ${i * WIDE_ROWS} AND ${(i + 1) * WIDE_ROWS - 1}`;
  });

/** The values of a column, each row with the number of its value. */
class CodedValues {
  readonly #isNumber: boolean;
  readonly #codes = new Map<DuckDBValue, number>();
  readonly #rows: Int32Array;

  constructor(kind: FieldKind, rows: number) {
    this.#isNumber = isNumber(kind);
    this.#rows = new Int32Array(rows).fill(-1);
  }

  /** Set the values of the rows from this one on. */
  set(from: number, values: readonly DuckDBValue[]): void {
    let [last, code]: [DuckDBValue, number | undefined] = [null, undefined];
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] ?? null;
      if (value === null) continue;
      // Neighboring rows mostly have the same value.
      if (value !== last) code = this.#codes.get(value);
      if (code === undefined) this.#codes.set(value, (code = this.#codes.size));
      last = value;
      this.#rows[from + i] = code;
    }
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

/** Inserts the text of the record at this position, with its keys; at the end, null. */
type InsertText = (pos: number, text: string | null, keys: readonly DuckDBValue[]) => void;

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
      CREATE TABLE coded (name TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (name, part));
      CREATE TABLE replaced (file TEXT PRIMARY KEY, rows BLOB NOT NULL) WITHOUT ROWID`,
    );
  }

  /** Pass the rows of a query to `take`, some thousand at a time, numbered from `first`. @returns how many */
  async #chunks(sql: string, take: (from: number, chunk: DuckDBDataChunk) => void, first = 0): Promise<number> {
    const result = await this.#connection.stream(sql);
    let rows = 0;
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      take(first + rows, chunk);
      rows += chunk.rowCount;
      // Otherwise its texts, up to a gigabyte, stay until the next garbage collection.
      chunk.reset();
    }
    return rows;
  }

  /** Insert each row of a query. */
  #insert(statement: StatementSync, sql: string): Promise<number> {
    return this.#chunks(sql, (_, chunk) => {
      for (const row of chunk.getRows()) statement.run(...(row as SQLInputValue[]));
    });
  }

  /** A statement that inserts a row into a table of these columns, which it creates. */
  #inserter(table: string, columns: readonly string[]): StatementSync {
    this.#db.exec(`CREATE TABLE ${identifier(table)} (${columns.join(', ')})`);
    return this.#db.prepare(`INSERT INTO ${identifier(table)} VALUES (${columns.map(() => '?').join(', ')})`);
  }

  /** Texts and keys are rows of the table. */
  #rowInserter(table: TableName, keys: readonly string[]): InsertText {
    const insert = this.#inserter(table, ['pos INTEGER PRIMARY KEY', 'lines TEXT NOT NULL', ...keys]);
    return (pos, text, found) => {
      if (text !== null) insert.run(pos, text, ...(found as SQLInputValue[]));
    };
  }

  /** Texts are in packs. */
  #packInserter(table: TableName): InsertText {
    const insert = this.#inserter(packsOf(table), ['pack INTEGER PRIMARY KEY', 'texts BLOB NOT NULL']);
    let [waiting, packs]: [string[], number] = [[], 0];
    const insertPack = (): void => {
      insert.run(packs, packTexts(waiting));
      packs += 1;
      waiting = [];
    };
    return (_, text) => {
      if (text !== null) waiting.push(text);
      if (waiting.length === PACK_ROWS || (text === null && waiting.length > 0)) insertPack();
    };
  }

  /** Write the position of each id. @param from SQL of the rows */
  async #positions(table: TableName, from: string): Promise<void> {
    const name = identifier(table);
    this.#db.exec(`CREATE TABLE ${name} (id TEXT PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID`);
    const order = SERVED[table].orderBy;
    await this.#insert(
      this.#db.prepare(`INSERT INTO ${name} VALUES (?, ?)`),
      `SELECT id, row_number() OVER (ORDER BY ${order}) - 1 FROM ${from} ORDER BY id`,
    );
  }

  /**
   * Write the text, the keys and the columns of a table.
   * @param from SQL of its rows; of a wide table, a table
   * @throws Error if rows are missing: a stream may end early
   */
  async table(table: TableName, from = identifier(table)): Promise<void> {
    const { keys = {}, names = [], orderBy, ranks = [], inParts = false, isWide = false } = SERVED[table];
    const [counted] = await rowsOf(this.#connection, `SELECT count(*) AS n FROM ${from}`);
    const rows = Number(counted?.['n']);
    const coded = codedColumns(table).map((column) => ({ ...column, values: new CodedValues(column.kind, rows) }));
    const indexes = names.map((column) => ({ column, index: new WordIndex() }));
    const keyNames = Object.keys(keys);
    const insertText = inParts ? this.#packInserter(table) : this.#rowInserter(table, keyNames);
    const selected = [
      linesSql(TABLES[table]),
      ...Object.values(keys),
      ...coded.map(({ kind, sql }) => codedSql(kind, sql)),
      ...names.map((column) => `lower(${column})`),
    ];
    const order = orderBy === undefined ? '' : ` ORDER BY ${orderBy}`;
    const select = `SELECT ${selected.join(', ')} FROM ${from}`;
    const take = (start: number, chunk: DuckDBDataChunk): void => {
      const columns = Array.from(selected.slice(1), (_, i) => chunk.getColumnValues(i + 1));
      const found = columns.splice(0, keyNames.length);
      chunk.visitColumnValues(0, (text, i) => {
        insertText(
          start + i,
          withReasonsInside(TABLES[table], String(text)),
          found.map((values) => values[i] ?? null),
        );
      });
      for (const { values } of coded) values.set(start, columns.shift() ?? []);
      for (const { index } of indexes) for (const name of columns.shift() ?? []) index.add(name as string | null);
    };
    let read = 0;
    for (const where of isWide ? rowRanges(rows) : [''])
      read += await this.#chunks(`${select}${where}${order}`, take, read);
    if (read !== rows) throw new Error(`${read} of the ${rows} rows of ${table} came`);
    insertText(rows, null, []);
    if (inParts) await this.#positions(table, from);
    else
      for (const key of keyNames)
        this.#db.exec(`CREATE INDEX ${identifier(`${table}_${key}`)} ON ${identifier(table)} (${key})`);
    for (const { column, index } of indexes) {
      this.#db
        .prepare('INSERT INTO coded VALUES (?, ?, ?)')
        .run(wordsOf(table, column), VALUES_PART, index.vocabulary());
      const insert = this.#inserter(wordsOf(table, column), ['word INTEGER PRIMARY KEY', 'places BLOB NOT NULL']);
      for (const [word, places] of index.places()) insert.run(word, places);
    }
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
      await this.#insert(insert, sql);
      for (const [i, index] of indexes.entries())
        this.#db.exec(`CREATE INDEX ${identifier(`${name}_${i}`)} ON ${identifier(name)} ${index}`);
    }
  }

  /** Note which rows of earlier files the rows of this one replace. */
  replace(table: TableName, earlier: readonly EarlierPart[]): void {
    if (earlier.length === 0) return;
    const insert = this.#db.prepare('INSERT INTO replaced VALUES (?, ?)');
    const ids = JSON.stringify(
      this.#db
        .prepare(`SELECT id FROM ${identifier(table)}`)
        .all()
        .map(({ id }) => id),
    );
    const sql = `SELECT pos FROM ${identifier(table)} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY pos`;
    for (const { stated, db } of earlier) {
      const rows = Uint32Array.from(db.prepare(sql).all(ids), ({ pos }) => Number(pos));
      if (rows.length > 0) insert.run(stated.file, new Uint8Array(rows.buffer));
    }
  }

  /** Write the number of filings of each agent: of earlier files that this one replaces, then those of a query. */
  async agents(merged: readonly EarlierPart[], from: string): Promise<void> {
    this.#db.exec('CREATE TABLE agents (agent TEXT PRIMARY KEY, filings INTEGER NOT NULL) WITHOUT ROWID');
    const insert = this.#db.prepare('INSERT OR REPLACE INTO agents VALUES (?, ?)');
    for (const { db } of merged)
      for (const { agent, filings } of db.prepare('SELECT agent, filings FROM agents').iterate())
        insert.run(String(agent), Number(filings));
    const sql = `SELECT source || ' ' || agent, filings FROM ${from} ORDER BY ALL`;
    await this.#insert(insert, sql);
  }

  commit(): void {
    this.#db.exec('COMMIT');
  }

  close(): void {
    this.#db.close();
  }
}

/** Write a file by one transaction. */
async function writeFile(
  connection: DuckDBConnection,
  path: string,
  write: (writer: ServingWriter) => Promise<void>,
): Promise<void> {
  await using writer = closing(new ServingWriter(connection, path));
  await write(writer);
  writer.commit();
}

/**
 * Write SERVING_FILE from the published tables, as the connection sees them: in their order, with the types of the
 * models, beside the references and the macros.
 */
export const writeServingFile = (connection: DuckDBConnection, path: string): Promise<void> =>
  writeFile(connection, path, async (writer) => {
    for (const table of TABLE_NAMES.filter((one) => isFileOf(one, SERVING_FILE))) await writer.table(table);
    await writer.lookupTables();
  });

type Stated = Manifest['serving'][number];

/** A part of an earlier snapshot. */
interface EarlierPart {
  readonly stated: Stated;
  readonly db: DatabaseSync;
  readonly rows: number;
}

interface PartFolders {
  readonly folder: string;
  /** The snapshot before, whose parts are shared. */
  readonly before: { readonly folder: string; readonly serving: readonly Stated[] } | null;
}

/** The parts of the snapshot before; none if one is missing or damaged, or of another version. */
async function openParts(table: TableName, before: PartFolders['before']): Promise<EarlierPart[]> {
  if (before === null) return [];
  const stated = before.serving.filter(({ file }) => isFileOf(table, file));
  const isWhole = async (one: Stated): Promise<boolean> =>
    (await isVerified(before.folder, one)) || (await sha256OfFile(join(before.folder, one.file))) === one.sha256;
  const whole = await Promise.all(stated.map((one) => isWhole(one).catch(() => false)));
  if (whole.includes(false)) return [];
  const parts = stated.map((one) => {
    const db = new DatabaseSync(join(before.folder, one.file), { readOnly: true });
    return { stated: one, db, rows: Number(db.prepare('SELECT rows FROM tables').get()?.['rows']) };
  });
  const version = servingVersion();
  if (parts.every(({ db }) => db.prepare('PRAGMA user_version').get()?.['user_version'] === version)) return parts;
  for (const { db } of parts) db.close();
  return [];
}

/** Most files of a table in parts: a base, and one for each day of news. */
const MOST_PARTS = 33;

/** One file more is merged with the last ones: from the first that has at most this many times the rows after it. */
const MERGED_BELOW = 8;

/** Number of parts that stay when a part with so many rows is added. @param rows of each part */
function countKept(rows: readonly number[], added: number): number {
  if (rows.length < MOST_PARTS) return rows.length;
  return rows.findIndex((own, i) => own <= MERGED_BELOW * rows.slice(i + 1).reduce((sum, one) => sum + one, added));
}

/** Name of the rows of a table in parts that today adds or replaces, when its own name means all rows. */
export const newsOf = (table: string): string => `todays_${table}`;

/** SQL of the newest form of all rows of these parts and of today; perhaps of more rows. */
function rowsOfParts(table: TableName, merged: readonly EarlierPart[]): string {
  const sql = 'SELECT bytes FROM coded WHERE name = ? AND part = ?';
  const since = merged.flatMap(({ db }) => {
    const bytes = db.prepare(sql).get(`${table} last_seen`, VALUES_PART)?.['bytes'] as Uint8Array;
    return (JSON.parse(Buffer.from(bytes).toString()) as string[]).slice(0, 1);
  });
  const from = literal(since.sort()[0] ?? '');
  return `(FROM ${table} WHERE last_seen >= CAST(${from} AS TIMESTAMP) OR id IN (SELECT id FROM ${newsOf(table)}))`;
}

/**
 * Write today's rows of a table in parts as a file of their own, if there are any.
 * @returns the parts that stay, which come before it, and the name of the file
 */
export async function writeServingPart(
  connection: DuckDBConnection,
  table: TableName,
  { folder, before }: PartFolders,
): Promise<{ readonly kept: readonly Stated[]; readonly file: string | null }> {
  const earlier = await openParts(table, before);
  await using cleanup = new AsyncDisposableStack();
  for (const { db } of earlier) cleanup.defer(() => db.close());
  const [counted] = await rowsOf(connection, `SELECT count(*) AS n FROM ${newsOf(table)}`);
  const added = Number(counted?.['n']);
  const isSame = added === 0 && earlier.length > 0;
  const count = isSame
    ? earlier.length
    : countKept(
        earlier.map(({ rows }) => rows),
        added,
      );
  const [parts, merged] = [earlier.slice(0, count), earlier.slice(count)];
  const kept = parts.map(({ stated }) => stated);
  if (isSame) return { kept, file: null };
  const file = `${table}.sqlite`;
  const isBase = count === 0 && before !== null;
  const rows = isBase ? table : merged.length === 0 ? newsOf(table) : rowsOfParts(table, merged);
  const uncounted = `COLUMNS(name -> name <> '${COUNTED}'), CAST(NULL AS INTEGER) AS ${COUNTED}`;
  await writeFile(connection, join(folder, file), async (writer) => {
    await writer.table(table, `(SELECT ${uncounted} FROM ${rows})`);
    writer.replace(table, parts);
    await writer.agents(isBase ? [] : merged, isBase ? 'agents' : newsOf('agents'));
  });
  return { kept, file };
}
