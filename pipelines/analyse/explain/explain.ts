/** `make explain`: one row of a snapshot walked back to formulas, inputs, assumptions, pages and archived bytes. */
import { rowsOf } from '../../../lib/duck.ts';
import type { Column } from '../../../lib/record.ts';
import { noteOf } from '../../../lib/record.ts';
import { SettingError } from '../../../lib/settings.ts';
import { identifier } from '../../../lib/sql.ts';
import { loadModels } from '../../../models/index.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import type { Archive } from '../../../sources/fetch/archive.ts';
import { readsUpTo } from '../../ingest/reads.ts';
import type { Opened } from '../opened.ts';
import { EXPLAINABLE } from '../settings.ts';
import { findPage, type PageAsked, type PageFound } from './pages.ts';
import { leadSteps, recordSteps, type Fields, type Step } from './steps.ts';

export type Explainable = (typeof EXPLAINABLE)[number];

export interface Assumption {
  readonly value: string;
  readonly unit: string;
  readonly kind: string;
  readonly basis: string;
  readonly set: string;
}

export interface Explanation {
  readonly table: Explainable;
  readonly id: string;
  readonly snapshot: string;
  readonly asOf: string;
  readonly row: Fields;
  readonly columns: readonly Column[];
  readonly steps: readonly Step[];
  readonly assumptions: ReadonlyMap<string, Assumption>;
  readonly pages: readonly PageFound[];
  /** Rows of other tables that it rests on, or that belong to it: each can be explained in its turn. */
  readonly links: readonly { readonly what: string; readonly table: Explainable; readonly id: string }[];
  /** Versions of the listing, where history shaped a figure. */
  readonly history: readonly Fields[];
}

const asText = (v: unknown): string | null =>
  v === null || v === undefined ? null : typeof v === 'object' ? JSON.stringify(v) : String(v);
const fieldsOf = (row: Record<string, unknown>): Fields =>
  Object.fromEntries(Object.entries(row).map(([k, v]) => [k, asText(v)]));

/**
 * Find a row by its id, or by a beginning of it that only one row has. A lead of a tax delinquency has the id of the
 * signal it rests on: the lead is meant, unless the table is named. @throws SettingError
 */
