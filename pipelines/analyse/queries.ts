/**
 * Worked queries: queries/<name>.sql, each with its question and its checks in the first comment.
 *
 *   -- Which asking prices ...?            the question: the first lines
 *   -- check: gap_pct < 0                  a condition that every row meets
 *   -- rows: 1 or more                     rows in a snapshot of the sandbox; "any" if there may be none
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingError } from '../../lib/settings.ts';

const QUERIES_FOLDER = join(import.meta.dirname, '../../queries');

export interface WorkedQuery {
  readonly name: string;
  /** The question it answers, in a sentence or two. */
  readonly answers: string;
  /** Conditions that every row meets. */
  readonly checks: readonly string[];
  /** Minimum number of rows in the sandbox. */
  readonly leastRows: number;
  /** One SELECT without a semicolon. */
  readonly sql: string;
}

/** @throws Error naming the missing part */
export function parseQuery(name: string, text: string): WorkedQuery {
  const lines = text.split('\n');
  const firstStatement = lines.findIndex((line) => !line.startsWith('--'));
  const head = lines.slice(0, firstStatement).map((line) => line.slice(2).trim());
  const checks = head.flatMap((line) => /^check: (.+)$/u.exec(line)?.[1] ?? []);
  const rows = head.flatMap((line) => /^rows: (any|\d+ or more)$/u.exec(line)?.[1] ?? [])[0];
  const answers = head
    .filter((line) => !/^(?:check|rows): /u.test(line))
    .join(' ')
    .trim();
  if (answers === '') throw new Error(`queries/${name}.sql has no question: write it as a comment in the first line`);
  if (rows === undefined)
    throw new Error(`queries/${name}.sql has no number of rows: add "-- rows: any" or "-- rows: 1 or more"`);
  const sql = lines
    .filter((line) => !line.startsWith('-- check:') && !line.startsWith('-- rows:'))
    .join('\n')
    .trim()
    .replace(/;$/u, '');
  return { name, answers, checks, leastRows: rows === 'any' ? 0 : Number.parseInt(rows, 10), sql };
}

/** All worked queries by name. */
export function workedQueries(): WorkedQuery[] {
  return readdirSync(QUERIES_FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => parseQuery(file.slice(0, -'.sql'.length), readFileSync(join(QUERIES_FOLDER, file), 'utf8')));
}

/** @throws SettingError listing the names */
export function queryNamed(setting: string, name: string | undefined): WorkedQuery {
  const all = workedQueries();
  const found = all.find((query) => query.name === name);
  if (!found) {
    const names = all.map((query) => query.name).join(', ');
    throw new SettingError(`${setting} is ${JSON.stringify(name ?? null)}, expected one of ${names}`);
  }
  return found;
}
