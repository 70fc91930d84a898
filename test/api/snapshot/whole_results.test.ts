/**
 * Results are read whole. A streamed query that fails late ends early, and the list it fed would be short, and billed.
 */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { test } from 'node:test';

test('nothing in api/ streams a query', async () => {
  const streaming: string[] = [];
  let files = 0;
  for await (const file of glob('api/**/*.ts', { cwd: new URL('../../..', import.meta.url).pathname })) {
    files += 1;
    const source = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
    if (/\.(?:stream|streamAndRead\w*|startStream\w*)\(/.test(source)) streaming.push(file);
  }
  assert.ok(files > 50, 'the files were found');
  assert.deepEqual(streaming, []);
});
