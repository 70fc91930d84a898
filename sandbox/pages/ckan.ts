/** A CKAN portal with a datastore: searches by POST or GET, errors as JSON, and CSV dumps. */
import { json, respond, type SandboxRequest, type SandboxResponse, type SitePages } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { csvField, perDay } from './parts.ts';
import { BadQuery, namesIn, picked, tableOf, typedColumns, wholeOf, type Row, type Select } from './tables.ts';

export type CkanRow = Row;

export interface CkanResource {
  readonly id: string;
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

const failure = (type: string, message: string, status: number): SandboxResponse =>
  json({ help: 'datastore_search', success: false, error: { __type: type, message } }, {}, status);

type Search = Readonly<Record<string, unknown>>;
const listed = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

function search(resource: CkanResource, select: Select, query: Search): SandboxResponse {
  const types: Readonly<Record<string, string>> = { _id: 'int', ...typedColumns(resource.fields) };
  const columns = Object.keys(types);
  const extra = Object.keys(query).find((name) => !PARAMETERS.includes(name));
  if (extra !== undefined) throw new BadQuery(`invalid parameter: ${extra}`);
  const filters = typeof query.filters === 'string' ? (JSON.parse(query.filters) as unknown) : query.filters;
  const wanted = Object.entries((filters ?? {}) as Search).map(
    ([name, values]) => [namesIn(name, columns)[0] ?? '', [values].flat().map(String)] as const,
  );
  const sorted = query.sort === undefined ? [] : listed(query.sort).split(',');
  // PostgreSQL sorts nulls last.
  const sort = sorted.map((text) => `${text} NULLS LAST`).join(', ');
  const found = select(null, sort).filter((row) =>
    wanted.every(([name, values]) => values.includes(String(row[name] ?? ''))),
  );
  const fields = query.fields === undefined ? columns : namesIn(listed(query.fields), columns);
  const limit = Math.min(MAX_ROWS, wholeOf(query.limit, DEFAULT_ROWS));
  const offset = wholeOf(query.offset, 0);
  return json({
    help: 'datastore_search',
    success: true,
    result: {
      include_total: true,
      limit,
      records_format: 'objects',
      resource_id: resource.id,
      records: found.slice(offset, offset + limit).map((row) => picked(row, fields)),
      fields: fields.map((id) => ({ id, type: types[id] })),
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
  const served = resources.map((resource) => {
    const rowsOf = perDay((day) => resource.rows(day).map((row, at): CkanRow => ({ _id: at + 1, ...row })));
    const columns = ['_id', ...Object.keys(typedColumns(resource.fields))];
    return { resource, rowsOf, selectOf: perDay((day) => tableOf(rowsOf(day), columns)) };
  });
  return (day, request: SandboxRequest) => {
    const { path, posted } = request;
    if (path === '/robots.txt') return respond(ROBOTS, 'text/plain');
    if (path === '/api/3/action/datastore_search') {
      try {
        const query = (posted === undefined ? Object.fromEntries(request.query) : JSON.parse(posted)) as Search;
        const found = served.find(({ resource: { id } }) => id === query.resource_id);
        if (!found) return failure('Not Found Error', `Resource "${String(query.resource_id)}" was not found.`, 404);
        return search(found.resource, found.selectOf(day), query);
      } catch (error) {
        if (error instanceof SyntaxError) return failure('Bad Request', 'Error decoding JSON data.', 400);
        if (error instanceof BadQuery) return failure('Validation Error', error.message, 409);
        throw error;
      }
    }
    const dumped = served.find(({ resource: { id } }) => path === `/datastore/dump/${id}`);
    return dumped ? dump(dumped.resource, dumped.rowsOf(day)) : null;
  };
}
