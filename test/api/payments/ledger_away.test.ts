/** A server whose ledger cannot be read or written. No chain: facilitator and chain are scripted. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { ScriptedFacilitator, startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

describe('a server whose ledger is not there', () => {
  let folder: DataFolder;
  let facilitator: ScriptedFacilitator;
  const buyer = buyerWith();
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 2) });
  });
  after(() => folder.remove());
  beforeEach(() => {
    facilitator = new ScriptedFacilitator();
  });

  /** A ledger that cannot be written while `down` names the step. */
  const failing = async (): Promise<{ ledger: Ledger; down: Set<keyof Ledger> }> => {
    const real = await openSqliteLedger(':memory:');
    const down = new Set<keyof Ledger>();
    return {
      down,
      ledger: new Proxy(real, {
        get:
          (target, name: keyof Ledger) =>
          (...args: never[]) => {
            if (down.has(name)) throw new LedgerUnavailable('the ledger is locked');
            return (target[name] as (...given: never[]) => unknown)(...args);
          },
      }),
    };
  };
  const withLedger = async (test: (app: Started, down: Set<keyof Ledger>) => Promise<void>): Promise<void> => {
    const { ledger, down } = await failing();
    const app = await startApp(folder.path, { facilitator, ledger });
    try {
      await test(app, down);
    } finally {
      down.clear();
      await app.close();
      await ledger.close();
    }
  };

  it('sells nothing and charges nobody: 503, and the payment is good once it is back', () =>
    withLedger(async (app, down) => {
      const payment = await buyer.sign(`${app.url}/api/deals`);
      for (const step of ['find', 'begin', 'startSettling'] as const) {
        down.add(step);
        const response = await fetchWithPayment(`${app.url}/api/deals`, payment);
        assert.equal(response.status, 503, step);
        assert.equal(response.headers.get('Retry-After'), '5', step);
        const body = await bodyOf(response);
        assert.deepEqual(
          [body['reason'], body['billed'], 'records' in body],
          ['payments_unavailable', false, false],
          step,
        );
        down.delete(step);
      }
      assert.equal(facilitator.settled, 0);
      assert.equal((await fetchWithPayment(`${app.url}/api/deals`, payment)).status, 200);
    }));

  it('does not send an answer whose settlement it could not record, and stores it for its buyer', () =>
    withLedger(async (app, down) => {
      const payment = await buyer.sign(`${app.url}/api/deals`);
      down.add('markSold');
      const response = await fetchWithPayment(`${app.url}/api/deals`, payment);
      assert.equal(response.status, 502);
      const body = await bodyOf(response);
      const [transaction] = facilitator.chain.transactions.values();
      assert.deepEqual(
        [body['reason'], body['billed'], body['transaction'], 'records' in body],
        ['settlement_unknown', null, transaction, false],
      );
      assert.equal(facilitator.settled, 1);
      const [open] = await app.ledger.unresolved(Date.now() + 1);
      assert.equal(open?.transaction, transaction);
      assert.ok(await app.ledger.answerOf(open?.id ?? ''), 'the answer is kept');
      assert.equal((await fetchWithPayment(`${app.url}/api/deals`, payment)).status, 409);
    }));

  it('offers no lead that may be sold: lists and discovery are 503, the rest goes on', () =>
    withLedger(async (app, down) => {
      down.add('claimedLeads');
      const discovery = await fetch(`${app.url}/api/meta`);
      assert.equal(discovery.status, 503);
      assert.equal((await bodyOf(discovery))['reason'], 'payments_unavailable');
      assert.equal(
        (await fetchWithPayment(`${app.url}/api/leads`, await buyer.sign(`${app.url}/api/leads`))).status,
        503,
      );
      assert.equal((await fetch(`${app.url}/api/deals/ids`)).status, 200);
    }));
});
