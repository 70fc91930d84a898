/** Numbers of records of a place on pages: the ranges that the free count gives, never an exact number. */
import { auctions } from '../routes/auctions.ts';
import { coarseRange, type Range } from '../routes/count/coarse.ts';
import { deals } from '../routes/deals.ts';
import { leads } from '../routes/leads/leads.ts';
import { signals } from '../routes/signals.ts';
import { cardTable, num } from './components.ts';
import { rangeText } from './format.ts';
import { html, type Piece } from './html.ts';
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
