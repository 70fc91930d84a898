/** The rows of a read in memory, parsed and checked as the pipeline does. */
import {
  checkedRows,
  isPartOfKey,
  lostRow,
  type NaturalKey,
  type Rejected,
  type Unreadable,
  type Values,
} from '../../pipelines/ingest/stage/check_rows.ts';
import type { Candidate, Page, SourceSpec } from '../../sources/contract.ts';
import { findSources } from '../../sources/index.ts';

const OBSERVED = '2026-11-20T12:00:00Z';

const sources = await findSources();

/** A source by its name. @throws if there is none */
export function sourceNamed(name: string): SourceSpec {
  const found = sources.find(({ spec }) => spec.name === name);
  if (!found) throw new Error(`no source has the name ${name}`);
  return found.spec;
}

/** Candidates of all pages, in order. */
export async function candidatesOf(spec: SourceSpec, pages: readonly Page[]): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const page of pages) candidates.push(...(await Array.fromAsync(spec.parse(page))));
  return candidates;
}

export interface Parsed {
  /** One for each key: the later of two versions, or none if the source refuses rows that differ. */
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
  const all = (await Array.fromAsync(checkedRows(spec, pages))).flat();
  const accepted = all.flatMap((row) => ('values' in row ? [row.values] : []));
  const refused = all.filter((row) => 'reject' in row);
  const keyOf = (row: Values): string =>
    JSON.stringify([
      ...spec.row.key.map((name) => row[name]),
      ...(spec.contradictions === 'refused_in_page' ? [row['page_sha256']] : []),
    ]);
  const textOf = (row: Values): string => JSON.stringify(spec.row.columns.map(({ name }) => row[name] ?? null));
  const versions = Map.groupBy(accepted, keyOf);
  const contradictory = [...versions.values()]
    .map((rows) => [...new Map(rows.map((row) => [textOf(row), row])).values()])
    .filter((rows) => spec.contradictions !== undefined && rows.length > 1)
    .flat();
  const taken = new Set(contradictory.map(keyOf));
  const byKey = new Map(
    accepted
      .filter((row) => !taken.has(keyOf(row)))
      .map((row) => [JSON.stringify(spec.row.key.map((name) => row[name])), row]),
  );
  return {
    rows: [...byKey.values()],
    rejects: [
      ...refused.map(({ reject }) => reject),
      ...contradictory.map((row) => contradiction(spec, row)),
      ...unreadable.map((lost, index) => lostRow(spec, lost, index, OBSERVED)),
    ],
    rejectedKeys: [...refused.flatMap(({ key }) => (key ? [key] : [])), ...unreadable.map(({ key }) => key)],
    rowsIn: all.length + unreadable.length,
    merged: accepted.length - byKey.size - contradictory.length,
    unreadablePages: unreadable.filter(({ key }) => isPartOfKey(spec, key)).length,
  };
}

const contradiction = (spec: SourceSpec, row: Values): Rejected => ({
  source: spec.name,
  page_url: String(row['source_url']),
  page_sha256: String(row['page_sha256']),
  page_row: Number(row['page_row']),
  reason: 'contradictory_rows',
  detail: '',
  raw: JSON.stringify(row),
  observed_at: OBSERVED,
});
