/** The declared schedule: jobs, their days, and the arithmetic of their slots. Times are the machine's local time. */
import { DAY_MS } from '../../lib/time.ts';
import type { SourceSpec } from '../../sources/contract.ts';

export interface Job {
  readonly name: string;
  readonly hour: number;
  readonly minute: number;
  /** Whether the job has a slot on a day, YYYY-MM-DD. */
  readonly on: (day: string) => boolean;
  /** Sources that it reads, by family or name. */
  readonly reads: readonly string[];
}

const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayOf = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10);

/** The second Saturday of a month is the Saturday from its 8th to its 14th day. */
const isSecondSaturday = (day: string): boolean => {
  const dayOfMonth = Number(day.slice(8));
  return new Date(`${day}T00:00:00Z`).getUTCDay() === 6 && dayOfMonth >= 8 && dayOfMonth <= 14;
};

export const JOBS: readonly Job[] = [
  {
    name: 'daily',
    hour: 5,
    minute: 10,
    on: () => true,
    reads: ['listings', 'tax', 'auctions', 'parcels', 'distress', 'fmr', 'benchmarks', 'corrections'],
  },
  { name: 'colorado', hour: 6, minute: 10, on: () => true, reads: ['colorado_sos'] },
  { name: 'underwrite', hour: 7, minute: 10, on: (day) => dayNumber(day) % 2 === 0, reads: [] },
  { name: 'ohio', hour: 8, minute: 10, on: isSecondSaturday, reads: ['ohio_sos', 'ohio_sos_amendments'] },
  { name: 'prune', hour: 9, minute: 10, on: () => true, reads: [] },
];

/** Groups of sources for SOURCES: the jobs that read. */
export const SOURCE_GROUPS: ReadonlyMap<string, readonly string[]> = new Map(
  JOBS.filter(({ reads }) => reads.length > 0).map(({ name, reads }) => [name, reads]),
);

/** Longest time between two slots of a job. */
const MAX_DAYS = 40;

const localDay = (at: Date): string =>
  `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;

/** The first day of a job that `matches`, from a day on in a direction. */
function findDay(job: Job, from: string, direction: 1 | -1, matches: (day: string) => boolean = () => true): string {
  for (let days = 0; days <= MAX_DAYS; days += 1) {
    const day = dayOf(dayNumber(from) + direction * days);
    if (job.on(day) && matches(day)) return day;
  }
  throw new Error(`job ${job.name} has no slot within ${MAX_DAYS} days`);
}

/** Slot of a job on a day. */
const slotOn = (job: Job, day: string): Date =>
  new Date(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8)), job.hour, job.minute);

/** Latest slot up to an instant. */
export const lastSlot = (job: Job, now: Date): Date =>
  slotOn(
    job,
    findDay(job, localDay(now), -1, (day) => slotOn(job, day) <= now),
  );

/** First slot after an instant. */
export const nextSlot = (job: Job, now: Date): Date =>
  slotOn(
    job,
    findDay(job, localDay(now), 1, (day) => slotOn(job, day) > now),
  );

/**
 * Day of the next scheduled read of a source: the first day of its job on which it is due.
 * @param readEveryDays days between two reads
 */
export function nextReadOn(
  source: Pick<SourceSpec, 'family'> & { readonly source: string; readonly last_good_at: string | null },
  readEveryDays: number,
  today: string,
): string {
  const due = source.last_good_at === null ? today : dayOf(dayNumber(source.last_good_at.slice(0, 10)) + readEveryDays);
  const from = due > today ? due : today;
  const job = [source.source, source.family].flatMap((name) => JOBS.find(({ reads }) => reads.includes(name)) ?? [])[0];
  return job === undefined ? from : findDay(job, from, 1);
}
