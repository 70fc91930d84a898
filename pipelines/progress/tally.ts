/** Counts what a run has read so far, by family of sources. */
import type { SourceSpec } from '../../sources/contract.ts';
import type { Progress as Received } from '../../sources/fetch/fetcher.ts';
import { FAMILIES, type Family } from '../../sources/kinds.ts';
import type { SourceEnd } from './progress.ts';

/** A source that is being read. */
export interface Reading {
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

export interface FamilyCounts {
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
  readonly refused: number;
  readonly requests: number;
  /** Milliseconds from the family's first source to its last, or until now. */
  readonly ms: number;
}

interface Sums {
  asked: number;
  ended: number;
  failed: number;
  waiting: number;
  rows: number;
  refused: number;
  requests: number;
  startedMs: number | null;
  endedMs: number;
}

const NONE: Sums = {
  asked: 0,
  ended: 0,
  failed: 0,
  waiting: 0,
  rows: 0,
  refused: 0,
  requests: 0,
  startedMs: null,
  endedMs: 0,
};

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
    sums.refused += read?.counts.rows_rejected ?? 0;
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
