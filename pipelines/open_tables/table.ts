/**
 * The Iceberg tables of published snapshots (https://iceberg.apache.org/spec/, version 2), in a data folder or a store:
 * `iceberg/<table>/metadata/`. Only metadata: the data files are the Parquet files of the snapshots. A table in parts
 * has several of them, and a file with the positions of their rows that a later part replaces: engines read that, and
 * few read deletes by a key.
 *
 * They are written after a publication, from what is published: files under names that nobody has used, then the hint,
 * which is replaced. A crash leaves the version before, whose files are all there; the next run writes what is missing.
 */
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { atOnce } from '../../lib/at_once.ts';
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { DamagedFile, makeFolder, sha256, writeWhole } from '../../lib/files.ts';
import { noteOf } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { readCatalog, snapshotFileName, type Catalog } from '../../lib/store/catalog.ts';
import { FolderStore } from '../../lib/store/folder.ts';
import type { NamedFile, Store } from '../../lib/store/store.ts';
import { fieldIdOf } from '../../models/field_ids.ts';
import { loadMarts, type Mart } from '../../models/index.ts';
import { hashOf, type Manifest } from '../../models/manifest.ts';
import { parseRunId, type Layout } from '../layout.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';
import { DATA, DELETES, encodeManifest, encodeManifestList, type DataFile, type ListedManifest } from './avro.ts';

/** Where tables are written, and what is published there. */
interface Place {
  readonly store: Store;
  /** Prefix of the names of metadata in the store. */
  readonly prefix: string;
  /** Where readers find `snapshots/` and `iceberg/`: a path, or a URL such as s3://bucket/prefix. */
  readonly url: string;
  /** Run of the snapshot that readers get by default. */
  readonly current: string;
  /** Name of a file of a snapshot below the URL. */
  nameOf(runId: string, file: string): string;
  /** Whether a snapshot is published with these files: a rule of a bucket may have expired one. */
  has(runId: string, files: readonly string[]): boolean;
  /** Whether nothing else was published meanwhile: else another run writes the tables. */
  isCurrent(): Promise<boolean>;
}

/** A data folder has one writer, so names are taken without hard links, which some of its file systems lack. */
class DataFolder extends FolderStore {
  readonly #root: string;

  constructor(root: string) {
    super(root);
    this.#root = root;
  }

