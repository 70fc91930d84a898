/** The stored code of contracts belongs to the stored source. `make prove` compiles the source again. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { compile, Compiled, compiledPath, sourcePath } from '../support/compile.ts';
import { sha256 } from '../../../lib/files.ts';
import { thorough } from '../../thorough.ts';
import { testCompiledPath, testSourcePath } from '../support/contracts.ts';

const stored = async (path: string): Promise<Compiled> => Compiled.parse(JSON.parse(await readFile(path, 'utf8')));

it('the stored test money is compiled from the stored source', async () => {
  const { source, contracts } = await stored(compiledPath);
  assert.equal(source, sha256(await readFile(sourcePath)), 'run: node test/api/support/compile.ts');
  assert.deepEqual(Object.keys(contracts).sort(), ['TestMulticall', 'TestUsdc']);
});

it('the stored contracts of the tests are compiled from their source', async () => {
  const { source } = await stored(testCompiledPath);
  const command = 'node test/api/support/compile.ts test/api/support/contracts.sol';
  assert.equal(source, sha256(await readFile(testSourcePath)), `run: ${command}`);
});

const CONTRACTS = [
  ['test money', sourcePath, compiledPath],
  ['contracts of the tests', testSourcePath, testCompiledPath],
] as const;
for (const [name, source, compiled] of thorough<readonly (readonly [string, string, string])[]>([], CONTRACTS))
  it(`the stored ${name} is the compiler's output for its source`, async () => {
    assert.deepEqual(compile(await readFile(source, 'utf8')), JSON.parse(await readFile(compiled, 'utf8')));
  });
