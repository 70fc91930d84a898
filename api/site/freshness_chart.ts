/** How old the rows of each source are, as an SVG: one mark for each source. A table next to it has the figures. */
import { html, type Html } from './html.ts';

export interface FreshnessBar {
  /** Days since the last good read; null if it was never read. */
  readonly days: number | null;
  readonly everyDays: number;
  readonly tone: 'good' | 'thin' | 'bad' | 'plain';
}

const [ROW, TOP, LEFT, WIDTH] = [14, 4, 0, 600];
/** Ages up to this share of the width; older ones end at the edge. */
const MAX_SHARE = 2;

/**
 * The age of each source as a share of the time between two of its reads: a bar within the line is on time.
 * @param title text for screen readers
 */
export function freshnessChart(title: string, bars: readonly FreshnessBar[]): Html {
  const height = TOP * 2 + bars.length * ROW;
  const position = (share: number): string =>
    (LEFT + (Math.min(share, MAX_SHARE) / MAX_SHARE) * (WIDTH - LEFT)).toFixed(1);
  return html`<svg class="fresh" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
    ${bars.map(({ days, everyDays, tone }, i) => {
      const top = TOP + i * ROW;
      const share = days === null ? 0 : days / everyDays;
      return html`<rect class="track" y="${top}" width="${WIDTH}" height="${ROW - 4}"></rect>
        <rect class="tone-${tone}" y="${top}" width="${position(Math.max(share, 0.03))}" height="${ROW - 4}"></rect>`;
    })}
    <line class="due" x1="${position(1)}" x2="${position(1)}" y1="0" y2="${height}"></line>
  </svg>`;
}
