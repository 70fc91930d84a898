/**
 * The next version of an Iceberg table's metadata, wherever it is written, and the tables of a data folder:
 * `iceberg/<table>/metadata/`. Only metadata: the data files are the Parquet files of the snapshots. It follows from
 * what is published, so a crash loses nothing: the next run writes what is missing.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type Duck, openSmall, rowsOf } from '../../lib/duck.ts';
import { DamagedFile, makeFolder, sha256 } from '../../lib/files.ts';
import { noteOf } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { loadMarts } from '../../models/index.ts';
import { hashOf, type Manifest } from '../../models/manifest.ts';
import type { Layout } from '../layout.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';
import { DATA, DELETES, encodeManifest, encodeManifestList, type DataFile, type ListedManifest } from './avro.ts';
import {
  buildMetadata,
  type DescribedColumn,
  fieldsOf,
  RUNS_A_DAY,
  snapshotIdOf,
  TableMetadata,
  type TableSchema,
  type TableSnapshot,
} from './iceberg.ts';

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.tmp`, content);
  await rename(`${path}.tmp`, path);
}

/**
 * Write what is missing of the Iceberg tables.
 * @param url where readers find the data folder. Default: its absolute path
 * @returns names of the tables whose metadata changed
 */
export async function writeOpenTables(layout: Layout, url?: string): Promise<readonly string[]> {
  const current = await currentSnapshot(layout);
  if (current === null) return [];
  const written: string[] = [];
  await forEachTable(layout, url ?? resolve(layout.root), async (duck, table) => {
    const folder = join(layout.iceberg, table.name, 'metadata');
    await makeFolder(folder);
    const hint = Number(await textOf(join(folder, HINT)));
    const version = Number.isSafeInteger(hint) ? hint : 0;
    const latest = await textOf(join(folder, metadataFile(version)));
    const next = await nextVersion(duck, layout, table, { current, latest });
    if (next === null) return;
    for (const [name, content] of next.files) await replace(join(folder, name), content);
    await replace(join(folder, metadataFile(version + 1)), next.text);
    await replace(join(folder, HINT), String(version + 1));
    for (const name of next.removable(await readdir(folder), version + 1)) await rm(join(folder, name));
    written.push(table.name);
  });
  return written;
}

/** Names the version that readers open. */
export const HINT = 'version-hint.text';
/** Older metadata files stay for readers that opened them. */
const VERSIONS_KEPT = 5;

export const metadataFile = (version: number): string => `v${version}.metadata.json`;

/** Version of a metadata file; null for another file. */
export const versionOf = (name: string): number | null => {
  const version = /^v(\d+)\.metadata\.json$/u.exec(name)?.[1];
  return version === undefined ? null : Number(version);
};

/** Undefined if the file is damaged. */
const unlessDamaged = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  });

