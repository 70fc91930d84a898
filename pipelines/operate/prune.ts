/** `make prune`: what the declared policy no longer keeps is listed, or with APPLY=1 removed. */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { sync } from '../../lib/files.ts';
import { literal } from '../../lib/sql.ts';
import { openArchive, type Archive } from '../../sources/fetch/archive.ts';
import { liveClock } from '../clock.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';
import { holdFolder } from '../run/lock.ts';
import { readsUpTo } from '../ingest/reads.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';
import { bytesShort, number } from '../run/summary.ts';
import { sizeOf } from './health.ts';
import {
  planOf,
  snapshotsKept,
  type Inventory,
  type Plan,
  type Policy,
  type ReadUnit,
  type SnapshotNeeds,
} from './retention.ts';
import type { RetentionSettings } from './settings.ts';

/** Prefix of a snapshot that is being removed: from its rename on nobody takes it for one. */
const PRUNED = '.pruned-';
const LAST_DAY = '9999-12-31';

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });

export const policyOf = (s: RetentionSettings): Policy => ({
  dailyDays: s.KEEP_DAILY_DAYS,
  monthlyDays: s.KEEP_MONTHLY_DAYS,
  readsDays: s.KEEP_READS_DAYS,
  runsDays: s.KEEP_RUNS_DAYS,
});

async function unitsOf(layout: Layout, archive: Archive, source: string): Promise<ReadUnit[]> {
  const records = new Map((await readsUpTo(layout, source, LAST_DAY)).map((r) => [r.run_id, r]));
  const units: ReadUnit[] = [];
  for (const runId of new Set([
    ...records.keys(),
    ...(await archive.runs(source)).filter((id) => parseRunId(id) !== null),
  ])) {
    const record = records.get(runId);
    const requests = await archive.records(source, runId);
    units.push({
      source,
      runId,
      status: record?.status ?? null,
      objects: new Set([...requests.flatMap((r) => r.sha256 ?? []), ...(record?.pages ?? []).map((p) => p.sha256)]),
    });
  }
  return units;
}

async function inventoryOf(layout: Layout, archive: Archive): Promise<Inventory> {
  const current = await currentSnapshot(layout);
  const sources = new Set([
    ...(await namesIn(layout.stagedRoot)),
    ...(await namesIn(join(layout.root, 'archive', 'requests'))),
  ]);
  const reads: ReadUnit[] = [];
  for (const source of [...sources].sort()) reads.push(...(await unitsOf(layout, archive, source)));
  const runs: string[] = [];
  for (const runId of (await namesIn(layout.runs)).filter((n) => parseRunId(n) !== null)) {
    if ((await namesIn(layout.run(runId))).length > 0) runs.push(runId);
  }
  const objects: string[] = [];
  for (const folder of await namesIn(join(layout.root, 'archive', 'objects')))
    objects.push(
      ...(await namesIn(join(layout.root, 'archive', 'objects', folder))).filter((n) => /^[0-9a-f]{64}$/u.test(n)),
    );
  // The sandbox's days are its own; on the real web a folder that is no longer written grows old too.
  const manifest = current === null ? null : await readManifest(layout, current);
  const today = manifest === null || manifest.data_clock === 'live' ? liveClock().asOf : manifest.as_of;
  return { today, current, snapshots: await listSnapshots(layout), reads, runs: runs.sort(compareRunIds), objects };
}

/** What a snapshot rests on: the reads its manifest names, and the pages its rows name. */
async function needsOf(layout: Layout, runId: string): Promise<SnapshotNeeds> {
  const manifest = await readManifest(layout, runId);
  const pages: { source: string; sha256: string }[] = [];
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    for (const { file } of Object.values(manifest.tables)) {
      const table = `read_parquet(${literal(join(layout.snapshot(runId), file))})`;
      const columns = new Set(
        (await rowsOf(duck.connection, `DESCRIBE SELECT * FROM ${table}`)).map((r) => String(r['column_name'])),
      );
      if (!columns.has('page_sha256') || !columns.has('source')) continue;
      for (const row of await rowsOf(
        duck.connection,
        `SELECT DISTINCT source, page_sha256 FROM ${table} WHERE page_sha256 IS NOT NULL`,
      )) {
        pages.push({ source: String(row['source']), sha256: String(row['page_sha256']) });
      }
    }
  } finally {
    duck.close();
  }
  return {
    reads: manifest.sources.flatMap((s) => (s.staged_run === null ? [] : [{ source: s.source, runId: s.staged_run }])),
    pages,
  };
}

