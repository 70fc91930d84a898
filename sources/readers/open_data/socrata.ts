/**
 * Tables of a Socrata portal, read by SODA 2. The description of the table gives its columns, a count its rows; the
 * pages must hold exactly as many. Pages follow the row's own id, since rows move between pages of an offset, and the
 * ids are listed again behind several pages: a row that is gone is left out, one that was not read refuses the read. A
 * table whose records have several rows is read in one page, in the order of the columns they share.
 *
 * The portals answer without a token, at a lower rate. SOCRATA_APP_TOKEN is sent if the operator sets it.
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
import { parseJson } from '../../bodies.ts';
import { checkWhole, PagedRead, rowsToParse } from '../paged_read.ts';
import {
  adjacentGroups,
  columnsToRead,
  type OpenTable,
  recordOf,
  siteOf,
  type TableFamily,
  toCandidates,
} from './table.ts';

/** Rows of a JSON page. SODA omits the keys of empty cells. @throws Quarantine if it is no array of objects */
export function sodaRows(page: Page): readonly JsonObject[] {
  const json = parseJson(page.text(), 'the response', page.url);
  if (!Array.isArray(json) || !json.every(isObject))
    throw new Quarantine(
      'malformed_page',
      `expected a JSON array of rows, found ${JSON.stringify(json).slice(0, 120)}`,
      page.url,
    );
  return json;
}

/** The number in the response to `$select=count(*) AS total`. @throws Quarantine if it has none */
export function sodaCount(page: Page): number {
  const total = Number(sodaRows(page)[0]?.['total'] ?? NaN);
  if (Number.isInteger(total)) return total;
  throw new Quarantine(
    'template_changed',
    `expected one row with a total, found ${JSON.stringify(page.text().slice(0, 60))}`,
    page.url,
  );
}

/** Names of a table's columns, from its description. @throws Quarantine if it has none */
function sodaColumns(page: Page): readonly string[] {
  const json = parseJson(page.text(), 'the description of the table', page.url);
  if (!isObject(json) || !Array.isArray(json.columns))
    throw new Quarantine('template_changed', 'the description of the table has no columns', page.url);
  return json.columns.filter(isObject).map((column) => String(column.fieldName));
}

interface SocrataTable<F extends TableFamily> extends OpenTable<F> {
  /** Address of the portal, without a slash at its end. */
  readonly portal: string;
  /** Id of the table, such as w5nm-8qv8. */
  readonly table: string;
  /** SoQL condition of the rows to read on a day. Default: all. */
  readonly where?: (asOf: string) => string;
}

const TOKEN = 'SOCRATA_APP_TOKEN';
/** System field of every row: a unique id by which a table can be paged. */
const ROW_ID = ':id';
/** The most rows that SODA 2.0 gives at once. */
const PAGE_ROWS = 50_000;
/** Largest page: 50,000 rows of 2 kB. */
const PAGE_BYTES = 128 * 1024 * 1024;

