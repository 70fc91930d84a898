/**
 * Writes a ledger to one file of gzipped JSON lines, from which either database can be restored. The first line names
 * the ledger and the time; then come the rows of every table; the last line has their counts. Servers may sell
 * meanwhile: the file is a consistent snapshot. It is written under a temporary name, read back, checked, and then
 * renamed.
 */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sync } from '../../lib/files.ts';
import { readIdentity } from '../identity.ts';
import type { Query, Store, Value } from '../sql/store.ts';
import { checkBackup, FORMAT, VERSION, type Counts } from './read.ts';
import { decompressed, jsonValue, TABLES, type Table } from './tables.ts';

const PAGE_ROWS = 200;

/** All rows of a table in the order of its key, read page by page. */
async function* rowsOf(
  query: Query,
  { name, columns, key, pageRows = PAGE_ROWS, codings = [], answers = {} }: Table,
): AsyncGenerator<readonly unknown[]> {
  const selected = [...new Set([...columns, ...key, ...codings])]
    .map((column) => answers[column]?.read ?? column)
    .join(', ');
  const order = key.join(', ');
  const after = ` WHERE (${order}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
  for (let last: Value[] | undefined; ;) {
    const rows = await query(
      `SELECT ${selected} FROM ${name}${last ? after : ''} ORDER BY ${order} LIMIT ${pageRows}`,
      ...(last ?? []),
    );
    for (const row of rows.map(decompressed)) yield columns.map((column) => jsonValue(column, row[column]));
    const end = rows.at(-1);
    if (!end) return;
    last = key.map((column) => jsonValue(column, end[column]) as Value);
  }
}

async function* backupLines(query: Query): AsyncGenerator<string> {
  const { id, epoch } = await readIdentity(query);
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, at_ms: Date.now(), id, epoch })}\n`;
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    counts[table.name] = 0;
    for await (const row of rowsOf(query, table)) {
      counts[table.name] = (counts[table.name] ?? 0) + 1;
      yield `${JSON.stringify([table.name, ...row])}\n`;
    }
  }
  yield `${JSON.stringify({ counts })}\n`;
}

/** Write a complete, checked backup to `file`, or nothing. @returns rows by table */
export async function backUp(store: Store, file: string): Promise<Counts> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await store.readSnapshot((query) =>
      pipeline(backupLines(query), createGzip(), createWriteStream(temporary, { mode: 0o600 })),
    );
    await sync(temporary);
    const counts = await checkBackup(temporary);
    await rename(temporary, file);
    await sync(dirname(file));
    return counts;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
