/** A file's hash is that of its bytes, however large it is. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256, sha256OfFile } from '../../lib/files.ts';

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
