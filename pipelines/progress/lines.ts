/**
 * Progress as lines, for a terminal, a log or a pipe: one for each family and step, and one every half minute during a
 * step.
 */
import { bytesShort, number, plural } from '../format.ts';
import type { QueueProgress } from '../crawl/job_watcher.ts';
import type { Progress, Step } from './progress.ts';
import { Tally, type FamilyCounts, type Reading } from './tally.ts';

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
  readonly startedMs: number;
  readonly part: string;
  /** Parts begun. */
  readonly begun: number;
}

const startStep = (step: Step, nowMs: number): StepState => ({ ...step, startedMs: nowMs, part: '', begun: 0 });

const startPart = (step: StepState, part: string): StepState => ({ ...step, part, begun: step.begun + 1 });

/** The counts of a step in words. */
const stepCounts = ({ parts, begun }: StepState): string => (parts === undefined ? '' : `${begun} of ${parts}`);

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
  let queue: QueueProgress | undefined;

  const stepText = (current: StepState): string =>
    [`${current.about}:`, stepCounts(current), current.part, partShare(current)]
      .filter((text) => text !== '')
      .join(' ');

  /** While no source is being read, because workers have not taken one yet, or all are done. */
  const readText = (): string => {
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
    const families = tally.families();
    const ended = sum(families.map((family) => family.ended));
    const asked = sum(families.map((family) => family.asked));
    const workers = queue === undefined ? '' : `, ${plural(queue.workers, 'worker')}`;
    return `${ended} of ${plural(asked, 'source')} read${workers}`;
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
    workers(progress) {
      queue = progress;
    },
    step(next) {
      step = startStep(next, now());
      print(next.about);
    },
    part: (name) => {
      if (step) step = startPart(step, name);
    },
    line: print,
    done: () => clearInterval(timer),
  };
}
