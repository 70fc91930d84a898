/** The state of a source in a build: its declaration, its latest read and the read whose rows are used. */
import type { SourceRead } from '../../models/inputs.ts';
import { coveredBy, type SourceSpec } from '../../sources/contract.ts';
import { isInSeason, type Season, yearInUse } from '../../sources/days.ts';
import { daysBetween } from '../clock.ts';
import { fillRates, findBlankColumns, findNews, missingFacts, withoutRecentRows } from './facts.ts';
import { type Resale, whatIsMissing } from '../permission.ts';
import type { DegradedReason } from '../../models/marts/sources.ts';
import { listUnreadable, type ReadRecord } from './reads.ts';
import { publicAddress } from '../../sources/fetch/addresses.ts';
import { isPartOfKey } from './stage/check_rows.ts';

export interface SourceState {
  readonly spec: SourceSpec;
  readonly row: SourceReadRow;
  /** The latest good read: its rows are used. */
  readonly standing: ReadRecord | undefined;
  /** This run's read; undefined when the source was not due. */
  readonly latest: ReadRecord | undefined;
}
export type SourceReadRow = ReturnType<typeof SourceRead.schema.parse>;

/**
 * Why nothing was read without a fault: the operator has not dropped a file, or not stated a permission or key, or the
 * list is not on its site in this part of the year.
 */
export const WAITS = { no_file: 'no file', no_permission: 'no permission', out_of_season: 'out of season' } as const;

/** What a source waits for; null if it waits for nothing. */
export const waitsFor = (source: Pick<SourceReadRow, 'reason'>): keyof typeof WAITS | null =>
  source.reason === 'no_file' || source.reason === 'no_permission' || source.reason === 'out_of_season'
    ? source.reason
    : null;

/** Whether a source has no rows because it waits for the operator, or for its season. */
export const awaitsOperator = (source: Pick<SourceReadRow, 'reason' | 'last_good_at'>): boolean =>
  waitsFor(source) !== null && source.last_good_at === null;

/** Whether the operator keeps no file of this kind, as most have nothing to correct: it waits for nobody. */
export const isUnused = (source: Pick<SourceReadRow, 'family' | 'reason' | 'last_good_at'>): boolean =>
  source.family === 'corrections' && awaitsOperator(source);

/** Why a source has nothing to read, and what the operator can do. */
function waitReason(spec: SourceSpec): { readonly reason: keyof typeof WAITS; readonly detail: string } {
  const [format] = spec.drop ?? [];
  const file = format ? `put a file into the drop folder ${spec.name}: ${format.about}` : 'it takes no dropped file';
  if (!spec.fetch) return { reason: 'no_file', detail: file };
  return { reason: 'no_permission', detail: `${whatIsMissing(spec)} Until then, ${file}` };
}

/** The wait of a source that was never read, and whose list is not on its site now. */
const seasonOf = ({ from, to }: Season): ReturnType<typeof waitReason> => ({
  reason: 'out_of_season',
  detail: `its list is on the site from ${from} to ${to} (month-day) only`,
});

/** Why a source has nothing to read; null if it has. */
function waitOf(spec: SourceSpec, { read, reads, isFetched, asOf }: SourceReads): ReturnType<typeof waitReason> | null {
  if (read === null || (reads.length === 0 && !isFetched)) return waitReason(spec);
  const isOut = read === undefined && reads.length === 0 && !isInSeason(spec.season, asOf);
  return spec.season !== undefined && isOut ? seasonOf(spec.season) : null;
}

/** A share as a percent. */
const percentOf = (share: number | undefined): string | null => (share === undefined ? null : (100 * share).toFixed(2));

export interface SourceReads {
  /** This run's read; null where there was nothing to read, undefined where the source was not due. */
  readonly read: ReadRecord | null | undefined;
  /** All reads up to the run's day, newest first. */
  readonly reads: readonly ReadRecord[];
  /** Whether it may be read from the web, not from the drop folder only. */
  readonly isFetched: boolean;
  readonly resale: Resale;
  readonly asOf: string;
  /** Whether the pages are those of the sandbox. */
  readonly inSandbox: boolean;
}