  override put({ name }: NamedFile, bytes: Uint8Array): Promise<void> {
    return writeWhole(join(this.#root, name), bytes);
  }

  override async create(name: string, text: string): Promise<boolean> {
    await writeWhole(join(this.#root, name), text);
    return true;
  }

  /** No failure is of STORE, as one of another host would be. */
  protected override outageOf(): null {
    return null;
  }
}

/**
 * Write what is missing of the tables of a data folder.
 * @param url where readers find the data folder. Default: its absolute path
 * @returns names of the tables whose metadata changed
 */
export async function writeOpenTables(layout: Layout, url = resolve(layout.root)): Promise<readonly string[]> {
  const current = await currentSnapshot(layout);
  const readable = (await readableManifests(layout)).map((manifest) => manifest.run_id);
  if (current === null) return [];
  return writeTables(layout, {
    store: new DataFolder(layout.iceberg),
    prefix: '',
    url,
    current,
    nameOf: (runId, file) => `snapshots/${runId}/${file}`,
    has: (runId) => readable.includes(runId),
    isCurrent: () => Promise.resolve(true),
  });
}

/** What a catalog says about snapshots. */
type Published = Pick<Catalog, 'current' | 'runs'>;

/** The snapshots of a catalog, to compare: reads of other runs change nothing here. */
const snapshotsOf = ({ current, runs }: Published): string =>
  JSON.stringify([current, runs.filter((run) => run.manifest !== null)]);

/**
 * Write what is missing of the tables of a store, so that an engine that has only the bucket reads them.
 * @param catalog the published one
 * @param url where readers find the store
 * @returns names of the tables whose metadata changed
 */
export async function writeStoredTables(
  store: Store,
  layout: Layout,
  catalog: Published,
  url = store.url,
): Promise<readonly string[]> {
  const stored = new Set([...(await store.list('snapshots/')).keys(), ...(await store.list('parts/')).keys()]);
  const runIds = catalog.runs.filter((run) => run.manifest !== null).map((run) => run.run_id);
  return writeTables(layout, {
    store,
    prefix: 'iceberg/',
    url,
    current: catalog.current ?? '',
    nameOf: snapshotFileName,
    has: (runId, files) =>
      runIds.includes(runId) && files.every((file) => file !== '' && stored.has(snapshotFileName(runId, file))),
    async isCurrent() {
      const now = (await readCatalog(store))?.catalog;
      return now !== undefined && snapshotsOf(now) === snapshotsOf(catalog);
    },
  });
}

/** Attempts while other runs write the same tables. */
const TRIES = 3;

async function writeTables(layout: Layout, place: Place): Promise<readonly string[]> {
  const { store, prefix } = place;
  const manifests = await readableManifests(layout);
  const marts = await loadMarts();
  await using duck = await openSmall();
  const { connection } = duck;
  const written: string[] = [];
  for (let attempt = 1, isComplete = false; attempt <= TRIES && !isComplete; attempt += 1) {
    const names = [...(await store.list(prefix)).keys()];
    const changes: Change[] = [];
    for (const mart of marts) {
      const table = new Table(connection, layout, place, mart);
      const change = await table.change(
        names,
        manifests.filter(({ tables }) => mart.name in tables),
      );
      if (change) changes.push(change);
    }
    // List first: of two runs, the later one either sees the files of the other or fails to create its own.
    if (!(await place.isCurrent())) break;
    isComplete = true;
    await atOnce(changes, async (change) => {
      if (await write(store, change)) written.push(change.table);
      else isComplete = false;
    });
  }
  return written.sort();
}

/** No reader can trust the files of a damaged snapshot; make status and the run that continues it name the damage. */
async function readableManifests(layout: Layout): Promise<Manifest[]> {
  const all: Manifest[] = [];
  for (const runId of await listSnapshots(layout)) {
    const manifest = await readManifest(layout, runId).catch((error: unknown) => {
      if (!(error instanceof DamagedFile)) throw error;
    });
    if (manifest) all.push(manifest);
  }
  return all;
}

/** Names the version that readers open. */
const HINT = 'version-hint.text';
/** Older metadata files stay for readers that opened them. */
const VERSIONS_KEPT = 5;

const metadataFile = (version: number): string => `v${version}.metadata.json`;

/** Version of a metadata file; 0 for another file. */
const versionOf = (name: string): number => Number(/^v(\d+)\.metadata\.json$/u.exec(name)?.[1] ?? 0);

/** The next version of a table's metadata. */
interface Change {
  readonly table: string;
  /** Prefix of its names. */
  readonly folder: string;
  /** Files that the metadata name and that were not there, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly version: number;
  readonly text: string;
  /** Names that neither this version nor a recent one needs. */
  readonly removable: readonly string[];
}

/** @returns false if another run has written this version */
async function write(store: Store, { folder, files, version, text, removable }: Change): Promise<boolean> {
  const put = (name: string, bytes: Uint8Array): Promise<void> =>
    store.put({ name: `${folder}${name}`, sha256: sha256(bytes) }, bytes);
  for (const [name, bytes] of files) await put(name, bytes);
  if (!(await store.create(`${folder}${metadataFile(version)}`, text))) return false;
  await put(HINT, Buffer.from(String(version)));
  for (const name of removable) await store.remove(`${folder}${name}`);
  return true;
}

const Field = z.strictObject({
  id: z.int(),
  name: z.string(),
  required: z.literal(false),
  type: z.string(),
  doc: z.string().optional(),
});
const Schema = z.strictObject({ type: z.literal('struct'), 'schema-id': z.int(), fields: z.array(Field) });
type Schema = z.infer<typeof Schema>;
const Snapshot = z.strictObject({
  'snapshot-id': z.int(),
  'sequence-number': z.int(),
  'timestamp-ms': z.int(),
  'manifest-list': z.string(),
  'schema-id': z.int(),
  /** `run`, `files` and `hash` are ours: the run of the snapshot, its Parquet files and their hash. */
  summary: z.strictObject({ operation: z.literal('overwrite'), run: z.string(), files: z.string(), hash: z.string() }),
});
type Snapshot = z.infer<typeof Snapshot>;

/** The part of a metadata file that the next version continues. */
const Metadata = z.looseObject({ location: z.string(), schemas: z.array(Schema), snapshots: z.array(Snapshot) });

/** Types of Iceberg by those of DuckDB. */
const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  JSON: 'string',
  UUID: 'uuid',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
  BOOLEAN: 'boolean',
  INTEGER: 'int',
  BIGINT: 'long',
};

/** @throws if Iceberg has no such type */
function typeOf(column: string, sql: string): string {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/u.exec(sql);
  const type = decimal ? `decimal(${decimal[1] ?? ''}, ${decimal[2] ?? ''})` : TYPES[sql];
  if (type === undefined) throw new Error(`column ${column} is ${sql}, for which no Iceberg type is declared`);
  return type;
}

/** More runs than a day can have, so that ids of two days never collide. */
const RUNS_A_DAY = 1_000;

/** Id and sequence number of a run's snapshot: 2026-11-20.01 is 20261120001. Later runs have higher numbers. */
export function snapshotIdOf(runId: string): number {
  const { asOf = '', number = 0 } = parseRunId(runId) ?? {};
  return Number(asOf.replaceAll('-', '')) * RUNS_A_DAY + number;
}

/** A UUID of the table that stays the same while the table stays in its place. */
function tableUuid(location: string): string {
  const hex = createHash('sha256').update(location).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

/** @param current snapshot that readers get by default @param snapshots in the order of their ids */
function metadataText(
  location: string,
  schemas: readonly Schema[],
  snapshots: readonly Snapshot[],
  current: Snapshot,
): string {
  const used = schemas.filter((schema) => snapshots.some((snapshot) => snapshot['schema-id'] === schema['schema-id']));
  const metadata = {
    'format-version': 2,
    'table-uuid': tableUuid(location),
    location,
    'last-sequence-number': Math.max(...snapshots.map((snapshot) => snapshot['sequence-number'])),
    'last-updated-ms': Math.max(...snapshots.map((snapshot) => snapshot['timestamp-ms'])),
    'last-column-id': Math.max(...used.flatMap(({ fields }) => fields.map(({ id }) => id))),
    schemas: used,
    'current-schema-id': current['schema-id'],
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'default-spec-id': 0,
    'last-partition-id': 999,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    'current-snapshot-id': current['snapshot-id'],
    refs: { main: { 'snapshot-id': current['snapshot-id'], type: 'branch' } },
    snapshots,
  };
  return `${JSON.stringify(metadata, null, 1)}\n`;
}

const parsed = (bytes: Uint8Array | null): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes ?? []).toString());
  } catch {
    return undefined;
  }
};

