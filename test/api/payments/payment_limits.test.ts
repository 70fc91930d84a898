/** Ceilings on gas by the settings of a server that settles itself, and a node that does not answer. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { DEALS, openShop, type Shop } from '../../shop/shop.ts';
import { bodyOf, fetchWithPayment } from '../support/buyers.ts';

describe('limits of a running server', () => {
  let shop: Shop;
  const open: Serving[] = [];
  before(async () => {
    shop = await openShop({ mode: 'self' });
  });
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  after(() => shop.close());

  /** Another server of the shop, with its ledger and its key. @returns the URL of its deals */
  const started = async (env: Record<string, string>): Promise<string> => {
    const server = await serve(readServerSettings({ ...shop.env, ...env }));
    open.push(server);
    return server.url + DEALS;
  };
  const transactions = (): Promise<number> => shop.admin.getTransactionCount({ address: shop.gasAccount });

  it('stop sales when the gas of the day is spent, also after a restart, until more is allowed', async () => {
    const limits = { GAS_PER_SETTLEMENT: '150000', GAS_PER_DAY: '300000' };
    const [buyer, sent] = [await shop.buyer(), await transactions()];
    const first = await started(limits);
    for (let i = 0; i < 2; i += 1) assert.equal((await buyer.fetch(first)).status, 200);
    await open.pop()?.close();
    const again = await started(limits);
    const payment = await buyer.sign(again);
    const refused = await fetchWithPayment(again, payment);
    const { reason, billed } = await bodyOf(refused);
    assert.deepEqual(
      [refused.status, refused.headers.get('Retry-After'), reason, billed],
      [503, '3600', 'settlement_budget_spent', false],
    );
    const raised = await started({ ...limits, GAS_PER_DAY: '450000' });
    assert.equal((await fetchWithPayment(raised, payment)).status, 200, 'the payment was not used');
    assert.equal((await transactions()) - sent, 3);
  });

  it('refuse a settlement that needs more gas than one may take, before anything is sent', async () => {
    const url = await started({ GAS_PER_SETTLEMENT: '21000' });
    const [payment, sent] = [await (await shop.buyer()).sign(url), await transactions()];
    const refused = await fetchWithPayment(url, payment);
    const { reason, payment_error, billed } = await bodyOf(refused);
    assert.deepEqual(
      [refused.status, reason, payment_error, billed, await transactions()],
      [402, 'payment_invalid', 'settlement_gas_above_limit', false, sent],
    );
  });

  it('start no sale while the node does not answer, with a code that names no host', async () => {
    const url = shop.url + DEALS;
    const payment = await (await shop.buyer()).sign(url);
    shop.node.fail(503);
    const refused = await fetchWithPayment(url, payment).finally(() => {
      shop.node.recover();
    });
    const text = await refused.text();
    const { reason } = JSON.parse(text) as { reason: unknown };
    assert.deepEqual([refused.status, refused.headers.get('Retry-After'), reason], [503, '5', 'payments_unavailable']);
    assert.equal(text.includes(new URL(shop.node.url).host), false);
    assert.equal((await fetchWithPayment(url, payment)).status, 200);
  });
});
