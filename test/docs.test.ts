/** Generated pages match their declarations. The other tests of the pages are in docs/. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const root = new URL('../', import.meta.url);

test('generated pages are what `make docs` writes', () => {
  const { status, stderr } = spawnSync(process.execPath, ['docs/generate/cli.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
