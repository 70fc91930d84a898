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
    reads: ['listings', 'tax', 'sheriff', 'auctions', 'parcels', 'distress', 'fmr', 'benchmarks', 'corrections'],
  },
  {
    name: 'colorado',
    hour: 6,
    minute: 10,
    on: () => true,
    reads: ['colorado_sos'],
  },
  {
    name: 'underwrite',
    hour: 7,
    minute: 10,
    on: (day) => dayNumber(day) % 2 === 0,
    reads: [],
  },
  {
    name: 'ohio',
    hour: 8,
    minute: 10,
    on: isSecondSaturday,
    reads: ['ohio_sos', 'ohio_sos_amendments'],
  },
  {
    name: 'prune',
    hour: 9,
    minute: 10,
    on: () => true,
    reads: [],
  },
];

/** Groups of sources for SOURCES: the jobs that read. */
export const SOURCE_GROUPS: ReadonlyMap<string, readonly string[]> = new Map(
  JOBS.filter(({ reads }) => reads.length > 0).map(({ name, reads }) => [name, reads]),
);

/** Longest time between two slots of a job. */
const MAX_DAYS = 40;

const localDay = (at: Date): string =>
  `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;

/** Slot of a job on a day. */
const slotOn = (job: Job, day: string): Date =>
  new Date(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8)), job.hour, job.minute);

/** The first slot that `matches`, looking from today one day at a time in a direction. */
function findSlot(job: Job, now: Date, direction: 1 | -1, matches: (slot: Date) => boolean): Date {
  const today = dayNumber(localDay(now));
  for (let days = 0; days <= MAX_DAYS; days += 1) {
    const day = dayOf(today + direction * days);
    const slot = slotOn(job, day);
    if (job.on(day) && matches(slot)) return slot;
  }
  throw new Error(`job ${job.name} has no slot within ${MAX_DAYS} days`);
}

/** Latest slot up to an instant. */
export const lastSlot = (job: Job, now: Date): Date => findSlot(job, now, -1, (slot) => slot <= now);

/** First slot after an instant. */
export const nextSlot = (job: Job, now: Date): Date => findSlot(job, now, 1, (slot) => slot > now);

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
  const job =
    JOBS.find((each) => each.reads.includes(source.source)) ?? JOBS.find((each) => each.reads.includes(source.family));
  if (!job) return from;
  for (let ahead = 0; ahead <= MAX_DAYS; ahead += 1) {
    const day = dayOf(dayNumber(from) + ahead);
    if (job.on(day)) return day;
  }
  return from;
}
