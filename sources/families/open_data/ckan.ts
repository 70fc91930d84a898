/**
 * Tables in the datastore of a CKAN portal, read by `datastore_search` with JSON by POST, because portals have refused
 * long GET requests. The first request checks the columns and counts the rows; the pages must hold exactly as many. A
 * table with several rows per record is read in the order of the record's columns. The last record of a page may be
 * incomplete, so its rows are left to the next page, which starts with them. An operator may drop the portal's CSV dump
 * of the table instead.
 */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
} from '../../contract.ts';
import { readCsv } from '../../csv/csv.ts';
import { decodeText } from '../../fetch/http/decode.ts';
import { parseJson } from '../../json.ts';
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
}

/** The most rows that CKAN gives at once, unless a portal changes its settings. */
const PAGE_ROWS = 32_000;
/** Context of the page that a probe reads. */
const SAMPLE = 'sample';
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

/** Rows of a page without its last record if that may continue on the next page. A probe reads one page only. */
function wholeRecords(page: Page, rows: readonly Cells[], total: number, group: readonly string[]): readonly Cells[] {
  const last = rows.at(-1);
  const offset = Number(page.context['offset'] ?? 0);
  if (last === undefined || offset + rows.length >= total || page.context[SAMPLE] !== undefined) return rows;
  const name = groupOf(last, group);
  const end = rows.findLastIndex((row) => groupOf(row, group) !== name) + 1;
  if (end === 0)
    throw new Quarantine(
      'template_changed',
      `all ${rows.length} rows of the page are of one record: ${name}`,
      page.url,
    );
  return rows.slice(0, end);
}

async function* fetchTable<F extends TableFamily>(ctx: FetchContext, table: CkanTable<F>): AsyncGenerator<Page> {
  const { group } = table;
  const sample = ctx.sampleRows === null ? {} : { [SAMPLE]: String(ctx.sampleRows) };
  const search = (kind: string, offset: number, more: JsonObject): Promise<Page> =>
    ctx.get(`${table.portal}/api/3/action/datastore_search`, {
      kind,
      context: { resource: table.resource, offset: String(offset), ...sample },
      accept: 'application/json',
      maxBytes: PAGE_BYTES,
      json: { resource_id: table.resource, ...(table.filters && { filters: table.filters }), offset, ...more },
    });
  const description = await search('fields', 0, { limit: 0 });
  const { fields, total } = parseResult(description);
  const columns = columnsToRead(table, fields, description);
  // Names contain blanks and typographic quotation marks; CKAN strips double quotes.
  const sort = [...(group ?? []).map((name) => `"${name}" asc`), '_id asc'];
  let read = 0;
  do {
    const page = await search('rows', read, { limit: ctx.sampleRows ?? PAGE_ROWS, fields: ['_id', ...columns], sort });
    const found = parseResult(page);
    if (found.total !== total)
      throw new Quarantine(
        'count_mismatch',
        `the table had ${total} rows, and ${found.total} while it was read`,
        page.url,
      );
    if (ctx.sampleRows === null && found.records.length === 0 && total > read)
      throw new Quarantine('count_mismatch', `the table has ${total} rows; ${read} were read`, page.url);
    yield page;
    if (ctx.sampleRows !== null) return;
    read += group ? wholeRecords(page, found.records, total, group).length : found.records.length;
  } while (read < total);
  if (read !== total)
    throw new Quarantine('count_mismatch', `the table has ${total} rows; ${read} were read`, description.url);
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
  const { fields, records, total } = parseResult(page);
  const columns = columnsToRead(table, fields, page);
  for (const row of records) {
    const absent = columns.find((name) => !(name in row));
    if (absent !== undefined)
      throw new Quarantine(
        'missing_column',
        `a row has no ${absent}; the portal gives null for a blank cell`,
        page.url,
      );
  }
  const groups = group
    ? adjacentGroups(wholeRecords(page, records, total, group), group, page)
    : records.map((row): Group => [row]);
  return groups.flatMap((each) => toCandidates(table, each, urlOf));
}

function parseTable<F extends TableFamily>(page: Page, table: CkanTable<F>): readonly Candidate[] {
  const site = siteOf(page, table.portal);
  const urlOf: UrlOf = (column, value) =>
    `${site}/api/3/action/datastore_search?${new URLSearchParams({
      resource_id: table.resource,
      filters: JSON.stringify({ [column]: value }),
    })}`;
  return page.kind === 'dump' ? parseDump(page, table, urlOf) : parseRows(page, table, urlOf);
}

/** An adapter for one table. */
export function ckanTable<F extends TableFamily>(table: CkanTable<F>): SourceSpec {
  const { portal, resource } = table;
  return defineSource({
    name: table.name,
    family: table.family,
    title: table.title,
    home: table.home,
    county: table.county,
    covers: table.covers,
    terms: table.terms,
    everyDays: table.everyDays,
    hosts: [new URL(portal).host],
    politeness: { minIntervalMs: 2000, concurrency: 1 },
    row: recordOf(table.family),
    contradictions: 'refused',
    expect: table.expect,
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
