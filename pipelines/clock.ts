/**
 * The clock of a run, and the history of a source by day. In the sandbox it is always noon of its day, so that a
 * repeated run writes the same bytes.
 */
import { DAY_MS, instantOf } from '../lib/time.ts';

export interface Clock {
  /** The data clock: day of the snapshot, YYYY-MM-DD. */
  readonly asOf: string;
  nowMs(): number;
  /** Instant for records, YYYY-MM-DDTHH:MM:SSZ. */
  observedAt(): string;
}

export function sandboxClock(asOf: string): Clock {
  const ms = Date.parse(`${asOf}T12:00:00Z`);
  return { asOf, nowMs: () => ms, observedAt: () => instantOf(ms) };
}

export function liveClock(asOf?: string): Clock {
  return {
    asOf: asOf ?? instantOf(Date.now()).slice(0, 10),
    nowMs: () => Date.now(),
    observedAt: () => instantOf(Date.now()),
  };
}

/** A day after every run, to name all of them. */
export const LAST_DAY = '9999-12-31';

/** Whole days from one day (or instant) to another. */
export function daysBetween(from: string, to: string): number {
  const day = (instant: string): number => Date.parse(`${instant.slice(0, 10)}T00:00:00Z`);
  return Math.round((day(to) - day(from)) / DAY_MS);
}

/** Days of which a source's history has a character. */
const HISTORY_DAYS = 90;

export interface DayOfHistory {
  readonly history: string;
  readonly asOf: string;
}

/**
 * The reads of a source in the last ninety days, a character a day, the last one that of the run: `=` the last read of
 * the day was good, `x` it failed, `.` it was not read. This is the history with the read of another day or of the same
 * one. Days in between were not read.
 * @param before that of the snapshot before, if the source is in it
 * @param status of today's read; undefined if it was not read
 */
export function continued(before: DayOfHistory | undefined, asOf: string, status: string | undefined): string {
  const gap = before === undefined ? HISTORY_DAYS : daysBetween(before.asOf, asOf);
  const earlier = before?.history ?? '';
  const mark = status === undefined ? '.' : status === 'good' ? '=' : 'x';
  const today = gap === 0 && mark === '.' ? earlier.slice(-1) : mark;
  const past = gap === 0 ? earlier.slice(0, -1) : earlier + '.'.repeat(gap - 1);
  return (past + today).slice(-HISTORY_DAYS).padStart(HISTORY_DAYS, '.');
}