async function publishedSnapshots(layout: Layout): Promise<Manifest[]> {
  const all: Manifest[] = [];
  for (const runId of await listSnapshots(layout)) {
    const manifest = await unlessDamaged(readManifest(layout, runId));
    // No reader can trust its files; make status and the run that continues it name the damage.
    if (manifest === undefined) continue;
    all.push(manifest);
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

/** The schema of a snapshot: one that the table has already, or a new one. */
function schemaFor(schemas: readonly TableSchema[], fields: TableSchema['fields']): TableSchema {
  const text = JSON.stringify(fields);
  const same = schemas.find((schema) => JSON.stringify(schema.fields) === text);
  return (
    same ?? { type: 'struct', 'schema-id': Math.max(-1, ...schemas.map((schema) => schema['schema-id'])) + 1, fields }
  );
}

interface Table {
  readonly name: string;
  /** Where readers find `snapshots/` and `iceberg/`: a path, or a URL such as s3://bucket/prefix. */
  readonly root: string;
  readonly notes: ReadonlyMap<string, string>;
  readonly key: readonly string[];
  /** Name of a file of a snapshot below the root. */
  readonly nameOf: (runId: string, file: string) => string;
  /** Snapshots of this folder that have the table. */
  readonly published: readonly Manifest[];
}

const locationOf = ({ root, name }: Table): string => `${root}/iceberg/${name}`;

type Files = Map<string, string | Uint8Array>;

/** Field ids that the specification reserves for the columns of a file of positions. */
const POSITION_IDS = '{file_path: 2147483546, pos: 2147483545}';

/** Write a Parquet file of the positions of rows of parts that a later part replaces. @returns their number */
async function writeReplaced(
  { connection }: Pick<Duck, 'connection'>,
  parts: readonly (DataFile & { readonly path: string })[],
  key: readonly string[],
  target: string,
): Promise<number> {
  const replaced = parts.slice(0, -1).map(({ path, location }, index) => {
    const later = parts.slice(index + 1).map((part) => literal(part.path));
    return `SELECT ${literal(location)} AS file_path, file_row_number AS pos
      FROM read_parquet(${literal(path)}, file_row_number = true) AS earlier
      SEMI JOIN read_parquet([${later.join(', ')}]) AS later USING (${key.map(identifier).join(', ')})`;
  });
  const rows = `${replaced.join(' UNION ALL ')} ORDER BY ALL`;
  const [copied] = await rowsOf(
    connection,
    `COPY (${rows}) TO ${literal(target)} (FORMAT parquet, FIELD_IDS ${POSITION_IDS})`,
  );
  return Number(copied?.['Count']);
}

/** Add the metadata files of one snapshot of a table. */
async function addSnapshot(
  duck: Pick<Duck, 'connection'>,
  layout: Layout,
  files: Files,
  { table, manifest, schema }: { readonly table: Table; readonly manifest: Manifest; readonly schema: TableSchema },
): Promise<TableSnapshot> {
  const { name, root, nameOf } = table;
  const { run_id: runId } = manifest;
  const published = manifest.tables[name];
  if (!published) throw new Error(`${runId} has no table ${name}`);
  const id = snapshotIdOf(runId);
  const at = (path: string): string => `${locationOf(table)}/metadata/${path}`;
  const parts = published.files.map(({ file, rows, bytes }) => ({
    path: join(layout.snapshot(runId), file),
    location: `${root}/${nameOf(runId, file)}`,
    rows,
    bytes,
  }));
  const manifests: ListedManifest[] = [];
  let key = '';
  const add = async (content: ListedManifest['content'], listed: readonly DataFile[]): Promise<void> => {
    const entries = await encodeManifest({ id, schema, content, files: listed });
    key ||= `${runId}-${sha256(entries).slice(0, 8)}`;
    const manifestName = `${key}-m${content}.avro`;
    files.set(manifestName, entries);
    manifests.push({ content, location: at(manifestName), bytes: entries.length, files: listed });
  };
  await add(DATA, parts);
  if (parts.length > 1) {
    await makeFolder(layout.iceberg);
    const written = join(layout.iceberg, 'replaced.tmp');
    const rows = await writeReplaced(duck, parts, table.key, written);
    const [content, positions] = [await readFile(written), `${key}-replaced.parquet`];
    await rm(written);
    files.set(positions, content);
    await add(DELETES, [{ location: at(positions), rows, bytes: content.length }]);
  }
  const list = await encodeManifestList(id, manifests);
  const listName = `snap-${key}.avro`;
  files.set(listName, list);
  return {
    'snapshot-id': id,
    'sequence-number': id,
    // Snapshots built at the same instant stay in run order.
    'timestamp-ms': Date.parse(manifest.generated_at) + (id % RUNS_A_DAY),
    'manifest-list': at(listName),
    'schema-id': schema['schema-id'],
    summary: {
      operation: 'overwrite',
      run: runId,
      files: published.files.map(({ file }) => file).join(' '),
      hash: hashOf(published),
    },
  };
}

export interface NextVersion {
  /** Files that the metadata name and that were not there, by name. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** The metadata file. */
  readonly text: string;
  /** Of these names, those that neither this version nor a recent one needs. */
  removable(names: readonly string[], version: number): string[];
}

interface TableState {
  /** Run of the snapshot that readers get by default. */
  readonly current: string;
  /** Text of the latest metadata; empty if there are none. */
  readonly latest: string;
  /** Whether the place has the data file of a snapshot that this folder does not have. */
  readonly hasElsewhere?: (snapshot: TableSnapshot['summary']) => boolean;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** @returns null if the latest metadata are complete, or there is no snapshot */
export async function nextVersion(
  duck: Pick<Duck, 'connection'>,
  layout: Layout,
  table: Table,
  { current, latest, hasElsewhere = () => false }: TableState,
): Promise<NextVersion | null> {
  const location = locationOf(table);
  const checked = TableMetadata.safeParse(parsed(latest));
  const found = checked.success && checked.data.location === location ? checked.data : null;
  const schemas = [...(found?.schemas ?? [])];
  const files: Files = new Map();
  const here = new Set(table.published.map((manifest) => manifest.run_id));
  const snapshots = (found?.snapshots ?? []).filter(({ summary }) => !here.has(summary.run) && hasElsewhere(summary));
  for (const manifest of table.published) {
    const published = manifest.tables[table.name];
    const known = found?.snapshots.find(
      ({ summary }) => summary.run === manifest.run_id && published && summary.hash === hashOf(published),
    );
    if (known) {
      snapshots.push(known);
      continue;
    }
    const path = join(layout.snapshot(manifest.run_id), published?.files.at(-1)?.file ?? '');
    const schema = schemaFor(schemas, fieldsOf(await describe(duck, path, table.notes)));
    if (!schemas.includes(schema)) schemas.push(schema);
    snapshots.push(await addSnapshot(duck, layout, files, { table, manifest, schema }));
  }
  snapshots.sort((a, b) => a['snapshot-id'] - b['snapshot-id']);
  const served = snapshots.find(({ summary }) => summary.run === current) ?? snapshots.at(-1);
  if (!served) return null;
  const used = schemas.filter((schema) => snapshots.some((snapshot) => snapshot['schema-id'] === schema['schema-id']));
  const text = `${JSON.stringify(buildMetadata({ location, schemas: used, snapshots }, served), null, 1)}\n`;
  if (text === latest) return null;
  const kept = new Set(snapshots.map((snapshot) => basename(snapshot['manifest-list'], '.avro').slice('snap-'.length)));
  return {
    files,
    text,
    removable: (names, version) =>
      names.filter((name) => {
        const key = /^(?:snap-)?(.*?)(?:-m\d\.avro|-replaced\.parquet|\.avro)$/u.exec(name)?.[1];
        return (key !== undefined && !kept.has(key)) || (versionOf(name) ?? version) <= version - VERSIONS_KEPT;
      }),
  };
}

/** Run a task for each published table. @param root where readers find the snapshots and the metadata */
export async function forEachTable(
  layout: Layout,
  root: string,
  task: (duck: Pick<Duck, 'connection'>, table: Table) => Promise<void>,
): Promise<void> {
  const published = await publishedSnapshots(layout);
  const models = await loadMarts();
  const duck = await openSmall();
  try {
    for (const { name, contract } of models) {
      const having = published.filter(({ tables }) => name in tables);
      const { columns, key } = contract.record;
      const notes = new Map(columns.map((column) => [column.name, noteOf(column)]));
      const nameOf = (runId: string, file: string): string => `snapshots/${runId}/${file}`;
      await task(duck, { name, root, notes, key, nameOf, published: having });
    }
  } finally {
    await duck.close();
  }
}
