/** One run: read and stage the sources, build the models, audit them, publish the snapshot. What `make run` does. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { duckVersion } from '../../lib/duck.ts';
import { makeFolder, sync, writeWhole } from '../../lib/files.ts';
import { currentAssumptions, type AssumptionSet } from '../../models/assumptions.ts';
import { auditModels, type AuditResult, type ModelResult } from '../../models/audit.ts';
import { buildModels } from '../../models/build.ts';
import { auditsOf } from '../../models/contract.ts';
import { inputMacrosSql, loadModels, loadReferences, macrosSql, type Model } from '../../models/index.ts';
import { loadRowRecords } from '../../sources/index.ts';
import { openBuildDatabase, PUBLISHED, type BuildDatabase } from './build_database.ts';
import { changesSince, type Changes } from './changes.ts';
import { loadInputs } from './inputs.ts';
import { keepApart } from '../data_kind.ts';
import { runIdOf, type Layout } from '../layout.ts';
import { makeCurrent, writeSnapshot, type SnapshotFacts } from './publish.ts';
import { readSources, type ReadOptions } from './read_sources.ts';
import type { Manifest } from '../../models/manifest.ts';
import { listSnapshots, snapshotBefore } from '../snapshots.ts';
import type { SourceState } from '../ingest/source_state.ts';

export interface RunOptions extends ReadOptions {
  readonly dataClock: Manifest['data_clock'];
  /** What the sandbox world was made from, in words: a folder holds one world. */
  readonly world?: string;
  /** Assumptions to underwrite with. Default: the declared set. */
  readonly assumptions?: AssumptionSet;
  /** Asks which leads are sold, right before the build. Default: none is. @throws LedgerUnavailable */
  readonly soldLeads?: () => Promise<readonly string[]>;
  /** Models to build. Default: all of models/. */
  readonly models?: readonly Model[];
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

const NOTICE = {
  sandbox:
    'Made-up data of the sandbox world: no property, owner, debt, auction or business in it is real. ' +
    'HUD rents are real FY2026 figures.',
  live: 'Public records as published; rents are HUD Fair Market Rents, a proxy and not a rent roll.',
} as const;

/**
 * Run the pipeline once. A source that cannot be read is set aside with its reason and never stops the run; a
 * failed blocking audit publishes nothing.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const { layout, clock } = options;
  const say = options.say ?? (() => undefined);
  const world = options.world === undefined ? {} : { world: options.world };
  await keepApart(layout, { data_clock: options.dataClock, ...world });
  const previous = await snapshotBefore(layout, clock.asOf);
  const runId = await claimRun(layout, clock.asOf);
  const started = Date.now();
  const failuresFolder = join(layout.run(runId), 'failures');

  const sources = await readSources(options, runId, previous);

  // An unreachable ledger is an error, not an empty list: nothing is published then.
  const soldLeads = (await options.soldLeads?.()) ?? [];
  say(`building models${soldLeads.length === 0 ? '' : `; ${soldLeads.length} sold leads are left out`}`);
  const models = options.models ?? (await loadModels());
  const assumptions = options.assumptions ?? currentAssumptions();
  const build = await openBuildDatabase(layout.run(runId));
  try {
    await loadInputs(build.connection, {
      layout,
      workDir: layout.run(runId),
      asOf: clock.asOf,
      observedAt: clock.observedAt(),
      assumptions,
      sources,
      records: await loadRowRecords(),
      references: loadReferences(),
      models,
      previous,
      soldLeads,
    });
    const built = await buildModels(build.connection, models, PUBLISHED);
    const results = await auditModels(build.connection, built);
    const audits = results.flatMap((r) => r.audits);
    await writeFailures(failuresFolder, audits);
    const blocked = audits.filter((a) => a.blocking && a.failing > 0);

    const facts = await snapshotFacts(options, { runId, previous, assumptions, soldLeads, sources, models, results });
    const publication = blocked.length === 0 ? await publish(build, options, models, facts) : null;
    await writeReport(layout, runId, started, sources, {
      blocked: blocked.map((b) => b.name),
      published: publication !== null,
      current: publication?.current ?? false,
    });
    const nothing = { manifest: null, current: false, changes: null };
    return { runId, sources, models: results, blocked, failuresFolder, ...nothing, ...publication };
  } finally {
    await build.close();
  }
}

/**
 * Take the next free run id of a day by creating its folder. An id is never used twice, also where old folders were
 * cleared away.
 */
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

