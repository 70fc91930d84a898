/**
 * A server is killed while a settlement is in flight, with its clock two days ahead; and a clock moves while its server
 * runs. The other moments, each with a server of its own, PostgreSQL and many random kills and jumps are in the proofs
 * beside this file.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { played, scenarios } from './clock_scenarios.ts';

const short = scenarios.filter(({ isShort }) => isShort);

test(short.map(({ name }) => name).join('; '), async () => {
  assert.equal(short.length, 2);
  assert.deepEqual(await played('sqlite', short, { reuses: true }), []);
});
