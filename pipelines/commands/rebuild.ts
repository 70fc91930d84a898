/**
 * `make rebuild RUN=2026-11-21.01`: make a published day again and hold it against what was published then. Nothing of
 * that day's tables is taken on trust: each source's archived pages are parsed again, the models are built on the
 * snapshot that the day was built on, and every Parquet file's hash is compared with the manifest of then. Without RUN
 * every snapshot of the folder is made again, from the first day on.
 *
 * Works in a folder of its own and changes nothing. Exit status 1 where a table does not come out the same.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { duckVersion, openDuck, rowsOf } from '../../lib/duck.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { Assumption, currentAssumptions, type AssumptionRow, type AssumptionSet } from '../../models/assumptions.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, loadReferences } from '../../models/index.ts';
import { SourceRead } from '../../models/inputs.ts';
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { ArchiveDamage, openArchive, type Archive } from '../../sources/fetch/archive.ts';
import { loadRowRecords, loadSources } from '../../sources/index.ts';
import { openBuildDatabase, PUBLISHED } from '../run/build_database.ts';
import { loadInputs } from '../run/inputs.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { say } from '../../lib/output.ts';
import { writeSnapshot } from '../run/publish.ts';
import { readRecord, readsUpTo, stagedParquet, versionOf, type ReadRecord } from '../ingest/reads.ts';
import { pagesOf, unreadableOf } from './reparse.ts';
import { hashesOf } from '../run/run.ts';
import type { Manifest } from '../../models/manifest.ts';
import { listSnapshots, readManifest, verifySnapshot } from '../snapshots.ts';
import type { SourceState } from '../ingest/source_state.ts';
import { stageRead, type Staged } from '../ingest/stage.ts';
import { table } from '../run/summary.ts';

export interface Rebuilt {
  readonly runId: string;
  /** Published tables with their hash then and now. */
  readonly tables: readonly { readonly name: string; readonly was: string; readonly now: string }[];
  /** Reads whose rows were made again from their archived pages, and those for which the rows kept of then had to do. */
  readonly parsed: number;
  readonly kept: readonly { readonly source: string; readonly why: string }[];
  /** What is not as it was then: models, engine. Such a day may come out otherwise with good reason. */
  readonly since: readonly string[];
}

export const isSame = ({ tables }: Rebuilt): boolean => tables.every(({ was, now }) => was === now);

/** Make one published day again. @throws SettingError where it, or the snapshot before it, is not there or is damaged */
export async function rebuild(layout: Layout, runId: string): Promise<Rebuilt> {
  if (!(await listSnapshots(layout)).includes(runId))
    throw new SettingError(
      `RUN is ${JSON.stringify(runId)}, expected a snapshot of ${layout.root}: ${(await listSnapshots(layout)).join(', ') || 'none is there'}`,
    );
  const then = await readManifest(layout, runId);
  const previous = then.previous === null ? null : await before(layout, then.previous, runId);
  const scratch = await mkdtemp(join(tmpdir(), 'dealfeed-rebuild-'));
  const target = layoutOf(scratch);
  // Where it writes is its own; the snapshot before is read where it lies.
  const mixed: Layout = { ...target, snapshot: (id) => (id === previous?.run_id ? layout : target).snapshot(id) };
  const build = await openBuildDatabase(scratch);
  try {
    const { states, parsed, kept } = await sourcesOf(layout, target, then);
    await mkdir(target.run(runId), { recursive: true });
    const [models, assumptions] = [await loadModels(), await assumptionsOf(layout, then)];
    await loadInputs(build.connection, {
      layout: mixed,
      workDir: target.run(runId),
      asOf: then.as_of,
      observedAt: then.generated_at,
      assumptions,
      sources: states,
      records: await loadRowRecords(),
      references: loadReferences(),
      models,
      previous,
      soldLeads: then.sold_leads,
    });
    await buildModels(build.connection, models, PUBLISHED);
    const now = await writeSnapshot(build, models, target, then);
    const names = [...new Set([...Object.keys(then.tables), ...Object.keys(now.tables)])].sort();
    return {
      runId,
      parsed,
      kept,
      since: changedSince(then, { ...hashesOf(models), duckdb: duckVersion() }),
      tables: names.map((name) => ({
        name,
        was: then.tables[name]?.sha256 ?? 'not published then',
        now: now.tables[name]?.sha256 ?? 'not published now',
      })),
    };
  } finally {
    await build.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function before(layout: Layout, runId: string, wanted: string): Promise<Manifest> {
  if (!(await listSnapshots(layout)).includes(runId))
    throw new SettingError(
      `RUN is ${JSON.stringify(wanted)}, which was built on ${runId}, and that is no longer there`,
    );
  const problems = await verifySnapshot(layout, runId);
  if (problems.length > 0)
    throw new SettingError(
      `RUN is ${JSON.stringify(wanted)}, which was built on ${runId}, and that is damaged: ${problems.join('; ')}`,
    );
  return readManifest(layout, runId);
}

/** How each source stood then, with the rows of its standing read made again from the archive. */
async function sourcesOf(
  layout: Layout,
  target: Layout,
  then: Manifest,
): Promise<{ states: SourceState[]; parsed: number; kept: Rebuilt['kept'] }> {
  const archive = await openArchive(layout.root);
  const specs = new Map((await loadSources()).map((s) => [s.name, s]));
  const states: SourceState[] = [];
  const kept: { source: string; why: string }[] = [];
  let parsed = 0;
  for (const source of then.sources) {
    const spec = specs.get(source.source);
    if (!spec) throw new SettingError(`${source.source} was a source on ${then.as_of} and is none now`);
    const row = SourceRead.schema.parse(
      Object.fromEntries(SourceRead.columns.map(({ name }) => [name, source[name as keyof typeof source]])),
    );
    const standing =
      source.staged_run === null
        ? undefined
        : await recordOf(layout, source.source, source.staged_run, source.staged_sha256);
    states.push({ spec, row, standing, latest: undefined });
    if (!standing?.parquet) continue;
    const made = await parsedAgain(layout, target, archive, spec, standing);
    if (made === null) parsed += 1;
    else {
      kept.push({ source: source.source, why: made });
      await copyStaged(layout, target, standing);
    }
  }
  return { states, parsed, kept };
}

/** The version of a read whose rows were taken then. */
async function recordOf(layout: Layout, source: string, runId: string, sha256: string | null): Promise<ReadRecord> {
  for (let version = 1; ; version += 1) {
    const record = await readRecord(layout, source, runId, version);
    if (record === undefined)
      throw new SettingError(`${source}: the record of the read ${runId} whose rows stood then is no longer there`);
    if (record.parquet?.sha256 === sha256) return record;
  }
}

async function copyStaged(layout: Layout, target: Layout, record: ReadRecord): Promise<void> {
  const [from, to] = [layout, target].map((l) => stagedParquet(l, record.source, record.run_id, versionOf(record)));
  await mkdir(dirname(to ?? ''), { recursive: true });
  await cp(from ?? '', to ?? '').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new SettingError(
      `${record.source}: the rows of ${record.run_id} can neither be made again nor are they kept`,
    );
  });
}

