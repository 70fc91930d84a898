/** The declared schedule: jobs, their days, and the arithmetic of their slots. Times are the machine's local time. */
import { DAY_MS } from '../../lib/time.ts';
import type { SourceSpec } from '../../sources/contract.ts';

export interface Job {
  readonly name: string;
  readonly hour: number;
  readonly minute: number;
  /** Whether the job has a slot on the day of an instant. Default: every day. */
  readonly on?: (at: Date) => boolean;
  /** Sources that it reads, by family or name. */
  readonly reads: readonly string[];
}

/** The day of an instant, YYYY-MM-DD. */
const localDay = (at: Date): string => at.toLocaleDateString('sv-SE');

/** The second Saturday of a month is the Saturday from its 8th to its 14th day. */
const isSecondSaturday = (at: Date): boolean => at.getDay() === 6 && at.getDate() >= 8 && at.getDate() <= 14;

export const JOBS: readonly Job[] = [
  {
    name: 'daily',
    hour: 5,
    minute: 10,
    reads: ['listings', 'tax', 'auctions', 'parcels', 'distress', 'fmr', 'benchmarks', 'corrections'],
  },
  { name: 'colorado', hour: 6, minute: 10, reads: ['colorado_sos'] },
  { name: 'underwrite', hour: 7, minute: 10, on: (at) => (Date.parse(localDay(at)) / DAY_MS) % 2 === 0, reads: [] },
  { name: 'ohio', hour: 8, minute: 10, on: isSecondSaturday, reads: ['ohio_sos', 'ohio_sos_amendments'] },
  { name: 'prune', hour: 9, minute: 10, reads: [] },
];

/** Groups of sources for SOURCES: the jobs that read. */
export const SOURCE_GROUPS: ReadonlyMap<string, readonly string[]> = new Map(
  JOBS.filter(({ reads }) => reads.length > 0).map(({ name, reads }) => [name, reads]),
);

/** Longest time between two slots of a job. */
const MAX_DAYS = 40;

/** The nearest slot of a job after an instant (direction 1), or up to it (-1). */
function findSlot({ name, hour, minute, on = () => true }: Job, from: Date, direction: 1 | -1): Date {
  for (let days = 0; days <= MAX_DAYS; days += 1) {
    const day = from.getDate() + direction * days;
    const slot = new Date(from.getFullYear(), from.getMonth(), day, hour, minute);
    if (on(slot) && slot > from === (direction === 1)) return slot;
  }
  throw new Error(`job ${name} has no slot within ${MAX_DAYS} days`);
}

/** Latest slot up to an instant. */
export const lastSlot = (job: Job, now: Date): Date => findSlot(job, now, -1);

/** First slot after an instant. */
export const nextSlot = (job: Job, now: Date): Date => findSlot(job, now, 1);

/**
 * Day of the next scheduled read of a source: the first day of its job on which it is due.
 * @param readEveryDays days between two reads
 */
export function nextReadOn(
  source: Pick<SourceSpec, 'family'> & { readonly source: string; readonly last_good_at: string | null },
  readEveryDays: number,
  today: string,
): string {
  const lastMs = Date.parse((source.last_good_at ?? '').slice(0, 10));
  const due = Number.isNaN(lastMs) ? today : new Date(lastMs + readEveryDays * DAY_MS).toISOString().slice(0, 10);
  const from = due > today ? due : today;
  const job = [source.source, source.family].flatMap((name) => JOBS.find(({ reads }) => reads.includes(name)) ?? [])[0];
  return job === undefined ? from : localDay(nextSlot(job, new Date(`${from}T00:00`)));
}
