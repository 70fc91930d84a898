/**
 * A benchmark measures us against an honest baseline in the same run, and states the ratio of the two. Ratios travel
 * between machines, seconds do not.
 *
 * A file of `measures/` default-exports one benchmark or a list of them. Each is run in a process of its own
 * (`node bench/run.ts --child <name>`), so that what one leaves in memory is not another's. Ours and the baseline are
 * measured in turn within each repetition, so that a machine that slows down slows both.
 */

/** One repetition. Both numbers in the benchmark's unit. */
export interface Measured {
  readonly ours: number;
  readonly baseline: number;
  /** Further figures by name, such as peak_mib; those with a limit are held against it. */
  readonly also?: Readonly<Record<string, number>>;
}

export interface Running {
  measure(): Promise<Measured>;
  close?(): Promise<void>;
}

/** Full sizes, or sizes that let the whole of `make bench` end in two minutes. */
export type Size = 'full' | 'quick';

export interface Bench {
  /** Lower snake case; unique. */
  readonly name: string;
  /** What is measured, and against what: one phrase each, for the table. */
  readonly what: string;
  readonly baseline: string;
  /** Unit of both numbers: "s", "pages/s", "requests/s". */
  readonly unit: string;
  /** What ours / baseline should be: at most (a time, a cost) or at least (a rate). */
  readonly target: { readonly atMost: number } | { readonly atLeast: number };
  /** Limits of further figures. */
  readonly limits?: Readonly<Record<string, { readonly atMost: number; readonly unit: string }>>;
  readonly repetitions: Readonly<Record<Size, number>>;
  /** Left out of a quick run where its smallest honest size takes longer. */
  readonly fullOnly?: boolean;
  open(size: Size): Promise<Running>;
}

export const defineBench = (bench: Bench): Bench => bench;

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Median and range. @throws where there is nothing to summarise */
export function summaryOf(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) throw new Error('nothing was measured');
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? half - 1 : half] ?? least, sorted[half] ?? most];
  return { median: (low + high) / 2, least, most };
}

/** A benchmark's figures over all its repetitions. */
export interface Outcome {
  readonly name: string;
  readonly what: string;
  readonly baseline: string;
  readonly unit: string;
  readonly target: Bench['target'];
  readonly repetitions: number;
  readonly ours: Summary;
  readonly base: Summary;
  /** Of the repetitions' own ratios, ours / baseline. */
  readonly ratio: Summary;
  readonly also: Readonly<Record<string, Summary & { readonly atMost?: number; readonly unit?: string }>>;
  /** Whether the median ratio reaches the target and the medians of the further figures their limits. */
  readonly met: boolean;
}

export function outcomeOf(bench: Bench, measured: readonly Measured[]): Outcome {
  const ratio = summaryOf(measured.map((m) => m.ours / m.baseline));
  const names = [...new Set(measured.flatMap((m) => Object.keys(m.also ?? {})))];
  const also = Object.fromEntries(
    names.map((name) => [
      name,
      {
        ...summaryOf(measured.flatMap((m) => m.also?.[name] ?? [])),
        ...bench.limits?.[name],
      },
    ]),
  );
  const missing = Object.keys(bench.limits ?? {}).filter((name) => also[name] === undefined);
  if (missing.length > 0)
    throw new Error(`${bench.name} has a limit on ${missing.join(', ')}, which it did not measure`);
  const reached = 'atMost' in bench.target ? ratio.median <= bench.target.atMost : ratio.median >= bench.target.atLeast;
  const within = Object.entries(bench.limits ?? {}).every(
    ([name, { atMost }]) => (also[name]?.median ?? Number.POSITIVE_INFINITY) <= atMost,
  );
  return {
    name: bench.name,
    what: bench.what,
    baseline: bench.baseline,
    unit: bench.unit,
    target: bench.target,
    repetitions: measured.length,
    ours: summaryOf(measured.map((m) => m.ours)),
    base: summaryOf(measured.map((m) => m.baseline)),
    ratio,
    also,
    met: reached && within,
  };
}
