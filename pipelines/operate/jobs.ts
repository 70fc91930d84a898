/** What is done when: the declared schedule, and the arithmetic of its days. Times are the machine's own. */
import type { SourceSpec } from '../../sources/contract.ts';

export interface Job {
  /** Name of the job and of the make target that does it. */
  readonly name: string;
  readonly about: string;
  readonly hour: number;
  readonly minute: number;
  /** Whether the job has a slot on a day, YYYY-MM-DD. */
  readonly on: (day: string) => boolean;
  /** The days as systemd and cron can say them. Where they can only say more days, the job itself leaves on the others. */
  readonly calendar: string;
  readonly cron: { readonly days: string; readonly only?: string };
  /** Sources it reads, by family or name. */
  readonly reads: readonly string[];
}

const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 86_400_000;
const dayOf = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10);

/** The second Saturday of a month is the Saturday from its 8th to its 14th day. */
const isSecondSaturday = (day: string): boolean => {
  const dayOfMonth = Number(day.slice(8));
  return new Date(`${day}T00:00:00Z`).getUTCDay() === 6 && dayOfMonth >= 8 && dayOfMonth <= 14;
};

export const JOBS: readonly Job[] = [
  {
    name: 'daily',
    about: 'listings, tax lists, sheriff sales, parcels and rents, every day',
    hour: 5,
    minute: 10,
    on: () => true,
    calendar: '*-*-*',
    cron: { days: '* * *' },
    reads: ['listings', 'tax', 'sheriff', 'parcels', 'fmr'],
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
    // Neither "every second day of the month" nor a timer that counts from boot is every two days.
    name: 'underwrite',
    about: 'underwriting from the rows that are there, every two days',
    hour: 7,
    minute: 10,
    on: (day) => dayNumber(day) % 2 === 0,
    calendar: '*-*-*',
    cron: { days: '* * *' },
    reads: [],
  },
  {
    // Cron takes "day 8 to 14" and "Saturday" in one line for either of them, so that the Saturday is asked for beside it.
    name: 'ohio',
    about: 'the Ohio register, on the second Saturday of the month',
    hour: 8,
    minute: 10,
    on: isSecondSaturday,
    calendar: 'Sat *-*-08..14',
    cron: { days: '8-14 * *', only: '[ "$(date +\\%u)" = 6 ]' },
    reads: ['ohio_sos', 'ohio_sos_amendments'],
  },
];

/** Longest time between two slots of a job. */
const LONGEST_DAYS = 40;

const localDay = (at: Date): string =>
  `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;

/** Slot of a job on a day, in the machine's time. */
const slotOn = (job: Job, day: string): Date =>
  new Date(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8)), job.hour, job.minute);

/** Latest slot that has come. */
export function lastSlot(job: Job, now: Date): Date {
  const today = dayNumber(localDay(now));
  for (let back = 0; back <= LONGEST_DAYS; back += 1) {
    const day = dayOf(today - back);
    const slot = slotOn(job, day);
    if (job.on(day) && slot <= now) return slot;
  }
  throw new Error(`job ${job.name} has no slot within ${LONGEST_DAYS} days`);
}

/** First slot after an instant. */
export function nextSlot(job: Job, now: Date): Date {
  const today = dayNumber(localDay(now));
  for (let ahead = 0; ahead <= LONGEST_DAYS; ahead += 1) {
    const day = dayOf(today + ahead);
    const slot = slotOn(job, day);
    if (job.on(day) && slot > now) return slot;
  }
  throw new Error(`job ${job.name} has no slot within ${LONGEST_DAYS} days`);
}

/**
 * Day of the next scheduled read of a source: the first of its job on which it is due by its own cadence.
 * @param readEveryDays days after which it is asked again
 */
export function nextReadOn(
  source: Pick<SourceSpec, 'family'> & { readonly source: string; readonly last_good_at: string | null },
  readEveryDays: number,
  today: string,
): string {
  const due = source.last_good_at === null ? today : dayOf(dayNumber(source.last_good_at.slice(0, 10)) + readEveryDays);
  const from = due > today ? due : today;
  const job = JOBS.find((j) => j.reads.includes(source.source)) ?? JOBS.find((j) => j.reads.includes(source.family));
  if (!job) return from;
  for (let ahead = 0; ahead <= LONGEST_DAYS; ahead += 1) {
    const day = dayOf(dayNumber(from) + ahead);
    if (job.on(day)) return day;
  }
  return from;
}
