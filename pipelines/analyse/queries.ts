/**
 * Worked queries: queries/<name>.sql, each with what it answers and what must hold of its rows in its first comment.
 *
 *   -- Which asking prices ...?            what it answers: the first lines
 *   -- check: gap_pct < 0                  holds of every row
 *   -- rows: 1 or more                     how many rows a snapshot of the sandbox gives; "any" where there may be none
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingError } from '../../lib/settings.ts';

export const QUERIES_FOLDER = join(import.meta.dirname, '../../queries');

export interface WorkedQuery {
  readonly name: string;
  /** What it answers, in a sentence or two. */
  readonly answers: string;
  /** Conditions that hold of every row. */
  readonly checks: readonly string[];
  /** Fewest rows in the sandbox. */
  readonly leastRows: number;
  /** One SELECT without a semicolon. */
  readonly sql: string;
}

/** @throws Error naming what the file lacks */
export function parseQuery(name: string, text: string): WorkedQuery {
  const lines = text.split('\n');
  const head = lines
    .slice(
      0,
      lines.findIndex((l) => !l.startsWith('--')),
    )
    .map((l) => l.slice(2).trim());
  const checks = head.flatMap((l) => /^check: (.+)$/u.exec(l)?.[1] ?? []);
  const rows = head.flatMap((l) => /^rows: (any|\d+ or more)$/u.exec(l)?.[1] ?? [])[0];
  const answers = head
    .filter((l) => !/^(?:check|rows): /u.test(l))
    .join(' ')
    .trim();
  if (answers === '') throw new Error(`queries/${name}.sql does not say what it answers: a comment in its first line`);
  if (rows === undefined)
    throw new Error(`queries/${name}.sql does not say how many rows it gives: -- rows: any, or -- rows: 1 or more`);
  return {
    name,
    answers,
    checks,
    leastRows: rows === 'any' ? 0 : Number.parseInt(rows, 10),
    sql: lines
      .filter((l) => !l.startsWith('-- check:') && !l.startsWith('-- rows:'))
      .join('\n')
      .trim()
      .replace(/;$/u, ''),
  };
}

/** All worked queries by name. */
export function workedQueries(): WorkedQuery[] {
  return readdirSync(QUERIES_FOLDER)
    .filter((f) => f.endsWith('.sql'))
    .sort()
    .map((f) => parseQuery(f.slice(0, -'.sql'.length), readFileSync(join(QUERIES_FOLDER, f), 'utf8')));
}

/** @throws SettingError naming those there are */
export function queryNamed(setting: string, name: string | undefined): WorkedQuery {
  const all = workedQueries();
  const found = all.find((q) => q.name === name);
  if (!found)
    throw new SettingError(
      `${setting} is ${JSON.stringify(name ?? null)}, expected one of ${all.map((q) => q.name).join(', ')}`,
    );
  return found;
}
