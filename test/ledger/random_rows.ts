/** Random rows for every table of an SQLite ledger, made from its schema alone: a new column gets values too. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

export interface Column {
  readonly name: string;
  readonly isNullable: boolean;
  /** A value that the column may accept. */
  readonly value: () => SQLInputValue;
}

const pick = <T>(choices: readonly [T, ...T[]]): T => choices[Math.floor(Math.random() * choices.length)] ?? choices[0];
const TEXTS = [
  randomUUID,
  () => randomBytes(32).toString('hex'),
  () => `${pick(["it's", '"{}"', 'a|b', 'Zoë 🏠', ''])}\n${randomUUID()}`,
] as const;
const INTEGERS = [() => 0, () => 1, () => Math.floor(Math.random() * 1e4), () => Math.floor(Math.random() * 2 ** 50)];

/** The columns of a table with the values that its text allows; what the other checks refuse is tried again. */
function columnsOf(db: DatabaseSync, table: string): Column[] {
  const text = String(db.prepare('SELECT sql FROM sqlite_master WHERE name = ?').get(table)?.['sql']);
  const references = db.prepare('SELECT * FROM pragma_foreign_key_list(?)').all(table);
  return db
    .prepare('SELECT * FROM pragma_table_info(?)')
    .all(table)
    .map((column) => {
      const name = String(column['name']);
      const definition = new RegExp(`^ *${name} .*$`, 'mu').exec(text)?.[0] ?? '';
      const choices = /IN \(([^)]+)\)/u
        .exec(definition)?.[1]
        ?.split(', ')
        .map((each) => each.replaceAll("'", ''));
      const reference = references.find(({ from }) => from === name);
      const value = (): SQLInputValue => {
        if (reference)
          return Object.values(
            db
              .prepare(`SELECT "${String(reference['to'])}" FROM ${String(reference['table'])} ORDER BY random()`)
              .get() ?? {},
          )[0] as SQLInputValue;
        if (definition.includes(`(${name} = 1)`)) return 1;
        if (choices) return pick(choices as [string, ...string[]]);
        if (definition.includes('0123456789'))
          return String(BigInt(`0x${randomBytes(pick([1, 8, 32])).toString('hex')}`));
        if (column['type'] === 'BLOB') return randomBytes(pick([1, 100, 40_000]));
        return column['type'] === 'TEXT' ? pick(TEXTS)() : pick(INTEGERS as [() => number])();
      };
      return { name, value, isNullable: column['notnull'] === 0 && column['pk'] === 0 };
    });
}

/** Tables and columns of a ledger's file. */
export const schemaOf = (db: DatabaseSync): ReadonlyMap<string, readonly Column[]> =>
  new Map(
    db
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .all()
      .map(({ name }) => [String(name), columnsOf(db, String(name))]),
  );

/** Fill a table until it has this many rows, as far as its checks allow. */
export function fillTable(db: DatabaseSync, table: string, columns: readonly Column[], rows: number): void {
  const names = columns.map(({ name }) => name).join(', ');
  const insert = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
  for (let [inserted, tries] = [0, 0]; inserted < rows && tries < rows * 1000; tries += 1) {
    try {
      insert.run(...columns.map(({ isNullable, value }) => (isNullable && Math.random() < 0.5 ? null : value())));
      inserted += 1;
    } catch {
      // A check, a key or a unique index refuses these values.
    }
  }
}
