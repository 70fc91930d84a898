/** The stored code of contracts is compiled from the stored source. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { compile, Compiled, compiledPath, sourcePath } from '../../../api/payments/local_chain/compile.ts';
import { testCompiledPath, testSourcePath } from '../support/contracts.ts';

const stored = async (path: string): Promise<Compiled> => Compiled.parse(JSON.parse(await readFile(path, 'utf8')));

it('the stored test money is what the compiler makes of its source', async () => {
  const contracts = await stored(compiledPath);
  assert.deepEqual(compile(await readFile(sourcePath, 'utf8')), contracts);
  assert.deepEqual(Object.keys(contracts.contracts).sort(), ['TestMulticall', 'TestUsdc']);
});

it('the stored contracts of the tests are what the compiler makes of their source', async () => {
  assert.deepEqual(compile(await readFile(testSourcePath, 'utf8')), await stored(testCompiledPath));
});
