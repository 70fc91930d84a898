/** Numbers as digits, with leading zeros. */
import type { Draw } from './random.ts';

export const pad = (number: number, length: number): string => String(number).padStart(length, '0');

/** Digits drawn at random. */
export const digits = (draw: Draw, count: number): string => pad(draw.int(0, 10 ** count - 1), count);
