/** One run: read the sources, build the models, publish the snapshot. What `make run` does. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { allOf } from '../lib/all.ts';
import { duckVersion, openDuck, type Duck } from '../lib/duck.ts';
import { makeFolder, sync, writeWhole } from '../lib/files.ts';
import { currentAssumptions, type AssumptionSet } from '../models/assumptions.ts';
import { buildModels, readsOf, type ModelResult } from '../models/build.ts';
import { auditsOf } from '../models/contract.ts';
import { loadModels, loadReferences, macrosSql, type Model } from '../models/index.ts';
import type { SourceSpec } from '../sources/contract.ts';
import { loadRowRecords } from '../sources/index.ts';
import type { Archive } from '../sources/fetch/archive.ts';
import { changesSince, type Changes } from './changes.ts';
import { daysBetween, type Clock } from './clock.ts';
import type { Crawler } from './crawl/crawler.ts';
import { ingest } from './ingest.ts';
import { loadInputs, type SourceReadRow, type WAITS, type SourceState } from './inputs.ts';
import { keepApart } from './kind.ts';
import { parseRunId, runIdOf, type Layout } from './layout.ts';
import { BUILD_DATABASE } from './leftovers.ts';
import { attachCarrying, liesThere, makeCurrent, publishedFile, writeSnapshot } from './publish.ts';
import { readsUpTo, standingRead, type ReadRecord } from './reads.ts';
import { listSnapshots, snapshotBefore, type Manifest } from './snapshots.ts';

export interface RunOptions {
  readonly layout: Layout;
  readonly clock: Clock;
  readonly dataClock: Manifest['data_clock'];
  /** What the sandbox world was made from, in words: a folder holds one world. */
  readonly world?: string;
  readonly sources: readonly SourceSpec[];
  /** Whether a source is to be read in this run; the others keep their last good rows. */
  readonly due: (spec: SourceSpec, lastGoodOn: string | null) => boolean;
  /** Whether a source may be read from the web; the others are read from the drop folder only. Default: every one. */
  readonly mayFetch?: (spec: SourceSpec) => boolean;
  readonly archive: Archive;
  /** Who reads the sources' pages: this process, or workers. */
  readonly crawler: Crawler;
  /** Assumptions to underwrite with. Default: the declared set. */
  readonly assumptions?: AssumptionSet;
  /** Asks which leads are sold, right before the build. Default: none is. @throws LedgerUnavailable */
  readonly soldLeads?: () => Promise<readonly string[]>;
  /** Models to build. Default: all of models/. */
  readonly models?: readonly Model[];
  readonly say?: (line: string) => void;
  /** Rows from which on tables are read, and brought up to date, where they lie. Default: half a million. */
  readonly inPlaceFrom?: number;
}

export interface RunResult {
  readonly runId: string;
  readonly sources: readonly SourceState[];
  readonly models: readonly ModelResult[];
  /** Blocking audits that found rows; none on a published run. */
  readonly blocked: readonly ModelResult['audits'][number][];
  readonly manifest: Manifest | null;
  /** False where a snapshot of a later day stays current. */
  readonly current: boolean;
  readonly changes: Changes | null;
  readonly failuresFolder: string;
}

/** What a build may hold in memory; the rest goes to the disk beside its database. */
export const BUILD_MEMORY = '1800MB';

const NOTICE = {
  sandbox: 'Made-up data of the sandbox world: no property, owner, debt, auction or business in it is real. HUD rents are real FY2026 figures.',
  live: 'Public records as published; rents are HUD Fair Market Rents, a proxy and not a rent roll.',
} as const;

