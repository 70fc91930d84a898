/** Rows in the order of a key, read in pages, so that memory does not grow with a table. */
import type { Query, Row, Value } from './store.ts';

export interface Selection {
  /** A SELECT without WHERE, whose columns include the key. */
  readonly select: string;
  /** Columns, separated by ", ". */
  readonly key: string;
  /** With the parameters of the call. Default: every row. */
  readonly where?: string;
  /** Rows in a page. */
  readonly limit?: number;
}

/** Pages of rows; the last one may be empty. */
export async function* pagesInOrder(
  read: Query,
  { select, key, where = '1 = 1', limit = 500 }: Selection,
  ...parameters: readonly Value[]
): AsyncGenerator<readonly Row[]> {
  const columns = key.split(', ');
  const after = `AND (${key}) > (${columns.map((_, i) => `$${parameters.length + i + 1}`).join(', ')})`;
  for (let last: Row | undefined; ;) {
    const place = columns.flatMap((column) => (last ? [last[column] as Value] : []));
    const sql = `${select} WHERE ${where} ${last ? after : ''} ORDER BY ${key} LIMIT ${limit}`;
    const page = await read(sql, ...parameters, ...place);
    yield page;
    last = page.at(-1);
    if (page.length < limit) return;
  }
}

/** The rows of all pages. */
export async function* rowsInOrder(...selection: Parameters<typeof pagesInOrder>): AsyncGenerator<Row> {
  for await (const page of pagesInOrder(...selection)) yield* page;
}
