/**
 * What a run reports about its work while it goes on, and that as lines, for a terminal, a log or a pipe: one for each
 * family and step, and one every half minute during a step.
 */
import type { SourceSpec } from '../sources/contract.ts';
import type { Progress as Received } from '../sources/fetch/fetcher.ts';
import { bytesShort, number, plural } from './format.ts';
import type { ReadRecord } from './ingest/reads.ts';

/** A step after the sources are read. */
export interface Step {
  readonly name: 'inputs' | 'models' | 'audits' | 'publish';
  /** What the step does, in words. */
  readonly about: string;
  /** Number of its parts, if it is known. */
  readonly parts?: number;
  /** Share of the part in progress that is done, from 0 to 1; null if unknown. Called from time to time. */
  readonly shareOfPart?: () => number | null;
}

/** A report is cheap and never fails. */
export interface Progress {
  /** The run begins to read these sources; others keep their rows. */
  reading(sources: readonly SourceSpec[], others: number): void;
  started(spec: SourceSpec): void;
  received(received: Received): void;
  /** Rows of a source accepted so far. */
  accepted(source: string, rows: number): void;
  /** @param end `read` is null where the source waits for the operator */
  ended(end: { readonly spec: SourceSpec; readonly read: ReadRecord | null }): void;
  /** A step begins; the one before it is done. */
  step(step: Step): void;
  /** A part of the step begins. */
  part(name: string): void;
  /** A line for people. */
  line(text: string): void;
  /** The work is over, well or not. Nothing is reported after it. */
  done(): void;
}

/** A duration, such as `45 s`, `3 min 20 s`, `2 h 05 min`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** The sources of a family. */
interface Family {
  readonly startedMs: number;
  readonly asked: number;
  readonly reads: (ReadRecord | null)[];
}

/** What became of a family, the most important first. */
function familyText({ startedMs, asked, reads }: Family, nowMs: number): string {
  const read = reads.filter((one) => one !== null);
  const failed = read.filter(({ status }) => status !== 'good').length;
  const rows = read.reduce((sum, { counts }) => sum + counts.rows_in, 0);
  const requests = read.reduce((sum, { traffic }) => sum + traffic.requests, 0);
  const waiting = reads.length - read.length;
  return [
    `${String(reads.length).padStart(2)} of ${plural(asked, 'source').padEnd(10)}`,
    `${number(rows).padStart(7)} rows`,
    `${duration(nowMs - startedMs).padStart(5)}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a file`] : []),
    plural(requests, 'request'),
  ].join('  ');
}

function stepText({ about, parts, shareOfPart }: Step, begun: readonly string[]): string {
  const share = shareOfPart?.() ?? null;
  const of = parts === undefined ? '' : `${begun.length} of ${parts}`;
  const shown = [of, begun.at(-1) ?? '', share === null ? '' : `${Math.floor(share * 100)} %`];
  return [`${about}:`, ...shown.filter((text) => text !== '')].join(' ');
}

/** A source that is being read: the response that is arriving, and the rows accepted so far. */
interface Reading {
  readonly requests: number;
  readonly body: Received['body'];
  readonly rows: number;
}

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
  const families = new Map<string, Family>();
  const readings = new Map<string, Reading>();
  let step: Step | undefined;
  /** Parts of the step that have begun. */
  let begun: string[] = [];
  const update = (source: string, news: Partial<Reading>): void => {
    const reading = readings.get(source);
    if (reading) readings.set(source, { ...reading, ...news });
  };

  const stillBusy = (): void => {
    const reading = [...readings].map(([source, one]) => readingText(source, one)).join(', ');
    const all = [...families.values()];
    const ended = all.reduce((sum, { reads }) => sum + reads.length, 0);
    const asked = all.reduce((sum, one) => sum + one.asked, 0);
    // While no source is being read: workers have not taken one yet, or all are done.
    const waiting = `${ended} of ${plural(asked, 'source')} read`;
    print(`  after ${duration(now() - startedMs)}: ${step ? stepText(step, begun) : reading || waiting}`);
  };
  const timer = setInterval(stillBusy, EVERY_MS);
  timer.unref();

  return {
    reading(sources, others) {
      for (const [family, own] of Map.groupBy(sources, (spec) => spec.family))
        families.set(family, { startedMs: now(), asked: own.length, reads: [] });
      const kept = others === 0 ? '' : `; ${plural(others, 'other')} keep their rows`;
      print(`reading ${sources.length === 0 ? 'no source' : plural(sources.length, 'source')}${kept}`);
    },
    started: ({ name }) => void readings.set(name, { requests: 0, body: undefined, rows: 0 }),
    received: ({ source, requests, body }) => update(source, { requests, body }),
    accepted: (source, rows) => update(source, { rows }),
    ended({ spec: { name, family }, read }) {
      readings.delete(name);
      const of = families.get(family);
      if (!of) return;
      of.reads.push(read);
      if (of.reads.length === of.asked) print(`  ${family.padEnd(11)}${familyText(of, now())}`);
    },
    step(next) {
      step = next;
      begun = [];
      print(next.about);
    },
    part: (name) => void begun.push(name),
    line: print,
    done: () => clearInterval(timer),
  };
}
