/**
 * Servers killed at random instants while they sell: clock_moments.test.ts kills one server during one settlement;
 * this adds random instants, three servers, PostgreSQL and a locked ledger. `make prove ONLY=sales_kills N=300 SEED=1`
 * kills 300 on each kind of ledger.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { casesOf, seedFrom } from '../thorough.ts';
import { sellUnderKills } from './sales_kills.ts';

const KILLS = casesOf(4);

for (const ledger of ['sqlite', 'postgres'] as const) {
  test(`on ${ledger}, after ${KILLS} kills, the ledger equals the chain and buyers have their answers`, async () => {
    const result = await sellUnderKills({ ledger, kills: KILLS, seed: seedFrom(7), collect: 20 });
    assert.deepEqual(result.broken, []);
    assert.equal(result.kills, KILLS);
    assert.ok(result.sold > 5 && result.answered > 5, `sales were made: ${JSON.stringify(result)}`);
    assert.equal(result.troubles.length, 1);
  });
}
