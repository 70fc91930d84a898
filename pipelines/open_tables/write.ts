/**
 * Writes the published snapshots as Iceberg tables: `iceberg/<table>/metadata/` in the data folder. Only metadata: the
 * data files are the Parquet files of the snapshots. It follows from what is published, so a crash loses nothing: the
 * next run writes what is missing.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { openSmall, rowsOf, type Duck } from '../../lib/duck.ts';
import { DamagedFile, makeFolder, readJson, sha256 } from '../../lib/files.ts';
import { noteOf } from '../../lib/record.ts';
import { literal } from '../../lib/sql.ts';
import { loadModels } from '../../models/index.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { Layout } from '../layout.ts';
import { prunedFiles } from '../pruned_files.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';
import { manifestListOf, manifestOf } from './avro.ts';
import {
  fieldsOf,
  metadataOf,
  RUNS_A_DAY,
  snapshotIdOf,
  TableMetadata,
  type DescribedColumn,
  type TableSchema,
  type TableSnapshot,
} from './iceberg.ts';

const HINT = 'version-hint.text';
/** Older metadata files stay for readers that opened them. */
const VERSIONS_KEPT = 5;

/** A snapshot that stays, and the tables of it that were not pruned. */
interface Published {
  readonly manifest: Manifest;
  readonly tables: readonly string[];
}

const metadataFile = (version: number): string => `v${version}.metadata.json`;

/** Undefined if the file is damaged. */
const unlessDamaged = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  });

async function publishedSnapshots(layout: Layout): Promise<Published[]> {
  const all: Published[] = [];
  for (const runId of await listSnapshots(layout)) {
    const manifest = await unlessDamaged(readManifest(layout, runId));
    // No reader can trust its files; make status and the run that continues it name the damage.
    if (manifest === undefined) continue;
    const gone = new Set((await prunedFiles(layout, runId)).map(({ file }) => file));
    const tables = Object.entries(manifest.tables).flatMap(([name, { file }]) => (gone.has(file) ? [] : [name]));
    all.push({ manifest, tables });
  }
  return all;
}

/** Columns of a Parquet file, with what the record says of them today. */
async function describe(
  { connection }: Pick<Duck, 'connection'>,
  path: string,
  notes: ReadonlyMap<string, string>,
): Promise<DescribedColumn[]> {
  const rows = await rowsOf(connection, `DESCRIBE FROM read_parquet(${literal(path)})`);
  return rows.map((row) => {
    const name = String(row['column_name']);
    return { name, sql: String(row['column_type']), about: notes.get(name) };
  });
}

