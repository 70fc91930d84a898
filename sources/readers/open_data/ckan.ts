/**
 * Tables in the datastore of a CKAN portal. Its CSV dump, which robots.txt allows, is read first. Part of a table, and
 * one too large for a dump, is read by `datastore_search`, which the page of the data set documents, with JSON by POST,
 * because portals have refused long GET requests. Its pages overlap, so that a row that disappears loses no other; the
 * rows of a record that a page ends in are left to the next page. Behind several pages the ids are listed again: a row
 * that is gone is left out. An operator may drop the dump instead.
 */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../../contract.ts';
import { readCsv } from '../../csv/csv.ts';
import { decodeText } from '../../fetch/page.ts';
import { parseJson } from '../../bodies.ts';
import { checkWhole, PagedRead, rowsToParse } from '../paged_read.ts';
import {
  adjacentGroups,
  type Cells,
  columnsToRead,
  type Group,
  groupOf,
  type OpenTable,
  recordOf,
  scatteredGroups,
  siteOf,
  type TableFamily,
  toCandidates,
} from './table.ts';

export interface CkanTable<F extends TableFamily> extends OpenTable<F> {
  /** Address of the portal, without a slash at its end. */
  readonly portal: string;
  /** Id of the table. */
  readonly resource: string;
  /** Only rows with one of these values in the column. */
  readonly filters?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** Set if the portal's dump of the table is larger than a page may be. */
  readonly dump?: 'too_large';
}

/** The most rows that CKAN gives at once, unless a portal changes its settings. */
const PAGE_ROWS = 32_000;
/** Path of the interface, and what the page of every data set says of it. */
const SEARCH = '/api/3/action/datastore_search';
const DOCUMENTED = 'Access resource data via a web API with powerful query support.';
/** Number of a row, which CKAN never gives again. */
const ROW_ID = '_id';
/** Largest page: 32,000 rows of 4 kB. */
const PAGE_BYTES = 128 * 1024 * 1024;

interface Result {
  readonly fields: readonly string[];
  readonly records: readonly Cells[];
  /** Rows of the whole table that match the filters. */
  readonly total: number;
}

/** The result of a search. @throws Quarantine if the page is none, or an error that the portal sends with HTTP 200 */
function parseResult(page: Page): Result {
  // Not page.text(), which caches the text: the pages of a large table are in memory together.
  const text = decodeText(page.bytes, undefined, page.url);
  if (!text.trim()) throw new Quarantine('empty_body', 'the response is empty', page.url);
  const json = parseJson(text, 'the response', page.url);
  if (!isObject(json)) throw new Quarantine('malformed_page', 'the response is not a JSON object', page.url);
  const { result } = json;
  if (json.success !== true || !isObject(result))
    throw new Quarantine(
      'template_changed',
      `the portal responds with the error ${(JSON.stringify(json.error) ?? 'none').slice(0, 200)}`,
      page.url,
    );
  const { fields, records, total } = result;
  if (!Array.isArray(fields) || !Array.isArray(records) || !records.every(isObject))
    throw new Quarantine('template_changed', 'the result has no arrays fields and records of objects', page.url);
  if (!Number.isInteger(total)) throw new Quarantine('template_changed', 'the total is not a number', page.url);
  const names = fields.map((field: unknown) => (isObject(field) ? field.id : null));
  if (!names.every((name) => typeof name === 'string'))
    throw new Quarantine('template_changed', 'a field of the table has no id', page.url);
  return { fields: names, records, total: Number(total) };
}

/** Rows of the record that the page ends in and that may continue on the next page. */
function unfinished(page: Page, rows: readonly Cells[], group: readonly string[]): readonly Cells[] {
  const last = rows.at(-1);
  if (last === undefined || group.length === 0) return [];
  const name = groupOf(last, group);
  const end = rows.findLastIndex((row) => groupOf(row, group) !== name) + 1;
  if (end === 0)
    throw new Quarantine(
      'template_changed',
      `all ${rows.length} rows of the page are of one record: ${name}`,
      page.url,
    );
  return rows.slice(end);
}

