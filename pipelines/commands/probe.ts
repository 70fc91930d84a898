/**
 * `make probe SOURCE=...`: checks whether the real sites still look as the adapters expect, and prints a line for each.
 * The adapter itself requests a few rows, and stops after the first page with rows. Nothing is staged or published, and
 * the data folder is only read. With SANDBOX_URL it probes the sandbox world instead.
 * Exit status 1 if a site differs or does not respond.
 */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runCommand } from '../../lib/command.ts';
import { openArchive } from '../../lib/archive.ts';
import { atOnce } from '../../lib/at_once.ts';
import { closing } from '../../lib/closing.ts';
import { print as printLine } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import {
  Quarantine,
  SourceUnavailable,
  type FetchContext,
  type Page,
  type SourceSpec,
} from '../../sources/contract.ts';
import { addDays } from '../../sources/days.ts';
import { createFetcher, type Fetcher } from '../../sources/fetch/fetcher.ts';
import { hostsOf, loadSources, secretsOf } from '../../sources/index.ts';
import { liveClock, type Clock } from '../clock.ts';
import { failureText } from '../failure.ts';
import { bytesShort } from '../format.ts';
import { standingRead } from '../ingest/reads.ts';
import { checkedRows, type Rejected, type Values } from '../ingest/stage/check_rows.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { permissionsOf, whatIsMissing } from '../permission.ts';

/** Rows to request from a site that accepts a limit. */
const SAMPLE_ROWS = 3;
/** Pages that a probe requests at most: a session, calendars and lists come before the first rows. */
const MAX_PAGES = 20;

/**
 * as_expected: the page was read, and its rows were accepted. differs: the adapter does not know the page, or rejects
 * too many of its rows. unavailable: the site refuses or does not respond.
 */
type Verdict = 'as_expected' | 'differs' | 'unavailable';

interface Probe {
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
const hostsSay = (fetcher: Fetcher, spec: SourceSpec, clock: Clock): Promise<readonly string[]> =>
  contextOf(fetcher, spec, clock, () => undefined).hostsSay();

/** Read a source's first page with rows. */
async function probe(fetcher: Fetcher, spec: SourceSpec, clock: Clock): Promise<Probe> {
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

/** Settings of `make probe`. docs/settings.md is generated from here. */
export const probeSettings = z.object({
  SOURCE: z
    .string('the name of a source, or all')
    .min(1, 'the name of a source, or all')
    .describe('`make probe`: source to probe, several separated by commas, or all.'),
});

export interface ProbeOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly layout: Layout;
  /** Sources to probe. */
  readonly wanted: readonly SourceSpec[];
  /** Whether a source may be read from the web. */
  readonly mayFetch: (spec: SourceSpec) => boolean;
  readonly print: (line: string) => void;
}

/** Sites probed in parallel: most of a probe is waiting. */
const AT_ONCE = 6;

const WORDS = {
  as_expected: 'as expected',
  differs: 'DIFFERS',
  unavailable: 'NO ANSWER',
  not_probed: 'not probed',
} as const;

/** @returns whether every probed site is as expected */
export async function probeSources(options: ProbeOptions): Promise<boolean> {
  const { wanted, print, fetcher, clock, mayFetch } = options;
  const width = Math.max(...wanted.map(({ name }) => name.length));
  let isWell = true;
  const probeOne = async (spec: SourceSpec): Promise<void> => {
    const why = whyNotProbed(spec, mayFetch);
    const found = why === null ? await probe(fetcher, spec, clock) : null;
    const verdict = found?.verdict ?? 'not_probed';
    isWell &&= found === null || verdict === 'as_expected';
    const hosts = spec.fetch ? await hostsSay(fetcher, spec, clock) : [];
    const news = found === null ? [] : await newColumns(options, spec, found);
    const text = [found === null ? why : textOf(found), ...news, ...hosts].join('; ');
    print(`  ${spec.name.padEnd(width)}  ${WORDS[verdict].padEnd(WORDS.as_expected.length)}  ${text}`);
  };
  await atOnce(wanted, probeOne, AT_ONCE);
  return isWell;
}

/** What the operator must provide before the site can be probed; null if nothing. */
function whyNotProbed(spec: SourceSpec, mayFetch: (spec: SourceSpec) => boolean): string | null {
  if (!spec.fetch) return `it has no site to probe; put a file into the drop folder: ${spec.drop?.[0]?.about ?? ''}`;
  return mayFetch(spec) ? null : whatIsMissing(spec);
}

/** The columns that the publisher's table has now and had not at the last read. */
async function newColumns({ layout, clock }: ProbeOptions, spec: SourceSpec, found: Probe): Promise<string[]> {
  const known = (await standingRead(layout, spec.name, clock.asOf))?.columns ?? null;
  const added = known === null ? [] : (found.columns ?? []).filter((name) => !known.includes(name));
  return added.length === 0 ? [] : [`columns that the last read had not: ${added.join(', ')}`];
}

function textOf({ findings, requests, bytes, verdict, pageUrl }: Probe): string {
  const page = verdict === 'as_expected' || pageUrl === null ? '' : ` [${pageUrl}]`;
  return `${findings.join('; ')}${page} (${requests} requests, ${bytesShort(bytes)})`;
}

/** @throws SettingError naming an unknown source */
function chosenSources(all: readonly SourceSpec[], wanted: string): readonly SourceSpec[] {
  if (wanted === 'all') return all;
  return wanted.split(',').map((word) => {
    const spec = all.find(({ name }) => name === word.trim());
    if (spec) return spec;
    const names = all.map(({ name }) => name).join(', ');
    throw new SettingError(`SOURCE is ${JSON.stringify(wanted)}, expected all, or names of: ${names}`);
  });
}

async function main(): Promise<number> {
  const { SOURCE } = readSettings(probeSettings);
  const settings = readSettings(pipelineSettings);
  const { SANDBOX_URL: sandboxUrl, CHROMIUM_PATH: chromiumPath, CONTACT: contact, PERMITTED } = settings;
  const isLive = sandboxUrl === undefined;
  if (isLive && contact === undefined)
    throw new SettingError(
      'CONTACT is not set, expected an address or URL where site owners reach you: it goes into the user agent',
    );
  const all = await loadSources();
  const wanted = chosenSources(all, SOURCE).filter(({ terms }) => !isLive || terms.basis !== 'sandbox_only');
  const { mayFetch } = permissionsOf(all, { LIVE: isLive, PERMITTED });
  // The pages belong to no run, so they must not enter the archive of the data folder.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'dealfeed-probe-'));
  await using archive = closing(await openArchive(folder.path));
  const [clock, print] = [liveClock(settings.DAY), printLine];
  const sites = { secrets: secretsOf(all), hosts: hostsOf(all), sandboxUrl, chromiumPath, contact };
  await using fetcher = closing(
    createFetcher({ archive, clock, onNoNetwork: print, limits: { retries: 1 }, ...sites }),
  );
  const layout = layoutOf(settings.DATA_DIR, settings.DROP_DIR);
  return (await probeSources({ fetcher, clock, layout, wanted, mayFetch, print })) ? 0 : 1;
}

if (import.meta.main) await runCommand(main, failureText);
