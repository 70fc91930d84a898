/** Opens a snapshot for analysts: its own database file, read-only, without access to other files. */
import { join } from 'node:path';
import { openDuck, type Duck } from '../../lib/duck.ts';
import { SettingError } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import type { Manifest } from '../../models/manifest.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';

export interface OpenSnapshot {
  readonly duck: Duck;
  readonly manifest: Manifest;
  readonly layout: Layout;
}

/** Snapshots that an error message lists. */
const LISTED = 5;

/**
 * Run id of a snapshot.
 * @param wanted a run id, a day (its last run), `current` or `previous`
 * @throws SettingError if there is no such snapshot
 */
export async function snapshotNamed(layout: Layout, setting: string, wanted: string): Promise<string> {
  const all = await listSnapshots(layout);
  const current = await currentSnapshot(layout);
  if (current === null) throw new SettingError(`Nothing is published in ${layout.root} yet. Start with make run.`);
  if (wanted === 'current') return current;
  if (wanted === 'previous') return previousOf(layout, current, setting);
  const found = all.includes(wanted) ? wanted : all.findLast((id) => id.startsWith(`${wanted}.`));
  if (found === undefined) throw unknownSnapshot(layout, setting, wanted, all);
  return found;
}

async function previousOf(layout: Layout, current: string, setting: string): Promise<string> {
  const { previous } = await readManifest(layout, current);
  if (previous === null)
    throw new SettingError(`${setting} is "previous", but ${current} is the first snapshot of ${layout.root}.`);
  const all = await listSnapshots(layout);
  if (!all.includes(previous)) throw unknownSnapshot(layout, setting, 'previous', all);
  return previous;
}

function unknownSnapshot(layout: Layout, setting: string, wanted: string, all: readonly string[]): SettingError {
  const listed = all.slice(-LISTED).join(', ');
  const older = all.length > LISTED ? ` and ${all.length - LISTED} older` : '';
  return new SettingError(
    `${setting} is ${JSON.stringify(wanted)}, expected a snapshot of ${layout.root} or its day: one of ` +
      `${listed}${older}`,
  );
}

/**
 * Open a snapshot.
 * @param wanted a run id, a day, `current` or `previous`
 * @throws SettingError if there is no such snapshot
 */
export async function openSnapshot(dataDir: string, wanted = 'current', setting = 'SNAPSHOT'): Promise<OpenSnapshot> {
  const layout = layoutOf(dataDir);
  const runId = await snapshotNamed(layout, setting, wanted);
  const manifest = await readManifest(layout, runId);
  const duck = await openDuck();
  try {
    const file = join(layout.snapshot(runId), manifest.database.file);
    await duck.connection.run(`ATTACH ${literal(file)} AS snapshot (READ_ONLY)`);
    await duck.connection.run('USE snapshot');
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
  } catch (error) {
    duck.close();
    throw error;
  }
  return { duck, manifest, layout };
}
