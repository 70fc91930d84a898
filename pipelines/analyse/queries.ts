/** Worked queries: queries/<name>.sql. Its first comment is the question; `check:` and `rows:` are for the tests. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface WorkedQuery {
  readonly name: string;
  /** The question that it answers. */
  readonly answers: string;
  readonly sql: string;
}

/** All worked queries by name. */
export const workedQueries = (): WorkedQuery[] =>
  globSync(join(import.meta.dirname, '../../queries/*.sql'))
    .sort()
    .map((path) => {
      const sql = readFileSync(path, 'utf8').trim().replace(/;$/u, '');
      const question = sql.match(/^--(?! check:| rows:) .+/gmu) ?? [];
      return { name: basename(path, '.sql'), answers: question.map((line) => line.slice(3)).join(' '), sql };
    });