async function* fetchTable<F extends TableFamily>(ctx: FetchContext, source: SocrataTable<F>): AsyncGenerator<Page> {
  const { portal, table, group } = source;
  const where = source.where?.(ctx.asOf);
  const token = ctx.secret(TOKEN);
  const get = (path: string, kind: string): Promise<Page> =>
    ctx.get(`${portal}${path}`, {
      kind,
      accept: 'application/json',
      maxBytes: PAGE_BYTES,
      ...(token === undefined ? {} : { headers: { 'X-App-Token': token } }),
    });
  const select = (parameters: Readonly<Record<string, string>>, kind: string): Promise<Page> =>
    get(`/resource/${table}.json?${new URLSearchParams(parameters)}`, kind);
  const matching = (...conditions: (string | undefined)[]): Readonly<Record<string, string>> => {
    const all = conditions.filter((condition) => condition !== undefined);
    return all.length === 0 ? {} : { $where: all.map((condition) => `(${condition})`).join(' AND ') };
  };

  const description = await get(`/api/views/${table}.json`, 'columns');
  ctx.describes(sodaColumns(description));
  const columns = columnsToRead(source, sodaColumns(description), description);
  const count = (): Promise<Page> => select({ $select: 'count(*) AS total', ...matching(where) }, 'count');
  const counted = async (): Promise<number> => sodaCount(await count());
  const countPage = await count();
  const total = sodaCount(countPage);
  const limit = ctx.sampleRows ?? PAGE_ROWS;
  if (group && total > limit && ctx.sampleRows === null)
    throw new Quarantine('count_mismatch', `the table has ${total} rows, at most ${limit} expected`, countPage.url);

  const rowsAfter = (after: string | undefined, wanted: readonly string[]): Promise<Page> =>
    select(
      {
        $select: [ROW_ID, ...wanted].join(','),
        ...matching(where, after === undefined ? undefined : `${ROW_ID} > '${after}'`),
        $order: [...(group ?? []), ROW_ID].join(','),
        $limit: String(limit),
      },
      'rows',
    );
  /** Pages of these columns, each after the last id of the one before. */
  async function* paged(wanted: readonly string[]): AsyncGenerator<{ page: Page; ids: readonly unknown[] }> {
    let after: string | undefined;
    for (;;) {
      const page = await rowsAfter(after, wanted);
      const ids = sodaRows(page).map((row) => row[ROW_ID]);
      yield { page, ids };
      if (ctx.sampleRows !== null || ids.length < limit || group) return;
      const last = ids.at(-1);
      if (typeof last !== 'string' || last.includes("'") || last === after)
        throw new Quarantine(
          'template_changed',
          `the last row of a full page has the id ${JSON.stringify(last)}, expected one after ${after ?? 'the first'}`,
          page.url,
        );
      after = last;
    }
  }

  const pages = new PagedRead();
  let asked = 0;
  for await (const { page, ids } of paged(columns)) {
    pages.take(page, ids);
    asked += 1;
  }
  let present: Set<unknown> | null = null;
  if (ctx.sampleRows === null && asked > 1) {
    present = new Set();
    for await (const { ids } of paged([])) for (const id of ids) present.add(id);
    // A row behind the last one is for the next read.
    const listed = [...present];
    checkWhole(
      listed.slice(
        0,
        listed.findLastIndex((id) => pages.seen.has(id)),
      ),
      pages,
      countPage.url,
    );
  }
  if (ctx.sampleRows === null) {
    const stated = present?.size ?? (pages.seen.size === total ? total : await counted());
    if (present === null && pages.seen.size !== stated)
      throw new Quarantine(
        'count_mismatch',
        `the table counts ${stated} rows; ${pages.seen.size} were read`,
        countPage.url,
      );
    ctx.states(stated);
  }
  yield* pages.rest(ctx, ROW_ID, present);
}

function parseRows<F extends TableFamily>(page: Page, source: SocrataTable<F>): readonly Candidate[] {
  const { group, columns, optional = [], portal, table } = source;
  const rows = rowsToParse(page, sodaRows(page));
  // The interface omits the keys of empty cells, so only an unknown key proves that the layout changed.
  const known = new Set([ROW_ID, ...columns, ...optional]);
  const unknown = rows.flatMap(Object.keys).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Quarantine('unknown_column', `a row has the column ${unknown}, which was not requested`, page.url);
  const urlOf = (column: string, value: string): string =>
    `${siteOf(page, portal)}/resource/${table}.json?${new URLSearchParams({ [column]: value })}`;
  const groups = group ? adjacentGroups(rows, group, page) : rows.map((row) => [row] as const);
  return groups.flatMap((each) => toCandidates(source, each, urlOf));
}

/** An adapter for one table. */
export function socrataTable<F extends TableFamily>(source: SocrataTable<F>): SourceSpec {
  return defineSource({
    ...source,
    hosts: [new URL(source.portal).host],
    secrets: [TOKEN],
    row: recordOf(source.family),
    contradictions: 'refused',
    fetch: (ctx) => fetchTable(ctx, source),
    parse: (page) => parseRows(page, source),
  });
}
