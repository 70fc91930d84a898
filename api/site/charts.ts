/**
 * Bar charts are tables: each row has a label, a figure as text, and a bar as a small SVG. Charts of ranges are images
 * with their figures in a table behind them. All scale to any width and take their colors from the style sheet.
 */
import { html, type Html, type Piece } from './html.ts';
import { plainTable } from './layout.ts';

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

export interface RangeRow {
  readonly label: Piece;
  /** Ends of the bar, in the unit of the chart. */
  readonly from: number;
  readonly to: number;
  readonly marks: readonly { readonly at: number; readonly tone: Tone }[];
  /** Text next to the bar. */
  readonly figure: Piece;
  /** Cells of the table, after the label. */
  readonly cells: readonly Piece[];
}

export interface RangeChart {
  readonly title: string;
  readonly about: Piece;
  readonly legend?: readonly { readonly label: string; readonly tone: Tone }[];
  /** Heads of the table behind the chart. */
  readonly columns: readonly string[];
  readonly low: number;
  readonly high: number;
  /** Text of a value on the axis. */
  readonly axis?: (value: number) => string;
  readonly rows: readonly RangeRow[];
}

const AXIS_STEPS = 4;

function rangeBar({ from, to, marks }: RangeRow, low: number, high: number): Html {
  const position = (value: number): number => Math.min(100, Math.max(0, ((value - low) / (high - low || 1)) * 100));
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" focusable="false">
    <rect class="track" y="4" width="100" height="2"></rect>
    <rect
      class="tone-muted"
      x="${at(position(Math.min(from, to)))}"
      y="2.5"
      width="${at(Math.abs(position(to) - position(from)))}"
      height="5"
    ></rect>
    ${marks.map(
      (mark) =>
        html`<rect class="tone-${mark.tone}" x="${at(Math.min(position(mark.at), 99))}" width="1" height="10"></rect>`,
    )}
  </svg>`;
}

/** Ranges on one scale, with marks on them. The picture is one image to a screen reader; its figures are in a table. */
export function rangeChart({ title, about, legend = [], columns, low, high, axis = String, rows }: RangeChart): Html {
  const steps = Array.from({ length: AXIS_STEPS + 1 }, (_, i) => low + ((high - low) * i) / AXIS_STEPS);
  return html`<figure class="ranges">
    <figcaption>
      <h2>${title}</h2>
      <p>${about}</p>
    </figcaption>
    ${
      legend.length > 0 &&
      html`<ul class="legend">
        ${legend.map(({ label, tone }) => html`<li><span class="key key-${tone}"></span>${label}</li>`)}
      </ul>`
    }
    <div role="img" aria-label="${title}. The figures are in the table below.">
      ${rows.map(
        (row) =>
          html`<div class="range">
            <span>${row.label}</span>${rangeBar(row, low, high)}<b class="figure">${row.figure}</b>
          </div>`,
      )}
      <div class="range axis">
        <span></span><span class="steps-of-axis">${steps.map((value) => html`<span>${axis(value)}</span>`)}</span
        ><b></b>
      </div>
    </div>
    <details>
      <summary>The figures as a table</summary>
      ${plainTable(
        '',
        title,
        columns.map((label, i) => ({ label, isNumeric: i > 0 })),
        rows.map(({ label, cells }) => [label, ...cells]),
      )}
    </details>
  </figure>`;
}

interface ScorePart {
  readonly label: string;
  readonly points: number;
  readonly max: number;
}

/** Parts of a sum, each with its maximum. */
export function partsChart(caption: Piece, parts: readonly ScorePart[]): Html {
  const high = Math.max(...parts.map((part) => part.max));
  return barChart({
    caption,
    head: ['Part', 'Points'],
    high,
    bars: parts.map(({ label, points, max }) => ({
      label,
      figure: html`${points} <span class="of">of ${max}</span>`,
      to: points,
      mark: max,
      tone: 'hud',
    })),
  });
}
