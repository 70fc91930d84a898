/** A payer collects a paid answer again with the identifier of the purchase; a third party gets nothing. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { createPublicClient, decodeFunctionData, http, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { NETWORK } from '../../../lib/network.ts';
import { fetchPaymentRequired, bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { DEALS, PRICE, bought, digestOf, identifier, moved, reasonOf, openCollectShop } from '../support/collecting.ts';
import type { Shop } from '../../shop/shop.ts';

/** Parameters of both forms of transferWithAuthorization. */
const SIGNED =
  'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce' as const;

describe('a paid answer', () => {
  let shop: Shop;
  const [first, second] = [(): string => shop.servers[0]?.url ?? '', (): string => shop.servers[1]?.url ?? ''];

  before(async () => {
    shop = await openCollectShop();
  });
  after(() => shop.close());

  it('carries a receipt, the snapshot and the hash of its bytes, on every priced route', async () => {
    const buyer = await shop.buyer();
    for (const path of [DEALS, '/api/leads', '/api/leads/exclusive', '/api/batch/weekly.csv']) {
      const { bytes, response } = await bought(buyer, first() + path);
      assert.match(response.headers.get('Receipt-Id') ?? '', /^[0-9a-f-]{36}$/, path);
      assert.equal(response.headers.get('X-Snapshot-Id'), '2026-11-20.01', path);
      assert.equal(response.headers.get('Unencoded-Digest'), digestOf(bytes), path);
      assert.equal(response.headers.get('Delivery'), 'first', path);
    }
  });

  it('comes again without a charge to the payer with the identifier, by the same payment or a new one', async () => {
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
        for (const name of ['Receipt-Id', 'X-Snapshot-Id', 'Unencoded-Digest', 'Content-Type'])
          assert.equal(again.headers.get(name), response.headers.get(name), name);
        assert.equal(again.headers.get('Delivery'), 'identifier');
        assert.equal(again.headers.get('Receipt-Id'), receipt);
      }
      const other = await fetchWithPayment(`${second()}${DEALS}?state=MI`, await buyer.signAs(second() + DEALS, id));
      assert.equal(other.status, 409);
      assert.equal(await reasonOf(other), 'payment_identifier_used');
    });
    assert.equal(paid, PRICE);
  });

  it('takes an identifier from @x402/fetch as docs/payments.md shows', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    await shop.chain.mint(account.address, PRICE);
    const myOrderId = identifier();
    const client = new x402Client().register(NETWORK, new ExactEvmScheme(account));
    client.onBeforePaymentCreation(async ({ paymentRequired }) => {
      appendPaymentIdentifierToExtensions(paymentRequired.extensions ?? {}, myOrderId);
    });
    const pay = wrapFetchWithPayment(fetch, client);
    const [one, again] = [await pay(second() + DEALS), await pay(first() + DEALS)];
    assert.deepEqual([one.status, again.status, again.headers.get('Delivery')], [200, 200, 'identifier']);
    assert.equal(await shop.chain.balanceOf(account.address), 0n);
  });

  it('keeps no identifier but its hash', async () => {
    const buyer = await shop.buyer();
    const id = identifier();
    const { receipt } = await bought(buyer, first() + DEALS, await buyer.signAs(first() + DEALS, id));
    const kept = await shop.servers[0]?.running.ledger.find({ id: receipt });
    assert.equal(kept?.identifierHash, createHash('sha256').update(id).digest('hex'));
  });

  it('gives a third party nothing, by the payment from the chain, a guessed identifier or another name', async () => {
    const buyer = await shop.buyer();
    const id = identifier();
    const { response } = await bought(buyer, first() + DEALS, await buyer.signAs(first() + DEALS, id));
    // Everything that follows is known to anybody: the 402, and the transaction of the settlement.
    const { transaction } = JSON.parse(
      Buffer.from(response.headers.get('PAYMENT-RESPONSE') ?? '', 'base64').toString('utf8'),
    ) as { transaction: Hex };
    const { input } = await createPublicClient({ transport: http(shop.chain.rpcUrl) }).getTransaction({
      hash: transaction,
    });
    const {
      args: [from, to, value, validAfter, validBefore, nonce, ...signature],
    } = decodeFunctionData({
      abi: parseAbi([
        `function transferWithAuthorization(${SIGNED}, uint8 v, bytes32 r, bytes32 s)`,
        `function transferWithAuthorization(${SIGNED}, bytes signature)`,
      ]),
      data: input,
    });
    const [v, r, s] = signature;
    const signed = r === undefined ? (v as Hex) : (`${String(r)}${String(s).slice(2)}${Number(v).toString(16)}` as Hex);
    const asked = await fetchPaymentRequired(first() + DEALS);
    const rebuilt = (extensions?: Record<string, unknown>): string =>
      encodePaymentSignatureHeader({
        x402Version: 2,
        resource: asked.resource,
        accepted: asked.accepts[0] ?? assert.fail('nothing is asked for'),
        payload: {
          signature: signed,
          authorization: {
            from,
            to,
            value: String(value),
            validAfter: String(validAfter),
            validBefore: String(validBefore),
            nonce,
          },
        },
        ...(extensions ? { extensions } : {}),
      });
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
