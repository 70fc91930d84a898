/** The details of a run as text: sources, rejected rows, changes, warnings, published tables. */
import type { Manifest } from '../../../models/manifest.ts';
import { bytesShort, number, plural, table } from '../../format.ts';
import { NO_BYTES, WHOLE_FILE } from '../../ingest/stage/check_rows.ts';
import { awaitsOperator, isUnused, waitsFor, type SourceState } from '../../ingest/source_state.ts';
import { parseRunId } from '../../layout.ts';
import { formatOutdated } from '../../operate/problems.ts';
import type { RunResult } from '../run.ts';

/** Counts of a source, in the order of the columns. */
const formatRowCounts = ({ row, latest }: SourceState): readonly number[] => [
  latest?.traffic.requests ?? 0,
  latest?.traffic.bytes ?? 0,
  row.rows_in,
  row.rows_out,
  row.rows_rejected,
  row.rows_merged,
  row.rows_carried,
];

const formatCounts = ([requests = 0, bytes = 0, ...rows]: readonly number[]): string[] => [
  number(requests),
  bytesShort(bytes),
  ...rows.map(number),
];

function formatSources(sources: readonly SourceState[]): string[] {
  const header = [
    'source',
    'state',
    'requests',
    'bytes',
    'rows in',
    'rows out',
    'rejected',
    'merged',
    'carried',
    'age',
  ];
  const rows = sources.map((source) => {
    const { row } = source;
    const age = row.age_days === null ? '-' : `${row.age_days} d`;
    return [row.source, row.status, ...formatCounts(formatRowCounts(source)), age];
  });
  const totals = sources.map(formatRowCounts).reduce(
    (sums, counts) => sums.map((sum, index) => sum + (counts[index] ?? 0)),
    Array.from({ length: 7 }, () => 0),
  );
  return [
    'Sources (rows in = rows out + rejected + merged; carried rows are of an earlier read)',
    ...table(header, [...rows, ['all', '', ...formatCounts(totals), '']]),
  ];
}

function formatRejects(sources: readonly SourceState[]): string[] {
  const lines = sources.flatMap(({ spec, standing }) => {
    const byReason = Map.groupBy(standing?.rejects ?? [], (reject) => reject.reason);
    return [...byReason].map(
      ([reason, rows]) => `  ${spec.name}: ${number(rows.length)} ${reason}, such as: ${rows[0]?.detail ?? ''}`,
    );
  });
  if (lines.length === 0) return [];
  return ['', 'Rejected rows, with the first of each reason (all of them: table rejects)', ...lines];
}

/** Sources without rows that a warning names. */
const NAMES_SHOWN = 3;

/** One warning for all sources that no run has read yet. */
function neverReadWarning(sources: readonly SourceState[]): string[] {
  const names = sources
    .filter(({ row }) => row.status === 'never_read' && row.reason === null)
    .map((source) => source.row.source);
  if (names.length === 0) return [];
  const others = names.length - NAMES_SHOWN;
  const shown = names.slice(0, NAMES_SHOWN).join(', ') + (others > 0 ? ` and ${plural(others, 'other')}` : '');
  return [
    `no run has read ${shown} yet, so the snapshot has no rows of them. Run make run without SOURCES to read them`,
  ];
}

function sourceWarning({ row }: SourceState): string {
  const page = row.page_url === null ? '' : ` [${row.page_url}]`;
  const rows =
    row.age_days === null
      ? 'it has no earlier rows'
      : `its rows of ${row.last_good_at?.slice(0, 10) ?? ''} stay in use (${row.age_days} d old)`;
  return `${row.source} ${row.status}: ${row.reason}: ${row.detail ?? ''}${page}; ${rows}`;
}

/** Dropped files that were refused although others of their source were read. */
const refusedFiles = ({ spec, latest }: SourceState): string[] =>
  spec.dropFolders && latest?.status === 'good'
    ? latest.rejects
        .filter(({ raw, page_sha256: sha256 }) => raw === WHOLE_FILE || sha256 === NO_BYTES)
        .map(({ reason, detail }) => `${spec.name}: a file was not read: ${reason}: ${detail}`)
    : [];

/** One warning for all sources: without a network none of them could be read. */
function noNetworkWarning(sources: readonly SourceState[]): string[] {
  const count = sources.filter(({ row }) => row.reason === 'no_network').length;
  return count === 0
    ? []
    : [`${count} sources were not read: this machine has no network; the rows of their earlier reads stay in use`];
}

