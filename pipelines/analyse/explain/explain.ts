/** Traces one row of a snapshot to its formulas, inputs, assumptions, pages and archived bytes, for `make explain`. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';
import type { Column } from '../../../lib/record.ts';
import { SettingError } from '../../../lib/settings.ts';
import { identifier } from '../../../lib/sql.ts';
import { stepOrigins } from '../../../models/figures/steps.ts';
import { tablesRead } from '../../../models/graph.ts';
import { columnsOfModels } from '../../../models/columns.ts';
import { loadMarts, loadModels, type Model } from '../../../models/index.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import type { Archive } from '../../../lib/archive.ts';
import { isSale } from '../../../sources/kinds.ts';
import { readsUpTo } from '../../ingest/reads.ts';
import type { OpenSnapshot } from '../open_snapshot.ts';
import { EXPLAINABLE, type Explainable } from '../settings.ts';
import { findPage, type PageFound, type PageQuery } from './pages.ts';
import { dealSteps, fieldsOf, leadSteps, recordSteps, type AssumptionValue, type Fields, type Step } from './steps.ts';

export interface Assumption {
  readonly value: string;
  readonly unit: string;
  readonly kind: string;
  readonly basis: string;
  readonly set: string;
}

export interface Explanation extends Omit<Parts, 'pages'> {
  readonly table: Explainable;
  readonly id: string;
  readonly snapshot: string;
  readonly asOf: string;
  readonly row: Fields;
  readonly columns: readonly Column[];
  readonly assumptions: ReadonlyMap<string, Assumption>;
  /** Where the inputs of the steps come from, by their names. */
  readonly origins: ReadonlyMap<string, StepOrigin>;
  readonly pages: readonly PageFound[];
}

/**
 * Find a row by its id, or by a unique prefix of it. The lead of a tax delinquency has the id of its signal: the lead
 * wins, unless `wanted` names a table.
 * @throws SettingError if no row or several rows match
 */
