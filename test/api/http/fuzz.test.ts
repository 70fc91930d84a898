/**
 * Random requests get typed errors: never a 500, internal details, or a charge. `make prove ONLY=api/http/fuzz N=20000
 * SEED=1` sends many more.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { casesOf, seedFrom, thorough } from '../../thorough.ts';
import { sendPaid, sendUnpaid } from '../../fuzz/api.ts';
import { everyTable } from '../../fuzz/api_rows.ts';
import { sharedApp } from '../support/test_app.ts';
import { buyerWith } from '../support/buyers.ts';

const SEED = seedFrom(20_261_120);
const REQUESTS = casesOf(thorough(250, 600));

describe('the server, with random requests', () => {
  const shared = sharedApp(everyTable());

  it('responds to unpaid requests with a typed error or a free response', async () => {
    const { statuses, faults } = await sendUnpaid(shared.app, buyerWith(), REQUESTS, SEED);
    assert.deepEqual(faults, []);
    // Requests that all fail early would prove nothing.
    for (const status of [200, 400, 402, 404, 405, 414, 431])
      assert.ok((statuses.get(status) ?? 0) > 0, `no ${status}: ${JSON.stringify([...statuses])}`);
  });

  it('bills a payer exactly for the 200 responses', async () => {
    const { statuses, faults } = await sendPaid(shared.app, buyerWith(), Math.ceil(REQUESTS / 8), SEED);
    assert.deepEqual(faults, []);
    for (const status of [200, 400, 404])
      assert.ok((statuses.get(status) ?? 0) > 2, `few ${status}: ${JSON.stringify([...statuses])}`);
  });
});
