/** One page of ranked rows: the rows that match, after the position of a cursor, and their total. */
import { identifier, literal } from '../../../lib/sql.ts';
import type { Filters } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';
import { columnOf, type TableName } from '../../../models/serving/tables.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Problem } from '../../http/problem.ts';

/** Order of a list. Ties are ordered by id. */
interface Rank {
  readonly column: string;
  readonly direction: 'DESC' | 'ASC';
  /** Rows with one of these values in this column come after all others. */
  readonly behind?: { readonly column: string; readonly values: readonly string[] };
}

/** Rows of a table, in their order. */
export interface RankedRows {
  readonly filters: Filters;
  readonly rank: Rank;
}

/** SQL: whether a row comes after all others. */
const behindSql = ({ column, values }: NonNullable<Rank['behind']>): string =>
  `coalesce(${identifier(column)} IN (${values.map(literal).join(', ')}), false)`;

export const isRankedBehind = ({ behind }: Rank, row: Readonly<Record<string, unknown>>): boolean =>
  behind !== undefined && behind.values.includes(String(row[behind.column]));

const orderSql = ({ column, direction, behind }: Rank): string =>
  `ORDER BY ${behind ? `${behindSql(behind)}, ` : ''}${identifier(column)} ${direction} NULLS LAST, id`;

/** Condition for the rows after a position. */
function afterSql(table: TableName, rank: Rank, after: Position): [sql: string, ...values: string[]] {
  const { column, direction, behind } = rank;
  const name = identifier(column);
  const value = `CAST(? AS ${columnOf(table, column).sql})`;
  const [sql, ...values] =
    after.value === null
      ? [`${name} IS NULL AND id > ?`, after.id]
      : [
          `${name} ${direction === 'DESC' ? '<' : '>'} ${value} OR (${name} = ${value} AND id > ?) OR ${name} IS NULL`,
          after.value,
          after.value,
          after.id,
        ];
  if (!behind) return [sql, ...values];
  const rest = behindSql(behind);
  return [after.isBehind ? `${rest} AND (${sql})` : `${rest} OR (${sql})`, ...values];
}

/** Up to this many rows, one statement counts and ranks. In larger tables the window reads all rows for each page. */
const ONE_STATEMENT_ROWS = 1_000_000;

interface PageRows {
  /** Matching rows of the list, ignoring the cursor. */
  readonly total: number;
  /** Row ids of the page. */
  readonly rows: readonly number[];
}

/** At most `limit` rows after the cursor, and the total. */
export async function findPage(
  snapshot: Snapshot,
  { filters, rank }: RankedRows,
  after: Position | undefined,
  limit: number,
): Promise<PageRows> {
  const { table } = filters;
  const where = filters.sql();
  const paged = after ? where.copy().add(...afterSql(table, rank, after)) : where;
  const order = `${orderSql(rank)} LIMIT ${limit}`;
  const columns = new Set(['id', rank.column, ...filters.columns, ...(rank.behind ? [rank.behind.column] : [])]);
  const from = snapshot.narrow(table, columns);
  // A text search reads every row anyway, so one statement is faster in any table.
  if (
    after === undefined &&
    (filters.searchesText || (snapshot.manifest.tables[table]?.rows ?? 0) <= ONE_STATEMENT_ROWS)
  ) {
    const rows = await snapshot.rows(
      `SELECT rowid AS row, count(*) OVER () AS total FROM ${from}${where} ${order}`,
      where.values,
    );
    return { total: Number(rows[0]?.['total'] ?? 0), rows: rows.map(({ row }) => Number(row)) };
  }
  const [[counted], rows] = await Promise.all([
    snapshot.rows(`SELECT count(*) AS total FROM ${from}${where}`, where.values),
    snapshot.rows(`SELECT rowid AS row FROM ${from}${paged} ${order}`, paged.values),
  ]);
  return { total: Number(counted?.['total']), rows: rows.map(({ row }) => Number(row)) };
}

/** The last row of a page. */
interface Position {
  /** Value of the ranking column as text, or null. */
  readonly value: string | null;
  readonly id: string;
  /** Whether the row is in the second part of a list that is ranked in two parts; otherwise false. */
  readonly isBehind: boolean;
}

export interface Cursors {
  write(position: Position, query: string): string;
  /** @throws Problem invalid_cursor */
  read(cursor: string, query: string): Position;
}

const Content = z.tuple([z.string().max(100).nullable(), z.string().min(1).max(100), z.boolean()]);
const MAC_BYTES = 16;

/** Cursors signed with `secret`; processes that share it accept each other's. A cursor belongs to its `query`. */
export function createCursors(secret: string): Cursors {
  const mac = (content: string, query: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([query, content]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    write({ value, id, isBehind }, query) {
      const content = JSON.stringify([value, id, isBehind]);
      return Buffer.concat([mac(content, query), Buffer.from(content)]).toString('base64url');
    },
    read(cursor, query) {
      const bytes = Buffer.from(cursor, 'base64url');
      const content = bytes.subarray(MAC_BYTES).toString('utf8');
      const isSigned = bytes.length > MAC_BYTES && timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(content, query));
      if (!isSigned)
        throw new Problem(
          'invalid_cursor',
          'This cursor does not belong to this path with these filters. Start again without a cursor.',
          { field: 'cursor' },
        );
      const [value, id, isBehind] = Content.parse(JSON.parse(content));
      return { value, id, isBehind };
    },
  };
}
