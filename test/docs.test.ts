/** Generated pages match their declarations. The other tests of the pages are in docs/. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { generated } from '../docs/generate/generated.ts';

test('generated pages are what `make docs` writes', async () => {
  for (const [path, content] of Object.entries(await generated())) {
    const found = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
    assert.ok(found === content, `${path} is out of date; run: make docs`);
  }
});
