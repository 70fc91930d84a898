/** Files are written atomically and flushed, and hashed whatever their size. */
import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { moveInto, pointAt, sha256, sha256OfFile, writeWhole } from '../../lib/files.ts';

test('an empty file, a small one, and several at once that are read in many pieces', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-hash-'));
  t.after(() => rm(folder, { recursive: true }));
  const made = [0, 1, 12_345, 4_000_001, 9_000_000].map((length) => Buffer.alloc(length, `${length} bytes of it; `));
  const found = await Promise.all(
    made.map(async (bytes, i) => {
      await writeFile(join(folder, String(i)), bytes);
      return sha256OfFile(join(folder, String(i)));
    }),
  );
  assert.deepEqual(found, made.map(sha256));
  await assert.rejects(sha256OfFile(join(folder, 'none')), { code: 'ENOENT' });
});

/** The kind and size of what each flush of `work` flushes, and whether `path` then has the new content. */
async function flushesOf(
  t: TestContext,
  path: string,
  work: () => Promise<void>,
): Promise<{ readonly what: string; readonly isPublished: boolean }[]> {
  const flushes: { what: string; isPublished: boolean }[] = [];
  const handle = await open('.');
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const flush = methods.sync;
  const patched = t.mock.method(methods, 'sync', async function (this: FileHandle) {
    const stat = await this.stat();
    const isPublished = (await readFile(path, 'utf8').catch(() => '')) === 'new';
    flushes.push({ what: stat.isDirectory() ? 'folder' : `file of ${stat.size} bytes`, isPublished });
    return flush.call(this);
  });
  await work();
  patched.mock.restore();
  return flushes;
}

const PUBLISHED = [
  { what: 'file of 3 bytes', isPublished: false },
  { what: 'folder', isPublished: true },
];

test('content is on the disk before its name, and the name before the write returns', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-flush-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'whole');
  await writeFile(path, 'old');
  assert.deepEqual(await flushesOf(t, path, () => writeWhole(path, 'new')), PUBLISHED);

  const moved = join(folder, 'moved');
  await writeFile(join(folder, 'temporary'), 'new');
  assert.deepEqual(await flushesOf(t, moved, () => moveInto(join(folder, 'temporary'), moved)), PUBLISHED);

  const link = join(folder, 'link');
  assert.deepEqual(await flushesOf(t, link, () => pointAt(link, 'whole')), [{ what: 'folder', isPublished: true }]);
});
