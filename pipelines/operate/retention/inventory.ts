/** Inventory of a data folder for retention: snapshots, reads, runs, archived pages, and what each snapshot needs. */
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { namesIn } from '../../../lib/files.ts';
import { literal } from '../../../lib/sql.ts';
import { openArchive, type Archive } from '../../../sources/fetch/archive.ts';
import { LAST_DAY, liveClock } from '../../clock.ts';
import { readsUpTo } from '../../ingest/reads.ts';
import { compareRunIds, parseRunId, type Layout } from '../../layout.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../../snapshots.ts';
import { prunedFiles, type PrunedFile } from '../../pruned_files.ts';
import { DATABASE } from '../../run/publish.ts';
import type { Inventory, ReadUnit, SnapshotFile, SnapshotNeeds } from './plan.ts';

export const objectPath = (layout: Layout, sha256: string): string =>
  join(layout.root, 'archive', 'objects', sha256.slice(0, 2), sha256);

export const requestsPath = (layout: Layout, { source, runId }: Pick<ReadUnit, 'source' | 'runId'>): string =>
  join(layout.root, 'archive', 'requests', source, `${runId}.ndjson`);

async function listReadUnits(layout: Layout, archive: Archive, source: string): Promise<ReadUnit[]> {
  const records = new Map((await readsUpTo(layout, source, LAST_DAY)).map((read) => [read.run_id, read]));
  const archived = (await archive.runs(source)).filter((id) => parseRunId(id) !== null);
  const units: ReadUnit[] = [];
  for (const runId of new Set([...records.keys(), ...archived])) {
    const record = records.get(runId);
    const requests = await archive.records(source, runId);
    units.push({
      source,
      runId,
      status: record?.status ?? null,
      objects: new Set([
        ...requests.flatMap((request) => request.sha256 ?? []),
        ...(record?.pages ?? []).map((page) => page.sha256),
      ]),
    });
  }
  return units;
}

async function listObjects(layout: Layout): Promise<string[]> {
  const root = join(layout.root, 'archive', 'objects');
  const objects: string[] = [];
  for (const folder of await namesIn(root)) objects.push(...(await namesIn(join(root, folder))));
  return objects.filter((name) => /^[0-9a-f]{64}$/u.test(name));
}

/** Which setting removes a file of a snapshot. */
const FILES: Readonly<Record<string, PrunedFile['setting']>> = {
  [DATABASE]: 'KEEP_DATABASE_DAYS',
  'filings.parquet': 'KEEP_FILINGS_DAYS',
};

/** The DuckDB files and the filings of snapshots. */
export async function listSnapshotFiles(layout: Layout, runIds: readonly string[]): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  for (const runId of runIds)
    for (const file of await namesIn(layout.snapshot(runId))) {
      const setting = FILES[file];
      if (setting !== undefined) files.push({ runId, file, setting });
    }
  return files;
}

export async function takeInventory(layout: Layout): Promise<Inventory> {
  const archive = await openArchive(layout.root);
  const staged = await namesIn(layout.stagedRoot);
  const archived = await namesIn(join(layout.root, 'archive', 'requests'));
  const reads: ReadUnit[] = [];
  for (const source of [...new Set([...staged, ...archived])].sort())
    reads.push(...(await listReadUnits(layout, archive, source)));
  const runs: string[] = [];
  for (const runId of (await namesIn(layout.runs)).filter((name) => parseRunId(name) !== null))
    if ((await namesIn(layout.run(runId))).length > 0) runs.push(runId);
  const current = await currentSnapshot(layout);
  // Ages in the sandbox count from its own day; on the real web from today, even if no run has been made for a while.
  const manifest = current === null ? null : await readManifest(layout, current);
  const snapshots = await listSnapshots(layout);
  return {
    today: manifest?.data_clock === 'sandbox' ? manifest.as_of : liveClock().asOf,
    current,
    snapshots,
    files: await listSnapshotFiles(layout, snapshots),
    reads,
    runs: runs.sort(compareRunIds),
    objects: await listObjects(layout),
  };
}

/**
 * What a snapshot depends on: the reads in its manifest, and the pages in its rows.
 * @param without files that are removed with this plan
 */
export async function findNeeds(layout: Layout, runId: string, without: ReadonlySet<string>): Promise<SnapshotNeeds> {
  const gone = new Set([...without, ...(await prunedFiles(layout, runId)).map(({ file }) => file)]);
  const manifest = await readManifest(layout, runId);
  const pages: { source: string; sha256: string }[] = [];
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    for (const { file } of Object.values(manifest.tables)) {
      if (gone.has(file)) continue;
      const table = `read_parquet(${literal(join(layout.snapshot(runId), file))})`;
      const described = await rowsOf(duck.connection, `DESCRIBE SELECT * FROM ${table}`);
      const columns = new Set(described.map((row) => String(row['column_name'])));
      if (!columns.has('page_sha256') || !columns.has('source')) continue;
      const sql = `SELECT DISTINCT source, page_sha256 FROM ${table} WHERE page_sha256 IS NOT NULL`;
      for (const row of await rowsOf(duck.connection, sql))
        pages.push({ source: String(row['source']), sha256: String(row['page_sha256']) });
    }
  } finally {
    duck.close();
  }
  const reads = manifest.sources.flatMap((source) =>
    source.staged_run === null ? [] : [{ source: source.source, runId: source.staged_run }],
  );
  return { reads, pages };
}
