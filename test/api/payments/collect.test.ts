/** The payer, and nobody else, gets a paid answer again: by the wallet or the identifier. Two servers on one ledger. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { sha256 } from '../../../lib/files.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { contractWallet } from '../../attacks/wallets.ts';
import {
  DEALS,
  PRICE,
  bought,
  collect,
  digestOf,
  identifier,
  moved,
  nonceOf,
  reasonOf,
  openCollectShop,
} from '../support/collecting.ts';
import type { Shop } from '../../support/shop.ts';

const SAME_HEADERS = ['Receipt-Id', 'X-Snapshot-Id', 'Unencoded-Digest', 'Content-Type'];

describe('a paid answer', () => {
  let shop: Shop;
  const [first, second] = [(): string => shop.servers[0]?.url ?? '', (): string => shop.servers[1]?.url ?? ''];
  const purchase = (id: string, server = second): string => `${server()}/api/purchases/${id}`;

  before(async () => {
    shop = await openCollectShop();
  });
  after(() => shop.close());

  it('is sent again to the wallet that paid, by its receipt or the nonce of its payment', async () => {
    const buyer = await shop.buyer();
    for (const path of [DEALS, '/api/leads/exclusive', '/api/batch/weekly.csv']) {
      const { bytes, response, receipt, payment } = await bought(buyer, first() + path);
      const { headers } = response;
      assert.deepEqual(
        [headers.get('Delivery'), headers.get('X-Snapshot-Id'), headers.get('Unencoded-Digest')],
        ['first', '2026-11-20.01', digestOf(bytes)],
      );
      const paid = await moved(shop, async () => {
        for (const name of [receipt, nonceOf(payment), nonceOf(payment).toUpperCase().replace('0X', '0x')]) {
          const url = purchase(name);
          const again = await collect(url, await buyer.signIn(url));
          assert.equal(again.status, 200, name);
          assert.deepEqual(Buffer.from(await again.arrayBuffer()), bytes);
          for (const header of [...SAME_HEADERS, 'Content-Disposition', 'PAYMENT-RESPONSE'])
            assert.equal(again.headers.get(header), headers.get(header), header);
          assert.equal(again.headers.get('Delivery'), 'wallet');
        }
      });
      assert.equal(paid, 0n);
    }
  });

  it('is not sent to another wallet, or for a message that is used, changed or for another purchase', async () => {
    const [buyer, thief] = [await shop.buyer(), await shop.buyer()];
    const [{ receipt }, { receipt: another }] = [
      await bought(buyer, first() + DEALS),
      await bought(buyer, first() + DEALS),
    ];
    const url = purchase(receipt);
    const asked = await fetch(url);
    assert.equal(asked.status, 401);
    assert.match(asked.headers.get('WWW-Authenticate') ?? '', /^SIGN-IN-WITH-X realm="dealfeed\.test"$/);
    assert.equal(await reasonOf(asked), 'sign_in_required');
    assert.equal((await fetch(purchase('everything'))).status, 400);
    const wrong = await collect(url, await thief.signIn(url));
    assert.equal(wrong.status, 404);
    assert.equal(await reasonOf(wrong), 'purchase_not_found');

    const once = await buyer.signIn(url);
    assert.equal((await collect(purchase(another), once)).status, 401, 'a message for another purchase');
    assert.equal((await collect(url, once)).status, 200);
    for (const server of [first, second])
      assert.equal((await collect(purchase(receipt, server), once)).status, 401, 'the second time, on any server');

    const decoded = JSON.parse(Buffer.from(await buyer.signIn(url), 'base64').toString('utf8')) as Record<
      string,
      unknown
    >;
    const encoded = (change: Record<string, unknown>): string =>
      Buffer.from(JSON.stringify({ ...decoded, ...change })).toString('base64');
    for (const change of [
      { address: thief.address },
      { nonce: '0'.repeat(48) },
      { signature: '0x' },
      { issuedAt: 'x' },
    ]) {
      assert.equal((await collect(url, encoded(change))).status, 401, JSON.stringify(change));
    }
    for (const junk of ['!', 'e30=', Buffer.from('null').toString('base64'), 'x'.repeat(8_000)])
      assert.equal((await collect(url, junk)).status, 401);
    // Signed by the right wallet, but over a message that the server never asked for.
    for (const change of [
      { issuedAt: '2026-01-01T00:00:00.000Z' },
      { uri: purchase(another) },
      { statement: 'Log in.' },
      { domain: 'evil.example' },
      { chainId: 'eip155:1' },
      { expirationTime: '2030-01-01T00:00:00.000Z' },
      { requestId: '1' },
    ]) {
      assert.equal(
        (await collect(url, await buyer.signIn(url, (info) => ({ ...info, ...change })))).status,
        401,
        JSON.stringify(change),
      );
    }
    assert.equal((await collect(url, await buyer.signIn(url))).status, 200);
  });

  it('is collected by a contract wallet, whose contract checks the signature', async () => {
    const { address: wallet, ownerKey, sign } = await contractWallet(shop.chain, PRICE);
    const payment = await sign(first() + DEALS);
    const response = await fetchWithPayment(first() + DEALS, payment);
    assert.equal(response.status, 200);
    assert.equal(await shop.chain.balanceOf(wallet), 0n);
    const body = await response.text();
    const url = purchase(response.headers.get('Receipt-Id') ?? '');
    // The owner signs; the message names the wallet.
    const asWallet = (key: Hex): Promise<string> => buyerWith(key).signIn(url, undefined, wallet);
    assert.equal(
      (await collect(url, await buyerWith(ownerKey).signIn(url))).status,
      404,
      'the owner is not the wallet',
    );
    assert.equal((await collect(url, await asWallet(generatePrivateKey()))).status, 401);
    const again = await collect(url, await asWallet(ownerKey));
    assert.equal(again.status, 200);
    assert.equal(await again.text(), body);
  });

  it('is reported as pending until the chain shows its settlement, and then collected', async () => {
    const buyer = await shop.buyer();
    const server = shop.servers[0];
    assert.ok(server);
    const id = identifier();
    const payment = await buyer.signAs(first() + DEALS, id);
    // Sent, and neither the reply nor the transaction is seen within the wait.
    shop.node.hold();
    let receipt = '';
    const paid = await moved(shop, async () => {
      const lost = await fetchWithPayment(first() + DEALS, payment);
      assert.equal(lost.status, 502);
      const body = await bodyOf(lost);
      assert.equal(body['reason'], 'settlement_unknown');
      assert.equal(body['billed'], null);
      receipt = lost.headers.get('Receipt-Id') ?? '';
      assert.equal(body['collect'], `https://dealfeed.test/api/purchases/${receipt}`);
      const meanwhile = await fetchWithPayment(second() + DEALS, payment);
      assert.equal(meanwhile.status, 409);
      assert.equal(await reasonOf(meanwhile), 'settlement_pending');
      const url = purchase(receipt);
      const open = await collect(url, await buyer.signIn(url));
      assert.equal(open.status, 202);
      assert.deepEqual(
        { ...(await bodyOf(open)), valid_before: '', detail: '' },
        {
          receipt_id: receipt,
          state: 'settling',
          route: 'GET /api/deals',
          request: DEALS,
          valid_before: '',
          transaction: null,
          detail: '',
        },
      );
      await shop.node.release();
    });
    assert.equal(paid, PRICE);
    assert.equal((await server.running.watch.pass()).sold, 1);
    assert.equal((await fetchWithPayment(second() + DEALS, payment)).status, 200, 'by the identifier');
    const url = purchase(receipt);
    const again = await collect(url, await buyer.signIn(url));
    assert.equal(again.status, 200, 'by the wallet');
    assert.equal(((await bodyOf(again))['records'] as unknown[]).length, 3);
  });

  it('is stored for 30 days; the receipt stays valid', async () => {
    const buyer = await shop.buyer();
    const id = identifier();
    const payment = await buyer.signAs(first() + DEALS, id);
    const { receipt } = await bought(buyer, first() + DEALS, payment);
    const ledger = shop.servers[0]?.running.ledger;
    const kept = await ledger?.find({ id: receipt });
    assert.equal(kept?.identifierHash, sha256(id), 'the ledger has no identifier but its hash');
    // Not before its payment could no longer be settled, whatever a clock said when it was sold.
    await ledger?.forgetAnswers(Date.now() + 1);
    assert.equal((await collect(purchase(receipt), await buyer.signIn(purchase(receipt)))).status, 200);
    await ledger?.forgetAnswers(Date.now() + 400_000);
    const url = purchase(receipt);
    const paid = await moved(shop, async () => {
      for (const response of [
        await fetchWithPayment(first() + DEALS, payment),
        await collect(url, await buyer.signIn(url)),
      ]) {
        assert.equal(response.status, 410);
        assert.equal(await reasonOf(response), 'answer_expired');
      }
    });
    assert.equal(paid, 0n);
  });

  it('is sent again free to the payer with the identifier, with the same payment or a new one', async () => {
    const buyer = await shop.buyer();
    const id = identifier();
    const once = await buyer.signAs(first() + `${DEALS}?state=OH&min_units=1`, id);
    const paid = await moved(shop, async () => {
      const { bytes, response, receipt } = await bought(buyer, first() + `${DEALS}?state=OH&min_units=1`, once);
      for (const payment of [once, await buyer.signAs(second() + DEALS, id)]) {
        // The same request, in another order, on another server.
        const again = await fetchWithPayment(`${second()}${DEALS}?min_units=1&state=OH`, payment);
        assert.equal(again.status, 200);
        assert.deepEqual(Buffer.from(await again.arrayBuffer()), bytes);
        for (const name of SAME_HEADERS) assert.equal(again.headers.get(name), response.headers.get(name), name);
        assert.equal(again.headers.get('Delivery'), 'identifier');
        assert.equal(again.headers.get('Receipt-Id'), receipt);
      }
      const other = await fetchWithPayment(`${second()}${DEALS}?state=MI`, await buyer.signAs(second() + DEALS, id));
      assert.equal(other.status, 409);
      assert.equal(await reasonOf(other), 'payment_identifier_used');
    });
    assert.equal(paid, PRICE);
  });

  it('is not sent to a third party with the payment from the chain, a guessed identifier or another name', async () => {
    const buyer = await shop.buyer();
    const id = identifier();
    const { payment: signed } = await bought(buyer, first() + DEALS, await buyer.signAs(first() + DEALS, id));
    // All but the extensions is known to anybody: by the 402, and the transaction of the settlement.
    const { extensions: _, ...known } = decodePaymentSignatureHeader(signed);
    const rebuilt = (extensions?: Record<string, unknown>): string =>
      encodePaymentSignatureHeader({ ...known, ...(extensions ? { extensions } : {}) });
    const named = (name: string): Record<string, unknown> => ({
      'payment-identifier': { info: { required: false, id: name } },
    });
    const paid = await moved(shop, async () => {
      for (const payment of [rebuilt(), rebuilt(named(identifier())), rebuilt(named('order-0000000000000001'))]) {
        const refused = await fetchWithPayment(second() + DEALS, payment);
        assert.equal(refused.status, 409);
        const body = await bodyOf(refused);
        assert.equal(body['reason'], 'payment_already_used');
        assert.equal('records' in body, false);
      }
      // Who has learned the identifier, and signs with another wallet for the payer's address, gets nothing either.
      const forged = await buyerWith().forge(first() + DEALS, (p) => {
        const { authorization } = p.payload as { authorization: Record<string, unknown> };
        return {
          ...p,
          payload: { ...p.payload, authorization: { ...authorization, from: buyer.address } },
          extensions: named(id),
        };
      });
      const refused = await fetchWithPayment(second() + DEALS, forged);
      assert.equal(refused.status, 409);
      assert.equal(await reasonOf(refused), 'payment_already_used');
    });
    assert.equal(paid, 0n);
  });
});
