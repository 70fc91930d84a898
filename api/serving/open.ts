/** A published snapshot, open for requests: its serving files, which are opened in milliseconds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, sha256OfFile } from '../../lib/files.ts';
import { isVerified, markVerified } from '../../lib/verified.ts';
import { ServedManifest } from '../../models/manifest.ts';
import { isFileOf, servingVersion, TABLE_NAMES, type TableName } from '../../models/serving/tables.ts';
import { parseRecord, recordReader } from './records.ts';
import { pause } from './slices.ts';
import { Tables } from './tables.ts';

/** Records that are read at once. */
const SLICE_ROWS = 10;

/** An open snapshot, whose records are read as texts and as objects. */
export class Snapshot extends Tables {
  readonly id: string;
  readonly manifest: ServedManifest;
  readonly #small = new Map<TableName, readonly Readonly<Record<string, unknown>>[]>();

  constructor(manifest: ServedManifest, paths: ReadonlyMap<string, string>) {
    super(paths);
    this.id = manifest.run_id;
    this.manifest = manifest;
  }

  /**
   * JSON texts of the records in these rows, in this order, each without its last brace.
   * @param fields default: all of the record
   */
  openTexts(table: TableName, rows: readonly number[], fields?: readonly string[]): string[] {
    return rows.length === 0 ? [] : recordReader(this, table, fields)(rows);
  }

  /** Whole texts as bytes, in slices, for a page of large records. */
  async textsInSlices(table: TableName, rows: readonly number[], fields?: readonly string[]): Promise<Buffer[]> {
    const read = recordReader(this, table, fields);
    const texts: Buffer[] = [];
    for (let from = 0; from < rows.length; from += SLICE_ROWS) {
      await pause();
      texts.push(...read(rows.slice(from, from + SLICE_ROWS)).map((text) => Buffer.from(`${text}}`)));
    }
    return texts;
  }

  /** The same as objects. */
  records(table: TableName, rows: readonly number[], fields?: readonly string[]): Record<string, unknown>[] {
    return this.openTexts(table, rows, fields).map((text) => parseRecord(`${text}}`));
  }

  /** Every record of a small table, in published order. Read once. */
  all(table: TableName): readonly Readonly<Record<string, unknown>>[] {
    let found = this.#small.get(table);
    if (!found) this.#small.set(table, (found = this.records(table, this.presentRows(table))));
    return found;
  }
}

/** A snapshot that may not be sold for real money: made-up data, or rows that nobody says may be sold. */
export class NotForSale extends Error {
  override readonly name = 'NotForSale';
}

const ANOTHER_VERSION = 'another version built it. Publish once with this version: make run';

async function readManifest(folder: string, isForSale: boolean): Promise<ServedManifest> {
  const read: unknown = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  if (isForSale && (read as Partial<ServedManifest> | null)?.data_clock !== 'live')
    throw new NotForSale('it has made-up data of the sandbox, or does not say which data it has');
  const checked = ServedManifest.safeParse(read);
  if (checked.success) {
    const unfit = checked.data.sources
      .filter(({ resale, last_good_at: readAt }) => readAt !== null && resale !== 'allowed' && resale !== 'confirmed')
      .map(({ source }) => source);
    if (isForSale && unfit.length > 0)
      throw new NotForSale(`neither their terms nor PERMITTED say that these may be sold: ${unfit.join(',')}`);
    return checked.data;
  }
  const [issue] = checked.error.issues;
  throw new Error(`manifest.json: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

/** Files that `make prune` removed from a snapshot that stays: pruned.json in its folder. */
const PrunedFiles = z.object({ files: z.array(z.string()) });

/** The error for a file that is not there, with the remedy. */
async function missingFile(folder: string, file: string): Promise<Error> {
  const pruned = PrunedFiles.safeParse(await readJson(join(folder, 'pruned.json')));
  return new Error(
    pruned.data?.files.includes(file) === true
      ? `${file} was removed by make prune: publish again with make run, or point current at a newer snapshot`
      : `${file} is missing: restore it from a backup, or publish again with make run`,
  );
}

/** Check that the files have their hashes; those of files that were checked on this disk are not computed again. */
async function checkFiles(folder: string, { serving }: ServedManifest): Promise<ReadonlyMap<string, string>> {
  for (const table of TABLE_NAMES)
    if (!serving.some(({ file }) => isFileOf(table, file)))
      throw new Error(`the manifest has no file of ${table}: ${ANOTHER_VERSION}`);
  let isNew = false;
  for (const one of serving) {
    const isHashed = async (): Promise<boolean> => {
      if (await isVerified(folder, one)) return true;
      isNew = true;
      return (await sha256OfFile(join(folder, one.file))) === one.sha256;
    };
    const isWhole = await isHashed().catch(async (error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? await missingFile(folder, one.file) : error;
    });
    if (!isWhole) throw new Error(`${one.file} does not have the hash in its manifest`);
  }
  // Only a help for the next start: the folder may be read-only.
  if (isNew) await markVerified(folder, serving).catch(() => {});
  return new Map(serving.map(({ file }) => [file, join(folder, file)]));
}

/** Check that this version wrote the files, and that they have the rows that the manifest states. */
function checkTables(snapshot: Snapshot): void {
  for (const [file, version] of snapshot.versions())
    if (version !== servingVersion()) throw new Error(`${file} has other tables: ${ANOTHER_VERSION}`);
  for (const table of TABLE_NAMES) {
    const [found, stated] = [snapshot.count(table), snapshot.manifest.tables[table]?.rows];
    if (found !== stated)
      throw new Error(`${table} has ${found} rows in the serving files, the manifest states ${stated}`);
  }
}

/**
 * Open the snapshot in `folder`.
 * @param isForSale refuse what may not be sold for real money
 * @param suppressed ids and sealed names whose records are left out (lib/suppressions.ts)
 * @throws NotForSale, or an Error that says in one sentence what is missing or damaged
 */
export async function openSnapshot(
  folder: string,
  isForSale = false,
  suppressed: readonly string[] = [],
): Promise<Snapshot> {
  const manifest = await readManifest(folder, isForSale);
  const snapshot = new Snapshot(manifest, await checkFiles(folder, manifest));
  try {
    checkTables(snapshot);
    await snapshot.leaveOut(suppressed);
  } catch (error) {
    snapshot.close();
    throw error;
  }
  return snapshot;
}
