/** What a run warns of and waits for, as text. */
import { number, plural } from '../../format.ts';
import { NO_BYTES, WHOLE_FILE } from '../../ingest/stage/check_rows.ts';
import { awaitsOperator, isUnused, waitsFor, type SourceState } from '../../ingest/source_state.ts';
import { parseRunId } from '../../layout.ts';
import { formatOutdated } from '../../operate/problems.ts';
import type { RunResult } from '../run.ts';

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

/** Sources that wait for the operator, a line for each reason. */
export function formatWaiting(sources: readonly SourceState[]): string[] {
  const waitingFor = (reason: string, about: string): string[] => {
    const waiting = sources.filter(({ row }) => awaitsOperator(row) && !isUnused(row) && row.reason === reason);
    return waiting.length === 0 ? [] : [`${about}: ${waiting.map(({ row }) => row.source).join(', ')}`];
  };
  return [
    ...waitingFor('no_file', 'Waiting for a file in the drop folder'),
    ...waitingFor(
      'no_permission',
      "Waiting for the owner's permission (PERMITTED), a key, or a file in the drop folder",
    ),
    ...waitingFor('out_of_season', 'Not on their sites in this part of the year'),
  ];
}

/** Published tables to print. */
const TABLES_SHOWN = ['deals', 'signals', 'auctions', 'leads', 'owners', 'filings'];

/** Counts of published tables, by name. */
export const formatTables = (rows: Readonly<Record<string, number>>): string =>
  TABLES_SHOWN.flatMap((name) => (rows[name] === undefined ? [] : `${number(rows[name])} ${name}`)).join(', ');

export function formatAudits({ models }: RunResult): string {
  const audits = models.flatMap((model) => model.audits);
  const failed = audits.filter((audit) => audit.failing > 0).length;
  const outcome = failed === 0 ? `${audits.length} audits passed` : `${failed} of ${audits.length} audits failed`;
  return `${models.length} built; ${outcome}`;
}
