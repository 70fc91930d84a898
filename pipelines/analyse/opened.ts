/** A snapshot as an analyst gets it: its own database file, read-only, with the door to the rest of the machine shut. */
import { join } from 'node:path';
import { openDuck, type Duck } from '../../lib/duck.ts';
import { SettingError } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { layoutOf, type Layout } from '../layout.ts';
import type { Manifest } from '../../models/manifest.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';

export interface Opened {
  readonly duck: Duck;
  readonly manifest: Manifest;
  readonly layout: Layout;
}

/** A run id as it was given: a whole one, or a day, which means its last run; `current` and `previous` are understood. @throws SettingError */
export async function snapshotNamed(layout: Layout, setting: string, wanted: string): Promise<string> {
  const all = await listSnapshots(layout);
  const current = await currentSnapshot(layout);
  if (current === null) throw new SettingError(`nothing is published in ${layout.root} yet; start with make run`);
  if (wanted === 'current') return current;
  const found =
    wanted === 'previous'
      ? (await readManifest(layout, current)).previous
      : all.includes(wanted)
        ? wanted
        : all.findLast((id) => id.startsWith(`${wanted}.`));
  if (found === null)
    throw new SettingError(`${setting} is "previous", expected a snapshot with one before it: ${current} is the first`);
  if (found === undefined || !all.includes(found))
    throw new SettingError(
      `${setting} is ${JSON.stringify(wanted)}, expected a snapshot of ${layout.root}, or its day: one of ${all.slice(-5).join(', ')}${all.length > 5 ? ` and ${all.length - 5} older` : ''}`,
    );
  return found;
}

/** Open a snapshot. @param wanted run id, day, `current` or `previous` @throws SettingError where it is not there */
export async function openSnapshot(dataDir: string, wanted = 'current', setting = 'SNAPSHOT'): Promise<Opened> {
  const layout = layoutOf(dataDir);
  const runId = await snapshotNamed(layout, setting, wanted);
  const manifest = await readManifest(layout, runId);
  const duck = await openDuck();
  try {
    await duck.connection.run(
      `ATTACH ${literal(join(layout.snapshot(runId), manifest.database.file))} AS snapshot (READ_ONLY)`,
    );
    await duck.connection.run('USE snapshot');
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
  } catch (error) {
    duck.close();
    throw error;
  }
  return { duck, manifest, layout };
}
