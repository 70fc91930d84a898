/** The end of a run as text: its warnings, what waits for the operator, and all of it in one screen. */
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { DEFAULT_PORT, inFolder } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { number, plural } from '../format.ts';
import { awaitsOperator, isUnused, waitsFor, type SourceState } from '../ingest/source_state.ts';
import { NO_BYTES, WHOLE_FILE } from '../ingest/stage/check_rows.ts';
import { parseRunId } from '../layout.ts';
import { formatOutdated } from '../operate/problems.ts';
import { duration } from '../progress.ts';
import { rowsOfTables } from '../snapshots.ts';
import type { RunResult } from './run.ts';

/** Sources without rows that a warning names. */
const NAMES_SHOWN = 3;

/** One warning for all sources that no run has read yet. */
function neverReadWarning(sources: readonly SourceState[]): string[] {
  const never = sources.filter(({ row }) => row.status === 'never_read' && row.reason === null);
  const names = never.map(({ row }) => row.source);
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

/** What sources wait for, by reason. */
const WAITING = {
  no_file: 'Waiting for a file in the drop folder',
  no_permission: "Waiting for the owner's permission (PERMITTED), a key, or a file in the drop folder",
  out_of_season: 'Not on their sites in this part of the year',
};

/** Sources that wait for the operator, a line for each reason. */
export function formatWaiting(sources: readonly SourceState[]): string[] {
  const waiting = sources.filter(({ row }) => awaitsOperator(row) && !isUnused(row));
  return Object.entries(WAITING).flatMap(([reason, about]) => {
    const names = waiting.filter(({ row }) => row.reason === reason).map(({ row }) => row.source);
    return names.length === 0 ? [] : [`${about}: ${names.join(', ')}`];
  });
}

/** Published tables to print. */
const TABLES_SHOWN = ['deals', 'signals', 'auctions', 'leads', 'owners', 'filings'];

/** Counts of published tables, by name. */
export const formatTables = (rows: Readonly<Record<string, number>>): string =>
  TABLES_SHOWN.flatMap((name) => (rows[name] === undefined ? [] : `${number(rows[name])} ${name}`)).join(', ');

function formatAudits({ models }: RunResult): string {
  const audits = models.flatMap((model) => model.audits);
  const failed = audits.filter((audit) => audit.failing > 0).length;
  const outcome = failed === 0 ? `${audits.length} audits passed` : `${failed} of ${audits.length} audits failed`;
  return `${models.length} built; ${outcome}`;
}

const LABEL = 11;
/** Reasons of rejected rows that are named. */
const REASONS_SHOWN = 4;

const label = (text: string): string => text.padEnd(LABEL);

/** Rows and requests of this run's own reads. */
function readText({ sources }: RunResult): string {
  const asked = sources.flatMap(({ latest }) => latest ?? []);
  if (asked.length === 0) return 'no source: the rows of earlier reads were used';
  const good = asked.filter((read) => read.status === 'good').length;
  type Column = keyof (typeof asked)[number]['counts'];
  const sum = (column: Column): string => number(asked.reduce((total, { counts }) => total + counts[column], 0));
  const requests = asked.reduce((total, { traffic }) => total + traffic.requests, 0);
  return (
    `${good === asked.length ? '' : `${good} of `}${plural(asked.length, 'source')}, ${plural(requests, 'request')}: ` +
    `${sum('rows_in')} rows in = ${sum('rows_out')} out + ` +
    `${sum('rows_rejected')} rejected + ${sum('rows_merged')} merged`
  );
}

/** The most frequent reasons of the rows that this run rejected. */
function refusedText({ sources }: RunResult): string | null {
  const rejects = sources.flatMap(({ latest }) => latest?.rejects ?? []);
  const reasons = [...Map.groupBy(rejects, ({ reason }) => reason)].map(
    ([reason, rows]) => [reason, rows.length] as const,
  );
  reasons.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (reasons.length === 0) return null;
  const others = reasons.slice(REASONS_SHOWN).reduce((total, [, n]) => total + n, 0);
  const shown = reasons.slice(0, REASONS_SHOWN).map(([reason, n]) => `${number(n)} ${reason}`);
  return [...shown, ...(others > 0 ? [`${number(others)} for other reasons`] : [])].join(', ');
}

function formatBest(best: readonly BestDeal[]): string[] {
  if (best.length === 0) return [];
  const lines = best.flatMap(({ score, status, capRate, place, units, price, why }) => [
    `  ${String(score).padStart(3)} ${status.padEnd(5)}${capRate}${price}, ${dwellings(units)}${place}`,
    `${label('')}${why}`,
  ]);
  return ['', 'The best deals, by deal_score', ...lines];
}

const dwellings = (units: number | null): string => (units === null ? '' : `${plural(units, 'unit')}, `);

const NEXT_STEPS = [
  ['make serve', `the site and the API at http://localhost:${DEFAULT_PORT} (test money)`],
  ["make buy URL='/api/deals?state=OH'", 'pay for one call, in a second terminal'],
  ['make status', 'which sources are fresh, late or broken'],
] as const;

const formatNext = (dataDir: string): string[] => [
  '',
  ...NEXT_STEPS.map(
    ([command, about], at) => `${label(at === 0 ? 'Next' : '')}${command}${inFolder(dataDir)}: ${about}`,
  ),
];

/** The end of a run, as lines. */
export function formatEnd(
  result: RunResult,
  { dataDir, best, ms }: { readonly dataDir: string; readonly best: readonly BestDeal[]; readonly ms: number },
): string[] {
  const { manifest, blocked, changes } = result;
  const changed = changes?.counts.map(({ label: what, n }) => `${number(n)} ${what}`).join(', ');
  const [refused, warnings] = [refusedText(result), collectWarnings(result)];
  const lines = [
    '',
    label('Read') + readText(result),
    ...(refused === null ? [] : [label('Rejected') + refused]),
    ...formatWaiting(result.sources),
    ...(changed ? [`${label('Changes')}since ${changes?.since}: ${changed}`] : []),
    ...(warnings.length === 0 ? [] : ['', `Warnings (${warnings.length})`, ...warnings.map((one) => `  ${one}`)]),
    '',
  ];
  const models = label('Models') + formatAudits(result);
  const audits = plural(blocked.length, 'blocking audit');
  if (!manifest) return [...lines, `NOT PUBLISHED: ${audits} failed. The previous snapshot stays current.`, models];
  const later = result.current ? '' : ' (a snapshot of a later day stays current)';
  return [
    ...lines,
    `${label('Published')}${dataDir}/snapshots/${manifest.run_id}${later} in ${duration(ms)}`,
    label('') + formatTables(rowsOfTables(manifest)),
    models,
    ...formatBest(best),
    '',
    manifest.notice,
    ...formatNext(dataDir),
  ];
}

const DEALS_SHOWN = 3;

/**
 * The active deals with the highest scores, in the order of the free index.
 * @param file deals.parquet of the snapshot
 */
export async function bestDeals(file: string) {
  await using duck = await openSmall();
  const { connection } = duck;
  const rows = await rowsOf(
    connection,
    `SELECT deal_score, rental_status, address || ', ' || city || ', ' || state AS place, units,
       format('${'{:t,}'}', list_price::BIGINT) AS price, cap_rate_underwritten AS cap_rate,
       why_this_is_interesting AS why
     FROM read_parquet(${literal(file)})
     WHERE listing_status = 'active' AND deal_score IS NOT NULL
     ORDER BY deal_score DESC, id LIMIT ${DEALS_SHOWN}`,
  );
  return rows.map((row) => ({
    score: Number(row['deal_score']),
    status: String(row['rental_status'] ?? ''),
    /** With a comma after it; empty without one. */
    capRate: row['cap_rate'] === null ? '' : `${Number(row['cap_rate']).toFixed(1)} % cap, `,
    place: String(row['place']),
    units: row['units'] === null ? null : Number(row['units']),
    price: `$${String(row['price'])}`,
    /** The deal's own sentence on why it is interesting. */
    why: String(row['why'] ?? ''),
  }));
}

type BestDeal = Awaited<ReturnType<typeof bestDeals>>[number];
