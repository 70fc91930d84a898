/** Removes from a data folder what the retention policy does not cover (`make prune`). */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn, sync } from '../../../lib/files.ts';
import type { Layout } from '../../layout.ts';
import { holdAgainstReaders, holdFolder } from '../../run/lock.ts';
import { bytesShort, number } from '../../format.ts';
import { sizeOfFiles, sizeOfFolder } from '../disk.ts';
import type { RetentionSettings } from '../settings.ts';
import { takeInventory, findNeeds, objectPath, requestsPath } from './inventory.ts';
import { messageOf } from '../../../lib/errors.ts';
import { writeOpenTables } from '../../open_tables/write.ts';
import { prunedFiles, writePrunedFiles } from '../../pruned_files.ts';
import {
  filesToPrune,
  planRemoval,
  retainedSnapshots,
  type Inventory,
  type Plan,
  type Policy,
  type ReadUnit,
  type SnapshotFile,
} from './plan.ts';

/** Prefix of a snapshot that is being removed. From the rename on it is not a snapshot. */
const PRUNED = '.pruned-';

export const policyOf = (settings: RetentionSettings): Policy => ({
  dailyDays: settings.KEEP_DAILY_DAYS,
  monthlyDays: settings.KEEP_MONTHLY_DAYS,
  databaseDays: settings.KEEP_DATABASE_DAYS,
  filingsDays: settings.KEEP_FILINGS_DAYS,
  readsDays: settings.KEEP_READS_DAYS,
  runsDays: settings.KEEP_RUNS_DAYS,
});

/** Files of a read: every version of its record and rows, and its list of requests. */
async function listReadFiles(layout: Layout, unit: ReadUnit): Promise<string[]> {
  const staged = (await namesIn(layout.staged(unit.source)))
    .filter((name) => name.startsWith(`${unit.runId}.`))
    .map((name) => join(layout.staged(unit.source), name));
  // Rows first and the list of requests last: a record must not outlive the list, which marks pages of a quarantined
  // read.
  const rowsFirst = staged.sort((a, b) => Number(b.endsWith('.parquet')) - Number(a.endsWith('.parquet')));
  return [...rowsFirst, requestsPath(layout, unit)];
}

/** Plan what to remove. Reads only. @param sold snapshots to retain because their answers were sold */
export async function planPrune(
  layout: Layout,
  policy: Policy,
  sold: ReadonlySet<string> = new Set(),
): Promise<{ readonly plan: Plan; readonly inventory: Inventory }> {
  const inventory = await takeInventory(layout);
  const retained = retainedSnapshots(inventory, policy, sold);
  const needs = new Map<string, Awaited<ReturnType<typeof findNeeds>>>();
  const files = Map.groupBy(filesToPrune(inventory, policy, retained), ({ runId }) => runId);
  for (const runId of retained)
    needs.set(runId, await findNeeds(layout, runId, new Set(files.get(runId)?.map(({ file }) => file))));
  return { plan: planRemoval(inventory, policy, retained, needs), inventory };
}

/** Remove files of retained snapshots. Recorded first, so that a removed file is never reported as lost. */
async function removeSnapshotFiles(layout: Layout, files: readonly SnapshotFile[]): Promise<void> {
  for (const [runId, removed] of Map.groupBy(files, (file) => file.runId)) {
    const names = new Set(removed.map(({ file }) => file));
    const before = (await prunedFiles(layout, runId)).filter(({ file }) => !names.has(file));
    await writePrunedFiles(layout, runId, [...before, ...removed.map(({ file, setting }) => ({ file, setting }))]);
    for (const file of names) await rm(join(layout.snapshot(runId), file), { force: true });
  }
}

/** Remove what a plan lists, dependents first, so that after a crash the next call removes the rest. */
async function apply(layout: Layout, plan: Plan): Promise<void> {
  for (const runId of plan.snapshots) await rename(layout.snapshot(runId), join(layout.snapshots, `${PRUNED}${runId}`));
  if (plan.snapshots.length > 0) await sync(layout.snapshots);
  for (const name of await namesIn(layout.snapshots))
    if (name.startsWith(PRUNED)) await rm(join(layout.snapshots, name), { recursive: true });
  await removeSnapshotFiles(layout, plan.files);
  for (const unit of plan.reads) for (const path of await listReadFiles(layout, unit)) await rm(path, { force: true });
  for (const sha256 of plan.objects) await rm(objectPath(layout, sha256), { force: true });
  // The empty folder stays: its run id is taken.
  for (const runId of plan.runs)
    for (const name of await namesIn(layout.run(runId))) await rm(join(layout.run(runId), name), { recursive: true });
}

