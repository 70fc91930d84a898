/** The stored code of contracts is the compiler's output for the stored source. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { compile, compiledPath, sourcePath } from '../../../api/payments/local_chain/compile.ts';
import { testCompiledPath, testSourcePath } from '../support/contracts.ts';

for (const [name, source, compiled] of [
  ['test money', sourcePath, compiledPath],
  ['contracts of the tests', testSourcePath, testCompiledPath],
] as const)
  it(`the stored ${name} is compiled from its source`, async () => {
    assert.deepEqual(compile(await readFile(source, 'utf8')), JSON.parse(await readFile(compiled, 'utf8')));
  });
