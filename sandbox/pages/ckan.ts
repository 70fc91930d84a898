/** A CKAN portal with a datastore: searches by POST or GET, errors as JSON, and CSV dumps. */
import { json, page, respond, type SandboxRequest, type SandboxResponse, type SitePages } from '../http.ts';
import type { WorldDay } from '../world/types.ts';
import { escapeHtml, htmlPage } from './html.ts';
import { perDay } from './per_day.ts';
import { csvField } from './text_files.ts';

type Cell = string | number | boolean | null;
export type CkanRow = Readonly<Record<string, Cell>>;

export interface CkanResource {
  readonly id: string;
  /** Name of its page, /dataset/<dataset>. */
  readonly dataset: string;
  /** Columns other than _id, for `typedColumns`. */
  readonly fields: string;
  /** Rows without _id. A row has the same position every day. */
  readonly rows: (day: WorldDay) => readonly CkanRow[];
}

/** As CKAN ships it: its interface is disallowed, its dumps are not. */
const ROBOTS = ['User-agent: *', 'Disallow: /dataset/rate/', 'Disallow: /api/', 'Crawl-Delay: 10', ''].join('\n');

/** The most rows of one response. */
const MAX_ROWS = 32_000;
const DEFAULT_ROWS = 100;
const PARAMETERS = ['resource_id', 'filters', 'fields', 'sort', 'limit', 'offset'];

/** Columns by name from a list with commas: `ward:int` has a type, and a name alone is a text. */
export const typedColumns = (list: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list.split(', ').map((column) => {
      const [name = '', type = 'text'] = column.split(':');
      return [name, type];
    }),
  );

class SearchError extends Error {}

const failure = (type: string, message: string, status: number): SandboxResponse =>
  json({ help: 'datastore_search', success: false, error: { __type: type, message } }, {}, status);

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : []).map((text) =>
    text.trim(),
  );

function whole(value: unknown, byDefault: number): number {
  if (value === undefined) return byDefault;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw new SearchError(`Invalid integer: ${String(value)}`);
  return number;
}

const order = (a: Cell, b: Cell): number => {
  if (a === b) return 0;
  // PostgreSQL sorts nulls last.
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
};

/** A name without the double quotes around it. */
const named = (text: string): string => /^"(.+)"$/u.exec(text)?.[1] ?? text;

function search(
  resource: CkanResource,
  rows: readonly CkanRow[],
  query: Readonly<Record<string, unknown>>,
): SandboxResponse {
  const all: Readonly<Record<string, string>> = { _id: 'int', ...typedColumns(resource.fields) };
  const known = (text: string): string => {
    const name = named(text);
    if (!(name in all)) throw new SearchError(`field "${name}" not in table`);
    return name;
  };
  const extra = Object.keys(query).find((name) => !PARAMETERS.includes(name));
  if (extra !== undefined) throw new SearchError(`invalid parameter: ${extra}`);
  const filters = typeof query.filters === 'string' ? (JSON.parse(query.filters) as unknown) : query.filters;
  const wanted = Object.entries((filters ?? {}) as Readonly<Record<string, unknown>>).map(
    ([name, values]) => [known(name), [values].flat()] as const,
  );
  const sort = texts(query.sort).map((text) => {
    const [, name = text, direction] = /^(.+?)(?: (asc|desc))?$/iu.exec(text) ?? [];
    return { name: known(name), sign: direction?.toLowerCase() === 'desc' ? -1 : 1 };
  });
  const found = rows
    .filter((row) =>
      wanted.every(([name, values]) => values.some((value) => String(value) === String(row[name] ?? ''))),
    )
    .toSorted((a, b) => {
      for (const { name, sign } of sort) {
        const compared = order(a[name] ?? null, b[name] ?? null);
        if (compared !== 0) return sign * compared;
      }
      return 0;
    });
  const fields = query.fields === undefined ? Object.keys(all) : texts(query.fields).map(known);
  const limit = Math.min(MAX_ROWS, whole(query.limit, DEFAULT_ROWS));
  const offset = whole(query.offset, 0);
  const records = found
    .slice(offset, offset + limit)
    .map((row) => Object.fromEntries(fields.map((name) => [name, row[name] ?? null])));
  return json({
    help: 'datastore_search',
    success: true,
    result: {
      include_total: true,
      limit,
      records_format: 'objects',
      resource_id: resource.id,
      records,
      fields: fields.map((id) => ({ id, type: all[id] })),
      total: found.length,
      total_was_estimated: false,
    },
  });
}

function dump(resource: CkanResource, rows: readonly CkanRow[]): SandboxResponse {
  const names = ['_id', ...Object.keys(typedColumns(resource.fields))];
  const lines = [
    names.join(','),
    ...rows.map((row) => names.map((name) => csvField(String(row[name] ?? ''))).join(',')),
  ];
  return respond(`${lines.join('\r\n')}\r\n`, 'text/csv; charset=utf-8');
}

/** A portal with these tables. */
export function ckanPortal(resources: readonly CkanResource[]): SitePages {
  const numbered = new Map(
    resources.map((resource) => [
      resource.id,
      perDay((day) => resource.rows(day).map((row, at): CkanRow => ({ _id: at + 1, ...row }))),
    ]),
  );
  const rowsOf = (day: WorldDay, { id }: CkanResource): readonly CkanRow[] => numbered.get(id)?.(day) ?? [];
  return (day, request: SandboxRequest) => {
    const { path, posted } = request;
    if (path === '/robots.txt') return respond(ROBOTS, 'text/plain');
    if (path === '/api/3/action/datastore_search') {
      try {
        const query = (posted === undefined ? Object.fromEntries(request.query) : JSON.parse(posted)) as Readonly<
          Record<string, unknown>
        >;
        const resource = resources.find(({ id }) => id === query.resource_id);
        if (!resource) return failure('Not Found Error', `Resource "${String(query.resource_id)}" was not found.`, 404);
        return search(resource, rowsOf(day, resource), query);
      } catch (error) {
        if (error instanceof SyntaxError) return failure('Bad Request', 'Error decoding JSON data.', 400);
        if (error instanceof SearchError) return failure('Validation Error', error.message, 409);
        throw error;
      }
    }
    const dumped = resources.find(({ id }) => path === `/datastore/dump/${id}`);
    if (dumped) return dump(dumped, rowsOf(day, dumped));
    const shown = resources.find(({ dataset }) => path === `/dataset/${dataset}`);
    return shown
      ? page(htmlPage(shown.dataset, `<h1>${escapeHtml(shown.dataset)}</h1>\n<p>Sandbox: made-up data</p>`))
      : null;
  };
}
