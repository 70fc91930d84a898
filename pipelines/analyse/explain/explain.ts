/** Traces one row of a snapshot to its formulas, inputs, assumptions, pages and archived bytes, for `make explain`. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';
import { SettingError } from '../../../lib/settings.ts';
import { identifier } from '../../../lib/sql.ts';
import type { Origin as ColumnOrigin } from '../../../models/figures/figures.ts';
import { formulaIn, stepOrigins } from '../../../models/figures/steps.ts';
import { tablesRead } from '../../../models/graph.ts';
import { columnsOfModels } from '../../../models/columns.ts';
import { loadMarts, loadModels, selectMacros, type Model } from '../../../models/index.ts';
import { ArchiveDamage, type Archive } from '../../../lib/archive.ts';
import type { RequestRecord } from '../../../lib/request_record.ts';
import type { Candidate, Page, SourceSpec } from '../../../sources/contract.ts';
import { droppedName } from '../../../sources/dropped_files.ts';
import { openPage } from '../../../sources/fetch/page.ts';
import { isSale } from '../../../sources/kinds.ts';
import { readsUpTo } from '../../ingest/reads.ts';
import { parseRunId } from '../../layout.ts';
import type { OpenSnapshot } from '../open_snapshot.ts';
import { EXPLAINABLE, type Explainable } from '../settings.ts';

interface Step {
  readonly figure: string;
  readonly formula: string;
  /** Comparison that chose the formula, of several. */
  readonly when?: string;
  /** Values by name, as text. A name is a field of the row, a figure of another step, or an assumption. */
  readonly inputs: Readonly<Record<string, string | null>>;
  readonly result: string;
  /** Reason for this formula. */
  readonly why?: string;
}

/** Fields of a row as text; null where absent. */
export type Fields = Readonly<Record<string, string | null>>;
const asText = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** A row with every value as text. */
const fieldsOf = (row: Record<string, unknown>): Fields =>
  Object.fromEntries(Object.entries(row).map(([k, v]) => [k, asText(v)]));

/** Value of an assumption by its key. */
type AssumptionValue = (key: string) => string;

/** Steps that a snapshot has: those of a deal's report, or of a lead. */
async function publishedSteps(connection: DuckDBConnection, sql: string, row: Fields): Promise<Step[]> {
  const [found] = await rowsOf(connection, sql, [row['id'] ?? '']);
  return JSON.parse(String(found?.['steps'] ?? '[]')) as Step[];
}

const dealSteps = (connection: DuckDBConnection, row: Fields): Promise<Step[]> =>
  publishedSteps(connection, 'SELECT recompute AS steps FROM reports WHERE id = $1', row);

/** Steps of a lead: the score as the sum of its parts, each part with its reason. */
async function leadSteps(connection: DuckDBConnection, row: Fields): Promise<Step[]> {
  const reasons = JSON.parse(row['score_rationale'] ?? '{}') as Record<string, string>;
  const steps = await publishedSteps(connection, 'SELECT steps FROM lead_steps WHERE id = $1', row);
  return steps.map((step) => {
    const why = reasons[step.figure.replace(/^part_/u, '')];
    return why === undefined ? step : { ...step, why };
  });
}

/** Figures of a signal or an auction, which its lead has too: the model, and the name in its SQL. */
const OF_RECORDS = [
  { figure: 'amount_to_value_pct', model: 'signals', computed: 'amount_to_value_pct' },
  { figure: 'appraisal_discount_pct', model: 'auctions', computed: 'appraisal_discount_pct' },
  { figure: 'opening_bid', model: 'auctions', computed: 'two_thirds' },
] as const;

/** Steps of a signal or an auction. Each of its figures has one formula. */
async function recordSteps(connection: DuckDBConnection, row: Fields, assumption: AssumptionValue): Promise<Step[]> {
  const models = await loadModels();
  const steps: Step[] = [];
  for (const { figure, model, computed } of OF_RECORDS) {
    const result = row[figure] ?? null;
    const found = models.find(({ name }) => name === model);
    // An opening bid is computed only where the page prints none.
    if (result === null || !found || (figure === 'opening_bid' && row['opening_bid_derived'] !== 'true')) continue;
    const { formula, names } = await formulaIn(connection, found, computed, selectMacros);
    const inputs = Object.fromEntries(
      names.map((name) => [name, name in row ? (row[name] ?? null) : assumption(name)]),
    );
    const why = figure === 'opening_bid' ? { why: `not published: set under ${row['statute_ref'] ?? 'the law'}` } : {};
    steps.push({ figure, formula, inputs, result, ...why });
  }
  return steps;
}

