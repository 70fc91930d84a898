/** The payer, and nobody else, gets a paid answer again: by the wallet or the identifier. Two servers on one ledger. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import * as fc from 'fast-check';
import { createPublicClient, decodeFunctionData, http, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { sha256 } from '../../../lib/files.ts';
import { NETWORK } from '../../../lib/network.ts';
import { bodyOf, buyerWith, fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
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
import type { Shop } from '../../shop/shop.ts';
import { thorough } from '../../thorough.ts';

/** Parameters of both forms of transferWithAuthorization. */
const SIGNED =
  'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce' as const;

describe('a paid answer', () => {
  let shop: Shop;
  const [first, second] = [(): string => shop.servers[0]?.url ?? '', (): string => shop.servers[1]?.url ?? ''];
  const purchase = (id: string, server = second): string => `${server()}/api/purchases/${id}`;

  before(async () => {
    shop = await openCollectShop();
  });
  after(() => shop.close());

  it('comes again by proof of the wallet that paid, under the receipt or the nonce of the payment', async () => {
    const buyer = await shop.buyer();
    for (const path of [DEALS, '/api/batch/weekly.csv']) {
      const { bytes, response, receipt, payment } = await bought(buyer, first() + path);
      const paid = await moved(shop, async () => {
        for (const name of [receipt, nonceOf(payment), nonceOf(payment).toUpperCase().replace('0X', '0x')]) {
          const url = purchase(name);
          const again = await collect(url, await buyer.signIn(url));
          assert.equal(again.status, 200, name);
          assert.deepEqual(Buffer.from(await again.arrayBuffer()), bytes);
          for (const header of [
            'Receipt-Id',
            'X-Snapshot-Id',
            'Unencoded-Digest',
            'Content-Type',
            'Content-Disposition',
            'PAYMENT-RESPONSE',
          ] as const) {
            assert.equal(again.headers.get(header), response.headers.get(header), header);
            if (header !== 'Content-Disposition') assert.notEqual(again.headers.get(header), null, header);
          }
          assert.equal(again.headers.get('Delivery'), 'wallet');
        }
      });
      assert.equal(paid, 0n);
    }
  });

  it('requires proof with its own challenge, for any receipt id or nonce', async () => {
    for (const name of [generatePrivateKey(), '00000000-0000-4000-8000-000000000000']) {
      const response = await fetch(purchase(name));
      assert.equal(response.status, 401);
      assert.match(response.headers.get('WWW-Authenticate') ?? '', /^SIGN-IN-WITH-X realm="dealfeed\.test"$/);
      const body = (await bodyOf(response)) as { reason: string; sign_in: { info: Record<string, unknown> } };
      assert.equal(body.reason, 'sign_in_required');
      assert.equal(body.sign_in.info['uri'], `https://dealfeed.test/api/purchases/${name}`);
    }
    assert.equal((await fetch(purchase('everything'))).status, 400);
    const stranger = await shop.buyer();
    const url = purchase('00000000-0000-4000-8000-000000000000');
    assert.equal(await reasonOf(await collect(url, await stranger.signIn(url))), 'purchase_not_found');
  });

  it('gives nothing for a wrong wallet, or a message that is used, changed or for another purchase', async () => {
    const [buyer, thief] = [await shop.buyer(), await shop.buyer()];
    const [{ receipt }, { receipt: another }] = [
      await bought(buyer, first() + DEALS),
      await bought(buyer, first() + DEALS),
    ];
    const url = purchase(receipt);
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
      { expirationTime: '2030-01-01T00:00:00.000Z' },
      { chainId: 'eip155:1' },
      { domain: 'evil.example' },
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

  it('is never returned for a forged or damaged message', async () => {
    const buyer = await shop.buyer();
    const url = purchase((await bought(buyer, first() + DEALS)).receipt);
    const good = JSON.parse(Buffer.from(await buyer.signIn(url), 'base64').toString('utf8')) as Record<string, unknown>;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(good)),
        fc.oneof(fc.jsonValue(), fc.string(), fc.constant(undefined)),
        async (field, value) => {
          fc.pre(JSON.stringify(value) !== JSON.stringify(good[field]));
          const proof = Buffer.from(JSON.stringify({ ...good, [field]: value })).toString('base64');
          const response = await collect(url, proof);
          const said = await bodyOf(response);
          // Hints that are not signed may be anything.
          assert.ok(
            (response.status === 401 && said['reason'] === 'sign_in_invalid') || field === 'signatureScheme',
            `${field}: ${response.status}`,
          );
        },
      ),
      { numRuns: thorough(30, 300) },
    );
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

  it('is written down with every delivery', async () => {
    const buyer = await shop.buyer();
    const { receipt } = await bought(buyer, first() + DEALS);
    const url = purchase(receipt);
    await (await collect(url, await buyer.signIn(url))).arrayBuffer();
    for (const server of shop.servers) await server.app.payments.idle();
    const noted = [];
    for await (const delivery of shop.servers[1]?.running.ledger.deliveries() ?? [])
      if (delivery.purchaseId === receipt) noted.push([delivery.kind, delivery.isComplete]);
    assert.deepEqual(noted, [
      ['first', true],
      ['wallet', true],
    ]);
  });

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
