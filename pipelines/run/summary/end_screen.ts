/** The end of a run in one screen: what was read, refused and published, the best deals, and what to do next. */
import { closing } from '../../../lib/closing.ts';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { DEFAULT_PORT, inFolder } from '../../../lib/settings.ts';
import { literal } from '../../../lib/sql.ts';
import { number, plural } from '../../format.ts';
import { rowsOfTables } from '../../snapshots.ts';
import { duration } from '../../progress.ts';
import type { RunResult } from '../run.ts';
import { collectWarnings, formatAudits, formatTables, formatWaiting } from './summary.ts';

export interface EndOptions {
  readonly dataDir: string;
  readonly best: readonly BestDeal[];
  readonly ms: number;
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
  const byReason = new Map<string, number>();
  for (const { reason } of sources.flatMap(({ latest }) => latest?.rejects ?? []))
    byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  const reasons = [...byReason].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (reasons.length === 0) return null;
  const others = reasons.slice(REASONS_SHOWN).reduce((total, [, n]) => total + n, 0);
  const shown = reasons.slice(0, REASONS_SHOWN).map(([reason, n]) => `${number(n)} ${reason}`);
  return [...shown, ...(others > 0 ? [`${number(others)} for other reasons`] : [])].join(', ');
}

function formatWarnings(result: RunResult): string[] {
  const all = collectWarnings(result);
  return all.length === 0 ? [] : ['', `Warnings (${all.length})`, ...all.map((warning) => `  ${warning}`)];
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
export function formatEnd(result: RunResult, options: EndOptions): string[] {
  const { manifest, blocked, changes } = result;
  const { dataDir, best, ms } = options;
  const refused = refusedText(result);
  const lines = [
    '',
    label('Read') + readText(result),
    ...(refused === null ? [] : [label('Rejected') + refused]),
    ...formatWaiting(result.sources),
    ...(changes && changes.counts.length > 0
      ? [`${label('Changes')}since ${changes.since}: ${changesText(changes.counts)}`]
      : []),
    ...formatWarnings(result),
    '',
  ];
  const models = label('Models') + formatAudits(result);
  if (!manifest) {
    const audits = plural(blocked.length, 'blocking audit');
    return [...lines, `NOT PUBLISHED: ${audits} failed. The previous snapshot stays current.`, models];
  }
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

const changesText = (counts: NonNullable<RunResult['changes']>['counts']): string =>
  counts.map(({ label: what, n }) => `${number(n)} ${what}`).join(', ');

const SHOWN = 3;

/**
 * The active deals with the highest scores, in the order of the free index.
 * @param file deals.parquet of the snapshot
 */
export async function bestDeals(file: string) {
  await using duck = closing(await openSmall());
  const { connection } = duck;
  const rows = await rowsOf(
    connection,
    `SELECT deal_score, rental_status, address || ', ' || city || ', ' || state AS place, units,
       format('${'{:t,}'}', list_price::BIGINT) AS price, cap_rate_underwritten AS cap_rate,
       why_this_is_interesting AS why
     FROM read_parquet(${literal(file)})
     WHERE listing_status = 'active' AND deal_score IS NOT NULL
     ORDER BY deal_score DESC, id LIMIT ${SHOWN}`,
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
