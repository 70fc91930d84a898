/** The rows of a read in memory, parsed and checked as the pipeline does. */
import {
  checkedRows,
  isPartOfKey,
  lostRow,
  type NaturalKey,
  type Rejected,
  type Unreadable,
  type Values,
} from '../../pipelines/ingest/check.ts';
import type { Candidate, Page, SourceSpec } from '../../sources/contract.ts';

const OBSERVED = '2026-11-20T12:00:00Z';

/** Candidates of all pages, in order. */
export async function candidatesOf(spec: SourceSpec, pages: readonly Page[]): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const page of pages) candidates.push(...(await Array.fromAsync(spec.parse(page))));
  return candidates;
}

export interface Parsed {
  /** One for each key: the later of two versions. */
  readonly rows: readonly Values[];
  readonly rejects: readonly Rejected[];
  /** Natural keys of refused rows, where they can be read. */
  readonly rejectedKeys: readonly NaturalKey[];
  readonly rowsIn: number;
  readonly merged: number;
  /** Rejects that stand for a page of several rows, such as a sale day. */
  readonly unreadablePages: number;
}

export async function parsed(
  spec: SourceSpec,
  pages: readonly Page[],
  unreadable: readonly Unreadable[] = [],
): Promise<Parsed> {
  const all = await Array.fromAsync(checkedRows(spec, pages));
  const accepted = all.flatMap((row) => ('values' in row ? [row.values] : []));
  const refused = all.filter((row) => 'reject' in row);
  const byKey = new Map(accepted.map((row) => [JSON.stringify(spec.row.key.map((name) => row[name])), row]));
  return {
    rows: [...byKey.values()],
    rejects: [
      ...refused.map(({ reject }) => reject),
      ...unreadable.map((lost, index) => lostRow(spec, lost, index, OBSERVED)),
    ],
    rejectedKeys: [...refused.flatMap(({ key }) => (key ? [key] : [])), ...unreadable.map(({ key }) => key)],
    rowsIn: all.length + unreadable.length,
    merged: accepted.length - byKey.size,
    unreadablePages: unreadable.filter(({ key }) => isPartOfKey(spec, key)).length,
  };
}
