/**
 * Every moment at which a wrong clock does the most harm. The suite plays two: a server is killed while a settlement is
 * in flight, with its clock two days ahead; and a clock moves while its server runs. `make prove` plays all, each with
 * a server of its own; PostgreSQL and many random kills and jumps are in the proofs beside this file.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thorough } from '../thorough.ts';
import { played, scenarios } from './clock_scenarios.ts';

const short = scenarios.filter(({ isShort }) => isShort);
const chosen = thorough(short, scenarios);

test(chosen.map(({ name }) => name).join('; '), async () => {
  assert.equal(short.length, 2);
  assert.deepEqual(await played('sqlite', chosen, { reuses: thorough(true, false) }), []);
});