async function findRow(
  { duck, manifest }: Opened,
  id: string,
  wanted: Explainable | undefined,
): Promise<{ table: Explainable; row: Fields }> {
  if (!/^[0-9a-f-]{6,36}$/u.test(id))
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected the id of a deal, lead, signal, auction or filing, or at least its first six signs`,
    );
  const found: { table: Explainable; row: Fields }[] = [];
  for (const table of EXPLAINABLE.filter((t) => wanted === undefined || t === wanted)) {
    for (const row of await rowsOf(
      duck.connection,
      `SELECT * FROM ${identifier(table)} WHERE starts_with(id, $1) LIMIT 2`,
      [id],
    ))
      found.push({ table, row: fieldsOf(row) });
  }
  const [first, second] = found;
  if (!first)
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected an id of ${wanted ?? EXPLAINABLE.join(', ')} in snapshot ${manifest.run_id}: no row has it`,
    );
  if (found.some((f) => f.row['id'] !== first.row['id']) && second)
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected the id of one row: ${found.map((f) => `${f.table} ${f.row['id'] ?? ''}`).join(', ')} have it`,
    );
  return first;
}

const onRow =
  (row: Fields): PageAsked['isRow'] =>
  (_, index) =>
    String(index) === row['page_row'];
const readFrom = (row: Fields, gave: string): PageAsked => ({
  gave,
  source: row['source'] ?? '',
  sha256: row['page_sha256'] ?? '',
  url: row['source_url'] ?? null,
  isRow: onRow(row),
});

/** The page of HUD's that holds a deal's rent: the row of its area, or of its ZIP. */
async function rentPage({ layout, manifest }: Opened, row: Fields): Promise<PageAsked | null> {
  const rent = (
    JSON.parse(row['provenance'] ?? '{}') as Record<
      string,
      { source: string | null; source_url: string | null } | undefined
    >
  )['rent'];
  const source = rent?.source;
  const runId = manifest.sources.find((s) => s.source === source)?.staged_run;
  if (
    row['market_rent_2br'] === null ||
    source === null ||
    source === undefined ||
    runId === null ||
    runId === undefined
  )
    return null;
  const read = (await readsUpTo(layout, source, manifest.as_of)).find((r) => r.run_id === runId);
  const page = read?.pages.find((p) => p.url === rent?.source_url) ?? read?.pages[0];
  if (!page) return null;
  return {
    gave: 'rent',
    note: `of ${row['rent_area_name'] ?? ''}; HUD prints it for each of its counties, the first is shown`,
    source,
    sha256: page.sha256,
    url: page.url,
    isRow: (candidate) =>
      'values' in candidate &&
      Object.values(candidate.values).includes(row['rent_area_code'] ?? '') &&
      (row['rent_basis']?.startsWith('zip') !== true || Object.values(candidate.values).includes(row['zip'] ?? '')),
  };
}

/** Row of another table, by its id. */
async function rowOf({ duck }: Opened, table: Explainable, id: string | null | undefined): Promise<Fields | null> {
  if (id === null || id === undefined) return null;
  const [row] = await rowsOf(duck.connection, `SELECT * FROM ${identifier(table)} WHERE id = $1`, [id]);
  return row ? fieldsOf(row) : null;
}

/** Table of a record by its kind, as matches name it. */
const TABLE_OF: Readonly<Record<string, Explainable | undefined>> = {
  tax_delinquent: 'signals',
  sheriff_sale: 'auctions',
  listing: 'deals',
};

interface Parts {
  readonly steps: readonly Step[];
  readonly pages: readonly PageAsked[];
  readonly links: Explanation['links'];
  readonly history: readonly Fields[];
}

async function partsOfDeal(opened: Opened, row: Fields): Promise<Parts> {
  const [report] = await rowsOf(opened.duck.connection, 'SELECT recompute FROM reports WHERE id = $1', [
    row['id'] ?? '',
  ]);
  const history = await rowsOf(
    opened.duck.connection,
    `SELECT version_first_seen, version_last_seen, change, list_price, availability, gone_on FROM listing_history
    WHERE deal_id = $1 AND source = $2 AND listing_id = $3 ORDER BY version`,
    [row['id'] ?? '', row['source'] ?? '', row['listing_id'] ?? ''],
  );
  const rent = await rentPage(opened, row);
  return {
    steps: JSON.parse(String(report?.['recompute'] ?? '[]')) as Step[],
    pages: [readFrom(row, 'listing'), ...(rent ? [rent] : [])],
    links: (JSON.parse(row['distress_matches'] ?? '[]') as { kind: string; id: string }[]).map((m) => ({
      what: `distress: ${m.kind}`,
      table: TABLE_OF[m.kind] ?? 'signals',
      id: m.id,
    })),
    history: history.map(fieldsOf),
  };
}

async function partsOfLead(opened: Opened, row: Fields, assumed: (key: string) => string): Promise<Parts> {
  const own =
    (await rowOf(opened, 'signals', row['signal_id'])) ?? (await rowOf(opened, 'auctions', row['auction_id']));
  return {
    steps: leadSteps(row, opened.manifest.as_of, assumed),
    pages: own ? [readFrom(own, 'the record it rests on')] : [],
    links: [
      {
        what: row['signal_id'] === null ? 'rests on the auction' : 'rests on the signal',
        table: row['signal_id'] === null ? 'auctions' : 'signals',
        id: row['signal_id'] ?? row['auction_id'] ?? '',
      },
      ...(JSON.parse(row['corroboration'] ?? '[]') as { kind: string; id: string }[]).map((c) => ({
        what: `corroborated by ${c.kind}`,
        table: TABLE_OF[c.kind] ?? 'deals',
        id: c.id,
      })),
    ],
    history: [],
  };
}

/** Walk a row back. @throws SettingError where no single row has the id */
export async function explain(
  opened: Opened,
  archive: Archive,
  sources: readonly SourceSpec[],
  id: string,
  wanted?: Explainable,
): Promise<Explanation> {
  const { manifest, duck } = opened;
  const { table, row } = await findRow(opened, id, wanted);
  const assumptions = new Map(
    (await rowsOf(duck.connection, 'SELECT * FROM assumptions')).map((a) => [
      String(a['key']),
      {
        value: String(a['value']),
        unit: String(a['unit']),
        kind: String(a['kind']),
        basis: String(a['basis']),
        set: String(a['assumption_set_id']),
      },
    ]),
  );
  const assumed = (key: string): string => assumptions.get(key)?.value ?? '';
  const parts: Parts =
    table === 'deals'
      ? await partsOfDeal(opened, row)
      : table === 'leads'
        ? await partsOfLead(opened, row, assumed)
        : { steps: recordSteps(row, assumed), pages: [readFrom(row, 'the row')], links: [], history: [] };
  const pages: PageFound[] = [];
  for (const asked of parts.pages) pages.push(await findPage(archive, sources, asked, manifest.as_of));
  const columns = (await loadModels()).find((m) => m.name === table)?.contract.record.columns ?? [];
  return {
    table,
    id: row['id'] ?? '',
    snapshot: manifest.run_id,
    asOf: manifest.as_of,
    row,
    columns,
    assumptions,
    ...parts,
    pages,
  };
}

/** Sentence on a field, from its record; null where it has none. */
export const aboutField = (e: Explanation, field: string): string | null => {
  const column = e.columns.find((c) => c.name === field);
  return column ? noteOf(column) : null;
};
