/** The serving files of a snapshot, open for reading, and the rows of a table that they have together. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { identifier } from '../../lib/sql.ts';
import { PART_ROWS, type TableName } from '../../models/serving/tables.ts';
import { codesIn } from './columns.ts';

export type Row = Readonly<Record<string, unknown>>;

/** One file, open for reading. */
export class File {
  readonly name: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(name: string, path: string) {
    this.name = name;
    this.#db = new DatabaseSync(path, { readOnly: true });
    this.#db.exec(`PRAGMA query_only = 1`);
  }

  /** Rows of a query. */
  rows(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement.all(...values);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}

/** Rows of a table that are in one file: those from `start`, at a multiple of PART_ROWS, in their order. */
export interface Section {
  readonly file: File;
  readonly start: number;
  readonly end: number;
}

/** A table: its rows, and 1 for each of them that no later file replaces. */
export interface Table {
  readonly sections: readonly Section[];
  readonly present: Uint8Array;
  readonly count: number;
}

/** A text in JSON. */
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/gu;

/** Rows of a file of which a text passes the test. */
export function rowsNaming(file: File, table: TableName, isNamed: (text: string) => boolean): number[] {
  const rows = file.rows(`SELECT pos, lines FROM ${identifier(table)}`);
  const textsOf = (lines: unknown): readonly string[] => String(lines).match(JSON_TEXT) ?? [];
  return rows.flatMap(({ pos, lines }) =>
    textsOf(lines).some((text) => isNamed(text.slice(1, -1))) ? [Number(pos)] : [],
  );
}

export function openTable(table: TableName, files: readonly File[]): Table {
  let start = 0;
  const sections = files.map((file) => {
    const rows = Number(file.rows('SELECT rows FROM tables WHERE name = ?', table)[0]?.['rows']);
    const section = { file, start, end: start + rows };
    start += Math.ceil(rows / PART_ROWS) * PART_ROWS;
    return section;
  });
  const present = new Uint8Array(start);
  let count = 0;
  for (const { file, start: first, end } of sections) {
    present.fill(1, first, end);
    count += end - first;
    for (const { file: name, rows } of file.rows('SELECT file, rows FROM replaced')) {
      const replaced = sections.find((one) => one.file.name === name);
      if (!replaced) continue;
      for (const pos of codesIn(rows as Uint8Array, 4)) {
        count -= present[replaced.start + pos] ?? 0;
        present[replaced.start + pos] = 0;
      }
    }
  }
  return { sections, present, count };
}

export const bytesIn = (file: File, name: string, part: number): Uint8Array => {
  const [row] = file.rows('SELECT bytes FROM coded WHERE name = ? AND part = ?', name, part);
  return row?.['bytes'] instanceof Uint8Array ? row['bytes'] : new Uint8Array();
};
