/** The test money on the local chain is what its source says. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { compile, Compiled, compiledPath, sourcePath } from '../../../api/payments/local_chain/compile.ts';

it('the kept contracts are what the compiler makes of their source', async () => {
  const kept = Compiled.parse(JSON.parse(await readFile(compiledPath, 'utf8')));
  assert.deepEqual(compile(await readFile(sourcePath, 'utf8')), kept);
  assert.deepEqual(Object.keys(kept.contracts).sort(), ['TestMulticall', 'TestUsdc']);
});