const outdatedWarnings = ({ sources, runId }: RunResult): string[] =>
  sources
    .filter(({ row }) => row.outdated_on !== null && row.outdated_on <= (parseRunId(runId)?.asOf ?? ''))
    .map(({ row }) => `${row.source} outdated: ${formatOutdated(row) ?? ''}`);

/** Warnings of a run, one line each: sources that failed or are outdated, refused files, audits that failed. */
export function collectWarnings(result: RunResult): string[] {
  const sources = result.sources
    .filter(({ row }) => row.status !== 'good' && row.status !== 'not_due' && waitsFor(row) === null)
    .filter(({ row }) => row.reason !== 'no_network' && row.reason !== null)
    .map(sourceWarning);
  const audits = result.models
    .flatMap((model) => model.audits)
    .filter((audit) => audit.failing > 0)
    .map((audit) => {
      const blocks = audit.blocking ? ' and blocks publication' : '';
      const file = `${result.failuresFolder}/${audit.name}.json`;
      return `audit ${audit.name} failed for ${number(audit.failing)} rows${blocks}: ${audit.about}; see ${file}`;
    });
  return [
    ...noNetworkWarning(result.sources),
    ...neverReadWarning(result.sources),
    ...sources,
    ...outdatedWarnings(result),
    ...result.sources.flatMap(refusedFiles),
    ...audits,
  ];
}

/** Sources that wait for the operator, each reason after an empty line. */
export function formatWaiting(sources: readonly SourceState[]): string[] {
  const waitingFor = (reason: string): string =>
    sources
      .filter(({ row }) => awaitsOperator(row) && !isUnused(row) && row.reason === reason)
      .map(({ row }) => row.source)
      .join(', ');
  const [files, permissions] = [waitingFor('no_file'), waitingFor('no_permission')];
  const seasons = waitingFor('out_of_season');
  return [
    ...(files === '' ? [] : ['', `Waiting for a file in the drop folder: ${files}`]),
    ...(permissions === ''
      ? []
      : ['', `Waiting for the owner's permission (PERMITTED), a key, or a file in the drop folder: ${permissions}`]),
    ...(seasons === '' ? [] : ['', `Not on their sites in this part of the year: ${seasons}`]),
  ];
}

export function formatAudits({ models }: RunResult): string {
  const audits = models.flatMap((model) => model.audits);
  const failed = audits.filter((audit) => audit.failing > 0).length;
  const outcome = failed === 0 ? `${audits.length} audits passed` : `${failed} of ${audits.length} audits failed`;
  return `${models.length} built; ${outcome}`;
}

function formatTables({ tables }: Manifest): string[] {
  const rows = Object.entries(tables).map(([name, t]) => [
    name,
    number(t.rows),
    bytesShort(t.files.reduce((sum, { bytes }) => sum + bytes, 0)),
    t.files.map(({ sha256 }) => sha256.slice(0, 16)).join(' '),
  ]);
  return table(['table', 'rows', 'bytes', 'sha256'], rows);
}

/** The details of a run, as lines of its report. */
export function formatSummary(result: RunResult, dataDir: string): string[] {
  const { manifest, changes, blocked } = result;
  const warnings = collectWarnings(result);
  const lines = [
    '',
    ...formatSources(result.sources),
    ...formatRejects(result.sources),
    ...formatWaiting(result.sources),
    '',
    `Models: ${formatAudits(result)}`,
  ];
  if (changes)
    lines.push(
      '',
      `Changes since ${changes.since}`,
      ...changes.counts.map(({ label, n }) => `  ${number(n).padStart(6)}  ${label}`),
    );
  if (warnings.length > 0)
    lines.push('', `Warnings (${warnings.length})`, ...warnings.map((warning) => `  ${warning}`));
  if (!manifest) {
    const audits = `${blocked.length} blocking audit${blocked.length === 1 ? '' : 's'}`;
    return [...lines, '', `NOT PUBLISHED: ${audits} failed. The previous snapshot stays current.`];
  }
  const later = result.current ? '' : ' (a snapshot of a later day stays current)';
  return [
    ...lines,
    '',
    `Published ${dataDir}/snapshots/${manifest.run_id}${later}`,
    ...formatTables(manifest),
    '',
    manifest.notice,
  ];
}