/** Larger pages are not parsed again for an excerpt. */
const MAX_PARSED_BYTES = 64 * 1024 * 1024;
const EXCERPT_LENGTH = 900;

interface PageQuery {
  /** Role of the page, such as listing or rent. */
  readonly role: string;
  /** Note on the row. */
  readonly note?: string;
  readonly source: string;
  readonly sha256: string;
  /** URL of the row's page: several URLs may have returned the same bytes. */
  readonly url: string | null;
  /** Whether a row of the page is the wanted one. */
  readonly isRow: (candidate: Candidate, index: number) => boolean;
}

/** Requests that returned these bytes up to a day, oldest first. */
async function requestsFor(
  archive: Archive,
  { source, sha256, url }: PageQuery,
  asOf: string,
): Promise<RequestRecord[]> {
  const all = await archive.requestsFor(source, sha256);
  const found = all.filter(({ runId }) => (parseRunId(runId)?.asOf ?? '9') <= asOf);
  const ofUrl = found.filter((request) => request.url === url);
  return ofUrl.length > 0 ? ofUrl : found;
}

/** A row of a page: its position, from 0, as published, and as parsed. */
interface RowFound {
  readonly row: number | null;
  readonly excerpt: string | null;
  readonly values: Readonly<Record<string, unknown>> | null;
}
const NO_ROW: RowFound = { row: null, excerpt: null, values: null };

async function findOnPage(spec: SourceSpec | undefined, page: Page, isRow: PageQuery['isRow']): Promise<RowFound> {
  if (!spec || page.bytes.length > MAX_PARSED_BYTES) return NO_ROW;
  let row = 0;
  for await (const candidate of spec.parse(page)) {
    const { raw } = candidate;
    const excerpt = raw.length > EXCERPT_LENGTH ? `${raw.slice(0, EXCERPT_LENGTH)}…` : raw;
    if (isRow(candidate, row)) return { row, excerpt, values: 'values' in candidate ? candidate.values : null };
    row += 1;
  }
  return NO_ROW;
}

/**
 * Find a page in the archive, verify its bytes, and parse the row from it with the current adapter. The result reports
 * missing and damaged bytes.
 */
async function findPage(archive: Archive, sources: readonly SourceSpec[], query: PageQuery, asOf: string) {
  const { source, sha256 } = query;
  const requests = await requestsFor(archive, query, asOf);
  const first = requests.find((record) => !record.fromCache) ?? requests[0];
  const fetched = requests.findLast((record) => record.runId === first?.runId && record.fromCache === first.fromCache);
  const last = requests.at(-1);
  // The last context: of a page with the statuses of another one, or of a dropped file with a column map.
  const parsed = requests.findLast(({ status }) => status !== 304) ?? last;
  let [found, hash] = [NO_ROW, 'verified'];
  try {
    await archive.read(sha256);
    const spec = sources.find((each) => each.name === source);
    if (parsed) found = await findOnPage(spec, await openPage(archive, parsed), query.isRow);
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw error;
    [found, hash] = [NO_ROW, error.message];
  }
  return {
    ...query,
    url: fetched?.url ?? query.url,
    /** Name of a dropped file, whose address does not have it. */
    file: fetched === undefined ? null : droppedName(fetched.context),
    /** The request that returned the bytes, and the last one, which may have found them unchanged. */
    fetched,
    last,
    ...found,
    /** "verified", or the damage of the archived bytes. */
    hash,
  };
}
export type PageFound = Awaited<ReturnType<typeof findPage>>;

/**
 * Find a row by its id, or by a unique prefix of it. The lead of a tax delinquency has the id of its signal: the lead
 * wins, unless `wanted` names a table.
 * @throws SettingError if no row or several rows match
 */
