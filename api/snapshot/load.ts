/** A published snapshot, open for queries. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { openDatabase, type Database } from './database.ts';
import { parseRecord } from './json_text.ts';
import { ServedManifest } from '../../models/manifest.ts';
import { allFields, Records } from './records.ts';
import type { TableName } from '../../models/serving/tables.ts';

type Row = Record<string, unknown>;

export interface Snapshot extends Database {
  readonly id: string;
  readonly manifest: ServedManifest;
  /** JSON texts of the records in these rows, in this order. @param columns default: all of the record */
  texts(table: TableName, rows: readonly number[], columns?: readonly string[]): Promise<readonly Buffer[]>;
  /** Full records of the rows that the rest of a SELECT finds: WHERE, ORDER BY, LIMIT. */
  records(table: TableName, rest: string, params?: readonly DuckDBValue[]): Promise<Row[]>;
  /** The same, with some columns only. */
  recordFields(
    table: TableName,
    columns: readonly string[],
    rest: string,
    params?: readonly DuckDBValue[],
  ): Promise<Row[]>;
}

/** A snapshot of the sandbox, or one that does not say of what, where only public records may be sold. */
export class MadeUpData extends Error {
  override readonly name = 'MadeUpData';
}

async function readManifest(folder: string, onlyLive: boolean): Promise<ServedManifest> {
  const read: unknown = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  if (onlyLive && (read as Partial<ServedManifest> | null)?.data_clock !== 'live')
    throw new MadeUpData('it has no live data, which is all that is sold for real money');
  const checked = ServedManifest.safeParse(read);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new Error(`manifest.json: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

/**
 * Open the snapshot in `folder`.
 * @param onlyLive refuse data of the sandbox
 * @throws MadeUpData, or an Error that says in one sentence what is missing or damaged
 */
export async function loadSnapshot(folder: string, onlyLive = false): Promise<Snapshot> {
  const manifest = await readManifest(folder, onlyLive);
  const database = await openDatabase(folder, manifest);
  const records = new Records(database);
  const recordFields: Snapshot['recordFields'] = async (table, columns, rest, params) => {
    const found = await database.rows(`SELECT rowid AS row FROM ${table} ${rest}`, params);
    return (
      await records.texts(
        table,
        found.map(({ row }) => Number(row)),
        columns,
      )
    ).map(parseRecord);
  };
  return {
    ...database,
    id: manifest.run_id,
    manifest,
    recordFields,
    texts: (table, rows, columns) => records.texts(table, rows, columns),
    records: (table, rest, params) => recordFields(table, allFields(table), rest, params),
  };
}
