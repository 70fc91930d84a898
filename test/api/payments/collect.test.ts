/** The payer, and nobody else, collects a paid answer again by proof of the wallet. Two servers on one ledger. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { contractWallet } from '../support/contract_wallets.ts';
import {
  DEALS,
  PRICE,
  bought,
  collect,
  identifier,
  moved,
  nonceOf,
  reasonOf,
  openCollectShop,
} from '../support/collecting.ts';
import type { Shop } from '../../shop/shop.ts';
import { thorough } from '../../thorough.ts';

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
});
