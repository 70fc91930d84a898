/** One run: read and stage the sources, build the models, audit them, publish the snapshot (`make run`). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { closing } from '../../lib/closing.ts';
import { rowsOf } from '../../lib/duck.ts';
import { messageOf } from '../../lib/errors.ts';
import { makeFolder, sync, writeWhole } from '../../lib/files.ts';
import { currentAssumptions, type AssumptionSet } from '../../models/assumptions.ts';
import { auditModels, type AuditResult, type ModelResult } from '../../models/audit.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, type Model } from '../../models/index.ts';
import { writeSuppressed } from '../../lib/suppressions.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { SourceState } from '../ingest/source_state.ts';
import { runIdOf, type Layout } from '../layout.ts';
import { writeOpenTables } from '../open_tables/table.ts';
import { assertDataKind, listSnapshots, snapshotBefore, snapshotOfDay } from '../snapshots.ts';
import { NONE_SOLD, type SoldLeads } from '../sold_leads.ts';
import type { RunStore } from '../store/run_store.ts';
import { openBuildDatabase, type BuildDatabase } from './build_database.ts';
import { makeCurrent, partsToWrite, snapshotFacts, writeSnapshot, type SnapshotFacts } from './publish.ts';
import { loadInputs, type BuildInputs } from './inputs.ts';
import { suppressedSubjects, type SuppressionFilter } from './operator_rows.ts';
import { readSources, type ReadOptions } from './read_sources.ts';

export interface RunOptions extends ReadOptions {
  /** Settings of the sandbox world, in words: a folder has one world. */
  readonly world?: string;
  /** Assumptions of the underwriting. Default: the declared set. */
  readonly assumptions?: AssumptionSet;
  /** Reads the sold leads, right before the build. Default: none. @throws LedgerUnavailable */
  readonly soldLeads?: () => Promise<SoldLeads>;
  /** Memory of the build's database. Default: that of the setting BUILD_MEMORY. */
  readonly buildMemory?: string | undefined;
  /** Store that hosts share. Default: none, only the data folder. */
  readonly store?: RunStore | undefined;
  /** Where readers of the Iceberg tables find the data folder or the store. Default: its path or address. */
  readonly tablesUrl?: string | undefined;
  /** Models to build. Default: all of models/. */
  readonly models?: readonly Model[];
  /** Called with the id of the run when it begins. */
  readonly onBegin?: (runId: string) => void;
}

/** What changed since the snapshot that a run continues. */
interface Changes {
  readonly since: string;
  /** Each kind of change that happened, such as `deals gone`, with its number. */
  readonly counts: readonly { readonly label: string; readonly n: number }[];
}

export interface RunResult {
  readonly runId: string;
  readonly sources: readonly SourceState[];
  readonly models: readonly ModelResult[];
  /** Blocking audits that failed; empty if the run published. */
  readonly blocked: readonly AuditResult[];
  readonly manifest: Manifest | null;
  /** False if a snapshot of a later day stays current. */
  readonly current: boolean;
  readonly changes: Changes | null;
  readonly failuresFolder: string;
}

/**
 * Run the pipeline once. A source that cannot be read is set aside with its reason and does not stop the run. If a
 * blocking audit fails, nothing is published.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const { layout, clock, store } = options;
  await store?.pull(clock.asOf);
  const world = options.world === undefined ? {} : { world: options.world };
  await assertDataKind(layout, { data_clock: options.dataClock, ...world });
  const previous = await snapshotBefore(layout, clock.asOf);
  const follows = (await snapshotOfDay(layout, clock.asOf)) ?? previous;
  const runId = await reserveRunId(layout, clock.asOf, store);
  options.onBegin?.(runId);
  const startedMs = Date.now();
  const failuresFolder = join(layout.run(runId), 'failures');

  const read = await readSources(options, runId, previous);
  // An unreachable ledger is an error, not an empty list: nothing is published then.
  const sold = (await options.soldLeads?.()) ?? NONE_SOLD;
  const models = options.models ?? (await loadModels());
  const assumptions = options.assumptions ?? currentAssumptions();
  await using build = closing(await openBuildDatabase(layout.run(runId), options.buildMemory));
  const inputs = { runId, previous, follows, sold, models, assumptions };
  const { sources, results, filter } = await buildAndAudit(build, options, read, inputs);
  const audits = results.flatMap((result) => result.audits);
  await writeFailures(failuresFolder, audits);
  const blocked = audits.filter((audit) => audit.blocking && audit.failing > 0);

  const facts = await snapshotFacts({ ...inputs, clock, dataClock: options.dataClock, sources, results });
  const publication = blocked.length === 0 ? await publish(build, options, inputs, { facts, filter }) : null;
  if (publication === null) await store?.addReads();
  await writeReport(layout, runId, startedMs, {
    sources,
    blocked: blocked.map((audit) => audit.name),
    published: publication !== null,
    current: publication?.current ?? false,
  });
  const unpublished = { manifest: null, current: false, changes: null };
  return { runId, sources, models: results, blocked, failuresFolder, ...unpublished, ...publication };
}

/** Load the inputs, build the models and audit them. */
async function buildAndAudit(
  build: BuildDatabase,
  { layout, clock, progress = {} }: RunOptions,
  read: readonly SourceState[],
  inputs: Pick<BuildInputs, 'runId' | 'previous' | 'follows' | 'sold' | 'models' | 'assumptions'>,
) {
  const { models, sold } = inputs;
  const onPart = (part: string): void => progress.part?.(part);
  const shareOfPart = build.shareDone.bind(build);
  progress.step?.({ name: 'inputs', about: 'loading the staged rows' });
  const filter = await loadInputs(build.connection, {
    ...inputs,
    layout,
    asOf: clock.asOf,
    observedAt: clock.observedAt(),
    sources: read,
    onRecord: onPart,
  });
  await writeSuppressed(layout.root, await suppressedSubjects(build.connection, layout, filter));
  const count = sold.leads.length;
  const without = count === 0 ? '' : ` without ${count} sold leads and their properties`;
  progress.step?.({ name: 'models', about: `building models${without}`, parts: models.length, shareOfPart });
  const { connection, second } = build;
  const built = await buildModels(connection, models, { second, onModel: onPart });
  progress.step?.({ name: 'audits', about: 'auditing the models', parts: models.length, shareOfPart });
  const results = await auditModels(connection, built, onPart);
  return { sources: await judgeSources(connection, read), results, filter };
}

