/** Bar charts are tables: each row has a label, a figure as text, and a bar as a small SVG. */
import { percentText } from './format.ts';
import { html, type Html, type Piece } from './html.ts';

/** Colors by meaning, defined in the style sheet. */
export type Tone = 'claimed' | 'hud' | 'good' | 'thin' | 'bad' | 'plain' | 'muted';

export interface Bar {
  readonly label: Piece;
  /** Text next to the bar. */
  readonly figure: Piece;
  /** Ends of the bar, in the unit of the chart. */
  readonly from?: number;
  readonly to: number;
  readonly tone: Tone;
  /** A further mark, such as a threshold. */
  readonly mark?: number;
}

const at = (value: number): string => value.toFixed(2);

/** One bar on a scale from `low` to `high`. Hidden from screen readers, because its row has the same as text. */
function barOf({ from = 0, to, tone, mark }: Bar, low: number, high: number): Html {
  const position = (value: number): number => Math.min(100, Math.max(0, ((value - low) / (high - low || 1)) * 100));
  const [left, right] = [position(Math.min(from, to)), position(Math.max(from, to))];
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <rect class="track" width="100" height="10"></rect>
    <rect
      class="tone-${tone}"
      x="${at(left)}"
      width="${at(right === left ? 0 : Math.max(right - left, 0.6))}"
      height="10"
    ></rect>
    ${
      mark === undefined
        ? ''
        : html`<rect class="mark" x="${at(Math.min(position(mark), 99.4))}" width="0.6" height="10"></rect>`
    }
  </svg>`;
}

/**
 * A table of bars on one scale.
 * @param caption text above the chart
 */
export function barChart({
  caption,
  head,
  bars,
  low = 0,
  high,
}: {
  readonly caption: Piece;
  readonly head: readonly [label: string, figure: string];
  readonly bars: readonly Bar[];
  readonly low?: number;
  readonly high?: number;
}): Html {
  const top = high ?? Math.max(...bars.map((b) => Math.max(b.from ?? 0, b.to, b.mark ?? 0)), 0);
  return html`<table class="chart">
    <caption>
      ${caption}
    </caption>
    <thead class="sr">
      <tr>
        <th scope="col">${head[0]}</th>
        <th scope="col">${head[1]}</th>
      </tr>
    </thead>
    <tbody>
      ${bars.map(
        (bar) =>
          html`<tr>
            <th scope="row">${bar.label}</th>
            <td>
              <div><span class="figure">${bar.figure}</span>${barOf(bar, low, top)}</div>
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** What brokers advertise beside what rents support, in percent. */
export const gapChart = (caption: Piece, claimed: number, underwritten: number): Html =>
  barChart({
    caption,
    head: ['Source', 'Cap rate'],
    bars: [
      { label: 'Advertised by brokers', figure: percentText(claimed), to: claimed, tone: 'claimed' },
      { label: 'Supported by rents', figure: percentText(underwritten), to: underwritten, tone: 'hud' },
    ],
  });