/** Take the next free run id of a day by creating its folder. An id is never used twice, also where old folders were cleared away. */
async function claimRun(layout: Layout, asOf: string): Promise<string> {
  await makeFolder(layout.runs);
  const published = new Set(await listSnapshots(layout));
  for (let number = 1; ; number += 1) {
    const runId = runIdOf(asOf, number);
    if (published.has(runId)) continue;
    try {
      await mkdir(layout.run(runId));
      await sync(layout.runs);
      return runId;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** What a source without anything to read waits for, and what the operator can do about it. */
function whatItWaitsFor(spec: SourceSpec): { readonly reason: keyof typeof WAITS; readonly detail: string } {
  const [format] = spec.drop ?? [];
  const file = format ? `put a file into the drop folder ${spec.name}: ${format.about}` : 'it takes no dropped file';
  return spec.fetch ? { reason: 'no_permission', detail: `${spec.terms.note} Until PERMITTED names it, ${file}` } : { reason: 'no_file', detail: file };
}

/**
 * How a source stands after this run: its declaration, its latest read and the rows that stand.
 * @param read this run's; null where there was nothing to read, undefined where the source was not due
 * @param reads all there are, newest first
 * @param fetched whether the web may be read for it, not the drop folder only
 */
function stateOf(spec: SourceSpec, read: ReadRecord | null | undefined, reads: readonly ReadRecord[], fetched: boolean, asOf: string): SourceState {
  const latest = read ?? undefined;
  const standing = reads.find((r) => r.status === 'good');
  // A failure is not forgotten by a run that did not try again.
  const tried = latest ?? (read === undefined && reads[0]?.status !== 'good' ? reads[0] : undefined);
  // Waiting for the operator is not a failure: such a source is quiet, and says what it waits for.
  const waits = read === null || (reads.length === 0 && !fetched) ? whatItWaitsFor(spec) : null;
  const counts = standing?.counts ?? { rows_in: 0, rows_out: 0, rows_rejected: 0, rows_merged: 0, rows_carried: 0 };
  const row: SourceReadRow = {
    source: spec.name, family: spec.family, title: spec.title, home: spec.home,
    terms_basis: spec.terms.basis, terms_note: spec.terms.note,
    county_fips: spec.county?.fips ?? null, county: spec.county ? `${spec.county.name}, ${spec.county.state}` : null,
    every_days: spec.everyDays,
    status: tried?.status ?? (standing ? 'not_due' : 'never_read'),
    reason: tried?.reason ?? waits?.reason ?? null, detail: tried?.detail ?? waits?.detail ?? null, page_url: tried?.page_url ?? null,
    last_good_at: standing?.observed_at ?? null,
    age_days: standing ? daysBetween(standing.observed_at, asOf) : null,
    ...counts,
  };
  return { spec, row, standing, latest };
}

/** Hash of everything that shapes the tables: two snapshots with equal hashes were computed the same way. */
export function hashesOf(models: readonly Model[], macros: string): { schema: string; models: string } {
  const hash = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\u0000')).digest('hex');
  return {
    schema: hash(models.filter((m) => m.contract.publish).map((m) => JSON.stringify([m.name, m.contract.record.columns]))),
    models: hash([macros, ...models.map((m) => [m.name, m.sql, ...auditsOf(m).map((a) => a.sql)].join('\n'))]),
  };
}

/** Audits that found no row in a snapshot which was computed as today's is. */
const heldBefore = (previous: Manifest | null, versions: Pick<Manifest['versions'], 'schema' | 'models' | 'duckdb'>): ReadonlySet<string> =>
  new Set(previous && (['schema', 'models', 'duckdb'] as const).every((k) => previous.versions[k] === versions[k])
    ? previous.audits.filter((a) => a.failing_rows === 0).map((a) => a.name) : []);

/**
 * Read the sources, several at a time.
 * @param previous snapshot that history is carried from
 * @param verified settled when that is looked at; where it is damaged the reading ends
 */
async function readSources(options: RunOptions, runId: string, previous: Manifest | null, verified: Promise<void>): Promise<readonly SourceState[]> {
  const { layout, clock } = options;
  const say = options.say ?? (() => undefined);
  const mayFetch = options.mayFetch ?? ((): boolean => true);
  const waiting = [...options.sources];
  const states: SourceState[] = [];
  const worker = async (): Promise<void> => {
    for (let spec = waiting.shift(); spec; spec = waiting.shift()) {
      // What the snapshot before this day holds decides how far back a register is read, whatever else was tried since.
      const incorporated = previous?.sources.find((s) => s.source === spec.name)?.last_good_at?.slice(0, 10) ?? null;
      const lastRead = await standingRead(layout, spec.name, clock.asOf);
      const due = options.due(spec, lastRead?.observed_at.slice(0, 10) ?? null);
      const began = Date.now();
      const read = due ? await ingest({ layout, clock, runId, archive: options.archive, crawler: options.crawler, mayFetch }, spec, incorporated) : undefined;
      const state = stateOf(spec, read, await readsUpTo(layout, spec.name, clock.asOf), spec.fetch !== undefined && mayFetch(spec), clock.asOf);
      const { latest } = state;
      states.push(state);
      say(`  ${state.row.status.padEnd(11)} ${spec.name}: ${latest ? `${latest.traffic.requests} requests, ${latest.counts.rows_in} rows in, ${Date.now() - began} ms` : read === null ? 'waits for the operator' : 'kept as it was'}${latest?.detail ? ` (${latest.reason}: ${latest.detail})` : ''}`);
    }
  };
  say(`reading ${options.sources.length} sources for ${clock.asOf}`);
  // What is read after a damage is found would have to be read again.
  verified.catch(() => { waiting.length = 0; });
  // A defect of our own ends the run, but only after the reads under way have ended in good order.
  const workers = await Promise.allSettled(Array.from({ length: Math.min(options.crawler.atOnce, options.sources.length) }, () => worker().catch((error: unknown) => {
    waiting.length = 0;
    throw error;
  })));
  const defect = workers.find((w) => w.status === 'rejected');
  if (defect) throw defect.reason;
  for (const line of options.crawler.account()) say(line);
  return states.sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

/**
 * Run the pipeline once. A source that cannot be read is set aside with its reason and never stops the run; a
 * failed blocking audit publishes nothing.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const { layout, clock } = options;
  const say = options.say ?? (() => undefined);
  await keepApart(layout, { data_clock: options.dataClock, ...(options.world === undefined ? {} : { world: options.world }) });
  const before = await snapshotBefore(layout, clock.asOf);
  const previous = before?.manifest ?? null;
  const runId = await claimRun(layout, clock.asOf);
  const started = Date.now();
  const workDir = layout.run(runId);
  const database = join(workDir, BUILD_DATABASE);
  const [models, records, references, macros] = [options.models ?? await loadModels(), await loadRowRecords(), loadReferences(), macrosSql()];
  const versions = { duckdb: duckVersion(), ...hashesOf(models, macros) };
  const there = liesThere(models, previous, versions, options.inPlaceFrom);
  // Yesterday's snapshot is looked at while the sources are read.
  const verified = before?.verify(there.length > 0 ? publishedFile(database) : undefined) ?? Promise.resolve();
  // It may be known before anybody waits for it.
  verified.catch(() => undefined);
  let duck: Duck | undefined;
  let beside: DuckDBConnection | undefined;
  try {
    duck = await openDuck(database, { memoryLimit: BUILD_MEMORY, forOnce: true });
    const { connection, instance } = duck;
    const other = beside = await instance.connect();
    const [sources, reads] = await allOf([readSources(options, runId, previous, verified), readsOf(other, models)]);
    // Not known is not none: where the ledger cannot be asked, nothing is published.
    const soldLeads = await options.soldLeads?.() ?? [];
    say(`building models${soldLeads.length === 0 ? '' : `; ${soldLeads.length} sold leads are left out`}`);
    const assumptions = options.assumptions ?? currentAssumptions();
    const failuresFolder = join(workDir, 'failures');
    // A damage of yesterday's snapshot is told of before anything that comes of it.
    const [, , attached] = await allOf([
      verified,
      loadInputs(connection, {
        layout, workDir, asOf: clock.asOf, observedAt: clock.observedAt(), assumptions, sources, references, models, previous, verified, soldLeads,
        records, ...(options.inPlaceFrom === undefined ? {} : { inPlaceFrom: options.inPlaceFrom }),
      }),
      verified.then(() => attachCarrying(other, database, there)),
    ]);
    const results = await buildModels(connection, { models, reads, beside: other, ...attached, held: heldBefore(previous, versions) });
    const audits = results.flatMap((r) => r.audits);
    for (const audit of audits.filter((a) => a.failing > 0)) {
      await mkdir(failuresFolder, { recursive: true });
      await writeFile(join(failuresFolder, `${audit.name}.json`), `${JSON.stringify({ ...audit }, null, 1)}\n`);
    }
    const blocked = audits.filter((a) => a.blocking && a.failing > 0);
    let manifest: Manifest | null = null;
    let current = false;
    let changes: Changes | null = null;
    if (blocked.length === 0) {
      say('publishing');
      changes = previous ? await changesSince(connection, previous.run_id) : null;
      manifest = await writeSnapshot({
        connection, instance, database, models,
        carried: previous ? { folder: layout.snapshot(previous.run_id), tables: there } : undefined,
      }, layout, {
        run_id: runId, as_of: clock.asOf, generated_at: clock.observedAt(), data_clock: options.dataClock, notice: NOTICE[options.dataClock],
        assumption_set_id: assumptions.id, previous: previous?.run_id ?? null, sold_leads: [...soldLeads],
        versions: { dealfeed: await ownVersion(), node: process.versions.node, ...versions },
        sources: sources.map(({ row, standing, latest }) => ({
          ...row, staged_run: standing?.run_id ?? null, staged_sha256: standing?.parquet?.sha256 ?? null, pages: standing?.pages.length ?? 0,
          traffic: latest?.traffic ?? { requests: 0, not_modified: 0, bytes: 0, retries: 0 }, dropped_files: [...(standing?.dropped_files ?? [])],
        })),
        models: results.map((r) => ({ name: r.name, layer: r.layer, rows: r.rows })),
        audits: audits.map((a) => ({ name: a.name, about: a.about, blocking: a.blocking, failing_rows: a.failing })),
      });
      current = await makeCurrent(layout, runId);
    }
    await writeWhole(join(workDir, 'run.json'), `${JSON.stringify({
      run_id: runId, started_at: new Date(started).toISOString(), seconds: (Date.now() - started) / 1000,
      published: manifest !== null, current, blocked: blocked.map((b) => b.name),
      reads: sources.map(({ spec, latest }) => ({ source: spec.name, status: latest?.status ?? 'not_due', reason: latest?.reason ?? null, counts: latest?.counts ?? null, traffic: latest?.traffic ?? null })),
    }, null, 1)}\n`);
    return { runId, sources, models: results, blocked, manifest, current, changes, failuresFolder };
  } finally {
    beside?.closeSync();
    duck?.close();
    // On a full disk the files may be there although they could not be opened, or are not whole.
    await Promise.allSettled([verified]);
    for (const file of [database, publishedFile(database)]) for (const ending of ['', '.wal']) await rm(`${file}${ending}`, { force: true });
  }
}

async function ownVersion(): Promise<string> {
  const parsed = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return parsed.version;
}

/** Whether a source deserves a read: it has never been read well, or its cadence has passed. */
export const dueByCadence = (asOf: string) => (spec: SourceSpec, lastGoodOn: string | null): boolean =>
  lastGoodOn === null || daysBetween(lastGoodOn, asOf) >= (spec.readEveryDays ?? spec.everyDays);

/** Latest day a run id names, for messages. */
export const dayOf = (runId: string): string => parseRunId(runId)?.asOf ?? runId;
