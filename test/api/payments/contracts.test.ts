/** The stored code of contracts belongs to the stored source. `make prove` compiles the source again. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { compile, compiledPath, sourcePath, type Compiled } from '../support/compile.ts';
import { sha256 } from '../../../lib/files.ts';
import { thorough } from '../../thorough.ts';
import { testCompiledPath, testSourcePath } from '../support/contracts.ts';

for (const [name, sourceOf, compiledOf] of [
  ['test money', sourcePath, compiledPath],
  ['contracts of the tests', testSourcePath, testCompiledPath],
] as const)
  it(`the stored ${name} is compiled from its stored source`, async () => {
    const text = await readFile(sourceOf, 'utf8');
    const stored = JSON.parse(await readFile(compiledOf, 'utf8')) as Compiled;
    assert.equal(stored.source, sha256(text), `run: node test/api/support/compile.ts ${sourceOf}`);
    if (thorough(false, true)) assert.deepEqual(compile(text), stored);
  });
