/**
 * Servers killed at random instants while they sell: a short run of `make crash-sales`. clock_moments.test.ts kills one
 * server during one settlement; this adds random instants, three servers, PostgreSQL and a locked ledger.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sellUnderKills } from './sales_kills.ts';

for (const ledger of ['sqlite', 'postgres'] as const) {
  test(`on ${ledger}, after 4 random kills, the ledger equals the chain and buyers have their answers`, async () => {
    const result = await sellUnderKills({ ledger, kills: 4, seed: 7, collect: 20 });
    assert.deepEqual(result.broken, []);
    assert.equal(result.kills, 4);
    assert.ok(result.sold > 5 && result.answered > 5, `sales were made: ${JSON.stringify(result)}`);
    assert.equal(result.troubles.length, 1);
  });
}