async function findRow(
  { duck, manifest, removed }: OpenSnapshot,
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
  for (const table of searched.filter((name) => !removed.has(name))) {
    const sql = `SELECT * FROM ${identifier(table)} WHERE starts_with(CAST(id AS VARCHAR), $1) LIMIT 2`;
    for (const row of await rowsOf(duck.connection, sql, [id])) found.push({ table, row: fieldsOf(row) });
  }
  const [first] = found;
  if (!first)
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected an id of ${wanted ?? EXPLAINABLE.join(', ')}: snapshot ` +
        `${manifest.run_id} has no such row` +
        searched
          .filter((name) => removed.has(name))
          .map((name) => `. make prune removed its ${name}: choose a later SNAPSHOT`)
          .join(''),
    );
  if (found.some((match) => match.row['id'] !== first.row['id'])) {
    const rows = found.map((match) => `${match.table} ${match.row['id'] ?? ''}`).join(', ');
    throw new SettingError(`ID is ${JSON.stringify(id)}, expected the id of one row; these match: ${rows}`);
  }
  return first;
}

async function readAssumptions({ duck }: OpenSnapshot): Promise<ReadonlyMap<string, Assumption>> {
  const rows = await rowsOf(duck.connection, 'SELECT * FROM assumptions');
  return new Map(
    rows.map((row) => [
      String(row['key']),
      {
        value: String(row['value']),
        unit: String(row['unit']),
        kind: String(row['kind']),
        basis: String(row['basis']),
        set: String(row['assumption_set_id']),
      },
    ]),
  );
}

/** The data that an explanation reads. */
export interface ExplainInputs {
  readonly snapshot: OpenSnapshot;
  readonly archive: Archive;
  readonly sources: readonly SourceSpec[];
}

/**
 * Trace a row.
 * @param wanted table of the row, if two tables have the id
 * @throws SettingError if no single row has the id
 */
export async function explain(
  { snapshot, archive, sources }: ExplainInputs,
  id: string,
  wanted?: Explainable,
): Promise<Explanation> {
  const { manifest } = snapshot;
  const { table, row } = await findRow(snapshot, id, wanted);
  const assumptions = await readAssumptions(snapshot);
  const valueOf = (key: string): string => assumptions.get(key)?.value ?? '';
  const parts =
    table === 'deals'
      ? await dealParts(snapshot, row)
      : table === 'leads'
        ? await leadParts(snapshot, row, valueOf)
        : await recordParts(snapshot, row, valueOf);
  const pages: PageFound[] = [];
  for (const query of parts.pages) pages.push(await findPage(archive, sources, query, manifest.as_of));
  const columns = (await loadMarts()).find(({ name }) => name === table)?.contract.record.columns ?? [];
  return {
    table,
    id: row['id'] ?? '',
    snapshot: manifest.run_id,
    asOf: manifest.as_of,
    row,
    columns,
    assumptions,
    origins: await findOrigins(snapshot.duck.connection, parts.steps),
    ...parts,
    pages,
  };
}

export interface Parts {
  readonly steps: readonly Step[];
  readonly pages: readonly PageQuery[];
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

interface Origin {
  readonly source: string | null;
  readonly source_url: string | null;
}

/** HUD's page with a deal's rent: the row of its area, or of its ZIP. */
async function rentPage({ layout, manifest }: OpenSnapshot, row: Fields): Promise<PageQuery | null> {
  const provenance = JSON.parse(row['provenance'] ?? '{}') as Record<string, Origin | undefined>;
  const { source = null, source_url: url = null } = provenance['rent'] ?? {};
  const runId = manifest.sources.find((each) => each.source === source)?.staged_run ?? null;
  if (row['market_rent_2br'] === null || source === null || runId === null) return null;
  const read = (await readsUpTo(layout, source, manifest.as_of)).find((run) => run.run_id === runId);
  const page = read?.pages.find((each) => each.url === url) ?? read?.pages[0];
  if (!page) return null;
  const isOfZip = row['rent_basis']?.startsWith('zip') === true;
  return {
    role: 'rent',
    note: isOfZip
      ? `of ZIP ${row['zip'] ?? ''} in ${row['rent_area_name'] ?? ''}`
      : `of ${row['rent_area_name'] ?? ''}; HUD lists it for each of its counties, the first is shown`,
    source,
    sha256: page.sha256,
    url: page.url,
    isRow: (candidate) => {
      if (!('values' in candidate)) return false;
      const values = Object.values(candidate.values);
      return values.includes(row['rent_area_code'] ?? '') && (!isOfZip || values.includes(row['zip'] ?? ''));
    },
  };
}

/** Row of another table by its id. */
async function rowById(
  { duck }: OpenSnapshot,
  table: Explainable,
  id: string | null | undefined,
): Promise<Fields | null> {
  if (id === null || id === undefined) return null;
  const [row] = await rowsOf(duck.connection, `SELECT * FROM ${identifier(table)} WHERE id = $1`, [id]);
  return row ? fieldsOf(row) : null;
}

const HISTORY_SQL = `
  SELECT version_first_seen, version_last_seen, change, list_price, availability, gone_on FROM listing_history
  WHERE deal_id = $1 AND source = $2 AND listing_id = $3 ORDER BY version`;

async function dealParts(snapshot: OpenSnapshot, row: Fields): Promise<Parts> {
  const { connection } = snapshot.duck;
  const id = row['id'] ?? '';
  const history = await rowsOf(connection, HISTORY_SQL, [id, row['source'] ?? '', row['listing_id'] ?? '']);
  const rent = await rentPage(snapshot, row);
  const matches = JSON.parse(row['distress_matches'] ?? '[]') as { kind: string; id: string }[];
  return {
    steps: await dealSteps(connection, row),
    pages: [pageOfRow(row, 'listing'), ...(rent ? [rent] : [])],
    links: matches.map((match) => ({ relation: `distress: ${match.kind}`, table: tableOf(match.kind), id: match.id })),
    history: history.map(fieldsOf),
  };
}

async function leadParts(snapshot: OpenSnapshot, row: Fields, valueOf: AssumptionValue): Promise<Parts> {
  const isTaxLead = row['signal_id'] !== null;
  const table = isTaxLead ? 'signals' : 'auctions';
  const id = (isTaxLead ? row['signal_id'] : row['auction_id']) ?? '';
  const record = await rowById(snapshot, table, id);
  const corroboration = JSON.parse(row['corroboration'] ?? '[]') as { kind: string; id: string }[];
  return {
    steps: await leadSteps(snapshot.duck.connection, row, valueOf),
    pages: record ? [pageOfRow(record, isTaxLead ? 'signal' : 'auction')] : [],
    links: [
      { relation: isTaxLead ? 'signal' : 'auction', table, id },
      ...corroboration.map((cited) => ({
        relation: `corroborated by ${cited.kind}`,
        table: tableOf(cited.kind),
        id: cited.id,
      })),
    ],
    history: [],
  };
}

const recordParts = async ({ duck }: OpenSnapshot, row: Fields, valueOf: AssumptionValue): Promise<Parts> => ({
  steps: await recordSteps(duck.connection, row, valueOf),
  pages: [pageOfRow(row, 'row')],
  links: [],
  history: [],
});

/**
 * Follow a column from a published table to the first model that has it. A staging model only reads it from a page.
 * @returns null if the table is no model or has no such column
 */
export async function findProducer(connection: DuckDBConnection, table: string, column: string): Promise<Model | null> {
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

/** Where an input of a step comes from: its column there, and the model or the reference table in words. */
interface StepOrigin {
  readonly column: string;
  readonly text: string;
}

async function findOrigins(
  connection: DuckDBConnection,
  steps: readonly Step[],
): Promise<ReadonlyMap<string, StepOrigin>> {
  const models = await loadModels();
  const origins = await stepOrigins(connection, models);
  const found = new Map<string, StepOrigin>();
  for (const name of new Set(steps.flatMap(({ inputs }) => Object.keys(inputs)))) {
    const origin = origins.get(name);
    if (!origin) continue;
    const { table, column } = origin;
    const model = (await findProducer(connection, table, column)) ?? models.find((each) => each.name === table);
    found.set(name, { column, text: model ? producerText(model) : `the reference table ${table.replace('ref_', '')}` });
  }
  return found;
}

/** Where the column comes from, in words: the model that computes it, or the one that reads it. */
export const producerText = ({ layer, path }: Model): string =>
  `${layer === 'staging' ? 'read' : 'computed'} by ${path}`;
