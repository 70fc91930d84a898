/** The archive: what it stores, what it reports of damage, and what is left of it after a kill or on a full disk. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Archive, ArchiveDamage, archiveFile, openArchive } from '../../lib/archive.ts';
import { DamagedFile, sha256 } from '../../lib/files.ts';
import { fill, mountDisk, unmountDisk } from '../crash/full_disk.ts';
import { thorough } from '../thorough.ts';
import {
  alter,
  cut,
  damageBodies,
  largeFile,
  lose,
  loseBody,
  putPages,
  recordOf,
  replaceBody,
  wrongInArchive,
} from './archive_files.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const newFolder = (): string => memoryFolder('dealfeed-archive-');
const RUN = '2026-11-20.01';
const LARGE = Buffer.alloc((1 << 20) + 1, 'large');
function readRows(dataDir: string, sql: string): unknown[] {
  const db = new DatabaseSync(archiveFile(dataDir));
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}
const rowsIn = (dataDir: string, table: string): number => readRows(dataDir, `SELECT 1 FROM ${table}`).length;

describe('pages', () => {
  test('of the same bytes are stored once, in one file; one above 1 MiB is a file of its own', async () => {
    const dataDir = newFolder();
    const [one, two] = [await openArchive(dataDir), await openArchive(dataDir)];
    const hashes = await Promise.all([one, two, one].map((archive) => archive.put(Buffer.from('a page'))));
    assert.equal(new Set(hashes).size, 1);
    const large = await one.put(LARGE);
    await one.flush();
    await two.flush();
    assert.equal(rowsIn(dataDir, 'body'), 2);
    assert.deepEqual(readdirSync(join(dataDir, 'archive')).sort(), ['archive.sqlite', 'incoming', 'large']);
    assert.deepEqual(readFileSync(largeFile(dataDir, large)), LARGE);
    assert.deepEqual(Buffer.from(await two.read(large)), LARGE);
    assert.equal(two.size(large), LARGE.length);
    const before = statSync(archiveFile(dataDir)).mtimeMs;
    await two.put(Buffer.from('a page'));
    await two.close();
    assert.equal(statSync(archiveFile(dataDir)).mtimeMs, before, 'nothing was written again');
  });

  test('that are damaged or lost are named in an error, and restored when the same bytes are read again', async () => {
    const dataDir = newFolder();
    const archive = await openArchive(dataDir);
    const bodies = [Buffer.from('a page'), LARGE];
    for (const body of bodies) await archive.put(body);
    await archive.flush();
    const [page = '', large = ''] = bodies.map(sha256);
    const named = (hash: string, problem: RegExp) => (error: unknown) =>
      error instanceof ArchiveDamage && error.message.includes(hash) && problem.test(error.message);
    for (const [damage, hash, problem] of [
      [() => damageBodies(dataDir), page, /cannot be decompressed|its SHA-256 is/u],
      [() => replaceBody(dataDir, page, 'another page'), page, /its SHA-256 is/u],
      [() => loseBody(dataDir, page), page, /is missing/u],
      [() => cut(largeFile(dataDir, large), 3), large, /its SHA-256 is/u],
      [() => lose(largeFile(dataDir, large)), large, /is missing/u],
    ] as const) {
      damage();
      await assert.rejects(archive.read(hash), named(hash, problem));
      for (const body of bodies) await archive.put(body);
      await archive.flush();
      assert.deepEqual(await wrongInArchive(dataDir), []);
    }
  });
});

describe('records of requests', () => {
  test('give the latest usable response: newest run first, refusals and truncated bodies skipped', async () => {
    const dataDir = newFolder();
    const archive = await openArchive(dataDir);
    const hash = await archive.put(Buffer.from('x'));
    for (const [runId, rest] of [
      ['2026-11-18.01', { sha256: hash }],
      ['2026-11-19.2', { sha256: hash, kind: 'second' }],
      ['2026-11-19.10', { sha256: hash, kind: 'tenth' }],
      ['2026-11-20.01', { status: 403, sha256: hash, error: 'refused' }],
      ['2026-11-20.02', { error: 'truncated_download' }],
    ] as const)
      await archive.append(recordOf({ runId, ...rest }));
    await archive.flush();
    for (const from of [archive, await openArchive(dataDir)]) {
      const latest = async (accepts?: Parameters<Archive['latest']>[2]): Promise<string | undefined> =>
        (await from.latest('a_source', recordOf({}).url, accepts))?.kind;
      assert.deepEqual(await from.runs('a_source'), [
        '2026-11-18.01',
        '2026-11-19.2',
        '2026-11-19.10',
        '2026-11-20.01',
        '2026-11-20.02',
      ]);
      assert.equal(await latest(), 'tenth');
      assert.equal(await latest(({ kind }) => kind !== 'tenth'), 'second');
      assert.equal(await from.latest('another_source', recordOf({}).url), undefined);
    }
    await archive.append(recordOf({ runId: '2026-11-21.01', kind: 'newer', sha256: hash }));
    assert.equal((await archive.latest('a_source', recordOf({}).url))?.kind, 'newer');
  });
});

describe('an archive is refused in one line', () => {
  const refused = async (dataDir: string, name: string, message: RegExp): Promise<void> => {
    await assert.rejects(openArchive(dataDir), (error: Error) => {
      assert.equal(error.name, name);
      assert.match(error.message, message);
      assert.equal(error.message.includes('\n'), false);
      return true;
    });
  };
  test('if it is of another version, or the folder of an older one', async () => {
    const [newer, older] = [newFolder(), newFolder()];
    await (await openArchive(newer)).close();
    alter(newer, 'PRAGMA user_version = 2');
    await refused(newer, 'SettingError', /whose archive is of another version \(2\); expected version 1\./u);
    mkdirSync(join(older, 'archive', 'objects'), { recursive: true });
    await refused(older, 'SettingError', /whose archive is of another version \(a folder of objects\)/u);
  });

  test('if it is torn: truncated, with a changed head, or no database', async () => {
    const whole = newFolder();
    const archive = await openArchive(whole);
    await putPages(
      archive,
      Array.from({ length: 200 }, (_, number) => `page ${number} `.repeat(number)),
    );
    await archive.close();
    const file = readFileSync(archiveFile(whole));
    const torn = async (bytes: Uint8Array): Promise<string> => {
      const dataDir = newFolder();
      mkdirSync(join(dataDir, 'archive'));
      writeFileSync(archiveFile(dataDir), bytes);
      return dataDir;
    };
    const named =
      /^The archive \S+archive\.sqlite cannot be used: .*\. Check its disk and its permissions, or restore/u;
    await refused(await torn(Buffer.from('no database, but a long text '.repeat(40))), 'DamagedFile', named);
    for (const length of [file.length / 2, file.length - 4096]) {
      const cutOff = await torn(file.subarray(0, length));
      const use = async (): Promise<void> => {
        const opened = await openArchive(cutOff);
        await opened.records('a_source', RUN);
        for (const hash of opened.storedBytes().keys()) await opened.read(hash);
      };
      await assert.rejects(use(), (error) => error instanceof DamagedFile || error instanceof ArchiveDamage);
    }
  });
});

const WRITER = fileURLToPath(new URL('archive_writer.ts', import.meta.url));
function startWriter(dataDir: string, source: string, pages: number) {
  const child = spawn(process.execPath, [WRITER, dataDir, source, String(pages)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)));
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_, signal) => resolve(signal)));
  return { child, lines, ended };
}

describe('processes that write at once', () => {
  test('lose nothing, and none waits for another', async () => {
    const dataDir = newFolder();
    const writers = ['one', 'two'].map((source) => startWriter(dataDir, source, 300));
    for (const { ended } of writers) assert.equal(await ended, null);
    const archive = await openArchive(dataDir);
    for (const source of ['one', 'two']) assert.equal((await archive.records(source, RUN)).length, 300);
    assert.equal(archive.storedBytes().size, 600);
    assert.deepEqual(await wrongInArchive(dataDir), []);
  });

  test('do not disturb a copy made meanwhile', async () => {
    const dataDir = newFolder();
    const { lines, ended } = startWriter(dataDir, 'one', 300);
    while (lines.length < 5) await pause(5);
    const archive = await openArchive(dataDir);
    const copy = newFolder();
    mkdirSync(join(copy, 'archive'));
    const known = Number(lines.at(-1));
    await archive.copyTo(archiveFile(copy));
    assert.equal(await ended, null);
    assert.deepEqual(await wrongInArchive(copy), []);
    const copied = await (await openArchive(copy)).records('one', RUN);
    assert.ok(copied.length >= known && copied.length <= 300, `${copied.length} of at least ${known}`);
  });
});

test('after a kill at any instant, every written page is there, and the next process continues', async () => {
  const dataDir = newFolder();
  const ROUNDS = thorough(2, 60);
  let cuts = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const source = `round_${round}`;
    const { child, lines, ended } = startWriter(dataDir, source, 100_000);
    while (lines.length === 0) await pause(2);
    await pause((round * 37) % 200);
    child.kill('SIGKILL');
    assert.equal(await ended, 'SIGKILL');
    if (existsSync(`${archiveFile(dataDir)}-journal`)) cuts += 1;
    const archive = await openArchive(dataDir);
    const records = await archive.records(source, RUN);
    assert.ok(records.length >= Number(lines.at(-1)), `${records.length} of ${lines.at(-1) ?? ''}`);
    records.forEach(({ url }, index) => assert.equal(url, `https://${source}.example/${index + 1}`));
    await archive.close();
  }
  assert.deepEqual(await wrongInArchive(dataDir), []);
  assert.ok(cuts > 0 || ROUNDS < 60, 'some kills were in the middle of a write');
});

const mounted = mountDisk('4m');

test(
  'on a full disk a write fails with its reason, earlier pages stay, and writes succeed again once there is space',
  { skip: mounted === null ? 'no file system can be mounted here' : false },
  async (t) => {
    const disk = mounted ?? assert.fail();
    t.after(() => unmountDisk(disk));
    const archive = await openArchive(disk);
    const [first = ''] = await putPages(archive, ['the first page']);
    await archive.flush();
    fill(join(disk, 'filler'));
    const texts = Array.from({ length: 60 }, (_, number) => sha256(`page ${number}`).repeat(2000) + String(number));
    const noise = texts.map((text, index) =>
      [...text].map((c, at) => String.fromCharCode(c.charCodeAt(0) + ((at * index) % 31))).join(''),
    );
    const isFull = /database or disk is full|no space left/iu;
    await assert.rejects(archive.put(LARGE), /ENOSPC/u);
    await putPages(archive, noise, { runId: '2026-11-21.01' });
    const other = await openArchive(disk);
    await other.put(Buffer.from(noise.join('')).subarray(0, 1 << 20));
    await assert.rejects(other.flush(), isFull);
    await pause(1300);
    await assert.rejects(archive.append(recordOf({})), isFull, 'the write of a second ago failed');
    assert.deepEqual(await wrongInArchive(disk), []);
    lose(join(disk, 'filler'));
    const again = await openArchive(disk);
    assert.equal(Buffer.from(await again.read(first)).toString(), 'the first page');
    await putPages(again, noise.slice(0, 3), { runId: '2026-11-21.01' });
    await again.close();
    assert.deepEqual(await wrongInArchive(disk), []);
  },
);
