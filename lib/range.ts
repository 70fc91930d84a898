/** Accepted values of a number that a page prints. A value outside is a misprint. */
import type { z } from 'zod';

/** Least and greatest accepted value: decimal strings for amounts and shares, else whole numbers. */
export type Range = readonly [least: string, most: string] | readonly [least: number, most: number];

/** Whole numbers that a column of type INTEGER holds. */
export const INTEGERS: Range = [-2_147_483_648, 2_147_483_647];

/**
 * The schema, with values outside of the range refused. A decimal of at most fourteen digits is a double of its own, so
 * doubles compare them exactly.
 */
export const within = <S extends z.ZodType>(schema: S, range: Range | undefined): S => {
  if (range === undefined) return schema;
  const [least, most] = range.map(Number) as [number, number];
  return schema.refine((value) => Number(value) >= least && Number(value) <= most, {
    error: `expected ${range[0]} to ${range[1]}`,
  });
};
