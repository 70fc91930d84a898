/** The planted faults name places and tests that exist. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { changedText, ROOT } from './copy.ts';
import { modelFaults } from './model_faults.ts';
import { paymentFaults } from './payment_faults.ts';
import { sourceFaults } from './source_faults.ts';

const faults = [...sourceFaults, ...modelFaults, ...paymentFaults];

describe('the planted faults', () => {
  it('change places that occur once, and are caught by something', async () => {
    for (const { name, changes, caughtBy } of faults) {
      for (const { file } of changes) {
        const changed = await changedText(file, changes);
        assert.notEqual(changed, await readFile(join(ROOT, file), 'utf8'), `${name}: ${file}`);
      }
      assert.ok(changes.length > 0 && caughtBy.length > 0, name);
    }
    assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length);
  });

  it('name tests whose titles exist', async () => {
    // Titles of the fleet begin with the name of a source. The ledgers share their tests, and the
    // deals that were worked by hand name theirs in their data, and the properties of deals theirs in their page.
    const shared = await Promise.all(
      [
        'test/ledger/conformance/transfers.ts',
        'test/models/underwriting/examples/worked_deals.ts',
        'docs/underwriting.md',
      ].map((file) => readFile(join(ROOT, file), 'utf8')),
    );
    for (const { name, caughtBy } of faults)
      for (const catcher of caughtBy) {
        if (catcher.by !== 'test') continue;
        const [file, title] = [catcher.file, catcher.test.replace(/^\w+ reads its/u, 'reads its')];
        const source = [await readFile(join(ROOT, file), 'utf8'), ...shared].join('\n');
        assert.ok(source.replaceAll("\\'", "'").includes(title), `${name}: ${file} has no test "${catcher.test}"`);
      }
  });
});
