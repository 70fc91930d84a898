/** Free medians of cap rates: of ten deals at least, and in steps. */
import { activeDeals } from '../routes/deals.ts';
import { cachePerSnapshot } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { METROS, type Metro } from './map/metros.ts';

/** Least number of deals of a free median: cap rates of single deals are sold, and few deals would disclose them. */
export const MIN_DEALS = 10;
/** Steps of a free median, in points: between them lie the cap rates of single deals. */
const STEP = 0.25;
export const inSteps = (rate: number): number => Math.round(rate / STEP) * STEP;

/** Medians in percent of the deals with a broker's claim and a HUD rent that fits; null if they are too few. */
export interface GapFigures {
  readonly claimed: number | null;
  readonly underwritten: number | null;
}

const NONE: GapFigures = { claimed: null, underwritten: null };

function gapOf(snapshot: Snapshot, rows: readonly number[]): GapFigures {
  const column = (name: string) => snapshot.column('deals', name);
  const [reliability, gap] = [column('underwrite_reliability'), column('cap_gap_pct')];
  const compared = rows.filter((row) => reliability.at(row) === 'ok' && gap.codeAt(row) > 0);
  if (compared.length < MIN_DEALS) return NONE;
  const [own, derived] = [column('cap_rate'), column('cap_rate_derived')];
  const claims = compared.map((row) => Number(own.at(row) ?? derived.at(row))).sort((a, b) => a - b);
  const middle = ((claims[(claims.length - 1) >> 1] ?? 0) + (claims[claims.length >> 1] ?? 0)) / 2;
  return {
    claimed: inSteps(middle),
    underwritten: inSteps(column('cap_rate_underwritten').median(compared) ?? 0),
  };
}

/** Of all active deals together. */
export const allGaps = cachePerSnapshot(async (snapshot) => gapOf(snapshot, await snapshot.select(activeDeals())));

/** Active deals and medians by metro. */
const byMetro = cachePerSnapshot(async (snapshot) => {
  const metro = snapshot.column('deals', 'metro');
  const groups = Map.groupBy(await snapshot.select(activeDeals()), (row) => String(metro.at(row) ?? ''));
  return new Map([...groups].map(([name, rows]) => [name, { deals: rows.length, gap: gapOf(snapshot, rows) }]));
});

export const figuresOf = async (snapshot: Snapshot, { name }: Metro): Promise<GapFigures> =>
  (await byMetro(snapshot)).get(name)?.gap ?? NONE;

/** Metros with a deal or a record in the snapshot, each with its medians, most deals first. */
export const metrosOf = cachePerSnapshot(async (snapshot) => {
  const found = await byMetro(snapshot);
  const read = snapshot.all('coverage').filter(({ status }) => status !== 'not_covered');
  const named = new Set(read.map(({ metro }) => String(metro)));
  const dealsOf = ({ name }: Metro): number => found.get(name)?.deals ?? 0;
  return METROS.filter((metro) => dealsOf(metro) > 0 || named.has(metro.name))
    .toSorted((a, b) => dealsOf(b) - dealsOf(a))
    .map((metro) => ({ metro, figures: found.get(metro.name)?.gap ?? NONE }));
});