/** Remove what a plan lists while no command reads snapshots. */
async function applyAlone(layout: Layout, plan: Plan, waitMs?: number): Promise<void> {
  const release = await holdAgainstReaders(layout, waitMs);
  try {
    await apply(layout, plan);
  } finally {
    release();
  }
}

type Kind = keyof Plan;
const KINDS: Readonly<Record<Kind, string>> = {
  snapshots: 'snapshots',
  files: 'DuckDB files and filings of older snapshots',
  reads: 'reads (their rows and request lists)',
  objects: 'archived pages',
  runs: 'run reports',
};

async function measureSizes(layout: Layout, plan: Plan): Promise<Record<Kind, number>> {
  const sizeOfFolders = async (folders: readonly string[]): Promise<number> => {
    const sizes = await Promise.all(folders.map(sizeOfFolder));
    return sizes.reduce((a, b) => a + b, 0);
  };
  return {
    snapshots: await sizeOfFolders(plan.snapshots.map((id) => layout.snapshot(id))),
    files: await sizeOfFiles(plan.files.map(({ runId, file }) => join(layout.snapshot(runId), file))),
    reads: await sizeOfFiles((await Promise.all(plan.reads.map((read) => listReadFiles(layout, read)))).flat()),
    objects: await sizeOfFiles(plan.objects.map((object) => objectPath(layout, object))),
    runs: await sizeOfFolders(plan.runs.map((id) => layout.run(id))),
  };
}

export interface PruneOptions {
  /** Remove; otherwise only list. */
  readonly apply: boolean;
  /** Snapshots to retain because their answers were sold. */
  readonly sold?: ReadonlySet<string>;
  /** Where readers of the Iceberg tables find the data folder. Default: its absolute path. */
  readonly tablesUrl?: string | undefined;
  /** How long to wait for a run, and for commands that read snapshots. */
  readonly waitMs?: number;
}

/** List what the policy does not cover and, with `apply`, remove it while holding the folder. */
export async function prune(
  layout: Layout,
  policy: Policy,
  options: PruneOptions,
): Promise<{ readonly plan: Plan; readonly lines: readonly string[] }> {
  const release = options.apply ? await holdFolder(layout, options.waitMs) : undefined;
  try {
    const { plan, inventory } = await planPrune(layout, policy, options.sold);
    const sizes = await measureSizes(layout, plan);
    let tables: readonly string[] = [];
    if (options.apply) {
      await applyAlone(layout, plan, options.waitMs);
      tables = await writeOpenTables(layout, options.tablesUrl).then(
        () => [],
        (error: unknown) => [`The Iceberg tables still name removed snapshots, see make tables: ${messageOf(error)}`],
      );
    }
    const verb = options.apply ? 'removed' : 'to remove';
    const lines = (Object.keys(KINDS) as Kind[]).map((kind) => {
      const count = `${number(plan[kind].length)} of ${number(inventory[kind].length)}`;
      return `${verb}: ${count} ${KINDS[kind]}, ${bytesShort(sizes[kind])}`;
    });
    if (plan.snapshots.length > 0) lines.push(`${verb}: snapshots ${plan.snapshots.join(', ')}`);
    lines.push(
      `policy: retain the last snapshot of each day for ${policy.dailyDays} days and of each month for ` +
        `${policy.monthlyDays}, their DuckDB files for ${policy.databaseDays} and filings for ${policy.filingsDays}, ` +
        `reads for ${policy.readsDays}, run reports for ${policy.runsDays}, and everything ` +
        'that a retained snapshot needs',
    );
    lines.push(...tables);
    if (!options.apply) lines.push('Nothing was removed. APPLY=1 removes it.');
    return { plan, lines };
  } finally {
    release?.();
  }
}
