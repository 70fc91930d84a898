/**
 * Every moment at which a wrong clock does the most harm. The suite plays two: a server is killed while a settlement is
 * in flight, with its clock two days ahead; and a clock moves while its server runs. `make prove` plays all
 * on both kinds of ledger, each with a server of its own. The simulation moves clocks at random.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thorough } from '../thorough.ts';
import { played, scenarios } from './clock_scenarios.ts';

const short = scenarios.filter(({ isShort }) => isShort);
const chosen = thorough(short, scenarios);

for (const kind of thorough(['sqlite'] as const, ['sqlite', 'postgres'] as const)) {
  test(`${kind}: ${chosen.map(({ name }) => name).join('; ')}`, async () => {
    assert.equal(short.length, 2);
    assert.deepEqual(await played(kind, chosen, { reuses: thorough(true, false) }), []);
  });
}
