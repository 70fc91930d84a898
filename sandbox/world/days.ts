/** Days as numbers since 1970-01-01. */
import { SANDBOX_DAY } from '../../lib/settings.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Day } from './types.ts';

export const dayNumber = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

const printed = new Map<number, Day>();

export function dayText(number: number): Day {
  let text = printed.get(number);
  if (text === undefined) {
    text = new Date(number * DAY_MS).toISOString().slice(0, 10);
    printed.set(number, text);
  }
  return text;
}

/** The day to which the sizes of WorldOptions apply. */
export const DEFAULT_DAY = dayNumber(SANDBOX_DAY);
/** First and last day with events. */
export const FIRST_DAY = dayNumber('2026-10-01');
export const LAST_DAY = dayNumber('2027-01-31');

/** 0 Sunday .. 6 Saturday. */
export const weekday = (number: number): number => (number + 4) % 7;

export const isWeekend = (number: number): boolean => weekday(number) === 0 || weekday(number) === 6;

/** First day of the month, `months` later. */
export function monthStart(number: number, months = 0): number {
  const date = new Date(number * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / DAY_MS;
}

/** MM/DD/YYYY. */
export const usDay = (day: Day): string => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** "May 1, 2022" */
export function wordedDay(number: number): string {
  const [year, month, day] = dayText(number).split('-').map(Number);
  return `${MONTHS[(month ?? 1) - 1]} ${day}, ${year}`;
}

/** DD-MON-YY, as Oracle prints a date. */
export function oracleDay(day: Day): string {
  return `${day.slice(8)}-${MONTHS[Number(day.slice(5, 7)) - 1]?.slice(0, 3).toUpperCase()}-${day.slice(2, 4)}`;
}

/** Cents as a decimal string. */
export function dollars(cents: number): string {
  const whole = Math.abs(cents);
  return `${cents < 0 ? '-' : ''}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`;
}
