/** A Socrata portal: rows of its tables by SODA 2, and the description of each table. */
import { json, page, respond, type SandboxRequest, type SandboxResponse, type SitePages } from '../http.ts';
import type { WorldDay } from '../world/types.ts';
import { typedColumns } from './ckan.ts';
import { ConditionError, parseOrder, parseWhere, type Row } from './conditions.ts';
import { escapeHtml, htmlPage } from './html.ts';
import { perDay } from './per_day.ts';

export interface SodaTable {
  readonly id: string;
  readonly name: string;
  /** Columns, for `typedColumns`. */
  readonly columns: string;
  /** Rows; empty cells are null or absent. A row has the same position every day. */
  readonly rows: (day: WorldDay) => readonly Row[];
}

const MAX_ROWS = 50_000;
const ROW_ID = ':id';
const KNOWN_PARAMETERS = ['$select', '$where', '$order', '$limit', '$offset', '$$app_token'];

/** An error as the interface sends it. */
export const sodaError = (message: string): SandboxResponse =>
  json({ code: 'query.soql.invalid', error: true, message, data: {} }, {}, 400);

/** A number of rows in a query. @throws ConditionError */
export function rowCount(query: URLSearchParams, name: string, byDefault: number): number {
  const text = query.get(name);
  if (text === null) return byDefault;
  if (!/^\d+$/u.test(text)) throw new ConditionError(`Invalid ${name}: ${text}`);
  return Number(text);
}

/** The alias in "count(*) AS total". */
export const countedAs = (query: URLSearchParams): string | undefined =>
  /^count\(\*\) as (\w+)$/iu.exec(query.get('$select') ?? '')?.[1];

/** Refuse parameters and columns that the interface does not know. @throws ConditionError */
export function checkParameters(query: URLSearchParams, columns: readonly string[]): void {
  for (const [name] of query) {
    if (name.startsWith('$') && !KNOWN_PARAMETERS.includes(name))
      throw new ConditionError(`Unrecognized parameter: ${name}`);
    if (!name.startsWith('$') && !columns.includes(name)) throw new ConditionError(`No such column: ${name}`);
  }
}

function select(table: SodaTable, rows: readonly Row[], { query }: SandboxRequest): SandboxResponse {
  const own = Object.keys(typedColumns(table.columns));
  const columns = [ROW_ID, ...own];
  checkParameters(query, columns);
  const limit = rowCount(query, '$limit', 1000);
  if (limit > MAX_ROWS) throw new ConditionError(`Cannot retrieve more than ${MAX_ROWS} rows at a time`);
  const offset = rowCount(query, '$offset', 0);
  const where = query.get('$where');
  const test = where === null ? () => true : parseWhere(where, columns);
  const wanted = [...query].filter(([name]) => !name.startsWith('$'));
  const found = rows.filter((row) => test(row) && wanted.every(([name, value]) => String(row[name] ?? '') === value));
  const counted = countedAs(query);
  if (counted !== undefined) return json([{ [counted]: String(found.length) }]);
  const order = query.get('$order');
  // Without $order a client may not rely on the order.
  const ordered = order === null ? found.toReversed() : found.toSorted(parseOrder(order, columns));
  const names = query.get('$select')?.split(',') ?? own;
  const unknown = names.find((name) => !columns.includes(name));
  if (unknown !== undefined) throw new ConditionError(`No such column: ${unknown}`);
  return json(
    ordered
      .slice(offset, offset + limit)
      .map((row) =>
        Object.fromEntries(names.flatMap((name) => ((row[name] ?? null) === null ? [] : [[name, row[name]]]))),
      ),
  );
}

const describe = (table: SodaTable): SandboxResponse =>
  json({
    id: table.id,
    name: `${table.name} (sandbox: made-up data)`,
    assetType: 'dataset',
    columns: Object.entries(typedColumns(table.columns)).map(([name, type], at) => ({
      id: 1000 + at,
      name,
      fieldName: name,
      position: at + 1,
      dataTypeName: type,
    })),
  });

/** A portal with these tables. */
export function sodaPortal(tables: readonly SodaTable[]): SitePages {
  const withIds = new Map(
    tables.map((table) => [
      table.id,
      perDay((day) => table.rows(day).map((row, at): Row => ({ [ROW_ID]: `row-${1_000_000 + at}`, ...row }))),
    ]),
  );
  return (day, request) => {
    const { path } = request;
    if (path === '/robots.txt') return respond('User-agent: *\nDisallow: /login\nCrawl-delay: 1\n', 'text/plain');
    const table = tables.find(({ id }) => path.includes(id));
    if (!table) return null;
    if (path === `/api/views/${table.id}.json`) return describe(table);
    if (path === `/d/${table.id}`) return page(htmlPage(table.name, `<h1>${escapeHtml(table.name)}</h1>`));
    if (path !== `/resource/${table.id}.json`) return null;
    try {
      return select(table, withIds.get(table.id)?.(day) ?? [], request);
    } catch (error) {
      if (error instanceof ConditionError) return sodaError(error.message);
      throw error;
    }
  };
}