/** Rows of the page before that each page has again: so many may disappear between the two. */
const OVERLAP = 100;

async function* fetchTable<F extends TableFamily>(ctx: FetchContext, table: CkanTable<F>): AsyncGenerator<Page> {
  const { group = [], portal, resource, filters } = table;
  const search = (kind: string, offset: number, more: JsonObject): Promise<Page> =>
    ctx.get(portal + SEARCH, {
      kind,
      context: { resource, offset: String(offset), ...(kind === 'rows' ? {} : { limit: String(more.limit) }) },
      accept: 'application/json',
      maxBytes: PAGE_BYTES,
      json: { resource_id: resource, ...(filters && { filters }), offset, ...more },
    });
  if (ctx.sampleRows === null && filters === undefined && table.dump !== 'too_large') {
    const dump = await ctx.getIfExists(`${portal}/datastore/dump/${resource}`, { kind: 'dump', maxBytes: PAGE_BYTES });
    // The count is a help only: a portal may refuse its interface.
    const counted = dump && (await search('fields', 0, { limit: 0 }).catch(ifUnavailable));
    const stated = counted === null ? null : parseResult(counted).total;
    // A dump of old portals ends after 100,000 rows, and one that is written during a change repeats and lacks rows.
    if (dump !== null && isWhole(dump, stated)) {
      ctx.describes(readCsv(dump.text(), dump.url).header);
      if (stated !== null) ctx.states(stated);
      yield dump;
      return;
    }
  }
  const description = await search('fields', 0, { limit: 0 });
  const { fields, total } = parseResult(description);
  ctx.describes(fields);
  const columns = columnsToRead(table, fields, description);
  // Names contain blanks and typographic quotation marks; CKAN strips double quotes.
  const sort = [...group.map((name) => `"${name}" asc`), `${ROW_ID} asc`];
  /** All pages of these columns, each with rows of the one before, and the rows that it leaves to the next. */
  async function* paged(kind: string, wanted: readonly string[]) {
    const seen = new Set<unknown>();
    let [end, isLast, offset] = [0, false, 0];
    while (!isLast) {
      const page = await search(kind, offset, {
        limit: ctx.sampleRows ?? PAGE_ROWS,
        fields: [ROW_ID, ...wanted],
        sort,
      });
      const { records, total: stated } = parseResult(page);
      if (offset > 0 && !seen.has(records[0]?.[ROW_ID]))
        throw new Quarantine('count_mismatch', `more than ${OVERLAP} rows disappeared between two pages`, page.url);
      for (const row of records) seen.add(row[ROW_ID]);
      const reached = offset + records.length;
      isLast = ctx.sampleRows !== null || reached >= stated;
      if (!isLast && reached <= end)
        throw new Quarantine('count_mismatch', `the table has ${stated} rows; ${end} were read`, page.url);
      end = reached;
      const later = isLast || wanted.length === 0 ? [] : unfinished(page, records, group);
      offset = end - later.length - Math.min(OVERLAP, Math.floor((records.length - later.length) / 2));
      yield { page, ids: idsOf(records), later: idsOf(later), stated };
    }
  }
  const pages = new PagedRead();
  let asked = 0;
  let stated = total;
  for await (const { page, ids, later, stated: rows } of paged('rows', columns)) {
    pages.take(page, ids, later);
    stated = rows;
    asked += 1;
  }
  if (ctx.sampleRows !== null) return yield* pages.rest(ctx, ROW_ID, null);
  let present: Set<unknown> | null = null;
  if (asked > 1) {
    present = new Set();
    for await (const { ids } of paged('ids', [])) for (const id of ids) present.add(id);
    // A row added during the read is for the next one.
    const newest = Math.max(...[...pages.seen].map(Number));
    checkWhole(
      [...present].filter((id) => Number(id) <= newest),
      pages,
      description.url,
    );
    stated = present.size;
  } else if (pages.seen.size !== stated)
    throw new Quarantine(
      'count_mismatch',
      `the table has ${stated} rows; ${pages.seen.size} were read`,
      description.url,
    );
  ctx.states(stated);
  yield* pages.rest(ctx, ROW_ID, present);
}

