/** Archives for tests: records, damage, and bodies as a crash or a disk may leave them. */
import { existsSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { type Archive, archiveFile, openArchive } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import type { Store } from '../../lib/store/store.ts';
import { openStoredArchive } from '../../pipelines/store/folder.ts';

export const recordOf = (rest: Partial<RequestRecord>): RequestRecord => ({
  source: 'a_source',
  runId: '2026-11-20.01',
  method: 'GET',
  url: 'https://www.example.com/list',
  status: 200,
  kind: 'list',
  context: {},
  requestHeaders: {},
  responseHeaders: {},
  sha256: null,
  bytes: 0,
  observedAt: '2026-11-20T12:00:00Z',
  fromCache: false,
  error: null,
  ...rest,
});

/** Change an archive behind its back. */
export function alter(dataDir: string, sql: string, ...values: readonly (string | number | Uint8Array)[]): number {
  const db = new DatabaseSync(archiveFile(dataDir));
  const { changes } = db.prepare(sql).run(...values);
  db.close();
  return Number(changes);
}

export const largeFile = (dataDir: string, hash: string): string =>
  join(dataDir, 'archive', 'large', hash.slice(0, 2), hash);

/** Store other bytes under a hash. */
export const replaceBody = (dataDir: string, hash: string, bytes: string): number =>
  alter(dataDir, 'UPDATE body SET zstd = ? WHERE sha256 = unhex(?)', zstdCompressSync(bytes), hash);

/** Damage every body. */
export function damageBodies(dataDir: string): void {
  alter(dataDir, "UPDATE body SET zstd = CAST(substr(zstd, 1, length(zstd) - 1) || x'ff' AS BLOB)");
}

export const loseBody = (dataDir: string, hash: string): number =>
  alter(dataDir, 'DELETE FROM body WHERE sha256 = unhex(?)', hash);

/** Archive a page in a data folder. @returns its hash */
export async function archivePage(
  dataDir: string,
  page: string | Uint8Array,
  rest: Partial<RequestRecord> = {},
): Promise<string> {
  const archive = await openArchive(dataDir);
  const sha256 = await archive.put(typeof page === 'string' ? Buffer.from(page) : page);
  await archive.append(recordOf({ sha256, ...rest }));
  await archive.close();
  return sha256;
}

/** Every body and every record of an archive, as text. */
export async function archivedTexts(dataDir: string): Promise<string[]> {
  const archive = await openArchive(dataDir);
  const texts: string[] = [];
  for (const hash of archive.storedBytes().keys()) texts.push(Buffer.from(await archive.read(hash)).toString('latin1'));
  for (const { source, runId } of archive.readsWithHashes())
    texts.push(...(await archive.records(source, runId)).map((record) => JSON.stringify(record)));
  await archive.close();
  return texts;
}

/** What is wrong in an archive, each in one sentence: its file, every body, and every record. */
export async function wrongInArchive(dataDir: string, store?: Store): Promise<string[]> {
  if (!existsSync(archiveFile(dataDir))) return [];
  const archive = await openStoredArchive(dataDir, store, () => {});
  const wrong: string[] = [];
  const db = new DatabaseSync(archiveFile(dataDir));
  for (const { integrity_check: found } of db.prepare('PRAGMA integrity_check').all())
    if (found !== 'ok') wrong.push(`the file: ${String(found)}`);
  db.close();
  const stored = archive.storedBytes();
  for (const hash of stored.keys())
    await archive.read(hash).catch((error: unknown) => wrong.push((error as Error).message));
  for (const { source, runId, hashes } of archive.readsWithHashes()) {
    const records = await archive.records(source, runId);
    const named = records.flatMap(({ sha256 }) => sha256 ?? []);
    if (JSON.stringify(named.toSorted()) !== JSON.stringify(hashes.toSorted()))
      wrong.push(`${source} ${runId}: the records and the rows of the requests differ`);
    for (const hash of named)
      if (!stored.has(hash)) await archive.read(hash).catch((error: unknown) => wrong.push((error as Error).message));
  }
  await archive.close();
  return wrong;
}

/** Put pages and their records. @returns their hashes */
export async function putPages(archive: Archive, texts: readonly string[], rest: Partial<RequestRecord> = {}) {
  const hashes: string[] = [];
  for (const text of texts) {
    const sha256 = await archive.put(Buffer.from(text));
    await archive.append(recordOf({ sha256, url: `https://www.example.com/${hashes.length}`, ...rest }));
    hashes.push(sha256);
  }
  return hashes;
}

export const cut = (path: string, bytes: number): void => truncateSync(path, bytes);
export const lose = (path: string): void => rmSync(path);