/** Field ids that the specification reserves for the columns of a file of positions. */
const POSITION_IDS = '{file_path: 2147483546, pos: 2147483545}';

/** A table in a place, and what its next version adds. */
class Table {
  readonly #connection: DuckDBConnection;
  readonly #layout: Layout;
  readonly #place: Place;
  readonly #mart: Mart;
  readonly #location: string;
  readonly #schemas: Schema[] = [];
  readonly #files = new Map<string, Uint8Array>();

  constructor(connection: DuckDBConnection, layout: Layout, place: Place, mart: Mart) {
    this.#connection = connection;
    this.#layout = layout;
    this.#place = place;
    this.#mart = mart;
    this.#location = `${place.url}/iceberg/${mart.name}`;
  }

  /**
   * @param written names of metadata in the place
   * @param manifests those of the snapshots here that have the table
   * @returns null if the latest metadata are complete, or no snapshot is published
   */
  async change(written: readonly string[], manifests: readonly Manifest[]): Promise<Change | null> {
    const [{ store, prefix, current, has }, table] = [this.#place, this.#mart.name];
    const folder = `${prefix}${table}/metadata/`;
    const names = written.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
    const version = Math.max(0, ...names.map(versionOf));
    const latest = version === 0 ? null : await store.read(`${folder}${metadataFile(version)}`);
    const checked = Metadata.safeParse(parsed(latest));
    const found = checked.data?.location === this.#location ? checked.data : undefined;
    this.#schemas.push(...(found?.schemas ?? []));
    const here = manifests.map((manifest) => manifest.run_id);
    // The place may have the files of a snapshot that this folder does not have.
    const snapshots = (found?.snapshots ?? []).filter(
      ({ summary: { run, files } }) => !here.includes(run) && has(run, files.split(' ')),
    );
    for (const manifest of manifests) {
      const published = manifest.tables[table] ?? { rows: 0, files: [] };
      const files = published.files.map(({ file }) => file);
      const hash = hashOf(published);
      if (!has(manifest.run_id, files)) continue;
      const known = found?.snapshots.find(({ summary }) => summary.run === manifest.run_id && summary.hash === hash);
      const summary = { operation: 'overwrite' as const, run: manifest.run_id, files: files.join(' '), hash };
      snapshots.push(known ?? { ...(await this.#addSnapshot(manifest)), summary });
    }
    snapshots.sort((a, b) => a['snapshot-id'] - b['snapshot-id']);
    const served = snapshots.find(({ summary }) => summary.run === current) ?? snapshots.at(-1);
    if (!served) return null;
    const text = metadataText(this.#location, this.#schemas, snapshots, served);
    const hint = await store.read(`${folder}${HINT}`);
    // A writer that was killed before it replaced the hint left readers at the version before.
    const isHinted = String(version) === (hint && Buffer.from(hint).toString());
    if (latest && isHinted && text === Buffer.from(latest).toString()) return null;
    const kept = snapshots.map((snapshot) => basename(snapshot['manifest-list'], '.avro').slice('snap-'.length));
    const removable = names.filter((name) => {
      const key = /^(?:snap-)?(.*?)(?:-m\d\.avro|-replaced\.parquet|\.avro)$/u.exec(name)?.[1];
      const ofVersion = versionOf(name) || version + 1;
      return (key !== undefined && !kept.includes(key)) || ofVersion <= version + 1 - VERSIONS_KEPT;
    });
    return { table, folder, files: this.#files, version: version + 1, text, removable };
  }

  /** Add the metadata files of one snapshot. */
  async #addSnapshot(manifest: Manifest): Promise<Omit<Snapshot, 'summary'>> {
    const { url, nameOf } = this.#place;
    const { run_id: runId, tables } = manifest;
    const id = snapshotIdOf(runId);
    const at = (name: string): string => `${this.#location}/metadata/${name}`;
    const parts = (tables[this.#mart.name]?.files ?? []).map(({ file, rows, bytes }) => {
      const path = join(this.#layout.snapshot(runId), file);
      return { path, location: `${url}/${nameOf(runId, file)}`, rows, bytes };
    });
    const schema = await this.#schemaOf(parts.at(-1)?.path ?? '');
    const manifests: ListedManifest[] = [];
    let key = '';
    const add = async (content: ListedManifest['content'], files: readonly DataFile[]): Promise<void> => {
      const entries = await encodeManifest({ id, schema, content, files });
      key ||= `${runId}-${sha256(entries).slice(0, 8)}`;
      const name = `${key}-m${content}.avro`;
      this.#files.set(name, entries);
      manifests.push({ content, location: at(name), bytes: entries.length, files });
    };
    await add(DATA, parts);
    if (parts.length > 1) {
      const { rows, content } = await this.#replaced(parts);
      const positions = `${key}-replaced.parquet`;
      this.#files.set(positions, content);
      await add(DELETES, [{ location: at(positions), rows, bytes: content.length }]);
    }
    const list = `snap-${key}.avro`;
    this.#files.set(list, await encodeManifestList(id, manifests));
    return {
      'snapshot-id': id,
      'sequence-number': id,
      // Snapshots built at the same instant stay in run order.
      'timestamp-ms': Date.parse(manifest.generated_at) + (id % RUNS_A_DAY),
      'manifest-list': at(list),
      'schema-id': schema['schema-id'],
    };
  }

  /** The schema of a Parquet file: one that the table has already, or a new one. All fields are optional, because
   * older files may lack a column that is required today. */
  async #schemaOf(path: string): Promise<Schema> {
    const notes = new Map(this.#mart.contract.record.columns.map((column) => [column.name, noteOf(column)]));
    const columns = await rowsOf(this.#connection, `DESCRIBE FROM read_parquet(${literal(path)})`);
    const fields = columns.map(({ column_name, column_type }): Schema['fields'][number] => {
      const name = String(column_name);
      const doc = notes.get(name);
      const type = typeOf(name, String(column_type));
      return { id: fieldIdOf(name), name, required: false, type, ...(doc === undefined ? {} : { doc }) };
    });
    const same = this.#schemas.find((schema) => JSON.stringify(schema.fields) === JSON.stringify(fields));
    const id = Math.max(-1, ...this.#schemas.map((schema) => schema['schema-id'])) + 1;
    const schema: Schema = same ?? { type: 'struct', 'schema-id': id, fields };
    if (!same) this.#schemas.push(schema);
    return schema;
  }

  /** A Parquet file of the positions of rows of parts that a later part replaces. */
  async #replaced(parts: readonly (DataFile & { readonly path: string })[]) {
    const key = this.#mart.contract.record.key.map(identifier).join(', ');
    const replaced = parts.slice(0, -1).map(({ path, location }, index) => {
      const later = parts.slice(index + 1).map((part) => literal(part.path));
      return `SELECT ${literal(location)} AS file_path, file_row_number AS pos
        FROM read_parquet(${literal(path)}, file_row_number = true) AS earlier
        SEMI JOIN read_parquet([${later.join(', ')}]) AS later USING (${key})`;
    });
    await makeFolder(this.#layout.iceberg);
    const target = join(this.#layout.iceberg, 'replaced.tmp');
    const [copied] = await rowsOf(
      this.#connection,
      `COPY (${replaced.join(' UNION ALL ')} ORDER BY ALL) TO ${literal(target)}
      (FORMAT parquet, FIELD_IDS ${POSITION_IDS})`,
    );
    const content = await readFile(target);
    await rm(target);
    return { rows: Number(copied?.['Count']), content };
  }
}
