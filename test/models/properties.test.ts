/**
 * Checks the properties that docs/underwriting.md lists, on random deals and leads, with the models' SQL. A property
 * with too few cases fails. `make prove` checks 300 deals (thorough.ts). With DEALS=10000 it checks more and prints how
 * many cases each has.
 */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import './properties/deal_properties.ts';
import './properties/lead_properties.ts';
import { AUDITED, assertAllChecked, formatChecked } from './properties/checked.ts';
import { print } from '../../lib/output.ts';
import { loadModels } from '../../models/index.ts';

it('every property that names an audit has that audit', async () => {
  const audits = new Set((await loadModels()).flatMap((model) => model.audits.map(({ name }) => name)));
  const named = Object.values(AUDITED).flatMap((names) => names.split(/\s+/u));
  assert.deepEqual(
    named.filter((name) => !audits.has(name)),
    [],
  );
});

after(() => {
  assertAllChecked();
  if (process.env['DEALS'] !== undefined) for (const line of formatChecked()) print(line);
});
