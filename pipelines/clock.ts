/** The clock of a run. In the sandbox it is always noon of its day, so that a repeated run writes the same bytes. */
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