/** Keep the failing rows of each audit that has some, for reading. */
async function writeFailures(folder: string, audits: readonly AuditResult[]): Promise<void> {
  for (const audit of audits.filter((a) => a.failing > 0)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${audit.name}.json`), `${JSON.stringify({ ...audit }, null, 1)}\n`);
  }
}

type Publication = Pick<RunResult, 'manifest' | 'current' | 'changes'>;

/** Count the changes, write the snapshot and make it current. */
async function publish(
  build: BuildDatabase,
  { layout, say }: RunOptions,
  models: readonly Model[],
  facts: SnapshotFacts,
): Promise<Publication> {
  say?.('publishing');
  const changes = facts.previous === null ? null : await changesSince(build.connection, facts.previous);
  const manifest = await writeSnapshot(build, models, layout, facts);
  return { manifest, changes, current: await makeCurrent(layout, facts.run_id) };
}

interface Finished {
  readonly runId: string;
  readonly previous: Manifest | null;
  readonly assumptions: AssumptionSet;
  readonly soldLeads: readonly string[];
  readonly sources: readonly SourceState[];
  readonly models: readonly Model[];
  readonly results: readonly ModelResult[];
}

/** What the manifest says of a run. */
async function snapshotFacts(
  { clock, dataClock }: RunOptions,
  { runId, previous, assumptions, soldLeads, sources, models, results }: Finished,
): Promise<SnapshotFacts> {
  return {
    run_id: runId,
    as_of: clock.asOf,
    generated_at: clock.observedAt(),
    data_clock: dataClock,
    notice: NOTICE[dataClock],
    assumption_set_id: assumptions.id,
    previous: previous?.run_id ?? null,
    sold_leads: [...soldLeads],
    versions: {
      dealfeed: await ownVersion(),
      node: process.versions.node,
      duckdb: duckVersion(),
      ...hashesOf(models),
    },
    sources: sources.map(({ row, standing, latest }) => ({
      ...row,
      staged_run: standing?.run_id ?? null,
      staged_sha256: standing?.parquet?.sha256 ?? null,
      pages: standing?.pages.length ?? 0,
      traffic: latest?.traffic ?? { requests: 0, not_modified: 0, bytes: 0, retries: 0 },
      dropped_files: [...(standing?.dropped_files ?? [])],
    })),
    models: results.map((r) => ({ name: r.name, layer: r.layer, rows: r.rows })),
    audits: results
      .flatMap((r) => r.audits)
      .map((a) => ({ name: a.name, about: a.about, blocking: a.blocking, failing_rows: a.failing })),
  };
}

/** Hash of all schemas, and of all SQL: snapshots with equal hashes were computed by the same logic. */
export function hashesOf(models: readonly Model[]): { schema: string; models: string } {
  const published = models.filter((m) => m.contract.publish);
  const sqlOf = (m: Model): string => [m.name, m.sql, ...auditsOf(m).map((a) => a.sql)].join('\n');
  const hash = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\u0000')).digest('hex');
  return {
    schema: hash(published.map((m) => JSON.stringify([m.name, m.contract.record.columns]))),
    models: hash([macrosSql(), inputMacrosSql(), ...models.map(sqlOf)]),
  };
}

/** Write the report of the run into its folder. */
async function writeReport(
  layout: Layout,
  runId: string,
  started: number,
  sources: readonly SourceState[],
  outcome: Readonly<Record<string, unknown>>,
): Promise<void> {
  await writeWhole(
    join(layout.run(runId), 'run.json'),
    `${JSON.stringify(
      {
        run_id: runId,
        started_at: new Date(started).toISOString(),
        seconds: (Date.now() - started) / 1000,
        ...outcome,
        reads: sources.map(({ spec, latest }) => ({
          source: spec.name,
          status: latest?.status ?? 'not_due',
          reason: latest?.reason ?? null,
          counts: latest?.counts ?? null,
          traffic: latest?.traffic ?? null,
        })),
      },
      null,
      1,
    )}\n`,
  );
}

async function ownVersion(): Promise<string> {
  const parsed = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return parsed.version;
}
