/** The steps, pages, related rows and listing history of a row, by its table. */
import { rowsOf } from '../../../lib/duck.ts';
import { identifier } from '../../../lib/sql.ts';
import { isSale } from '../../../sources/kinds.ts';
import { readsUpTo } from '../../ingest/reads.ts';
import type { OpenSnapshot } from '../open_snapshot.ts';
import type { Explainable } from '../settings.ts';
import type { PageQuery } from './pages.ts';
import { fieldsOf, leadSteps, recordSteps, type AssumptionValue, type Fields, type Step } from './steps.ts';

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

export async function dealParts(snapshot: OpenSnapshot, row: Fields): Promise<Parts> {
  const { connection } = snapshot.duck;
  const id = row['id'] ?? '';
  const [report] = await rowsOf(connection, 'SELECT recompute FROM reports WHERE id = $1', [id]);
  const history = await rowsOf(connection, HISTORY_SQL, [id, row['source'] ?? '', row['listing_id'] ?? '']);
  const rent = await rentPage(snapshot, row);
  const matches = JSON.parse(row['distress_matches'] ?? '[]') as { kind: string; id: string }[];
  return {
    steps: JSON.parse(String(report?.['recompute'] ?? '[]')) as Step[],
    pages: [pageOfRow(row, 'listing'), ...(rent ? [rent] : [])],
    links: matches.map((match) => ({ relation: `distress: ${match.kind}`, table: tableOf(match.kind), id: match.id })),
    history: history.map(fieldsOf),
  };
}

export async function leadParts(snapshot: OpenSnapshot, row: Fields, valueOf: AssumptionValue): Promise<Parts> {
  const isTaxLead = row['signal_id'] !== null;
  const table = isTaxLead ? 'signals' : 'auctions';
  const id = (isTaxLead ? row['signal_id'] : row['auction_id']) ?? '';
  const record = await rowById(snapshot, table, id);
  const corroboration = JSON.parse(row['corroboration'] ?? '[]') as { kind: string; id: string }[];
  return {
    steps: leadSteps(row, snapshot.manifest.as_of, valueOf),
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

export const recordParts = (row: Fields, valueOf: AssumptionValue): Parts => ({
  steps: recordSteps(row, valueOf),
  pages: [pageOfRow(row, 'row')],
  links: [],
  history: [],
});