/** The address of a page that a source row cites: in the sandbox never one of a real site. */
const cited = (address: string, inSandbox: boolean): string =>
  inSandbox && /^https?:/u.test(address) ? publicAddress(address, inSandbox).href : address;

/** The state of a source after this run's reads. */
export function judgeSource(spec: SourceSpec, sourceReads: SourceReads): SourceState {
  const { read, reads, resale, asOf, inSandbox } = sourceReads;
  const latest = read ?? undefined;
  const standing = reads.find((run) => run.status === 'good');
  // A failure stays visible until the source is read again.
  const tried = latest ?? (read === undefined && reads[0]?.status !== 'good' ? reads[0] : undefined);
  const waits = waitOf(spec, sourceReads);
  const counts = standing?.counts ?? { rows_in: 0, rows_out: 0, rows_rejected: 0, rows_merged: 0, rows_carried: 0 };
  // A failed read states a more precise reason.
  const isJudged = standing !== undefined && (tried?.status ?? 'good') === 'good';
  const old = isJudged ? withoutRecentRows(spec, standing) : null;
  const good = reads.filter(({ status }) => status === 'good');
  const blank = findBlankColumns(good);
  const blankDetail = isJudged ? blank.map(({ detail }) => detail).join('; ') : '';
  // A page of one row is a reject like others.
  const unread = isJudged ? listUnreadable(standing).unreadable.filter(({ key }) => isPartOfKey(spec, key)) : [];
  const refused = spec.family === 'corrections' ? (standing?.rejects ?? []) : [];
  const faults: readonly { readonly reason: DegradedReason; readonly detail: string | null }[] = [
    { reason: 'no_recent_rows', detail: old },
    { reason: 'column_went_blank', detail: blankDetail || null },
    { reason: 'row_refused', detail: refused.map(({ detail }) => detail).join('; ') || null },
    { reason: 'page_unread', detail: unread.map(({ detail }) => detail).join('; ') || null },
  ];
  const degraded = faults.find(({ detail }) => detail !== null) ?? null;
  const year = standing?.fiscal_years ? yearInUse(standing.fiscal_years, asOf) : null;
  const covers = coveredBy(spec);
  const row: SourceReadRow = {
    source: spec.name,
    family: spec.family,
    title: spec.title,
    home: cited(spec.home, inSandbox),
    terms_basis: spec.terms.basis,
    terms_note: spec.terms.note,
    terms_url: spec.terms.url === undefined ? null : cited(spec.terms.url, inSandbox),
    terms_quote: spec.terms.quote ?? null,
    resale,
    terms_show_pages: spec.terms.showPages ?? null,
    county_fips: spec.county?.fips ?? null,
    county: spec.county ? `${spec.county.name}, ${spec.county.state}` : null,
    covered_kinds: covers.kinds.join(', ') || null,
    covered_city: covers.city ?? null,
    every_days: spec.everyDays,
    least_address_pct: percentOf(spec.expect.joins?.address),
    least_zip_pct: percentOf(spec.expect.joins?.zip),
    least_parcel_pct: percentOf(spec.expect.joins?.parcel),
    status: degraded === null ? (tried?.status ?? (standing ? 'not_due' : 'never_read')) : 'degraded',
    reason: degraded?.reason ?? tried?.reason ?? waits?.reason ?? null,
    detail: degraded?.detail ?? tried?.detail ?? waits?.detail ?? null,
    page_url: typeof tried?.page_url === 'string' ? cited(tried.page_url, inSandbox) : null,
    last_good_at: standing?.observed_at ?? null,
    age_days: standing ? daysBetween(standing.observed_at, asOf) : null,
    fiscal_year: year?.fiscalYear ?? null,
    outdated_on: year?.outdatedOn ?? null,
    outdated_reason: year?.outdatedReason ?? null,
    ...missingFacts(blank),
    fill_rates: standing === undefined ? null : fillRates(standing),
    news: findNews(good).join(', ') || null,
    ...counts,
    rows_stated: standing?.stated ?? null,
  };
  return { spec, row, standing, latest };
}
