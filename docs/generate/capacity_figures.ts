/** How docs/capacity.md shows figures. */
import { useOf, type Limit } from '../../bench/capacity/capacity.ts';

/** Two figures, three from a hundred, with a unit. */
export const shown = (value: number): string => {
  const digits = value >= 100 ? 3 : 2;
  const rounded = Number(value.toPrecision(digits));
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: digits });
};
export const duration = (hours: number): string =>
  hours >= 1 ? `${shown(hours)} h` : hours * 60 >= 1 ? `${shown(hours * 60)} min` : `${shown(hours * 3600)} s`;
export const size = (bytes: number): string =>
  bytes >= 1e12 ? `${shown(bytes / 1e12)} TB` : bytes >= 1e9 ? `${shown(bytes / 1e9)} GB` : `${shown(bytes / 1e6)} MB`;
export const dollars = (value: number): string => `$${shown(value)}`;
export const times = (limit: Limit): string =>
  useOf(limit) > 1 ? `${shown(useOf(limit))}×` : `${shown(100 * useOf(limit))} %`;
