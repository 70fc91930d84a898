/** /metros: every metro on a map, and the gap between claimed and underwritten cap rates of each. */
import { rangeChart, type RangeRow } from '../charts.ts';
import { count, percentText, points, pointsText, percent } from '../format.ts';
import { html, type Html } from '../html.ts';
import { METROS_PATH, pathOf, type Metro } from '../map/metros.ts';
import { usMap } from '../map/us_map.ts';
import { allGaps, MIN_DEALS, metrosOf, type GapFigures } from '../metro_figures.ts';
import type { Page } from '../page.ts';

interface Entry {
  readonly metro: Metro;
  readonly figures: GapFigures;
}

/** One row of the chart; nothing for a metro without medians. */
function gapRow({ metro, figures }: Entry): RangeRow[] {
  const { claimed, underwritten, gap, compared } = figures;
  if (claimed === null || underwritten === null || gap === null) return [];
  return [
    {
      label: metro.name,
      from: underwritten,
      to: claimed,
      marks: [
        { at: underwritten, tone: 'hud' },
        { at: claimed, tone: 'claimed' },
      ],
      figure: pointsText(gap),
      cells: [count(compared), percent(claimed), percent(underwritten), points(gap)],
    },
  ];
}

function gapChart(entries: readonly Entry[]): Html | '' {
  const rows = entries
    .toSorted((a, b) => (b.figures.gap ?? 0) - (a.figures.gap ?? 0))
    .flatMap((entry) => gapRow(entry));
  if (rows.length === 0) return '';
  const ends = rows.flatMap(({ from, to }) => [from, to]);
  return rangeChart({
    title: 'The gap by metro',
    about: html`Median advertised and median underwritten cap rate of the same deals: those with a broker’s claim and an
    HUD rent that fits. The figure is the median of their gaps. Metros with fewer than ${MIN_DEALS} such deals are left
    out.`,
    legend: [
      { label: 'Underwritten', tone: 'hud' },
      { label: 'Advertised by brokers', tone: 'claimed' },
    ],
    columns: ['Metro', 'Deals compared', 'Advertised', 'Underwritten', 'Gap'],
    low: Math.floor(Math.min(...ends)),
    high: Math.ceil(Math.max(...ends)),
    axis: (value) => `${Number(value.toFixed(2))}%`,
    rows,
  });
}

const tile = ({ metro, figures }: Entry): Html =>
  html`<li>
    <a class="tile metro" href="${pathOf(metro)}">
      <b>${metro.name}, ${metro.state}</b>
      <span>${figures.deals === 0 ? 'Public records only' : html`${count(figures.deals)} deals`}</span>
      <span>${figures.gap === null ? '' : `${pointsText(figures.gap)} gap`}</span>
    </a>
  </li>`;

export const metros: Page = {
  path: METROS_PATH,
  label: 'Metros',
  title: 'Advertised and underwritten cap rates by metro',
  cache: 'snapshot',
  about:
    'Each metro with its deals, the gap between advertised and underwritten cap rates, and the records we read there.',
  async content({ request: { snapshot } }) {
    const entries = await metrosOf(snapshot);
    const { compared, claimed, underwritten } = await allGaps(snapshot);
    return html`<div class="hero">
        <div>
          <h1>Advertised and underwritten cap rates by metro</h1>
          <p class="lead">
            ${
              claimed === null || underwritten === null
                ? `Medians need ${MIN_DEALS} deals with a broker’s claim; today’s data have fewer.`
                : html`Over ${count(compared)} deals, the median advertised cap rate is ${percentText(claimed)} and the
                  median underwritten one ${percentText(underwritten)}. Choose a metro to see its gap, the counties and
                  records we read there, and how fresh they are.`
            }
          </p>
        </div>
        ${usMap(
          entries.map(({ metro, figures }) => ({
            metro,
            size: figures.deals,
            title: `${metro.name}: ${figures.deals} deals`,
          })),
          'Each circle is a metro. A larger circle has more deals for sale.',
        )}
      </div>
      <ul class="tiles metros">
        ${entries.map(tile)}
      </ul>
      ${gapChart(entries)}`;
  },
};