async function findRow(
  { duck, manifest }: OpenSnapshot,
  id: string,
  wanted: Explainable | undefined,
): Promise<{ table: Explainable; row: Fields }> {
  if (!/^[0-9a-f-]{6,36}$/u.test(id))
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected the id of a deal, lead, signal, auction or filing, or at least its ` +
        'first six characters',
    );
  const found: { table: Explainable; row: Fields }[] = [];
  const searched = EXPLAINABLE.filter((name) => wanted === undefined || name === wanted);
  for (const table of searched) {
    const sql = `SELECT * FROM ${identifier(table)} WHERE starts_with(CAST(id AS VARCHAR), $1) LIMIT 2`;
    for (const row of await rowsOf(duck.connection, sql, [id])) found.push({ table, row: fieldsOf(row) });
  }
  const [first] = found;
  if (!first)
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected an id of ${wanted ?? EXPLAINABLE.join(', ')}: snapshot ` +
        `${manifest.run_id} has no such row`,
    );
  if (found.some((match) => match.row['id'] !== first.row['id'])) {
    const rows = found.map((match) => `${match.table} ${match.row['id'] ?? ''}`).join(', ');
    throw new SettingError(`ID is ${JSON.stringify(id)}, expected the id of one row; these match: ${rows}`);
  }
  return first;
}

/** The data that an explanation reads. */
interface ExplainInputs {
  readonly snapshot: OpenSnapshot;
  readonly archive: Archive;
  readonly sources: readonly SourceSpec[];
}

/**
 * Trace a row.
 * @param wanted table of the row, if two tables have the id
 * @throws SettingError if no single row has the id
 */
export async function explain({ snapshot, archive, sources }: ExplainInputs, id: string, wanted?: Explainable) {
  const { run_id: runId, as_of: asOf } = snapshot.manifest;
  const { connection } = snapshot.duck;
  const { table, row } = await findRow(snapshot, id, wanted);
  const declared = await rowsOf(connection, 'SELECT * FROM assumptions');
  const assumptions = new Map(declared.map(fieldsOf).map((each) => [each['key'] ?? '', each]));
  const valueOf = (key: string): string => assumptions.get(key)?.['value'] ?? '';
  const parts = await (table === 'deals' ? dealParts(snapshot, row) : recordParts(snapshot, table, row, valueOf));
  const pages: PageFound[] = [];
  for (const query of parts.pages) pages.push(await findPage(archive, sources, query, asOf));
  const columns = (await loadMarts()).find(({ name }) => name === table)?.contract.record.columns ?? [];
  /** Where the inputs of the steps come from, in words, by figure and input. */
  const origins = await findOrigins(connection, parts, (name) => assumptions.has(name));
  return { table, id: row['id'] ?? '', snapshot: runId, asOf, row, columns, assumptions, ...parts, origins, pages };
}
export type Explanation = Awaited<ReturnType<typeof explain>>;

interface Parts {
  readonly steps: readonly Step[];
  readonly pages: readonly PageQuery[];
  /** Position of the page of a group of the deal's provenance, or of the row itself, from 1. */
  readonly positions: ReadonlyMap<string, number>;
  /** Related rows of other tables, which `make explain` explains too. */
  readonly links: readonly {
    readonly relation: string;
    readonly table: Explainable;
    readonly id: string;
  }[];
  /** Versions of the listing, if a figure depends on its history. */
  readonly history: readonly Fields[];
}

/** Table of a matching record of this kind. */
function tableOf(kind: string): Explainable {
  if (kind === 'listing') return 'deals';
  return isSale(kind) ? 'auctions' : 'signals';
}

/** The page of the row itself. */
const pageOfRow = (row: Fields, role: string): PageQuery => ({
  role,
  source: row['source'] ?? '',
  sha256: row['page_sha256'] ?? '',
  url: row['source_url'] ?? null,
  isRow: (_, index) => String(index) === row['page_row'],
});

/** Origin of a group of a deal's fields. */
interface Origin {
  readonly source: string | null;
  readonly source_url: string | null;
  /** Texts that name the row on the page. */
  readonly row: readonly (string | null)[] | null;
}

/** The page of a group of a deal's provenance, as the run of the snapshot read it. */
async function pageOfGroup(
  { layout, manifest }: OpenSnapshot,
  role: string,
  { source, source_url: url, row }: Origin,
): Promise<PageQuery | null> {
  const runId = manifest.sources.find((each) => each.source === source)?.staged_run ?? null;
  if (source === null || runId === null) return null;
  const read = (await readsUpTo(layout, source, manifest.as_of)).find((run) => run.run_id === runId);
  const page = read?.pages.find((each) => each.url === url) ?? read?.pages[0];
  if (!page) return null;
  return {
    role,
    note: `of ${row?.join(', ') ?? 'the row'}`,
    source,
    sha256: page.sha256,
    url: page.url,
    isRow(candidate) {
      const values = 'values' in candidate ? Object.values(candidate.values).map(String) : [];
      return row?.every((name) => name !== null && values.includes(name)) ?? false;
    },
  };
}

