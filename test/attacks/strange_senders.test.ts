/** A server that settles itself, and payments to it that somebody else sends: its sale, an owed payment, an alert. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { SignedAuthorization } from '../../api/payments/chain/authorization.ts';
import { paymentHealth } from '../../api/payments/health.ts';
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { DEALS, DOLLAR, openShop, type Shop } from '../shop/shop.ts';
import { attempt } from './books.ts';
import { authorizationFor, headerWith, sendAsStranger, signAuthorization } from './wallets.ts';

describe('a payment to a server that settles itself', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop({ mode: 'self' });
  });
  after(() => shop.close());
  afterEach(() => {
    shop.node.before(null);
  });

  const signed = async (): Promise<{ payload: SignedAuthorization; header: string }> => {
    const account = privateKeyToAccount(generatePrivateKey());
    await shop.chain.mint(account.address, DOLLAR);
    const asked = await fetchPaymentRequired(shop.url + DEALS);
    const authorization = authorizationFor(asked, account.address);
    const payload = { authorization, signature: await signAuthorization(account, authorization) };
    return { payload, header: headerWith(asked, payload) };
  };
  const alerts = async (): Promise<string[]> => {
    await shop.mine(6);
    await shop.server.running.audit.pass();
    const codes = (await paymentHealth(shop.server.running, Date.now)()).warnings.map(({ code }) => code);
    return codes.filter((code) => ['sent_by_others', 'transfers_owed'].includes(code));
  };

  it('that it sends raises no alert', async () => {
    const { header } = await signed();
    assert.equal((await attempt(shop.url + DEALS, header)).status, 200);
    assert.deepEqual(await alerts(), []);
  });

  it('that a stranger sends first is the sale of its row, and raises an alert', async () => {
    const { payload, header } = await signed();
    let sent = false;
    shop.node.before(async (method) => {
      // The first call that shows the signature: the estimate of its gas.
      if (!['eth_fillTransaction', 'eth_estimateGas'].includes(method) || sent) return;
      sent = true;
      await sendAsStranger(shop.chain, payload);
    });
    const made = await attempt(shop.url + DEALS, header);
    assert.deepEqual(
      [made.status, made.json['payment_error'], made.json['billed']],
      [402, 'settlement_simulation_failed', false],
    );
    assert.deepEqual(await alerts(), ['sent_by_others']);
    assert.equal(shop.server.running.audit.last().sentByOthers, 1);
    const own = (await shop.purchases()).find((p) => p.payment.nonce === made.nonce.toLowerCase());
    assert.equal(own?.state, 'sold');
    assert.notEqual(await shop.server.running.ledger.answerOf(own.id), null);
  });

  it('that it was never offered is owed, and raises an alert', async () => {
    const { payload } = await signed();
    await sendAsStranger(shop.chain, payload);
    assert.ok((await alerts()).includes('transfers_owed'));
  });
});