/** Version of a table's metadata, and the metadata; null if there is none of this location, or it is damaged. */
async function readTable(folder: string, location: string): Promise<{ version: number; found: TableMetadata | null }> {
  const hint = Number(await readFile(join(folder, HINT), 'utf8').catch(() => '0'));
  const version = Number.isSafeInteger(hint) ? hint : 0;
  const checked = TableMetadata.safeParse(await unlessDamaged(readJson(join(folder, metadataFile(version)))));
  return { version, found: checked.success && checked.data.location === location ? checked.data : null };
}

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.tmp`, content);
  await rename(`${path}.tmp`, path);
}

/** The schema of a snapshot: one that the table has already, or a new one. */
function schemaFor(schemas: readonly TableSchema[], fields: TableSchema['fields']): TableSchema {
  const text = JSON.stringify(fields);
  const same = schemas.find((schema) => JSON.stringify(schema.fields) === text);
  return same ?? { type: 'struct', 'schema-id': Math.max(-1, ...schemas.map((s) => s['schema-id'])) + 1, fields };
}

interface Table {
  readonly name: string;
  /** Where its metadata are, in the data folder. */
  readonly folder: string;
  /** Where readers find the data folder: a path, or a URL such as s3://bucket/prefix. */
  readonly root: string;
  readonly notes: ReadonlyMap<string, string>;
}

/** Write the Avro files of one snapshot of a table. */
async function writeSnapshotFiles(table: Table, manifest: Manifest, schema: TableSchema): Promise<TableSnapshot> {
  const { name, folder, root } = table;
  const { run_id: runId } = manifest;
  const file = manifest.tables[name];
  if (!file) throw new Error(`${runId} has no table ${name}`);
  const id = snapshotIdOf(runId);
  const at = (path: string): string => `${root}/iceberg/${name}/metadata/${path}`;
  const location = `${root}/snapshots/${runId}/${file.file}`;
  const entries = await manifestOf(id, schema, { location, rows: file.rows, bytes: file.bytes });
  const key = `${runId}-${sha256(entries).slice(0, 8)}`;
  const manifestName = `${key}-m0.avro`;
  await replace(join(folder, manifestName), entries);
  const list = await manifestListOf(id, { location: at(manifestName), rows: file.rows, bytes: entries.length });
  const listName = `snap-${key}.avro`;
  await replace(join(folder, listName), list);
  return {
    'snapshot-id': id,
    'sequence-number': id,
    // Two runs of one moment keep their order.
    'timestamp-ms': Date.parse(manifest.generated_at) + (id % RUNS_A_DAY),
    'manifest-list': at(listName),
    'schema-id': schema['schema-id'],
    summary: { operation: 'overwrite', run: runId, file: file.sha256 },
  };
}

/** Remove old versions of the metadata, and Avro files of snapshots that it no longer names. */
async function removeOld(folder: string, version: number, snapshots: readonly TableSnapshot[]): Promise<void> {
  const kept = new Set(snapshots.map((s) => basename(s['manifest-list'], '.avro').slice('snap-'.length)));
  for (const name of await readdir(folder)) {
    const key = /^(?:snap-)?(.*?)(?:-m0)?\.avro$/u.exec(name)?.[1];
    const old = Number(/^v(\d+)\.metadata\.json$/u.exec(name)?.[1] ?? version);
    if ((key !== undefined && !kept.has(key)) || old <= version - VERSIONS_KEPT) await rm(join(folder, name));
  }
}

async function writeTable(
  duck: Pick<Duck, 'connection'>,
  layout: Layout,
  table: Table,
  published: readonly Published[],
  current: string,
): Promise<boolean> {
  const location = `${table.root}/iceberg/${table.name}`;
  const { version, found } = await readTable(table.folder, location);
  const schemas = [...(found?.schemas ?? [])];
  const snapshots: TableSnapshot[] = [];
  await makeFolder(table.folder);
  for (const { manifest } of published) {
    const file = manifest.tables[table.name];
    const known = found?.snapshots.find((s) => s.summary.run === manifest.run_id && s.summary.file === file?.sha256);
    if (known) {
      snapshots.push(known);
      continue;
    }
    const path = join(layout.snapshot(manifest.run_id), file?.file ?? '');
    const schema = schemaFor(schemas, fieldsOf(await describe(duck, path, table.notes)));
    if (!schemas.includes(schema)) schemas.push(schema);
    snapshots.push(await writeSnapshotFiles(table, manifest, schema));
  }
  const served = snapshots.find(({ summary }) => summary.run === current) ?? snapshots.at(-1);
  if (!served) return false;
  const used = schemas.filter((schema) => snapshots.some((s) => s['schema-id'] === schema['schema-id']));
  const text = `${JSON.stringify(metadataOf({ location, schemas: used, snapshots }, served), null, 1)}\n`;
  if ((await readFile(join(table.folder, metadataFile(version)), 'utf8').catch(() => '')) === text) return false;
  await replace(join(table.folder, metadataFile(version + 1)), text);
  await replace(join(table.folder, HINT), String(version + 1));
  await removeOld(table.folder, version + 1, snapshots);
  return true;
}

/**
 * Write what is missing of the Iceberg tables.
 * @param url where readers find the data folder. Default: its absolute path
 * @returns names of the tables whose metadata changed
 */
export async function writeOpenTables(layout: Layout, url?: string): Promise<readonly string[]> {
  const root = url ?? resolve(layout.root);
  const current = await currentSnapshot(layout);
  if (current === null) return [];
  const published = await publishedSnapshots(layout);
  const models = (await loadModels()).filter(({ contract }) => contract.publish);
  const duck = await openSmall();
  try {
    const written: string[] = [];
    for (const { name, contract } of models) {
      const having = published.filter(({ tables }) => tables.includes(name));
      const notes = new Map(contract.record.columns.map((column) => [column.name, noteOf(column)]));
      const table = { name, folder: join(layout.iceberg, name, 'metadata'), root, notes };
      if (await writeTable(duck, layout, table, having, current)) written.push(name);
    }
    return written;
  } finally {
    await duck.close();
  }
}