/** Every page on which a deal's figures rest, each once, and the position of each group's page. */
async function pagesOfDeal(snapshot: OpenSnapshot, row: Fields): Promise<Pick<Parts, 'pages' | 'positions'>> {
  const provenance = JSON.parse(row['provenance'] ?? '{}') as Record<string, Origin>;
  const pages: PageQuery[] = [];
  const positions = new Map<string, number>();
  const known = new Map<string, number>();
  for (const [group, origin] of Object.entries(provenance)) {
    if (origin.source_url === null) continue;
    const rowKey = JSON.stringify([origin.source_url, origin.row]);
    if (!known.has(rowKey)) {
      const page = group === 'listing' ? pageOfRow(row, group) : await pageOfGroup(snapshot, group, origin);
      if (!page) continue;
      known.set(rowKey, pages.push(page));
    }
    positions.set(group, known.get(rowKey) ?? 0);
  }
  return { pages, positions };
}

const HISTORY_SQL = `
  SELECT version_first_seen, version_last_seen, change, list_price, availability, gone_on FROM listing_history
  WHERE deal_id = $1 AND source = $2 AND listing_id = $3 ORDER BY version`;

async function dealParts(snapshot: OpenSnapshot, row: Fields): Promise<Parts> {
  const { connection } = snapshot.duck;
  const id = row['id'] ?? '';
  const history = await rowsOf(connection, HISTORY_SQL, [id, row['source'] ?? '', row['listing_id'] ?? '']);
  const matches = JSON.parse(row['distress_matches'] ?? '[]') as { kind: string; id: string }[];
  return {
    steps: await dealSteps(connection, row),
    ...(await pagesOfDeal(snapshot, row)),
    links: matches.map((match) => ({ relation: `distress: ${match.kind}`, table: tableOf(match.kind), id: match.id })),
    history: history.map(fieldsOf),
  };
}

/** Of a record: its only page. Of a lead: that of its record, and the rows that corroborate it. */
async function recordParts(
  { duck: { connection } }: OpenSnapshot,
  table: Explainable,
  row: Fields,
  valueOf: AssumptionValue,
): Promise<Parts> {
  const steps = await recordSteps(connection, row, valueOf);
  const partsOf = (role: string, record: Fields | undefined): Omit<Parts, 'steps' | 'links'> => ({
    pages: record ? [pageOfRow(record, role)] : [],
    positions: new Map(record ? [['row', 1]] : []),
    history: [],
  });
  if (table !== 'leads') return { steps, links: [], ...partsOf('row', row) };
  const [role, of] = row['signal_id'] === null ? (['auction', 'auctions'] as const) : (['signal', 'signals'] as const);
  const id = row[`${role}_id`] ?? '';
  const [record] = await rowsOf(connection, `SELECT * FROM ${of} WHERE CAST(id AS VARCHAR) = $1`, [id]);
  const corroboration = JSON.parse(row['corroboration'] ?? '[]') as { kind: string; id: string }[];
  const cited = corroboration.map((each) => ({
    relation: `corroborated by ${each.kind}`,
    table: tableOf(each.kind),
    id: each.id,
  }));
  return {
    steps: [...(await leadSteps(connection, row)), ...steps],
    links: [{ relation: role, table: of, id }, ...cited],
    ...partsOf(role, record && fieldsOf(record)),
  };
}

/**
 * Follow a column from a published table to the first model that has it. A staging model only reads it from a page.
 * @returns null if the table is no model or has no such column
 */
async function findProducer(connection: DuckDBConnection, table: string, column: string): Promise<Model | null> {
  const models = new Map((await loadModels()).map((model) => [model.name, model]));
  const columns = await columnsOfModels();
  const hasColumn = (model: Model): boolean => columns.get(model.name)?.some(({ name }) => name === column) ?? false;
  const visited = new Set<string>();
  let found = models.get(table);
  if (!found || !hasColumn(found)) return null;
  for (;;) {
    visited.add(found.name);
    const read: readonly string[] = await tablesRead(connection, found.sql);
    const earlier = read
      .filter((name) => !visited.has(name))
      .flatMap((name) => (name === 'terms' ? [] : (models.get(name) ?? [])))
      .find(hasColumn);
    if (!earlier) return found;
    found = earlier;
  }
}

