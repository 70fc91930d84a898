/** Free numbers of places: ranges as the free count gives them, and medians of at least ten deals in steps. */
import { coarseRange, type Range } from '../routes/count/coarse.ts';
import { activeDeals, deals } from '../routes/deals.ts';
import { leads } from '../routes/leads/leads.ts';
import { auctions, signals } from '../routes/public_records.ts';
import { cachePerSnapshot } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { cardTable, num } from './components.ts';
import { rangeText } from './format.ts';
import { html, type Piece } from './html.ts';
import { METROS, type Metro } from './map/metros.ts';
import type { PageContext } from './page.ts';

const LISTS = { Deals: deals, Signals: signals, 'Auctions ahead': auctions, Leads: leads } as const;
type List = keyof typeof LISTS;

/** The range of a list that /api/count gives. */
export const countOf = (
  { request }: Pick<PageContext, 'request'>,
  list: List,
  filters: Readonly<Record<string, string>>,
): Promise<Range> => coarseRange(LISTS[list], { ...request, params: filters });

/** The ranges of each county, and the counties without any. */
export async function byCounty(context: PageContext, counties: readonly string[]): Promise<Piece> {
  const names = Object.keys(LISTS) as List[];
  const rows = await Promise.all(
    counties.map(async (county) => ({
      county,
      ranges: await Promise.all(names.map((list) => countOf(context, list, { county }))),
    })),
  );
  const [known = [], empty = []] = [true, false].map((isKnown) =>
    rows.filter(({ ranges }) => ranges.some(({ at_least: least }) => least > 0) === isKnown),
  );
  return [
    known.length > 0 &&
      cardTable(
        'Ranges, as the free count gives them. Exact numbers come with the records.',
        ['County', ...names.map(num)],
        known.map(({ county, ranges }) => [county, ...ranges.map(rangeText)]),
      ),
    empty.length > 0 &&
      html`<p class="small">Fewer than ten of anything: ${empty.map(({ county }) => county).join('; ')}.</p>`,
  ];
}

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
