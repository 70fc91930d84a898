/** Amounts and counts as brokers write them. */
import type { Cell } from '../../csv/xlsx.ts';
import { decimal, hundredths, optional } from '../../values.ts';

/** "$1.25M" and "950K". Three digits before an M may mean thousands ("$950M"), so they stay as they are. */
const SHORT = /^\$?\s*(?:(\d{1,2}(?:\.\d{1,6})?)\s*(?:m|mm|mil|million)|(\d{1,4}(?:\.\d{1,3})?)\s*(?:k|thousand))$/iu;

/** An amount written short, in dollars. Any other value as it is. */
export function fullAmount(value: Cell | undefined): Cell | undefined {
  if (typeof value !== 'string') return value;
  const [, millions, thousands] = SHORT.exec(value.trim()) ?? [];
  const figure = millions === undefined ? `${thousands}e3` : `${millions}e6`;
  const size = millions === undefined && thousands === undefined ? null : hundredths(figure);
  return size === null ? value : decimal(size);
}

/** The price; null for "Unpriced", as Crexi prints it. */
export const askingPrice = (value: Cell | undefined): Cell | undefined =>
  typeof value === 'string' && /^\W*un-?priced\W*$/iu.test(value) ? null : fullAmount(value);

const COUNT = /^(\d[\d,]*)\s*-?\s*(?:units?|unit building|apartments?|apts?|doors?|du)\.?$/iu;

/** "8 units" as "8". Any other value as it is. */
export const unitCount = (value: Cell | undefined): Cell | undefined =>
  typeof value === 'string' ? (COUNT.exec(value.trim())?.[1] ?? value) : value;

/** Cents by which a price per unit in whole dollars is rounded at most. */
const ROUNDING = 50n;

/** Number of units from the price and the printed price per unit; null if it is not a whole number or not printed. */
export function unitsOfPrice(price: string | null, perUnit: Cell | undefined): number | null {
  const printed = typeof perUnit === 'boolean' ? null : optional(perUnit);
  if (price === null || printed === null || !/^\$?[\d,]+(?:\.\d+)?$/u.test(printed)) return null;
  const [total, each] = [hundredths(price), hundredths(printed.replace(/[$,]/gu, ''))];
  if (total === null || each === null || total <= 0n || each <= 0n) return null;
  const count = (2n * total + each) / (2n * each);
  const rest = total - count * each;
  return count > 0n && (rest < 0n ? -rest : rest) <= count * ROUNDING ? Number(count) : null;
}
