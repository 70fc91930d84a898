/** What a run reports about its work while it goes on. A report is cheap and never fails. */
import type { Progress as Received } from '../../sources/fetch/fetcher.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { ReadRecord } from '../ingest/reads.ts';

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

/** The end of one source. */
export interface SourceEnd {
  readonly spec: SourceSpec;
  /** Null where the source waits for the operator. */
  readonly read: ReadRecord | null;
}

export interface Progress {
  /** The run begins to read these sources; others keep their rows. */
  reading(sources: readonly SourceSpec[], others: number): void;
  started(spec: SourceSpec): void;
  received(received: Received): void;
  /** Rows of a source accepted so far. */
  accepted(source: string, rows: number): void;
  ended(end: SourceEnd): void;
  /** A step begins; the one before it is done. */
  step(step: Step): void;
  /** A part of the step begins. */
  part(name: string): void;
  /** A line for people. */
  line(text: string): void;
  /** The work is over, well or not. Nothing is reported after it. */
  done(): void;
}

const nothing = (): void => {};

/** Shows nothing. */
export const SILENT: Progress = {
  reading: nothing,
  started: nothing,
  received: nothing,
  accepted: nothing,
  ended: nothing,
  step: nothing,
  part: nothing,
  line: nothing,
  done: nothing,
};
