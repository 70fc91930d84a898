/** The declared schedule: jobs, their days, and the arithmetic of their slots. Times are the machine's local time. */
import { DAY_MS } from '../../../lib/time.ts';
import type { SourceSpec } from '../../../sources/contract.ts';

export interface Job {
  /** Name of the job and of its make target. */
  readonly name: string;
  readonly about: string;
  readonly hour: number;
  readonly minute: number;
  /** Whether the job has a slot on a day, YYYY-MM-DD. */
  readonly on: (day: string) => boolean;
  /** The days for systemd and for cron. If they can only express more days, the job exits at once on the other days. */
  readonly calendar: string;
  readonly cron: { readonly days: string; readonly only?: string };
  /** Sources it reads, by family or name. */
  readonly reads: readonly string[];
  /** Settings of its make target, beyond the saved ones. */
  readonly settings?: Readonly<Record<string, string>>;
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
    about: 'listings, tax lists, sales, parcels, distress records, rents and benchmarks, every day',
    hour: 5,
    minute: 10,
    on: () => true,
    calendar: '*-*-*',
    cron: { days: '* * *' },
    reads: ['listings', 'tax', 'sheriff', 'auctions', 'parcels', 'distress', 'fmr', 'benchmarks'],
  },
  {
    name: 'colorado',
    about: 'the Colorado register, every day',
    hour: 6,
    minute: 10,
    on: () => true,
    calendar: '*-*-*',
    cron: { days: '* * *' },
    reads: ['colorado_sos'],
  },
  {
    // Every two days is neither "every second day of the month" nor a timer from boot.
    name: 'underwrite',
    about: 'underwriting from the staged rows, every two days',
    hour: 7,
    minute: 10,
    on: (day) => dayNumber(day) % 2 === 0,
    calendar: '*-*-*',
    cron: { days: '* * *' },
    reads: [],
  },
  {
    // Cron reads "day 8 to 14" and "Saturday" in one line as OR, so the command tests for Saturday.
    name: 'ohio',
    about: 'the Ohio register, on the second Saturday of the month',
    hour: 8,
    minute: 10,
    on: isSecondSaturday,
    calendar: 'Sat *-*-08..14',
    cron: { days: '8-14 * *', only: '[ "$(date +\\%u)" = 6 ]' },
    reads: ['ohio_sos', 'ohio_sos_amendments'],
  },
  {
    name: 'prune',
    about: 'removal of files past their retention, every day',
    hour: 9,
    minute: 10,
    on: () => true,
    calendar: '*-*-*',
    cron: { days: '* * *' },
    reads: [],
    settings: { APPLY: '1' },
  },
];

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
