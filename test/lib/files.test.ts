/** A file's hash is that of its bytes, however large it is and on whichever thread it is found; a copy made meanwhile has the same bytes. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyHashed, sha256, sha256OfFile } from '../../lib/files.ts';

test('a small file, and several at once that are large enough to be hashed apart', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-hash-'));
  t.after(() => rm(folder, { recursive: true }));
  const made = [0, 1, 12_345, 24_000_001, 36_000_000].map((length) => Buffer.alloc(length, `${length} bytes of it; `));
  const found = await Promise.all(made.map(async (bytes, i) => {
    await writeFile(join(folder, String(i)), bytes);
    return sha256OfFile(join(folder, String(i)));
  }));
  assert.deepEqual(found, made.map(sha256));
  await assert.rejects(sha256OfFile(join(folder, 'none')), { code: 'ENOENT' });
  for (const [i, bytes] of made.entries()) {
    assert.equal(await copyHashed(join(folder, String(i)), join(folder, `copy of ${i}`)), sha256(bytes));
    assert.ok(bytes.equals(await readFile(join(folder, `copy of ${i}`))), 'the bytes that were hashed were copied');
  }
  await assert.rejects(copyHashed(join(folder, '4'), join(folder, 'nowhere', 'copy')), /ENOENT/u);
});
