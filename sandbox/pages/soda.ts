/** A Socrata portal: rows of its tables by SODA 2, the description of each table, and its export. */
import { httpDate, json, respond, withValidators, type SandboxRequest, type SitePages } from '../http.ts';
import type { SandboxResponse } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { csvField, perDay } from './parts.ts';
import { BadQuery, namesIn, tableOf, typedColumns, wholeOf, type Row, type Select } from './tables.ts';

export interface SodaTable {
  readonly id: string;
  readonly name: string;
  /** Columns, for `typedColumns`. */
  readonly columns: string;
  /** Rows; empty cells are null or absent. A row has the same position every day. */
  readonly rows: (day: WorldDay) => readonly Row[];
  /** Time of the day at which it changes, if the portal states it. */
  readonly changesAt?: string;
}

const MAX_ROWS = 50_000;
/** System columns, which are selected only by name. */
const SYSTEM = [':id', ':updated_at'];
const KNOWN_PARAMETERS = ['$select', '$where', '$order', '$limit', '$offset', '$$app_token'];

const inSql = (text: string | null): string | null =>
  text && text.replaceAll(/(?<![\w'":]):(?:id|updated_at)\b/gu, '"$&"');

function select(table: SodaTable, find: Select, { query }: SandboxRequest): SandboxResponse {
  const own = Object.keys(typedColumns(table.columns));
  const columns = [...SYSTEM, ...own];
  for (const [name] of query)
    if (!(name.startsWith('$') ? KNOWN_PARAMETERS : columns).includes(name))
      throw new BadQuery(`Unrecognized: ${name}`);
  const limit = wholeOf(query.get('$limit'), 1000);
  if (limit > MAX_ROWS) throw new BadQuery(`Cannot retrieve more than ${MAX_ROWS} rows at a time`);
  const offset = wholeOf(query.get('$offset'), 0);
  const wanted = [...query].filter(([name]) => !name.startsWith('$'));
  const order = inSql(query.get('$order'));
  const found = find(inSql(query.get('$where')), order).filter((row) =>
    wanted.every(([name, value]) => String(row[name] ?? '') === value),
  );
  const asked = query.get('$select');
  const counted = /^count\(\*\) as (\w+)$/iu.exec(asked ?? '')?.[1];
  if (counted !== undefined) return json([{ [counted]: String(found.length) }]);
  // Without $order a client may not rely on the order.
  const ordered = order === null ? found.toReversed() : found;
  const names = asked === null || asked === '*' ? own : namesIn(asked, columns);
  const shown = (row: Row) => names.flatMap((name) => ((row[name] ?? null) === null ? [] : [[name, row[name]]]));
  return json(ordered.slice(offset, offset + limit).map((row): unknown => Object.fromEntries(shown(row))));
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

/** The export, with days as 7/24/1911. */
function exportOf({ columns, rows }: SodaTable, day: WorldDay): SandboxResponse {
  const types = Object.entries(typedColumns(columns));
  const printed = (text: string): string =>
    `${Number(text.slice(5, 7))}/${Number(text.slice(8, 10))}/${text.slice(0, 4)}`;
  const lines = rows(day).map((row) =>
    types.map(([name, type]) => {
      const text = String(row[name] ?? '');
      return csvField(type === 'calendar_date' ? printed(text) : text);
    }),
  );
  const text = [types.map(([name]) => name), ...lines].map((cells) => `${cells.join(',')}\n`).join('');
  return respond(text, 'text/csv; charset=utf-8');
}

/** A portal with these tables. */
export function sodaPortal(tables: readonly SodaTable[]): SitePages {
  const selects = new Map(
    tables.map(({ id, rows, columns }) => [
      id,
      perDay((day) =>
        tableOf(
          rows(day).map((row, at) => ({ ':id': `row-${1_000_000 + at}`, ...row })),
          [...SYSTEM, ...Object.keys(typedColumns(columns))],
        ),
      ),
    ]),
  );
  return (day, request) => {
    const { path } = request;
    if (path === '/robots.txt') return respond('User-agent: *\nDisallow: /login\nCrawl-delay: 1\n', 'text/plain');
    const table = tables.find(({ id }) => path.includes(id));
    const find = selects.get(table?.id ?? '')?.(day);
    if (!table || !find) return null;
    if (path === `/api/views/${table.id}.json`) return describe(table);
    const dated = (response: SandboxResponse): SandboxResponse =>
      table.changesAt === undefined ? response : withValidators(response, httpDate(day.day, table.changesAt));
    if (path === `/api/views/${table.id}/rows.csv`) return dated(exportOf(table, day));
    if (path !== `/resource/${table.id}.json`) return null;
    try {
      return dated(select(table, find, request));
    } catch (error) {
      if (!(error instanceof BadQuery)) throw error;
      return json({ code: 'query.soql.invalid', error: true, message: error.message, data: {} }, {}, 400);
    }
  };
}
