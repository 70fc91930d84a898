/** Published snapshots: their manifests, the latest before a day, the verification of their files, and their kind. */
import { readlink, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { DamagedFile, isShared, namesIn, nullIfMissing, readJson, sha256OfFile, writeWhole } from '../lib/files.ts';
import { SettingError } from '../lib/settings.ts';
import { filesOf } from '../lib/store/snapshot_cache.ts';
import { Manifest } from '../models/manifest.ts';
import { compareRunIds, parseRunId, type Layout } from './layout.ts';

/** Manifest of a snapshot. @throws DamagedFile if it is missing or malformed */
export async function readManifest(layout: Layout, runId: string): Promise<Manifest> {
  const path = join(layout.snapshot(runId), 'manifest.json');
  const checked = Manifest.safeParse(await readJson(path));
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new DamagedFile(`${path}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not a manifest'}`);
}

/** Number of rows of each table of a snapshot. */
export const rowsOfTables = ({ tables }: Manifest): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows]));

/** `pruned.json` beside a manifest: files that `make prune` removed from it, so that they are not taken for lost. */
const PrunedFiles = z.strictObject({ files: z.array(z.string()) });

const prunedPath = (layout: Layout, runId: string): string => join(layout.snapshot(runId), 'pruned.json');

/** Files of a snapshot that were removed by design: its databases. */
export const prunedFiles = async (layout: Layout, runId: string): Promise<readonly string[]> =>
  PrunedFiles.safeParse(await readJson(prunedPath(layout, runId))).data?.files ?? [];

/** Record files as removed by design, or as restored. */
export const writePrunedFiles = (layout: Layout, runId: string, files: readonly string[]): Promise<void> =>
  writeWhole(prunedPath(layout, runId), `${JSON.stringify({ files: [...files].sort() }, null, 1)}\n`);

/** Names in a folder that are run ids, less their ending, oldest first. */
export const runIdsIn = async (folder: string, ending = ''): Promise<string[]> =>
  (await namesIn(folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, name.length - ending.length))
    .filter((name) => parseRunId(name) !== null)
    .sort(compareRunIds);

/** Run ids of all snapshots, oldest first. */
export const listSnapshots = (layout: Layout): Promise<string[]> => runIdsIn(layout.snapshots);

/** Manifest of a snapshot that a run builds on. @throws DamagedFile if its files changed since publication */
async function readUndamaged(layout: Layout, runId: string, role: string, remedy: string): Promise<Manifest> {
  const problems = await verifySnapshot(layout, runId, 'tables');
  if (problems.length === 0) return readManifest(layout, runId);
  throw new DamagedFile(
    `Snapshot ${runId}, ${role}, is damaged: ${problems.join('; ')}. ` +
      `Restore ${layout.snapshot(runId)} from a backup, or move it away.${remedy}`,
  );
}

/**
 * The newest snapshot of an earlier day, whose history a run continues.
 * @throws DamagedFile if its files changed since publication: an older snapshot never replaces it silently
 */
export async function snapshotBefore(layout: Layout, asOf: string): Promise<Manifest | null> {
  const ids = (await listSnapshots(layout)).filter((id) => (parseRunId(id)?.asOf ?? '') < asOf);
  const [earlier, last] = [ids.at(-2), ids.at(-1)];
  if (last === undefined) return null;
  const then = earlier === undefined ? 'starts without history.' : `continues the history of ${earlier}.`;
  return readUndamaged(layout, last, 'whose history this run continues', ` Then the run ${then}`);
}

/**
 * The newest snapshot of the day, which a repeated run replaces. Changes are counted from it.
 * @throws DamagedFile if its files changed since publication
 */
export async function snapshotOfDay(layout: Layout, asOf: string): Promise<Manifest | null> {
  const last = (await listSnapshots(layout)).findLast((id) => parseRunId(id)?.asOf === asOf);
  return last === undefined ? null : readUndamaged(layout, last, 'which this run replaces', '');
}

/** Run id of the current snapshot; null if nothing is published yet. */
export async function currentSnapshot(layout: Layout): Promise<string | null> {
  const link = await nullIfMissing(readlink(layout.current));
  return link === null ? null : basename(link);
}

/**
 * Which files must exist: `all`; `tables`, which the next build reads; `retained`, all but pruned ones. Every existing
 * file must match its hash. Of `tables`, a part of a large table only has to be as long as stated: to read all of it
 * every day would cost more than the day.
 */
export type FilesNeeded = 'all' | 'tables' | 'retained';

/** Damage of a snapshot's files, one sentence each; empty if every needed file is there and every hash matches. */
export async function verifySnapshot(layout: Layout, runId: string, needed: FilesNeeded = 'all'): Promise<string[]> {
  const read = await Promise.all([readManifest(layout, runId), prunedFiles(layout, runId)]).catch((error: unknown) => {
    if (error instanceof DamagedFile) return error;
    throw error;
  });
  if (read instanceof DamagedFile) return [read.message];
  const [manifest, pruned] = read;
  const problems: string[] = [];
  const tables = new Set(Object.values(manifest.tables).flatMap(({ files }) => files.map(({ file }) => file)));
  for (const { file, sha256, bytes } of await filesOf(layout.snapshot(runId), manifest)) {
    if (needed === 'tables' && !tables.has(file)) continue;
    const path = join(layout.snapshot(runId), file);
    const reading = needed === 'tables' && isShared(file) ? stat(path).then(({ size }) => size) : sha256OfFile(path);
    const found = await nullIfMissing<string | number>(reading);
    if (found === sha256 || found === bytes) continue;
    if (found !== null) problems.push(`${file} does not have the hash its manifest states`);
    else if (!pruned.includes(file)) problems.push(`${file} is missing`);
    else if (needed === 'all') problems.push(`${file} was removed by make prune`);
  }
  return problems;
}

const Kind = z.strictObject({
  data_clock: z.enum(['sandbox', 'live']),
  /** The settings of the sandbox world; absent for the real web. */
  world: z.string().optional(),
});

/**
 * Check the kind of data of a folder, and save it for a new folder. A folder has one for its whole life: made-up rows
 * of the sandbox must never be in a snapshot of the real web, and rows of two sandbox worlds never in one folder. If
 * kind.json is lost, the newest snapshot has the kind.
 * @throws SettingError if the folder has another kind
 */
export async function assertDataKind(layout: Layout, wanted: z.infer<typeof Kind>): Promise<void> {
  const saved = await readJson(layout.kind);
  const newest = (await listSnapshots(layout)).at(-1);
  const ofNewest = newest === undefined ? {} : { data_clock: (await readManifest(layout, newest)).data_clock };
  const found = saved === undefined ? { ...wanted, ...ofNewest } : Kind.parse(saved);
  const shown = ({ data_clock: clock, world }: typeof found): string =>
    clock === 'live' ? 'public records of the real web' : `made-up data of the sandbox world ${world ?? ''}`.trim();
  const isOtherWorld = found.world !== undefined && wanted.world !== undefined && found.world !== wanted.world;
  if (found.data_clock !== wanted.data_clock || isOtherWorld)
    throw new SettingError(
      `DATA_DIR is ${JSON.stringify(layout.root)}, which has ${shown(found)}; expected another folder for ` +
        shown(wanted),
    );
  if (saved === undefined) await writeWhole(layout.kind, `${JSON.stringify(found)}\n`);
}
