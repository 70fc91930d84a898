/** A store in a folder and one in a bucket behave alike, whatever the network and the service do. */
import assert from 'node:assert/strict';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../lib/files.ts';
import { FolderStore } from '../../lib/store/folder.ts';
import { S3Store } from '../../lib/store/s3.ts';
import { downloadVerified, objectOf, readVerified, type Store, type WaitOptions } from '../../lib/store/store.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { BUCKET, startS3, withS3, type S3Server } from './s3_server.ts';

const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes));
const bytesOf = (content: string): Uint8Array => new TextEncoder().encode(content);

describe('a store', () => {
  let s3: S3Server;
  const stores: Store[] = [];
  let restore: () => void;
  before(async () => {
    s3 = await startS3();
    restore = withS3(s3);
    stores.push(
      new FolderStore(memoryFolder('dealfeed-store-')),
      new S3Store({ bucket: BUCKET, prefix: 'feed/', waitMs: 0 }),
    );
  });
  after(async () => {
    for (const store of stores) store.close();
    restore();
    await s3.close();
  });

  test('has the stored files, and reports missing ones', async () => {
    for (const store of stores) {
      const page = objectOf(sha256('page'));
      const folder = memoryFolder('dealfeed-files-');
      const path = join(folder, 'file');
      await writeFile(path, 'parquet');
      await store.put(page, bytesOf('page'));
      await store.putFile({ name: 'snapshots/2026-11-20.01/a.parquet', sha256: sha256('parquet') }, path);
      assert.equal(text(await store.read(page.name)), 'page');
      assert.equal(await store.size('snapshots/2026-11-20.01/a.parquet'), 7);
      assert.deepEqual([...(await store.list('snapshots/'))], [['snapshots/2026-11-20.01/a.parquet', 7]]);
      assert.equal(await store.read('objects/00/none'), null);
      assert.equal(await store.size('objects/00/none'), null);
      assert.equal(await store.download('objects/00/none', join(folder, 'none')), false);
      assert.equal((await store.list('none/')).size, 0);
      await store.remove('snapshots/2026-11-20.01/a.parquet');
      assert.equal((await store.list('snapshots/')).size, 0);
    }
  });

  test('gives a name to only one of several concurrent writers', async () => {
    for (const store of stores) {
      const asked = ['a', 'b', 'c', 'd'].map((writer) => store.create('runs/2026-11-20.01', writer));
      assert.deepEqual((await Promise.all(asked)).filter(Boolean), [true]);
    }
  });

  test('switches its pointer for one of two writers that read the same', async () => {
    for (const store of stores) {
      assert.equal(await store.pointer(), null);
      const first = await Promise.all([store.switchPointer('a', null), store.switchPointer('b', null)]);
      assert.deepEqual(first.filter(Boolean), [true]);
      const read = await store.pointer();
      assert.equal(read?.text, first[0] ? 'a' : 'b');
      const next = await Promise.all(['c', 'd'].map((each) => store.switchPointer(each, read.tag)));
      assert.deepEqual(next.filter(Boolean), [true]);
      assert.equal(await store.switchPointer('late', read.tag), false);
      assert.equal((await store.pointer())?.text, next[0] ? 'c' : 'd');
    }
  });

  test('refuses a file with another hash, and a file that is missing, in one line', async () => {
    for (const store of stores) {
      const page = objectOf(sha256('right'));
      await store.put({ ...page, sha256: sha256('wrong') }, bytesOf('wrong'));
      const path = join(memoryFolder('dealfeed-files-'), 'file');
      const said =
        /^STORE \S+: objects\/\S+ has the SHA-256 8810ad581e59…, expected 27042f4e6eca…\. The file was not used/u;
      await assert.rejects(readVerified(store, page), { name: 'StoreDamage', message: said });
      await assert.rejects(downloadVerified(store, page, path), { name: 'StoreDamage', message: said });
      await assert.rejects(readFile(path), { code: 'ENOENT' });
      const none = objectOf(sha256('none'));
      const lost = /^STORE \S+ has no objects\/\S+, which its catalog names\. Restore it/u;
      await assert.rejects(readVerified(store, none), { name: 'StoreDamage', message: lost });
    }
  });

  test('that is unavailable is waited for, with a line when the wait begins and one when it ends', async () => {
    const root = join(memoryFolder('dealfeed-store-'), 'disk');
    const waits = (lines: string[]): WaitOptions => ({
      waitMs: 60_000,
      reportAfterMs: 0,
      print: (line) => lines.push(line),
    });
    const inFolder = async (lines: string[]): Promise<void> => {
      const store = new FolderStore(root, waits(lines));
      // A file where the folder's disk should be.
      await writeFile(root, '');
      const waiting = store.create('runs/2026-11-20.01', 'mine');
      while (lines.length === 0) await sleep(10);
      await rm(root);
      assert.equal(await waiting, true);
      store.close();
    };
    const inBucket = async (lines: string[]): Promise<void> => {
      const store = new S3Store({ bucket: BUCKET, prefix: 'away/', ...waits(lines) });
      await s3.stop();
      const waiting = Promise.all([store.create('runs/2026-11-20.01', 'mine'), store.pointer()]);
      while (lines.length === 0) await sleep(10);
      await s3.start();
      assert.deepEqual(await waiting, [true, null]);
      store.close();
    };
    for (const [away, shown, reason] of [
      [inFolder, '"[^"]+"', 'ENOTDIR'],
      [inBucket, 's3://deals/away', 'ECONNREFUSED'],
    ] as const) {
      const lines: string[] = [];
      await away(lines);
      assert.equal(lines.length, 2, lines.join('\n'));
      assert.match(
        lines[0] ?? '',
        new RegExp(`^STORE is ${shown}, which is unavailable: ${reason}\\. Waiting up to 60 s$`, 'u'),
      );
      assert.match(lines[1] ?? '', new RegExp(`^STORE ${shown} is available again after \\d+ s$`, 'u'));
    }
  });

  describe('in a bucket', () => {
    const bucket = (): Store => stores[1] ?? assert.fail();
    const page = objectOf(sha256('page 2'));
    const put = (): Promise<void> => bucket().put(page, bytesOf('page 2'));
    const failing = async (fault: S3Server['fault'], work: () => Promise<unknown>, message: RegExp): Promise<void> => {
      s3.fault = fault;
      try {
        await assert.rejects(work, { name: 'StoreUnavailable', message });
      } finally {
        s3.fault = null;
      }
    };

    test('a service that fails, does not respond, or is unavailable is an error in one line', async () => {
      const answers =
        (status: number): S3Server['fault'] =>
        (_, response) => {
          response.writeHead(status).end();
          return true;
        };
      await failing(answers(503), put, /unavailable: HTTP status 503/u);
      const impatient = new S3Store({ bucket: BUCKET, prefix: 'feed/', waitMs: 0, silentMs: 300 });
      await failing(
        () => true,
        () => impatient.pointer(),
        /unavailable: no response in time$/u,
      );
      impatient.close();
      const away = await startS3();
      const back = withS3(away);
      const gone = new S3Store({ bucket: BUCKET, prefix: '', waitMs: 0 });
      await away.close();
      await assert.rejects(gone.pointer(), { name: 'StoreUnavailable', message: /unavailable: ECONNREFUSED$/u });
      gone.close();
      back();
    });

    test('an interrupted download is an error, and is retried while there is time', async () => {
      await put();
      let cuts = 2;
      s3.fault = (_, response) => {
        if (cuts === 0) return false;
        cuts -= 1;
        response.writeHead(200, { 'content-length': '6' });
        response.write('pag');
        setTimeout(() => response.destroy(), 20);
        return true;
      };
      const path = join(memoryFolder('dealfeed-files-'), 'page');
      await assert.rejects(downloadVerified(bucket(), page, path), { name: 'StoreUnavailable' });
      const patient = new S3Store({ bucket: BUCKET, prefix: 'feed/', waitMs: 60_000 });
      await downloadVerified(patient, page, path);
      patient.close();
      s3.fault = null;
      assert.equal(await readFile(path, 'utf8'), 'page 2');
      await truncate(s3.fileOf(page.name), 3);
      await assert.rejects(downloadVerified(bucket(), page, path), { name: 'StoreDamage' });
    });

    test('a write whose response was lost is recognized as its own', async () => {
      let isLost = false;
      s3.fault = (request, response) => {
        if (isLost) return false;
        isLost = true;
        response.end = () => response.destroy();
        return request.method !== 'PUT';
      };
      const patient = new S3Store({ bucket: BUCKET, prefix: 'other/', waitMs: 60_000 });
      assert.equal(await patient.switchPointer('mine', null), true);
      assert.equal(isLost, true);
      patient.close();
      s3.fault = null;
    });

    test('a refusal is a wrong setting, at once', async () => {
      const stranger = new S3Store({ bucket: 'not-there', prefix: '', waitMs: 60_000 });
      await assert.rejects(stranger.pointer(), {
        name: 'SettingError',
        message: 'STORE is s3://not-there, which refuses the request: HTTP status 404 (NoSuchBucket)',
      });
      stranger.close();
    });
  });
});
