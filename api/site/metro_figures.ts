/** Free figures of the metros: counts (ranges for sold figures), and medians over at least MIN_DEALS deals. */
import { rangeOf, type Range } from '../routes/count/coarse.ts';
import { cachePerSnapshot } from '../snapshot/memo.ts';
import type { Snapshot } from '../snapshot/load.ts';
import { CBSA_OF_DEAL, METROS, type Metro } from './map/metros.ts';

/**
 * Minimum number of deals for a free median. Cap rates of single deals are sold, and a median of a few deals would
 * nearly disclose them.
 */
export const MIN_DEALS = 10;

export const ACTIVE = "listing_status = 'active'";
/** Deals whose claim is compared with the underwriting. The gap is null without a claim. */
export const COMPARED = "(underwrite_reliability = 'ok' AND cap_gap_pct IS NOT NULL)";

export interface GapFigures {
  readonly deals: number;
  /** A range, because the rating of a deal is sold; as in /api/count it does not distinguish none from a few. */
  readonly hot: Range;
  /** Deals with a broker's claim and a HUD rent that fits; the medians are of these. Null if fewer than MIN_DEALS. */
  readonly compared: number | null;
  /** Medians in percent; null if fewer than MIN_DEALS are compared. */
  readonly claimed: number | null;
  readonly underwritten: number | null;
  readonly gap: number | null;
}

const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));

/** Counts and medians of active deals. @param group SQL of the group; the result is by its text */
async function gapsBy(snapshot: Snapshot, group: string): Promise<ReadonlyMap<string, GapFigures>> {
  const rows = await snapshot.rows(
    `SELECT ${group} AS name, count(*) AS deals,
      count(*) FILTER (WHERE rental_status = 'Hot') AS hot,
      count(*) FILTER (WHERE is_compared) AS compared,
      median(coalesce(cap_rate, cap_rate_derived)) FILTER (WHERE is_compared) AS claimed,
      median(cap_rate_underwritten) FILTER (WHERE is_compared) AS underwritten,
      median(cap_gap_pct) FILTER (WHERE is_compared) AS gap
    FROM (SELECT *, ${COMPARED} AS is_compared FROM deals WHERE ${ACTIVE}) GROUP BY 1 ORDER BY deals DESC, name`,
    [],
  );
  return new Map(
    rows.map((row) => {
      const compared = Number(row['compared']);
      const median = (value: unknown): number | null => (compared < MIN_DEALS ? null : numberOrNull(value));
      return [
        String(row['name'] ?? ''),
        {
          deals: Number(row['deals']),
          hot: rangeOf(Number(row['hot']), false),
          compared: compared < MIN_DEALS ? null : compared,
          claimed: median(row['claimed']),
          underwritten: median(row['underwritten']),
          gap: median(row['gap']),
        },
      ];
    }),
  );
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
export const allGaps = cachePerSnapshot(
  async (snapshot): Promise<GapFigures> => (await gapsBy(snapshot, "'all'")).get('all') ?? NONE,
);

/** By the code of the metropolitan area; '' is every deal without one. */
const gapsByCbsa = cachePerSnapshot((snapshot) => gapsBy(snapshot, CBSA_OF_DEAL));

export const figuresOf = async (snapshot: Snapshot, { cbsa }: Metro): Promise<GapFigures> =>
  (await gapsByCbsa(snapshot)).get(cbsa) ?? NONE;

/** Metros with a deal or a record in the snapshot, each with its figures, most deals first. */
export const metrosOf = cachePerSnapshot(
  async (snapshot): Promise<readonly { readonly metro: Metro; readonly figures: GapFigures }[]> => {
    const gaps = await gapsByCbsa(snapshot);
    const read = await snapshot.rows("SELECT DISTINCT metro FROM coverage WHERE status <> 'not_covered'", []);
    const named = new Set(read.map(({ metro }) => String(metro)));
    return METROS.map((metro) => ({ metro, figures: gaps.get(metro.cbsa) ?? NONE }))
      .filter(({ metro, figures }) => figures.deals > 0 || named.has(metro.name))
      .toSorted((a, b) => b.figures.deals - a.figures.deals);
  },
);
