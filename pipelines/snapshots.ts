/** Published snapshots: their manifest, finding the one before a day, and verifying that nothing has changed since. */
import { readdir, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DamagedFile, readJson, sha256OfFile } from '../lib/files.ts';
import { Manifest } from '../models/manifest.ts';
import { compareRunIds, parseRunId, type Layout } from './layout.ts';

/** Manifest of a snapshot. @throws DamagedFile when it is missing or not of this form, naming the file. */
export async function readManifest(layout: Layout, runId: string): Promise<Manifest> {
  const path = join(layout.snapshot(runId), 'manifest.json');
  const checked = Manifest.safeParse(await readJson(path));
  if (!checked.success)
    throw new DamagedFile(
      `${path}: ${checked.error.issues[0]?.path.join('.') ?? ''} ${checked.error.issues[0]?.message ?? 'is not a manifest'}`,
    );
  return checked.data;
}

/** Run ids of all snapshots, oldest first. */
export async function listSnapshots(layout: Layout): Promise<string[]> {
  const names = await readdir(layout.snapshots).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((n) => parseRunId(n) !== null).sort(compareRunIds);
}

/** What the operator can do about a damaged snapshot. `before` is the one that would take its place. */
const remedyFor = (layout: Layout, runId: string, before: string | undefined): string =>
  `restore ${layout.snapshot(runId)} from a backup, or move it away: history is then carried from ${before === undefined ? 'none, as on a first day' : before}`;

/**
 * The newest snapshot of an earlier day, from which a run carries its history. Never one of the same day.
 * @throws DamagedFile where its files are not what was published: an older one is never taken silently in its place
 */
export async function snapshotBefore(layout: Layout, asOf: string): Promise<Manifest | null> {
  const earlier = (await listSnapshots(layout)).filter((id) => (parseRunId(id)?.asOf ?? '') < asOf);
  const last = earlier.at(-1);
  if (last === undefined) return null;
  const problems = await verifySnapshot(layout, last);
  if (problems.length > 0) {
    throw new DamagedFile(
      `snapshot ${last}, from which history would be carried, is damaged: ${problems.join('; ')}; ${remedyFor(layout, last, earlier.at(-2))}`,
    );
  }
  return readManifest(layout, last);
}

/** Run id that `current` names, or null where nothing is published yet. */
export async function currentSnapshot(layout: Layout): Promise<string | null> {
  try {
    return basename(await readlink(layout.current));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** What is wrong with a snapshot's files, each in one sentence; empty when every hash verifies. */
export async function verifySnapshot(layout: Layout, runId: string): Promise<string[]> {
  const manifest = await readManifest(layout, runId).catch((error: unknown) => {
    if (error instanceof DamagedFile) return error;
    throw error;
  });
  return manifest instanceof DamagedFile ? [manifest.message] : problemsOf(layout.snapshot(runId), manifest);
}

async function problemsOf(folder: string, { tables, database }: Manifest): Promise<string[]> {
  const problems: string[] = [];
  for (const { file, sha256 } of [...Object.values(tables), database]) {
    const found = await sha256OfFile(join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) problems.push(`${file} is missing`);
    else if (found !== sha256) problems.push(`${file} does not have the hash its manifest states`);
  }
  return problems;
}
