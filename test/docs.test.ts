/** The documentation says what the declarations say; what else holds of the pages is in docs/. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const root = new URL('../', import.meta.url);

test("the data dictionary and the README's tables are what `make docs` writes", () => {
  const { status, stderr } = spawnSync(process.execPath, ['docs/generate/cli.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
