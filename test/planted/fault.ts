/** A fault planted into the source text, and what must catch it. */
import type { PlantedChange } from '../ledger/planted_change.ts';

/** What shows a fault. Each of a fault's catchers must. */
export type Catcher =
  /** A line of `make reconcile` differs after runs on these days. */
  | { readonly by: 'reconcile'; readonly line: string; readonly days?: readonly string[] }
  /** A source is degraded: its rows no longer join. */
  | { readonly by: 'join rate'; readonly source: string }
  /** A read is quarantined, because it is not as its adapter expects. */
  | { readonly by: 'expectation'; readonly source: string }
  /** A blocking audit finds rows, so that nothing is published. */
  | { readonly by: 'audit'; readonly audit: string }
  /** A named test of the suite fails. */
  | { readonly by: 'test'; readonly file: string; readonly test: string };

export interface PlantedFault {
  readonly name: string;
  readonly changes: readonly PlantedChange[];
  readonly caughtBy: readonly Catcher[];
}

/** What a run of a tiny world finds wrong with itself. */
export interface Findings {
  readonly degraded: string[];
  readonly quarantined: string[];
  readonly audits: string[];
  readonly lines: string[];
}

/** A fault by one change: the file, the text, and the text that replaces it. */
export const fault = (
  name: string,
  [file, from, to]: readonly [file: string, from: string, to: string],
  ...caughtBy: readonly Catcher[]
): PlantedFault => ({ name, changes: [{ file, from, to }], caughtBy });

/** The last day of a world run. */
export const DAY = '2026-11-20';
/** Days on which prices are cut twice and listings end and come back. */
export const HISTORY_DAYS = ['2026-10-20', '2026-11-02', '2026-11-12', DAY];

export const reconcile = (line: string, days?: readonly string[]): Catcher => ({
  by: 'reconcile',
  line,
  ...(days ? { days } : {}),
});
export const joinRate = (source: string): Catcher => ({ by: 'join rate', source });
export const expectation = (source: string): Catcher => ({ by: 'expectation', source });
export const audit = (name: string): Catcher => ({ by: 'audit', audit: name });
export const test = (file: string, name: string): Catcher => ({ by: 'test', file: `test/${file}`, test: name });
/** The independent recomputation over random deals. */
export const RECOMPUTED = test('models/recompute.test.ts', 'recompute every computed column');

/** The catcher in words. */
export function catcherText(catcher: Catcher): string {
  switch (catcher.by) {
    case 'reconcile':
      return `reconcile, ${catcher.line}`;
    case 'join rate':
      return `join rate of ${catcher.source}`;
    case 'expectation':
      return `expectation of ${catcher.source}`;
    case 'audit':
      return `audit ${catcher.audit}`;
    case 'test':
      return `${catcher.file}, "${catcher.test}"`;
  }
}
