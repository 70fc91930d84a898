/**
 * Probes the site of one source: does it still look as the adapter expects? The adapter itself requests a few rows, and
 * stops after the first page with rows. Nothing is staged or published, and the data folder is only read.
 */
import {
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../../sources/contract.ts';
import { addDays } from '../../sources/days.ts';
import type { Fetcher } from '../../sources/fetch/fetcher.ts';
import type { Clock } from '../clock.ts';
import { checkedRows, type Rejected, type Values } from '../ingest/stage/check_rows.ts';

/** Rows to request from a site that accepts a limit. */
const SAMPLE_ROWS = 3;
/** Pages that a probe requests at most: a session, calendars and lists come before the first rows. */
const MAX_PAGES = 20;

/**
 * as_expected: the page was read, and its rows were accepted. differs: the adapter does not know the page, or rejects
 * too many of its rows. unavailable: the site refuses or does not respond.
 */
type Verdict = 'as_expected' | 'differs' | 'unavailable';

export interface Probe {
  readonly verdict: Verdict;
  /** What differs, or how the sample looks, in one sentence each. */
  readonly findings: readonly string[];
  readonly requests: number;
  readonly bytes: number;
  /** Columns of the publisher's table; null if it is none. */
  readonly columns: readonly string[] | null;
  /** The page of the rows, or of the failure. */
  readonly pageUrl: string | null;
}

type Outcome = Pick<Probe, 'verdict' | 'findings' | 'pageUrl'>;

const contextOf = (fetcher: Fetcher, spec: SourceSpec, { asOf }: Clock, onLost: (error: unknown) => void) =>
  fetcher.contextFor(spec, {
    asOf,
    runId: `${asOf}.01`,
    // Request one day of filings from a register, not all.
    lastGoodOn: spec.reads === 'increments' ? addDays(asOf, -1) : null,
    onUnreadable: (_key, error) => onLost(error),
    sampleRows: SAMPLE_ROWS,
  });

/** What each host of a source asks of programs. */
export const hostsSay = (fetcher: Fetcher, spec: SourceSpec, clock: Clock): Promise<readonly string[]> =>
  contextOf(fetcher, spec, clock, () => undefined).hostsSay();

/** Read a source's first page with rows. */
export async function probe(fetcher: Fetcher, spec: SourceSpec, clock: Clock): Promise<Probe> {
  const lost: unknown[] = [];
  const context = contextOf(fetcher, spec, clock, (error) => lost.push(error));
  const outcome = await firstRows(spec, limited(context), lost).catch(failed);
  const { requests, bytes, columns } = context.stats;
  return { ...outcome, requests, bytes, columns };
}

/** A probe has sent its last request. */
class ProbeLimit extends Error {
  override readonly name = 'ProbeLimit';
}

/** The context of a read with a limit on its requests; a missing page counts too. */
function limited(ctx: FetchContext): FetchContext {
  let requested = 0;
  const within = <P>(request: () => Promise<P>): Promise<P> => {
    if (requested === MAX_PAGES) throw new ProbeLimit(`no row within ${MAX_PAGES} pages`);
    requested += 1;
    return request();
  };
  return {
    asOf: ctx.asOf,
    nowMs: ctx.nowMs,
    lastGoodOn: ctx.lastGoodOn,
    sampleRows: ctx.sampleRows,
    secret: (name) => ctx.secret(name),
    session: () => ctx.session(),
    withContext: (page, context) => ctx.withContext(page, context),
    states: (rows) => ctx.states(rows),
    describes: (columns) => ctx.describes(columns),
    unreadable: (key, error) => ctx.unreadable(key, error),
    get: (url, options) => within(() => ctx.get(url, options)),
    getIfExists: (url, options) => within(() => ctx.getIfExists(url, options)),
  };
}

/** The rows of the first page that has candidates. @throws what the adapter and the fetcher throw */
async function firstRows(spec: SourceSpec, ctx: FetchContext, lost: readonly unknown[]): Promise<Outcome> {
  if (!spec.fetch) throw new Error(`source ${spec.name} has no site`);
  let last: Page | undefined;
  for await (const page of spec.fetch(ctx)) {
    last = page;
    const rows: Values[] = [];
    const rejects: Rejected[] = [];
    for (const checked of (await Array.fromAsync(checkedRows(spec, [page]))).flat()) {
      if ('values' in checked) rows.push(checked.values);
      else rejects.push(checked.reject);
    }
    if (rows.length + rejects.length > 0) return judgeSample(spec, page, rows, rejects);
  }
  const [first] = lost;
  if (first !== undefined) return failed(first);
  const pageUrl = last?.url ?? null;
  return spec.expect.minRows > 0
    ? { verdict: 'differs', findings: [`no row, expected at least ${spec.expect.minRows}`], pageUrl }
    : { verdict: 'as_expected', findings: ['no row today, which this source may have'], pageUrl };
}

function judgeSample(spec: SourceSpec, page: Page, rows: readonly Values[], rejects: readonly Rejected[]): Outcome {
  const all = rows.length + rejects.length;
  const findings = rejects
    .slice(0, 1)
    .map(({ reason, detail }) => `${rejects.length} of ${all} rows rejected, the first: ${reason}: ${detail}`);
  const { maxRejectShare, uncountedRejects = [] } = spec.expect;
  const counted = rejects.filter(({ reason }) => !uncountedRejects.includes(reason));
  const isTooMany = counted.length > (rows.length + counted.length) * maxRejectShare;
  return {
    verdict: isTooMany ? 'differs' : 'as_expected',
    findings: [
      ...findings,
      [
        `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`,
        ...withField(rows, 'street', 'an address'),
        ...withField(rows, 'zip', 'a ZIP'),
      ].join(', '),
    ],
    pageUrl: page.url,
  };
}

/** "2 with a ZIP"; nothing if the rows have no such field. */
function withField(rows: readonly Values[], field: string, noun: string): string[] {
  if (!rows.some((row) => field in row)) return [];
  return [`${rows.filter((row) => row[field] !== null).length} with ${noun}`];
}

/** @throws the error if it is not a site's */
function failed(error: unknown): Outcome {
  if (error instanceof ProbeLimit) return { verdict: 'differs', findings: [error.message], pageUrl: null };
  if (error instanceof Quarantine || error instanceof SourceUnavailable)
    return {
      verdict: error instanceof Quarantine ? 'differs' : 'unavailable',
      findings: [`${error.reason}: ${error.message}`],
      pageUrl: error.pageUrl ?? null,
    };
  throw error;
}
