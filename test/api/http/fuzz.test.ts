/** Wild requests get typed refusals: never a 500, never a look inside, never a bill. `make fuzz-api` sends many more. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { payers, strangers } from '../../fuzz/api.ts';
import { everyTable } from '../../fuzz/api_rows.ts';
import { startApp, type Started } from '../support/test_app.ts';
import { buyerWith } from '../support/buyers.ts';
import { dataFolder, type DataFolder } from '../support/snapshot_fixtures.ts';

const SEED = 20_261_120;

describe('the server, asked anything', () => {
  let folder: DataFolder;
  let started: Started;

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', everyTable());
    started = await startApp(folder.path);
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  it('answers a stranger with a typed refusal or what is free, in time and unbilled', async () => {
    const { statuses, faults } = await strangers(started, buyerWith(), 1_500, SEED);
    assert.deepEqual(faults, []);
    // Requests that all ended at the door would prove nothing.
    for (const status of [200, 400, 402, 404, 405, 414, 431])
      assert.ok((statuses.get(status) ?? 0) > 0, `no ${status}: ${JSON.stringify([...statuses])}`);
  });

  it('bills a payer exactly for what is answered', async () => {
    const { statuses, faults } = await payers(started, buyerWith(), 150, SEED);
    assert.deepEqual(faults, []);
    for (const status of [200, 400, 404])
      assert.ok((statuses.get(status) ?? 0) > 5, `few ${status}: ${JSON.stringify([...statuses])}`);
  });
});
