/**
 * Progress as lines, for a terminal, a log or a pipe: one for each family and step, and one every half minute during a
 * step.
 */
import { bytesShort, number, plural } from '../format.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Progress as Received } from '../../sources/fetch/fetcher.ts';
import { FAMILIES, type Family } from '../../sources/kinds.ts';
import type { Progress, SourceEnd, Step } from './progress.ts';

/** A source that is being read. */
interface Reading {
  readonly source: string;
  readonly startedMs: number;
  readonly requests: number;
  /** The response that is arriving. */
  readonly body: Received['body'];
  /** When that response began. */
  readonly bodyStartedMs: number;
  /** Rows accepted so far. */
  readonly rows: number;
  readonly areAllChecked: boolean;
}

interface FamilyCounts {
  readonly family: Family;
  /** Sources to read. */
  readonly asked: number;
  readonly ended: number;
  /** Sources whose read failed. */
  readonly failed: number;
  /** Sources that wait for the operator. */
  readonly waiting: number;
  /** Rows read, of sources in progress as well. */
  readonly rows: number;
  readonly requests: number;
  /** Milliseconds from the family's first source to its last, or until now. */
  readonly ms: number;
}

type Sums = Record<'asked' | 'ended' | 'failed' | 'waiting' | 'rows' | 'requests' | 'endedMs', number> & {
  startedMs: number | null;
};

const NONE: Sums = { asked: 0, ended: 0, failed: 0, waiting: 0, rows: 0, requests: 0, startedMs: null, endedMs: 0 };

/** Counts what a run has read so far, by family of sources. */
export class Tally {
  readonly #now: () => number;
  readonly #sums = new Map<Family, Sums>();
  readonly #reading = new Map<string, Reading & { readonly family: Family }>();

  /** @param now clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  ask(sources: readonly SourceSpec[]): void {
    for (const { family } of sources) this.#of(family).asked += 1;
  }

  start({ name: source, family }: SourceSpec): void {
    const now = this.#now();
    this.#of(family).startedMs ??= now;
    const nothing = { requests: 0, body: undefined, bodyStartedMs: now, rows: 0, areAllChecked: false };
    this.#reading.set(source, { source, family, startedMs: now, ...nothing });
  }

  receive({ source, requests, body }: Received): void {
    const reading = this.#reading.get(source);
    if (!reading) return;
    const isNewBody = body !== undefined && (reading.body === undefined || body.received < reading.body.received);
    const bodyStartedMs = isNewBody ? this.#now() : reading.bodyStartedMs;
    this.#reading.set(source, { ...reading, requests, body, bodyStartedMs });
  }

  accept(source: string, rows: number, areAllChecked: boolean): void {
    const reading = this.#reading.get(source);
    if (reading) this.#reading.set(source, { ...reading, rows, areAllChecked });
  }

  end({ spec, read }: SourceEnd): void {
    const sums = this.#of(spec.family);
    this.#reading.delete(spec.name);
    sums.ended += 1;
    sums.endedMs = this.#now();
    if (read === null) sums.waiting += 1;
    else if (read.status !== 'good') sums.failed += 1;
    sums.rows += read?.counts.rows_in ?? 0;
    sums.requests += read?.traffic.requests ?? 0;
  }

  /** Sources being read, the one that takes longest first. */
  reading(): readonly Reading[] {
    return [...this.#reading.values()].sort((a, b) => a.startedMs - b.startedMs);
  }

  /** Families that have sources to read, in their declared order. */
  families(): readonly FamilyCounts[] {
    return FAMILIES.flatMap((family) => {
      const sums = this.#sums.get(family);
      return sums ? [this.#counts(family, sums)] : [];
    });
  }

  #counts(family: Family, { startedMs, endedMs, ...sums }: Sums): FamilyCounts {
    const reading = [...this.#reading.values()].filter((row) => row.family === family);
    const until = sums.ended === sums.asked ? endedMs : this.#now();
    return {
      family,
      ...sums,
      rows: reading.reduce((rows, r) => rows + r.rows, sums.rows),
      requests: reading.reduce((requests, r) => requests + r.requests, sums.requests),
      ms: startedMs === null ? 0 : until - startedMs,
    };
  }

  #of(family: Family): Sums {
    const sums = this.#sums.get(family) ?? { ...NONE };
    this.#sums.set(family, sums);
    return sums;
  }
}

/** A duration, such as `45 s`, `3 min 20 s`, `2 h 05 min`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** A rate per second; null in the first half second, which is too short to measure, and below one per second. */
const perSecond = (count: number, ms: number): number | null =>
  ms < 500 ? null : Math.round((count * 1000) / ms) || null;

/** The counts of a family in words, the most important first. */
function familyParts({ asked, ended, failed, waiting, rows, requests, ms }: FamilyCounts): string[] {
  const rate = perSecond(requests, ms);
  return [
    `${String(ended).padStart(2)} of ${plural(asked, 'source').padEnd(10)}`,
    `${number(rows).padStart(7)} rows`,
    `${duration(ms).padStart(5)}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a file`] : []),
    plural(requests, 'request') + (rate === null ? '' : `, ${number(rate)}/s`),
  ];
}

