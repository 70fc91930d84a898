/**
 * Progress as lines, for a terminal, a log or a pipe: one for each family and step, and one every half minute during a
 * step.
 */
import { bytesShort, number, plural } from '../format.ts';
import type { Progress as Received } from '../../sources/fetch/fetcher.ts';
import type { Family } from '../../sources/kinds.ts';
import type { Progress, Step } from './progress.ts';

/** A source that is being read. */
interface Reading {
  readonly requests: number;
  /** The response that is arriving. */
  readonly body: Received['body'];
  /** Rows accepted so far. */
  readonly rows: number;
}

/** Counts of a family of sources. */
type Sums = Record<'asked' | 'ended' | 'failed' | 'waiting' | 'rows' | 'requests', number> & { startedMs: number };

/** A duration, such as `45 s`, `3 min 20 s`, `2 h 05 min`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** The counts of a family in words, the most important first. @param ms since its first source began */
function familyParts({ asked, ended, failed, waiting, rows, requests }: Sums, ms: number): string[] {
  return [
    `${String(ended).padStart(2)} of ${plural(asked, 'source').padEnd(10)}`,
    `${number(rows).padStart(7)} rows`,
    `${duration(ms).padStart(5)}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a file`] : []),
    plural(requests, 'request'),
  ];
}

/** A step and its part in progress. */
interface StepState extends Step {
  readonly part: string;
  /** Parts begun. */
  readonly begun: number;
}

const stepText = ({ about, parts, begun, part, shareOfPart }: StepState): string => {
  const share = shareOfPart?.() ?? null;
  const shown = [parts === undefined ? '' : `${begun} of ${parts}`, part, share === null ? '' : percent(share)];
  return [`${about}:`, ...shown.filter((text) => text !== '')].join(' ');
};

const percent = (share: number): string => `${Math.floor(share * 100)} %`;

/** A source that is being read: its requests, and how far a large response or its rows are. */
function readingText(source: string, { requests, body, rows }: Reading): string {
  const of = body !== undefined && body.expected > 0 ? ` of ${bytesShort(body.expected)}` : '';
  const received = body === undefined ? [] : [`${bytesShort(body.received)}${of} received`];
  return `${source} (${[plural(requests, 'request'), ...received, plural(rows, 'row')].join(', ')})`;
}

const EVERY_MS = 30_000;

/** @param print one line */
export function lineProgress(print: (line: string) => void, now: () => number = Date.now): Progress {
  const startedMs = now();
  const families = new Map<Family, Sums>();
  const readings = new Map<string, Reading>();
  let step: StepState | undefined;
  const update = (source: string, news: Partial<Reading>): void => {
    const reading = readings.get(source);
    if (reading) readings.set(source, { ...reading, ...news });
  };

  const stillBusy = (): void => {
    const reading = [...readings].map(([source, one]) => readingText(source, one));
    const all = [...families.values()];
    const [ended, asked] = (['ended', 'asked'] as const).map((count) => all.reduce((sum, one) => sum + one[count], 0));
    // While no source is being read: workers have not taken one yet, or all are done.
    const waiting = `${ended ?? 0} of ${plural(asked ?? 0, 'source')} read`;
    print(`  after ${duration(now() - startedMs)}: ${step ? stepText(step) : reading.join(', ') || waiting}`);
  };
  const timer = setInterval(stillBusy, EVERY_MS);
  timer.unref();

  return {
    reading(sources, others) {
      const none = { asked: 0, ended: 0, failed: 0, waiting: 0, rows: 0, requests: 0, startedMs: now() };
      for (const { family } of sources) {
        const sums = families.get(family) ?? none;
        families.set(family, { ...sums, asked: sums.asked + 1 });
      }
      const kept = others === 0 ? '' : `; ${plural(others, 'other')} keep their rows`;
      print(`reading ${sources.length === 0 ? 'no source' : plural(sources.length, 'source')}${kept}`);
    },
    started: ({ name }) => void readings.set(name, { requests: 0, body: undefined, rows: 0 }),
    received: ({ source, requests, body }) => update(source, { requests, body }),
    accepted: (source, rows) => update(source, { rows }),
    ended({ spec, read }) {
      readings.delete(spec.name);
      const sums = families.get(spec.family);
      if (!sums) return;
      sums.ended += 1;
      if (read === null) sums.waiting += 1;
      else if (read.status !== 'good') sums.failed += 1;
      sums.rows += read?.counts.rows_in ?? 0;
      sums.requests += read?.traffic.requests ?? 0;
      if (sums.ended === sums.asked)
        print(`  ${spec.family.padEnd(11)}${familyParts(sums, now() - sums.startedMs).join('  ')}`);
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
