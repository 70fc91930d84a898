/** Opens a snapshot for analysts: its own database file, read-only, without access to other files. */
import { existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuck, typesOf, type Duck } from '../../lib/duck.ts';
import { commentOn } from '../../lib/record.ts';
import { SettingError } from '../../lib/settings.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { convertedRow, storedType } from '../../lib/stored_types.ts';
import { loadMarts } from '../../models/index.ts';
import type { Manifest } from '../../models/manifest.ts';
import { VIEWS } from '../../models/views.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { isRead, showFiles } from '../run/finish_database.ts';
import { holdForReading } from '../run/lock.ts';
import { currentSnapshot, listSnapshots, prunedFiles, readManifest } from '../snapshots.ts';

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
  const [all, current] = [await listSnapshots(layout), await currentSnapshot(layout)];
  if (current === null) throw new SettingError(`Nothing is published in ${layout.root} yet. Start with make run.`);
  if (wanted === 'current') return current;
  const id = wanted === 'previous' ? (await readManifest(layout, current)).previous : wanted;
  if (id === null)
    throw new SettingError(`${setting} is "previous", but ${current} is the first snapshot of ${layout.root}.`);
  const found = all.includes(id) ? id : all.findLast((one) => one.startsWith(`${id}.`));
  if (found !== undefined) return found;
  const older = all.length > LISTED ? ` and ${all.length - LISTED} older` : '';
  throw new SettingError(
    `${setting} is ${JSON.stringify(wanted)}, expected a snapshot of ${layout.root} or its day: one of ` +
      `${all.slice(-LISTED).join(', ')}${older}`,
  );
}

/** Attach the DuckDB file; if it was pruned, build a temporary one from the Parquet files. */
async function attachSnapshot({ connection }: Duck, layout: Layout, manifest: Manifest): Promise<void> {
  const pruned = await prunedFiles(layout, manifest.run_id);
  const folder = layout.snapshot(manifest.run_id);
  await connection.run(`SET file_search_path = ${literal(folder)}`);
  const file = join(folder, manifest.database.file);
  if (!pruned.includes(manifest.database.file) || existsSync(file)) {
    await connection.run(`ATTACH ${literal(file)} AS snapshot (READ_ONLY); USE snapshot`);
    return;
  }
  // The open file stays readable.
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'dealfeed-snapshot-'));
  const copy = literal(join(scratch.path, manifest.database.file));
  await connection.run(`ATTACH ${copy} AS snapshot; USE snapshot`);
  const published = (await loadMarts()).filter(({ name }) => name in manifest.tables);
  for (const { name, contract } of published.filter((mart) => !isRead(mart))) {
    const rows = `read_parquet(${literal(manifest.tables[name]?.files[0]?.file ?? '')})`;
    const types = await typesOf(connection, `SELECT * FROM ${rows}`);
    const columns = contract.record.columns.filter((column) => types.has(column.name));
    const stored = convertedRow(columns, types, storedType);
    await connection.run(`CREATE TABLE ${identifier(name)} AS SELECT ${stored} FROM ${rows}`);
    const comments = commentOn(name, `${contract.record.about} ${manifest.notice}`, columns);
    await connection.run(comments.join(';\n'));
  }
  await showFiles(connection, published, manifest.tables, storedType);
  // A snapshot older than the view may lack its tables or columns.
  for (const { name, sql } of VIEWS)
    await connection.run(`CREATE VIEW ${identifier(name)} AS ${sql}`).catch(() => undefined);
  await connection.run(`USE memory; DETACH snapshot; ATTACH ${copy} AS snapshot (READ_ONLY); USE snapshot`);
}

/** Names under which DuckDB may still read the files of tables once it can reach no other file. */
const pathsOfTables = (layout: Layout, { run_id: runId, tables }: Manifest): string[] =>
  Object.values(tables)
    .flatMap(({ files }) => files)
    .flatMap(({ file }) => [file, join(layout.snapshot(runId), file)].map(literal));

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
    using _reading = holdForReading(layout);
    await attachSnapshot(duck, layout, manifest);
    await duck.connection.run(`SET allowed_paths = [${pathsOfTables(layout, manifest).join(', ')}]`);
    await duck.connection.run('SET enable_external_access = false');
    await duck.connection.run('SET lock_configuration = true');
  } catch (error) {
    duck.close();
    throw error;
  }
  return { duck, manifest, layout };
}