/** A step and its part in progress. */
interface StepState extends Step {
  readonly part: string;
  /** Parts begun. */
  readonly begun: number;
}

/** How far the part in progress is, such as `42 %`; nothing if that is unknown. */
function partShare({ shareOfPart }: StepState): string {
  const share = shareOfPart?.() ?? null;
  return share === null ? '' : `${Math.floor(share * 100)} %`;
}

/** Bytes and rows from which a source gets a line of its own. */
const [LARGE_BYTES, LARGE_ROWS] = [4_000_000, 50_000];
const BAR = 20;

/** A bar of what is done, 0 to 1. */
function bar(share: number): string {
  const full = Math.max(0, Math.min(BAR, Math.round(share * BAR)));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`;
}

/** The progress of a source that takes long, in words; null if there is little to say. */
export function largeRead(reading: Reading, nowMs: number): string | null {
  const { source, body, bodyStartedMs, rows, areAllChecked, startedMs } = reading;
  if (rows >= LARGE_ROWS) {
    if (areAllChecked) return `${source}: ${number(rows)} rows checked, writing them`;
    const rate = perSecond(rows, nowMs - startedMs);
    return `${source}: ${number(rows)} rows checked${rate === null ? '' : `, ${number(rate)}/s`}`;
  }
  if (body === undefined || Math.max(body.received, body.expected) < LARGE_BYTES) return null;
  const rate = perSecond(body.received, nowMs - bodyStartedMs);
  const speed = rate === null ? '' : `, ${bytesShort(rate)}/s`;
  if (body.expected === 0) return `${source}: ${bytesShort(body.received)} received${speed}`;
  if (body.received >= body.expected) return `${source}: ${bytesShort(body.received)} received, checking its rows`;
  const left = rate === null ? '' : `, ${duration(((body.expected - body.received) * 1000) / rate)} left`;
  const share = body.received / body.expected;
  return `${source}: ${bar(share)} ${bytesShort(body.received)} of ${bytesShort(body.expected)}${speed}${left}`;
}

const EVERY_MS = 30_000;

/** @param print one line */
export function lineProgress(print: (line: string) => void, now: () => number = Date.now): Progress {
  const tally = new Tally(now);
  const startedMs = now();
  const shown = new Set<string>();
  let step: StepState | undefined;
  let workers: number | undefined;

  const stepText = (current: StepState): string =>
    [
      `${current.about}:`,
      current.parts === undefined ? '' : `${current.begun} of ${current.parts}`,
      current.part,
      partShare(current),
    ]
      .filter((text) => text !== '')
      .join(' ');

  /** While no source is being read, because workers have not taken one yet, or all are done. */
  const readText = (): string => {
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
    const families = tally.families();
    const ended = sum(families.map((family) => family.ended));
    const asked = sum(families.map((family) => family.asked));
    const by = workers === undefined ? '' : `, ${plural(workers, 'worker')}`;
    return `${ended} of ${plural(asked, 'source')} read${by}`;
  };

  const stillBusy = (): void => {
    const reading = tally.reading();
    const large = reading.map((row) => largeRead(row, now())).filter((text) => text !== null);
    const sources = reading.map((read) => `${read.source} (${plural(read.requests, 'request')})`);
    const doing = step ? stepText(step) : [...large, ...sources].join(', ') || readText();
    print(`  after ${duration(now() - startedMs)}: ${doing}`);
  };
  const timer = setInterval(stillBusy, EVERY_MS);
  timer.unref();

  return {
    reading(sources, others) {
      tally.ask(sources);
      const kept = others === 0 ? '' : `; ${plural(others, 'other')} keep their rows`;
      print(`reading ${sources.length === 0 ? 'no source' : plural(sources.length, 'source')}${kept}`);
    },
    started: (spec) => tally.start(spec),
    received: (received) => tally.receive(received),
    accepted: (source, rows, areAllChecked) => tally.accept(source, rows, areAllChecked),
    ended(end) {
      tally.end(end);
      for (const counts of tally
        .families()
        .filter((family) => family.ended === family.asked && !shown.has(family.family))) {
        shown.add(counts.family);
        print(`  ${counts.family.padEnd(11)}${familyParts(counts).join('  ')}`);
      }
    },
    workers(count) {
      workers = count;
    },
    step(next) {
      step = { ...next, part: '', begun: 0 };
      print(next.about);
    },
    part: (name) => {
      if (step) step = { ...step, part: name, begun: step.begun + 1 };
    },
    line: print,
    done: () => clearInterval(timer),
  };
}