/** Parse a read's archived pages into the scratch folder. @returns null where its rows are those of then, else why not */
async function parsedAgain(
  layout: Layout,
  target: Layout,
  archive: Archive,
  spec: SourceSpec,
  record: ReadRecord,
): Promise<string | null> {
  try {
    const { unreadable, observedAt } = unreadableOf(record);
    // Rows carried from the read before are made again from that one's pages.
    const carriedFrom =
      record.counts.rows_carried === 0
        ? undefined
        : (await readsUpTo(layout, spec.name, record.as_of)).find(
            (r) => r.status === 'good' && r.run_id < record.run_id,
          );
    if (carriedFrom) {
      const why = await parsedAgain(layout, target, archive, spec, carriedFrom);
      if (why !== null) return `the read ${carriedFrom.run_id}, from which it carries rows: ${why}`;
    }
    const file = stagedParquet(target, record.source, record.run_id, versionOf(record));
    const pages = await pagesOf(archive, record);
    const parsed = await stageRead({ spec, pages, unreadable, observedAt, target: file });
    let staged: Staged;
    try {
      staged = await parsed.write(
        carriedFrom && stagedParquet(target, spec.name, carriedFrom.run_id, versionOf(carriedFrom)),
      );
    } finally {
      await parsed.close();
    }
    if (staged.parquet.sha256 === record.parquet?.sha256) return null;
    await rm(file);
    return "today's parser makes other rows of its pages, as make reparse shows";
  } catch (error) {
    if (error instanceof ArchiveDamage || error instanceof Quarantine) return error.message;
    throw error;
  }
}

/** The set of then: the declared one where it bears that id, else, for an operator's own, what the snapshot published. */
async function assumptionsOf(layout: Layout, then: Manifest): Promise<AssumptionSet> {
  const declared = currentAssumptions();
  if (then.assumption_set_id === declared.id) return declared;
  const duck = await openDuck();
  try {
    const rows = await rowsOf(
      duck.connection,
      `FROM read_parquet(${literal(join(layout.snapshot(then.run_id), 'assumptions.parquet'))})`,
    );
    return { id: then.assumption_set_id, rows: rows.map((r): AssumptionRow => Assumption.schema.parse(r)) };
  } finally {
    duck.close();
  }
}

/** What of today differs from what the day was built with. */
function changedSince(then: Manifest, now: Pick<Manifest['versions'], 'models' | 'schema' | 'duckdb'>): string[] {
  return (['models', 'schema', 'duckdb'] as const)
    .filter((k) => then.versions[k] !== now[k])
    .map(
      (k) =>
        `${k === 'duckdb' ? `DuckDB was ${then.versions.duckdb}` : `the ${k === 'schema' ? 'columns' : k} were others`} when ${then.run_id} was built`,
    );
}

/** The result as lines. */
export function linesOf(result: Rebuilt): string[] {
  const other = result.tables.filter(({ was, now }) => was !== now);
  return [
    `${result.runId}: ${other.length === 0 ? 'the same bytes' : `${other.length} of ${result.tables.length} tables are NOT the same`}; ${result.tables.length} tables, ${result.parsed} reads parsed again from the archive${result.kept.length > 0 ? `, ${result.kept.length} taken as they were kept` : ''}`,
    ...result.kept.map(({ source, why }) => `  kept rows of ${source}: ${why}`),
    ...(other.length > 0
      ? [
          ...table(
            ['table', 'then', 'now'],
            other.map((t) => [t.name, t.was.slice(0, 16), t.now.slice(0, 16)]),
          ),
          ...result.since.map((s) => `  ${s}`),
        ]
      : []),
  ];
}

const settings = z.object({ RUN: z.string().optional() });

if (import.meta.main) {
  try {
    const layout = layoutOf(readSettings(pipelineSettings).DATA_DIR);
    const { RUN } = readSettings(settings);
    const runs = RUN === undefined ? await listSnapshots(layout) : [RUN];
    if (runs.length === 0)
      throw new SettingError(
        `DATA_DIR is ${JSON.stringify(layout.root)}, which holds no snapshot; start with make run`,
      );
    for (const runId of runs) {
      const result = await rebuild(layout, runId);
      for (const line of linesOf(result)) say(line);
      if (!isSame(result)) process.exitCode = 1;
    }
  } catch (error) {
    process.stderr.write(
      `${error instanceof SettingError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
