/** Formats the result of `make reparse`. */
import type { Differences } from './compare.ts';
import type { Reparsed } from './reparse.ts';

/** Changes listed per read. */
const CHANGES_SHOWN = 20;

/** A read whose staged rows were damaged or lost. */
function formatRestored({ before, after, restores, applied }: Reparsed, apply: boolean): string {
  const found = restores
    ? 'the archived pages give the same bytes'
    : `today's parser gives other bytes than the record: ${after?.rows_out ?? 0} rows instead of ${before.rows_out}`;
  const done = !apply ? '' : restores ? '; restored' : applied === null ? '' : `; written as version ${applied}`;
  return `the staged rows were damaged or lost; ${found}${done}`;
}

function formatCounts({ before, after, hasOtherRejects, applied }: Reparsed, differences: Differences): string {
  const count = (label: string, was: number, now: number | undefined): string => `${label} ${was} -> ${now ?? 0}`;
  const counts = [
    count('rows', before.rows_out, after?.rows_out),
    count('rejected', before.rows_rejected, after?.rows_rejected),
    count('merged', before.rows_merged, after?.rows_merged),
    count('carried', before.rows_carried, after?.rows_carried),
  ];
  const changes = [
    `${differences.added.length} added`,
    `${differences.gone.length} gone`,
    `${differences.changed.length} values changed`,
    ...(differences.moved > 0 ? [`${differences.moved} only in their position`] : []),
    ...(hasOtherRejects ? ['other rejects'] : []),
  ];
  const version = applied === null ? '' : `; written as version ${applied}`;
  return `${counts.join(', ')}; ${changes.join(', ')}${version}`;
}

function formatChanges({ changed, added, gone }: Differences): string[] {
  const changes = [
    ...changed.map(
      (change) => `  ~ ${change.key}: ${change.field}: ${change.old ?? 'null'} -> ${change.new ?? 'null'}`,
    ),
    ...added.map((key) => `  + ${key}`),
    ...gone.map((key) => `  - ${key}`),
  ];
  const more = changes.length - CHANGES_SHOWN;
  return [...changes.slice(0, CHANGES_SHOWN), ...(more > 0 ? [`  … and ${more} more`] : [])];
}

function formatRead(result: Reparsed, source: string, apply: boolean): string[] {
  const { runId, version, after, differences, problem } = result;
  const read = `${source} ${runId}${version === 1 ? '' : ` (version ${version})`}`;
  if (after === null) return [`${read}: not rebuilt: ${problem ?? ''}`];
  if (differences === null) return [`${read}: ${formatRestored(result, apply)}`];
  return [`${read}: ${formatCounts(result, differences)}`, ...formatChanges(differences)];
}

export function formatReparse(results: readonly Reparsed[], source: string, apply: boolean): string[] {
  if (results.length === 0) return [`${source}: no good read to parse again`];
  const lines = results.flatMap((result) => formatRead(result, source, apply));
  if (!apply)
    lines.push(
      'Nothing was written. APPLY=1 adds the rebuilt rows as new versions, which the next run uses, and restores ' +
        'damaged files.',
    );
  return lines;
}
