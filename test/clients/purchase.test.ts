/** Purchases from a real server on a real local chain, with @x402/fetch. Token balances prove what was billed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { ExactEIP3009Payload } from '@x402/evm';
import { PRICES } from '../../api/routes/prices.ts';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { fetchPaymentRequired, bodyOf, buyerWith, fetchWithPayment, type Buyer } from '../api/support/buyers.ts';
import { runHere, type Ended } from '../process/here.ts';
import { BARE } from '../environment.ts';
import { callOf, dataFolder, rowsOfTable, type DataFolder } from '../api/support/snapshot_fixtures.ts';

const PRICE = 50_000n;

function withAuthorization<P extends { payload: Record<string, unknown> }>(
  payload: P,
  change: Partial<ExactEIP3009Payload['authorization']>,
): P {
  const exact = payload.payload as unknown as ExactEIP3009Payload;
  return { ...payload, payload: { ...exact, authorization: { ...exact.authorization, ...change } } };
}

describe('a purchase', () => {
  let folder: DataFolder;
  let server: Serving;
  let buyer: Buyer;

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 3, (i) => ({
        deal_score: 10 * i,
        state: i === 3 ? 'MI' : 'OH',
        cap_rate: '9.00',
        dscr: '1.30',
      })),
      reports: rowsOfTable('reports', 3),
      signals: rowsOfTable('signals', 2),
      auctions: rowsOfTable('auctions', 2),
      leads: rowsOfTable('leads', 2),
      owners: rowsOfTable('owners', 2),
      filings: rowsOfTable('filings', 4, (i) => ({
        first_seen: `2026-11-${i % 2 ? '12' : '20'}T12:00:00Z`,
        ...(i > 2 ? { source: 'colorado_sos', source_state: 'CO' } : {}),
      })),
    });
    const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
    server = await serve({ settings, payments, checkResponses: true });
    const wallet = JSON.parse(await readFile(join(folder.path, 'sandbox', 'wallet.json'), 'utf8')) as {
      private_key: `0x${string}`;
    };
    buyer = buyerWith(wallet.private_key);
  });
  after(async () => {
    await server.close();
    await folder.remove();
  });

  const balances = async (): Promise<{ buyer: bigint; seller: bigint }> => {
    const chain = server.payments.sandbox?.chain;
    assert.ok(chain);
    return { buyer: await chain.balanceOf(buyer.address), seller: await chain.balanceOf(server.payments.payTo) };
  };
  /** The amount that an action moved from buyer to seller. */
  const amountMoved = async (action: () => Promise<void>): Promise<bigint> => {
    const start = await balances();
    await action();
    const end = await balances();
    assert.equal(start.buyer - end.buyer, end.seller - start.seller);
    return end.seller - start.seller;
  };
  const deals = (query = ''): string => `${server.url}/api/deals${query}`;

  it('is required with the price, the network and the public URL', async () => {
    const response = await fetch(deals('?state=OH'));
    assert.equal(response.status, 402);
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json');
    const body = await bodyOf(response);
    assert.equal(body['reason'], 'payment_required');
    assert.equal(body['price'], '$0.05');
    assert.match(String(body['notice']), /SANDBOX/);
    const required = await fetchPaymentRequired(deals('?state=OH'));
    assert.equal(required.accepts[0]?.amount, '50000');
    assert.equal(required.accepts[0]?.network, 'eip155:8453');
    assert.equal(required.accepts[0]?.asset, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913');
    assert.equal(required.resource.url, `${server.publicUrl}/api/deals?state=OH`);
    assert.ok((response.headers.get('PAYMENT-REQUIRED') ?? '').length < 4096);
  });

  it('moves exactly the price from buyer to seller and returns the complete response', async () => {
    const paid = await amountMoved(async () => {
      const response = await buyer.fetch(deals('?state=OH'));
      assert.equal(response.status, 200);
      const body = await bodyOf(response);
      assert.equal(body['count'], 2);
      assert.deepEqual(
        (body['records'] as { deal_score: number }[]).map((r) => r.deal_score),
        [20, 10],
      );
      assert.deepEqual(body['filters'], { state: 'OH' });
      const receipt = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '');
      assert.equal(receipt.success, true);
      assert.match(receipt.transaction, /^0x[0-9a-f]{64}$/);
      assert.match(response.headers.get('Cache-Control') ?? '', /private/);
    });
    assert.equal(paid, PRICE);
  });

  it('costs the price of the price table: every priced route requires it, one of each price is sold', async () => {
    const bought = new Set<string>();
    for (const route of server.app.routes) {
      if (route.price === null) continue;
      const priced = route.path.replace(/^\/(ohio|colorado)/, '').replace(/\/lookup\/batch$/, '/lookup');
      assert.equal(route.price, PRICES[priced as keyof typeof PRICES]);
      const [whole = '0', cents = '00'] = route.price.split('.');
      const price = BigInt(whole) * 1_000_000n + BigInt(cents) * 10_000n;
      const url = server.url + callOf(route);
      assert.equal((await fetchPaymentRequired(url)).accepts[0]?.amount, String(price), route.path);
      if (bought.has(route.price)) continue;
      bought.add(route.price);
      const paid = await amountMoved(async () => {
        assert.equal((await buyer.fetch(url)).status, 200, route.path);
      });
      assert.equal(paid, price, route.path);
    }
  });

  it('is not billed without a match: 404 with a typed reason', async () => {
    const paid = await amountMoved(async () => {
      const response = await buyer.fetch(deals('?state=ZZ&min_score=90'));
      assert.equal(response.status, 404);
      assert.equal(response.headers.get('PAYMENT-RESPONSE'), null);
      const body = await bodyOf(response);
      assert.equal(body['reason'], 'no_matches');
      assert.equal(body['billed'], false);
      assert.deepEqual(body['filters'], { state: 'ZZ', min_score: 90 });
    });
    assert.equal(paid, 0n);
  });

  it('leaves a payment usable if it bought nothing', async () => {
    const payment = await buyer.sign(deals());
    const paid = await amountMoved(async () => {
      assert.equal((await fetchWithPayment(deals('?state=ZZ'), payment)).status, 404);
      assert.equal((await fetchWithPayment(deals('?state=OH'), payment)).status, 200);
    });
    assert.equal(paid, PRICE);
  });

  it('refuses a bad request before a payment', async () => {
    const payment = await buyer.sign(deals());
    const paid = await amountMoved(async () => {
      for (const query of ['?stat=OH', '?min_price=12e3', '?state=OH&state=MI', '?limit=501', '?cursor=made-up']) {
        const response = await fetchWithPayment(deals(query), payment);
        assert.equal(response.status, 400, query);
        assert.equal((await bodyOf(response))['billed'], false);
      }
    });
    assert.equal(paid, 0n);
  });

  it('requires a payment for HEAD as for GET, and never sells a response without a body', async () => {
    const unpaid = await fetch(deals(), { method: 'HEAD' });
    assert.equal(unpaid.status, 402);
    assert.notEqual(unpaid.headers.get('PAYMENT-REQUIRED'), null);
    const paid = await amountMoved(async () => {
      assert.equal((await fetchWithPayment(deals(), await buyer.sign(deals()), 'HEAD')).status, 400);
    });
    assert.equal(paid, 0n);
  });

  it('charges concurrent copies of one payment once, for one response', async () => {
    const payment = await buyer.sign(deals());
    const paid = await amountMoved(async () => {
      const responses = await Promise.all(Array.from({ length: 6 }, () => fetchWithPayment(deals(), payment)));
      assert.deepEqual(responses.map((r) => r.status).sort(), [200, 409, 409, 409, 409, 409]);
      for (const response of responses) {
        if (response.status === 409)
          assert.match(
            String((await bodyOf(response))['reason']),
            /^(payment_in_progress|settlement_pending|payment_already_used)$/,
          );
      }
      const later = await fetchWithPayment(deals('?state=MI'), payment);
      assert.equal(later.status, 409);
    });
    assert.equal(paid, PRICE);
  });

  it('settles concurrent payments, each once', async () => {
    const payments = await Promise.all(Array.from({ length: 5 }, () => buyer.sign(deals())));
    const paid = await amountMoved(async () => {
      const responses = await Promise.all(payments.map((p) => fetchWithPayment(deals(), p)));
      assert.deepEqual(
        responses.map((r) => r.status),
        [200, 200, 200, 200, 200],
      );
    });
    assert.equal(paid, 5n * PRICE);
  });

  it('refuses payments that differ from the terms, without a charge', async () => {
    const poor = buyerWith();
    const other = '0x00000000000000000000000000000000000000bb';
    const otherTerms = 'no_matching_payment_requirements';
    const cases: [name: string, payment: string, error: string, reason?: string][] = [
      ['a smaller amount', await buyer.sign(deals(), (a) => ({ ...a, amount: '49999' })), otherTerms],
      ['another recipient', await buyer.sign(deals(), (a) => ({ ...a, payTo: other })), otherTerms],
      [
        'a recipient changed after signing',
        await buyer.forge(deals(), (p) => withAuthorization(p, { to: other })),
        'invalid_exact_evm_recipient_mismatch',
      ],
      [
        'an amount changed after signing',
        await buyer.forge(deals(), (p) => withAuthorization(p, { value: '1' })),
        'invalid_exact_evm_payload_authorization_value_mismatch',
      ],
      [
        'a payer changed after signing',
        await buyer.forge(deals(), (p) => withAuthorization(p, { from: poor.address })),
        'invalid_exact_evm_signature',
      ],
      [
        'an authorization that has expired',
        await buyer.sign(deals(), (a) => ({ ...a, maxTimeoutSeconds: 1 })),
        otherTerms,
      ],
      [
        'an expired authorization with the required terms',
        await expired(),
        'invalid_exact_evm_payload_authorization_valid_before',
      ],
      ['an authorization valid for years', await longLived(), 'valid_before_too_late'],
      ['a wallet without money', await poor.sign(deals()), 'payer_without_funds', 'payer_without_funds'],
    ];
    const paid = await amountMoved(async () => {
      for (const [name, payment, error, reason = 'payment_invalid'] of cases) {
        const response = await fetchWithPayment(deals(), payment);
        assert.equal(response.status, 402, name);
        const body = await bodyOf(response);
        assert.deepEqual([body['reason'], body['billed'], body['payment_error']], [reason, false, error], name);
        assert.notEqual(response.headers.get('PAYMENT-REQUIRED'), null, name);
      }
      for (const malformed of [
        '!!!',
        'e30=',
        Buffer.from('null').toString('base64'),
        Buffer.from('{"x402Version":1}').toString('base64'),
      ]) {
        const response = await fetchWithPayment(deals(), malformed);
        assert.equal(response.status, 402, malformed);
        assert.equal((await bodyOf(response))['reason'], 'payment_malformed', malformed);
      }
    });
    assert.equal(paid, 0n);
  });

  /** Signed for another time, and sent with the required terms: the signature itself is valid. */
  const resigned = async (seconds: number): Promise<string> => {
    const terms = (await fetchPaymentRequired(deals())).accepts[0];
    assert.ok(terms);
    const payment = await buyer.sign(deals(), (a) => ({ ...a, maxTimeoutSeconds: seconds }));
    const payload = JSON.parse(Buffer.from(payment, 'base64').toString('utf8')) as Record<string, unknown>;
    return Buffer.from(JSON.stringify({ ...payload, accepted: terms })).toString('base64');
  };
  const expired = (): Promise<string> => resigned(-10);
  const longLived = (): Promise<string> => resigned(10 * 365 * 86_400);

  it('works from the command line, which prints balances before and after', async () => {
    const programOf = (name: string): string => fileURLToPath(new URL(`../../clients/${name}.ts`, import.meta.url));
    const run = (env: Record<string, string>, name = 'buy'): Promise<Ended> => runHere(programOf(name), { env });
    const paid = await amountMoved(async () => {
      const env = { ...BARE, DATA_DIR: folder.path, URL: '/api/deals?state=OH' };
      const { stdout: out } = await promisify(execFile)(process.execPath, [programOf('buy')], { env });
      assert.match(out, /required {3}402, price 0\.05 USDC/);
      assert.match(out, /transaction 0x[0-9a-f]{64}/);
      assert.match(out, /\(-0\.05 USDC\)/);
      assert.match(out, /"total_matches": 2/);
      const receipt = /receipt {4}([0-9a-f-]{36}) /.exec(out)?.[1] ?? '';
      const SERVER = server.url.replace('127.0.0.1', 'localhost');
      const again = await run({ DATA_DIR: folder.path, SERVER, RECEIPT: receipt }, 'collect_cli');
      assert.equal(again.code, 0, again.err);
      assert.match(again.out, /delivered by wallet\nbytes {6}\d+, the hash matches/);
      assert.match(again.out, /"total_matches":2/);
    });
    assert.equal(paid, PRICE);
    const noServer = await run({ DATA_DIR: join(folder.path, 'nothing-here'), URL: '/api/deals' });
    assert.equal(noServer.code, 1);
    assert.match(noServer.err, /^no sandbox server is running .*\n$/);
    const elsewhere = await run({ DATA_DIR: folder.path, SERVER: 'http://localhost:1', URL: '/api/deals' });
    assert.match(elsewhere.err, /^no server responds at http:\/\/localhost:1: start one .*set SERVER to the address/);
  });
});