/** Files of a read: every version of its record and rows, and its list of requests. */
async function filesOf(layout: Layout, { source, runId }: ReadUnit): Promise<string[]> {
  const staged = (await namesIn(layout.staged(source)))
    .filter((n) => n.startsWith(`${runId}.`))
    .map((n) => join(layout.staged(source), n));
  // Rows first and the list last: a record never outlives its list, by which a page of a quarantined read is known as one.
  return [
    ...staged.sort((a, b) => Number(b.endsWith('.parquet')) - Number(a.endsWith('.parquet'))),
    join(layout.root, 'archive', 'requests', source, `${runId}.ndjson`),
  ];
}

const objectPath = (layout: Layout, sha256: string): string =>
  join(layout.root, 'archive', 'objects', sha256.slice(0, 2), sha256);

async function sizeOfFiles(paths: readonly string[]): Promise<number> {
  let total = 0;
  for (const path of paths)
    total += await stat(path).then(
      (s) => s.size,
      () => 0,
    );
  return total;
}

/** What the policy no longer keeps. Reads only. @param sold snapshots that are kept because answers made from them were sold */
export async function planPrune(
  layout: Layout,
  policy: Policy,
  sold: ReadonlySet<string> = new Set(),
): Promise<{ readonly plan: Plan; readonly inventory: Inventory }> {
  const inventory = await inventoryOf(layout, await openArchive(layout.root));
  const kept = snapshotsKept(inventory, policy, sold);
  const needs = new Map<string, SnapshotNeeds>();
  for (const runId of kept) needs.set(runId, await needsOf(layout, runId));
  return { plan: planOf(inventory, policy, kept, needs), inventory };
}

/** Remove what a plan names: what rests on something goes before it, so that a crash leaves only what the next call removes. */
async function apply(layout: Layout, plan: Plan): Promise<void> {
  for (const runId of plan.snapshots) await rename(layout.snapshot(runId), join(layout.snapshots, `${PRUNED}${runId}`));
  if (plan.snapshots.length > 0) await sync(layout.snapshots);
  for (const name of await namesIn(layout.snapshots))
    if (name.startsWith(PRUNED)) await rm(join(layout.snapshots, name), { recursive: true });
  for (const unit of plan.reads) for (const path of await filesOf(layout, unit)) await rm(path, { force: true });
  for (const sha256 of plan.objects) await rm(objectPath(layout, sha256), { force: true });
  // The empty folder stays: it says that the run id is taken.
  for (const runId of plan.runs)
    for (const name of await namesIn(layout.run(runId))) await rm(join(layout.run(runId), name), { recursive: true });
}

export interface Pruned {
  readonly plan: Plan;
  readonly lines: readonly string[];
}

/** List what goes and, where asked to, remove it, with the folder held. */
export async function prune(
  layout: Layout,
  policy: Policy,
  { applying, sold }: { readonly applying: boolean; readonly sold?: ReadonlySet<string> },
): Promise<Pruned> {
  const letGo = applying ? await holdFolder(layout) : undefined;
  try {
    const { plan, inventory } = await planPrune(layout, policy, sold);
    const sizes = {
      snapshots: (await Promise.all(plan.snapshots.map((id) => sizeOf(layout.snapshot(id))))).reduce(
        (a, b) => a + b,
        0,
      ),
      reads: await sizeOfFiles((await Promise.all(plan.reads.map((u) => filesOf(layout, u)))).flat()),
      objects: await sizeOfFiles(plan.objects.map((o) => objectPath(layout, o))),
      runs: (await Promise.all(plan.runs.map((id) => sizeOf(layout.run(id))))).reduce((a, b) => a + b, 0),
    };
    if (applying) await apply(layout, plan);
    const what = {
      snapshots: 'snapshots',
      reads: 'reads (their rows and lists of requests)',
      objects: 'archived pages',
      runs: 'reports of runs',
    } as const;
    const lines = (['snapshots', 'reads', 'objects', 'runs'] as const).map(
      (kind) =>
        `${applying ? 'removed' : 'would go'}: ${number(plan[kind].length)} of ${number(inventory[kind].length)} ${what[kind]}, ${bytesShort(sizes[kind])}`,
    );
    if (plan.snapshots.length > 0)
      lines.push(`${applying ? 'removed' : 'would go'}: snapshots ${plan.snapshots.join(', ')}`);
    lines.push(
      `policy: the last snapshot of each day for ${policy.dailyDays} days and of each month for ${policy.monthlyDays}, reads for ${policy.readsDays}, reports of runs for ${policy.runsDays}; and whatever a kept snapshot rests on`,
    );
    if (!applying) lines.push('nothing was removed; APPLY=1 removes it');
    return { plan, lines };
  } finally {
    letGo?.();
  }
}
