/** The archive: its objects, its lists of requests, and what it reports of damage. */
import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Quarantine } from '../../sources/contract.ts';
import { ArchiveDamage, openArchive, type Archive, type RequestRecord } from '../../sources/fetch/archive.ts';

async function folder(
  t: TestContext,
): Promise<{ dataDir: string; archive: Archive; warnings: string[]; reopen(): Promise<Archive> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dealfeed-archive-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const warnings: string[] = [];
  const reopen = (): Promise<Archive> => openArchive(dataDir, { onWarning: (w) => warnings.push(w) });
  return { dataDir, archive: await reopen(), warnings, reopen };
}

const recordOf = (rest: Partial<RequestRecord>): RequestRecord => ({
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
const pathOf = (dataDir: string, hash: string): string => join(dataDir, 'archive', 'objects', hash.slice(0, 2), hash);

test('the same bytes are one object, written once, even when they arrive twice at once', async (t) => {
  const { dataDir, archive, reopen } = await folder(t);
  const bytes = Buffer.from('a page');
  const hashes = await Promise.all([archive.put(bytes), archive.put(Buffer.from('a page')), archive.put(bytes)]);
  assert.equal(new Set(hashes).size, 1);
  const path = pathOf(dataDir, hashes[0]);
  const written = await stat(path);
  await (await reopen()).put(bytes);
  assert.deepEqual([(await stat(path)).ino, (await stat(path)).mtimeMs], [written.ino, written.mtimeMs]);
  assert.equal((await readFile(path)).toString(), 'a page');
});

test('a damaged object is an error that names it, and is replaced when the same bytes arrive again', async (t) => {
  const { dataDir, archive } = await folder(t);
  const hash = await archive.put(Buffer.from('a page'));
  const named = (error: unknown): boolean =>
    error instanceof ArchiveDamage && error.message.includes(`objects/${hash.slice(0, 2)}/${hash}`);
  await truncate(pathOf(dataDir, hash), 3);
  await assert.rejects(archive.read(hash), named);
  await archive.put(Buffer.from('a page'));
  assert.equal(Buffer.from(await archive.read(hash)).toString(), 'a page');
  await rm(pathOf(dataDir, hash));
  await assert.rejects(archive.page(recordOf({ sha256: hash })), named);
});

test('a line truncated by a crash is reported and skipped, and does not affect later lines', async (t) => {
  const { dataDir, archive, warnings, reopen } = await folder(t);
  for (const url of ['https://a.example/1', 'https://a.example/2']) await archive.append(recordOf({ url }));
  const list = join(dataDir, 'archive', 'requests', 'a_source', '2026-11-20.01.ndjson');
  await appendFile(list, JSON.stringify(recordOf({ url: 'https://a.example/3' })).slice(0, 90));

  const urls = async (from: Archive): Promise<string[]> =>
    (await from.records('a_source', '2026-11-20.01')).map((r) => r.url.slice(-1));
  assert.deepEqual(await urls(await reopen()), ['1', '2']);
  assert.match(
    warnings[0] ?? '',
    /requests\/a_source\/2026-11-20\.01\.ndjson: line 3 is not a complete request record/,
  );
  assert.ok(!(warnings[0] ?? '').includes(dataDir));

  const resumed = await reopen();
  await resumed.append(recordOf({ url: 'https://a.example/4' }));
  assert.deepEqual(await urls(resumed), ['1', '2', '4']);
});

test('records of a run keep the order in which they were appended', async (t) => {
  const { archive } = await folder(t);
  const numbers = Array.from({ length: 50 }, (_, i) => String(i));
  await Promise.all(numbers.map((n) => archive.append(recordOf({ url: `https://a.example/${n}` }))));
  assert.deepEqual(
    (await archive.records('a_source', '2026-11-20.01')).map((r) => new URL(r.url).pathname.slice(1)),
    numbers,
  );
});

test('the latest usable response is found: newest run first, refusals and truncated bodies skipped', async (t) => {
  const { archive, reopen } = await folder(t);
  const sha256 = await archive.put(Buffer.from('x'));
  for (const [runId, rest] of [
    ['2026-11-18.01', { sha256 }],
    ['2026-11-19.2', { sha256, kind: 'second' }],
    ['2026-11-19.10', { sha256, kind: 'tenth' }],
    ['2026-11-20.01', { status: 403, sha256, error: 'refused' }],
    ['2026-11-20.02', { error: 'truncated_download' }],
  ] as const)
    await archive.append(recordOf({ runId, ...rest }));
  const fresh = await reopen();
  assert.deepEqual(await fresh.runs('a_source'), [
    '2026-11-18.01',
    '2026-11-19.2',
    '2026-11-19.10',
    '2026-11-20.01',
    '2026-11-20.02',
  ]);
  assert.equal((await fresh.latest('a_source', 'https://www.example.com/list'))?.kind, 'tenth');
  assert.equal(
    (await fresh.latest('a_source', 'https://www.example.com/list', (r) => r.kind !== 'tenth'))?.kind,
    'second',
  );
  assert.equal(await fresh.latest('another_source', 'https://www.example.com/list'), undefined);
  await fresh.append(recordOf({ runId: '2026-11-21.01', kind: 'newer', sha256 }));
  assert.equal((await fresh.latest('a_source', 'https://www.example.com/list'))?.kind, 'newer');
});

test('text is UTF-8 without its byte order mark; another encoding only if the adapter expects it', async (t) => {
  const { archive } = await folder(t);
  const page = async (bytes: Uint8Array) => archive.page(recordOf({ sha256: await archive.put(bytes) }));
  assert.equal((await page(Buffer.from('\uFEFFHEADER,Ünïcode'))).text('windows-1252'), 'HEADER,Ünïcode');
  const cp1252 = await page(Buffer.from([0x50, 0x45, 0xd1, 0x41, 0x80]));
  assert.equal(cp1252.text('windows-1252'), 'PEÑA€');
  assert.throws(
    () => cp1252.text(),
    (e: unknown) =>
      e instanceof Quarantine && e.reason === 'malformed_page' && e.pageUrl === 'https://www.example.com/list',
  );
});

test('an invalid record is reported, whatever it contains', async (t) => {
  const { dataDir, archive, warnings, reopen } = await folder(t);
  await archive.append(recordOf({}));
  await writeFile(
    join(dataDir, 'archive', 'requests', 'a_source', '2026-11-20.01.ndjson'),
    '{"source":"a_source"}\nnull\n',
  );
  assert.deepEqual(await (await reopen()).records('a_source', '2026-11-20.01'), []);
  assert.equal(warnings.length, 2);
});
