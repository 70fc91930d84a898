/** Figures as text for people. An absent value is a dash, with a word for screen readers. */
import type { Range } from '../routes/count/coarse.ts';
import { html, type Html } from './html.ts';

type Figure = string | number | null | undefined;

let integerFormat: Intl.NumberFormat | undefined;
/** A number with commas. The formatter takes 10 ms to load, and no start of a server needs it. */
export const countText = (number: number): string =>
  (integerFormat ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })).format(number);

export const absent = html`<span class="absent"><span aria-hidden="true">–</span><span class="sr">none</span></span>`;

const formatted = (value: Figure, write: (number: number) => string): Html =>
  value === null || value === undefined ? absent : html`${write(Number(value))}`;

/** Dollars without cents; a minus sign before the dollar sign. */
export const dollarsText = (number: number): string => `${number < 0 ? '−' : ''}$${countText(Math.abs(number))}`;
export const dollars = (value: Figure): Html => formatted(value, dollarsText);
export const percentText = (number: number): string => `${number < 0 ? '−' : ''}${Math.abs(number).toFixed(2)}%`;
export const percent = (value: Figure): Html => formatted(value, percentText);
/** Percentage points with their sign. */
export const pointsText = (number: number): string =>
  `${number > 0 ? '+' : number < 0 ? '−' : ''}${Math.abs(number).toFixed(2)} pts`;
export const points = (value: Figure): Html => formatted(value, pointsText);
export const ratioText = (number: number): string => `${number < 0 ? '−' : ''}${Math.abs(number).toFixed(2)}×`;
export const ratio = (value: Figure): Html => formatted(value, ratioText);
export const count = (value: Figure): Html => formatted(value, countText);

/** A range of counts. */
export const rangeText = ({ at_least: least, at_most: most }: Range): string =>
  least > 0 ? `${countText(least)} to ${countText(most)}` : most === 0 ? '0' : `under ${countText(most + 1)}`;

/** A share such as "-0.05" as a signed percentage with at most one decimal: "−5%", "6.5%". */
export function shareText(value: string, signed = false): string {
  const rounded = Math.round(Number(value) * 1000) / 10;
  return `${rounded < 0 ? '−' : signed && rounded > 0 ? '+' : ''}${Math.abs(rounded)}%`;
}

/** A day or an instant in <time>: the day is shown. */
export const day = (value: string | null | undefined): Html =>
  value ? html`<time datetime="${value}">${value.slice(0, 10)}</time>` : absent;

const CAPITALS: ReadonlySet<string> = new Set(['noi', 'hud', 'dscr', 'zip', 'arv', 'mao', 'api', 'apn']);

/** "debt_coverage" as words. */
export const words = (name: string): string =>
  name
    .split('_')
    .map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word))
    .join(' ');

/** The same, capitalized. */
export const sentence = (name: string): string => words(name).replace(/^./, (first) => first.toUpperCase());