/** Reserve the next free run id of a day by creating its folder. An id is never used twice, even after a prune. */
async function reserveRunId(layout: Layout, asOf: string, store: RunStore | undefined): Promise<string> {
  await makeFolder(layout.runs);
  const published = new Set(await listSnapshots(layout));
  for (let number = 1; ; number += 1) {
    const runId = runIdOf(asOf, number);
    if (published.has(runId)) continue;
    try {
      await mkdir(layout.run(runId));
      await sync(layout.runs);
      if ((await store?.reserve(runId)) !== false) return runId;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Write the failing rows of each failed audit, for the operator. */
async function writeFailures(folder: string, audits: readonly AuditResult[]): Promise<void> {
  for (const audit of audits.filter((each) => each.failing > 0)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${audit.name}.json`), `${JSON.stringify({ ...audit }, null, 1)}\n`);
  }
}

type Publication = Pick<RunResult, 'manifest' | 'current' | 'changes'>;

/** Count what changed since a snapshot, by list. */
async function changesSince(connection: DuckDBConnection, since: string): Promise<Changes> {
  const rows = await rowsOf(
    connection,
    `SELECT concat(list, ' ', replace(kind, '_records', '')) AS label, n
    FROM (UNPIVOT (FROM change_feeds) ON new_records, changed_records, gone_records INTO NAME kind VALUE n)
    WHERE n > 0`,
  );
  return { since, counts: rows.map(({ label, n }) => ({ label: String(label), n: Number(n) })) };
}

/** Count the changes, write the snapshot and make it current. */
async function publish(
  build: BuildDatabase,
  { layout, tablesUrl, progress = {}, store }: RunOptions,
  { models, previous }: Pick<BuildInputs, 'models' | 'previous'>,
  { facts, filter }: { readonly facts: SnapshotFacts; readonly filter: SuppressionFilter },
): Promise<Publication> {
  const shareOfPart = build.shareDone.bind(build);
  progress.step?.({ name: 'publish', about: 'publishing', parts: partsToWrite(models), shareOfPart });
  const changes = facts.follows === null ? null : await changesSince(build.connection, facts.follows);
  const before = previous && { ...previous, folder: layout.snapshot(previous.run_id) };
  const onPart = (part: string): void => progress.part?.(part);
  const manifest = await writeSnapshot(build, layout, { models, facts, before, filter, onPart });
  await store?.publish(facts.run_id);
  const current = await makeCurrent(layout, facts.run_id);
  // The snapshot is published; the next run writes the metadata.
  const warn = (where: string) => (error: unknown) =>
    progress.line?.(
      `The Iceberg tables ${where} do not have this snapshot yet, the next run adds it: ${messageOf(error)}`,
    );
  await writeOpenTables(layout, tablesUrl).catch(warn(`in ${layout.iceberg}`));
  await store?.writeTables(tablesUrl).catch(warn(`of STORE ${store.store.shown}`));
  return { manifest, changes, current };
}

/** The same states, with the status and the reason of sources that the model `sources` reports as degraded. */
async function judgeSources(
  connection: DuckDBConnection,
  sources: readonly SourceState[],
): Promise<readonly SourceState[]> {
  const degraded = await rowsOf(connection, "SELECT source, reason, detail FROM sources WHERE status = 'degraded'");
  return sources.map((state) => {
    const judged = degraded.find(({ source }) => source === state.row.source);
    if (!judged) return state;
    const { reason, detail } = judged;
    return { ...state, row: { ...state.row, status: 'degraded', reason: String(reason), detail: String(detail) } };
  });
}

/** @param outcome names of the blocking audits that failed, and what became of the snapshot */
async function writeReport(
  layout: Layout,
  runId: string,
  startedMs: number,
  { sources, ...outcome }: Pick<RunResult, 'sources' | 'current'> & { blocked: readonly string[]; published: boolean },
): Promise<void> {
  const report = {
    run_id: runId,
    started_at: new Date(startedMs).toISOString(),
    seconds: (Date.now() - startedMs) / 1000,
    ...outcome,
    reads: sources.map(({ spec, latest }) => ({
      source: spec.name,
      status: latest?.status ?? 'not_due',
      reason: latest?.reason ?? null,
      counts: latest?.counts ?? null,
      traffic: latest?.traffic ?? null,
    })),
  };
  await writeWhole(join(layout.run(runId), 'run.json'), `${JSON.stringify(report, null, 1)}\n`);
}