/** Group of a deal's provenance that a table's columns belong to, by the columns where they differ. */
const GROUPS: Readonly<Record<string, readonly (readonly [columns: RegExp, group: string])[]>> = {
  int_properties: [
    [/^(?:days_on_feed|first_price|first_seen|last_seen)$/u, 'history'],
    [/^annual_taxes$/u, 'tax_bill'],
    [/^(?:cap_rate|noi)$/u, 'claim'],
    [/^/u, 'listing'],
  ],
  stg_listings: [[/^/u, 'listing']],
  stg_listing_addresses: [[/^/u, 'listing']],
  stg_parcels: [[/^/u, 'tax_bill']],
  int_market_rents: [[/^/u, 'rent']],
  int_deal_census: [
    [/^county_/u, 'utilities'],
    [/^tax_rate/u, 'tax_rate'],
    [/^/u, 'rent_in_place'],
  ],
  int_vacancies: [[/^/u, 'vacancy']],
  int_loan_rates: [[/^/u, 'debt']],
  int_distress: [[/^/u, 'distress']],
  int_property_rolls: [[/^/u, 'roll']],
};
const groupOf = ({ table, column }: ColumnOrigin): string | undefined =>
  GROUPS[table]?.find(([columns]) => columns.test(column))?.[1];

/** Where a column comes from, in words: a page, a reference table, the history, other rows, or a model of ours. */
async function originText(
  connection: DuckDBConnection,
  origin: ColumnOrigin,
  positions: Parts['positions'],
): Promise<string> {
  const group = groupOf(origin);
  const position = positions.get(group ?? '');
  if (position !== undefined) return `page ${position}`;
  if (group === 'history') return 'the versions of the listing, below';
  if (group === 'distress') return 'the related rows, below';
  // A mix that the listing does not state is that of buildings of its size and age.
  if (origin.table === 'int_unit_mixes') return 'page 1, the reference table bedroom_mixes';
  if (origin.table.startsWith('ref_')) return `the reference table ${origin.table.replace('ref_', '')}`;
  const producer = await findProducer(connection, origin.table, origin.column);
  if (!producer) return `ours: computed by ${origin.table}`;
  if (producer.layer === 'staging' && positions.has('row')) return 'page 1';
  return `ours: ${producerText(producer)}`;
}

async function findOrigins(
  connection: DuckDBConnection,
  { steps, positions }: Pick<Parts, 'steps' | 'positions'>,
  isAssumption: (name: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const origins = await stepOrigins(
    connection,
    await loadModels(),
    await columnsOfModels(),
    (origin) => groupOf(origin) !== undefined,
  );
  const found = new Map<string, string>();
  for (const { figure, inputs } of steps)
    for (const name of Object.keys(inputs)) {
      const columns = origins(figure, name).filter(({ column }) => !isAssumption(column));
      const texts = new Set<string>();
      for (const origin of columns) texts.add(await originText(connection, origin, positions));
      const read = [...texts].filter((text) => !text.startsWith('ours')).join(', ');
      const ours = [...texts].filter((text) => text.startsWith('ours'));
      found.set(`${figure}.${name}`, [...(read === '' ? [] : [`from ${read}`]), ...ours].join('; '));
    }
  return found;
}

/** Where a field without a formula comes from, in words. A status, a flag or a sentence of a model is ours. */
export async function fieldOrigin(
  connection: DuckDBConnection,
  { table, positions, columns, steps }: Explanation,
  field: string,
): Promise<string> {
  const producer = await findProducer(connection, table, field);
  if (!producer) return '';
  if (steps.some(({ figure }) => figure === field)) return `ours: ${producerText(producer)}`;
  const kind = columns.find(({ name }) => name === field)?.kind;
  const isJudgement = producer.layer !== 'staging' && ['enum', 'flag', 'json'].includes(kind ?? '');
  const text = await originText(
    connection,
    { table: producer.name, column: field },
    isJudgement ? new Map() : positions,
  );
  return text.startsWith('ours') ? text : `from ${text}, ${producerText(producer)}`;
}

/** Where the column comes from, in words: the model that computes it, or the one that reads it. */
const producerText = ({ layer, path }: Model): string => `${layer === 'staging' ? 'read' : 'computed'} by ${path}`;
