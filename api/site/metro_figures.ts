/** Free figures of the metros: counts (ranges for sold figures), and medians over at least MIN_DEALS deals. */
import { rangeOf, type Range } from '../routes/count/coarse.ts';
import { activeDeals } from '../routes/deals.ts';
import { cachePerSnapshot } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { METROS, type Metro } from './map/metros.ts';

/**
 * Minimum number of deals for a free median. Cap rates of single deals are sold, and a median of a few deals would
 * nearly disclose them.
 */
export const MIN_DEALS = 10;

/** Steps of a free median, in points: between them lie the cap rates of single deals, which are sold. */
const STEP = 0.25;
export const inSteps = (points: number | null): number | null => (points === null ? null : Math.round(points / STEP) * STEP);

/** Whether a deal's claim is compared with the underwriting. The gap is null without a claim. */
export function isCompared(snapshot: Snapshot): (row: number) => boolean {
  const [reliability, gap] = [
    snapshot.column('deals', 'underwrite_reliability'),
    snapshot.column('deals', 'cap_gap_pct'),
  ];
  return (row) => reliability.at(row) === 'ok' && gap.codeAt(row) > 0;
}

export interface GapFigures {
  readonly deals: number;
  /** A range, because the rating of a deal is sold; as in /api/count it does not distinguish none from a few. */
  readonly hot: Range;
  /** Deals with a broker's claim and a HUD rent that fits; the medians are of these. Null if fewer than MIN_DEALS. */
  readonly compared: number | null;
  /** Medians in percent, in steps; null if fewer than MIN_DEALS are compared. */
  readonly claimed: number | null;
  readonly underwritten: number | null;
  readonly gap: number | null;
}

/** Counts and medians of these active deals. */
function gapFigures(snapshot: Snapshot, rows: readonly number[]): GapFigures {
  const column = (name: string) => snapshot.column('deals', name);
  const compared = rows.filter(isCompared(snapshot));
  const [own, derived] = [column('cap_rate'), column('cap_rate_derived')];
  const claims = compared.map((row) => Number(own.at(row) ?? derived.at(row))).sort((a, b) => a - b);
  const middle = ((claims[(claims.length - 1) >> 1] ?? 0) + (claims[claims.length >> 1] ?? 0)) / 2;
  const isEnough = compared.length >= MIN_DEALS;
  return {
    deals: rows.length,
    hot: rangeOf(column('rental_status').counts(rows).get('Hot') ?? 0, false),
    compared: isEnough ? compared.length : null,
    claimed: isEnough ? inSteps(middle) : null,
    underwritten: isEnough ? inSteps(column('cap_rate_underwritten').median(compared)) : null,
    gap: isEnough ? inSteps(column('cap_gap_pct').median(compared)) : null,
  };
}

const NONE: GapFigures = {
  deals: 0,
  hot: rangeOf(0, false),
  compared: null,
  claimed: null,
  underwritten: null,
  gap: null,
};

/** Figures of all active deals together. */
export const allGaps = cachePerSnapshot(async (snapshot): Promise<GapFigures> =>
  gapFigures(snapshot, await snapshot.select(activeDeals())),
);

/** By the name of the metro; '' is every deal of another market. */
const gapsByMetro = cachePerSnapshot(async (snapshot): Promise<ReadonlyMap<string, GapFigures>> => {
  const metro = snapshot.column('deals', 'metro');
  const groups = Map.groupBy(await snapshot.select(activeDeals()), (row) => String(metro.at(row) ?? ''));
  return new Map([...groups].map(([name, rows]) => [name, gapFigures(snapshot, rows)]));
});

export const figuresOf = async (snapshot: Snapshot, { name }: Metro): Promise<GapFigures> =>
  (await gapsByMetro(snapshot)).get(name) ?? NONE;

/** Metros with a deal or a record in the snapshot, each with its figures, most deals first. */
export const metrosOf = cachePerSnapshot(
  async (snapshot): Promise<readonly { readonly metro: Metro; readonly figures: GapFigures }[]> => {
    const gaps = await gapsByMetro(snapshot);
    const read = snapshot.all('coverage').filter(({ status }) => status !== 'not_covered');
    const named = new Set(read.map(({ metro }) => String(metro)));
    return METROS.map((metro) => ({ metro, figures: gaps.get(metro.name) ?? NONE }))
      .filter(({ metro, figures }) => figures.deals > 0 || named.has(metro.name))
      .toSorted((a, b) => b.figures.deals - a.figures.deals);
  },
);
