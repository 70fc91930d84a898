/**
 * The reads of a source in the last ninety days, a character a day, the last one that of the run: `=` the last read of
 * the day was good, `x` it failed, `.` it was not read.
 */
import { daysBetween } from './clock.ts';

const HISTORY_DAYS = 90;

interface DayOfHistory {
  readonly history: string;
  readonly asOf: string;
}

/**
 * The history with the read of another day or of the same one. Days in between were not read.
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