/** Whether a dump has each of its rows once, and all that the table is said to have. */
function isWhole(dump: Page, stated: number | null): boolean {
  const { header, rows } = readCsv(dump.text(), dump.url);
  const at = header.indexOf(ROW_ID);
  const ids = new Set(rows.map(({ cells }) => cells[at]));
  return at < 0 || (ids.size === rows.length && (stated === null || stated === rows.length));
}

const idsOf = (rows: readonly Cells[]): unknown[] => rows.map((row) => row[ROW_ID]);

/** @throws the error, unless the site refuses or does not respond */
function ifUnavailable(error: unknown): null {
  if (error instanceof SourceUnavailable) return null;
  throw error;
}

type UrlOf = (column: string, value: string) => string;

/**
 * Candidates of the CSV dump; blank cells are null. A row of another length is a reject.
 * @throws Quarantine malformed_page if records have several rows: the record of such a row is not known
 */
function parseDump<F extends TableFamily>(page: Page, table: CkanTable<F>, urlOf: UrlOf): readonly Candidate[] {
  const { header, rows } = readCsv(page.text(), page.url);
  columnsToRead(table, header, page);
  const found: Cells[] = [];
  const rejects: Candidate[] = [];
  for (const { cells, raw, line } of rows) {
    if (cells.length === header.length) {
      found.push(Object.fromEntries(header.map((name, at) => [name, cells[at] === '' ? null : cells[at]])));
      continue;
    }
    const detail = `line ${line} has ${cells.length} fields, expected ${header.length}`;
    if (table.group) throw new Quarantine('malformed_page', detail, page.url);
    rejects.push({ reject: { reason: 'wrong_field_count', detail }, raw });
  }
  const groups = table.group ? scatteredGroups(found, table.group) : found.map((row): Group => [row]);
  return [...groups.flatMap((group) => toCandidates(table, group, urlOf)), ...rejects];
}

function parseRows<F extends TableFamily>(page: Page, table: CkanTable<F>, urlOf: UrlOf): readonly Candidate[] {
  const { group } = table;
  const { fields, records: all } = parseResult(page);
  const columns = columnsToRead(table, fields, page);
  const records = rowsToParse(page, all);
  for (const row of records) {
    const absent = columns.find((name) => !(name in row));
    if (absent !== undefined)
      throw new Quarantine(
        'missing_column',
        `a row has no ${absent}; the portal gives null for a blank cell`,
        page.url,
      );
  }
  const groups = group ? adjacentGroups(records, group, page) : records.map((row): Group => [row]);
  return groups.flatMap((each) => toCandidates(table, each, urlOf));
}

function parseTable<F extends TableFamily>(page: Page, table: CkanTable<F>): readonly Candidate[] {
  const site = siteOf(page, table.portal);
  const urlOf: UrlOf = (column, value) =>
    `${site}${SEARCH}?${new URLSearchParams({
      resource_id: table.resource,
      filters: JSON.stringify({ [column]: value }),
    })}`;
  return page.kind === 'dump' ? parseDump(page, table, urlOf) : parseRows(page, table, urlOf);
}

/** An adapter for one table. */
export function ckanTable<F extends TableFamily>(table: CkanTable<F>): SourceSpec {
  const { portal, resource } = table;
  return defineSource({
    ...table,
    terms: { ...table.terms, api: { path: SEARCH, quote: DOCUMENTED } },
    hosts: [new URL(portal).host],
    minIntervalMs: 2000,
    row: recordOf(table.family),
    contradictions: 'refused',
    drop: [
      {
        pattern: new RegExp(`^${resource}.*\\.csv$`, 'u'),
        file: `${resource}.csv`,
        kind: 'dump',
        about: `The portal's CSV dump of the table, from ${portal}/datastore/dump/${resource}.`,
      },
    ],
    fetch: (ctx) => fetchTable(ctx, table),
    parse: (page) => parseTable(page, table),
  });
}
