/** Scores against price: the middle half of the scores for each range of prices. No single deal is shown. */
import { rangeChart } from '../../charts.ts';
import { countText, dollarsText } from '../../format.ts';
import type { Html } from '../../html.ts';
import { ACTIVE, MIN_DEALS } from '../../metro_figures.ts';
import { rowsFor, type PageContext } from '../../page.ts';

/** Lower ends of the ranges of prices, in dollars. */
const PRICES_FROM = [0, 200_000, 300_000, 450_000, 700_000, 1_200_000, 2_500_000] as const;

const rangeText = (from: number, to: number | undefined): string =>
  to === undefined
    ? `${dollarsText(from)} and more`
    : from === 0
      ? `below ${dollarsText(to)}`
      : `${dollarsText(from)} to ${dollarsText(to)}`;

/** The chart, or nothing if no range of prices has enough deals. */
export async function scoresByPrice(context: PageContext): Promise<Html | ''> {
  const rows = await rowsFor(
    context,
    `SELECT len(list_filter([${PRICES_FROM.join(', ')}], lambda lower_end: lower_end <= list_price)) - 1 AS bin,
      count(*) AS n, quantile_disc(deal_score, [0.25, 0.5, 0.75]) AS quartiles
    FROM deals WHERE ${ACTIVE} AND list_price IS NOT NULL AND deal_score IS NOT NULL
    GROUP BY 1 HAVING count(*) >= ${MIN_DEALS} ORDER BY 1`,
  );
  if (rows.length === 0) return '';
  return rangeChart({
    title: 'Scores against price',
    about: `The middle half of the scores of active deals, with the median, for each range of asking prices. A range
      with fewer than ${MIN_DEALS} deals is left out.`,
    columns: ['Asking price', 'Deals', 'Lower quartile', 'Median score', 'Upper quartile'],
    low: 0,
    high: 100,
    rows: rows.map((row) => {
      const bin = Number(row['bin']);
      const [low = 0, median = 0, high = 0] = (row['quartiles'] as readonly unknown[]).map(Number);
      return {
        label: rangeText(PRICES_FROM[bin] ?? 0, PRICES_FROM[bin + 1]),
        from: low,
        to: high,
        marks: [{ at: median, tone: 'hud' }],
        figure: String(median),
        cells: [countText(Number(row['n'])), String(low), String(median), String(high)],
      };
    }),
  });
}
