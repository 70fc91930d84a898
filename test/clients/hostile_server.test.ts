/** The client against a hostile server: it signs nothing unexpected, and sends nothing to other servers. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { encodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createBuyer, type Buyer } from '../../clients/purchase.ts';
import { openSpending, type Spending } from '../../clients/spending.ts';
import { TERMS } from '../api/support/base.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** The PAYMENT-REQUIRED header for $0.05, changed. */
const termsHeader = (change: Readonly<Record<string, unknown>> = {}): string =>
  encodePaymentRequiredHeader({
    x402Version: 2,
    resource: { url: 'https://api.example/api/deals', description: '', mimeType: 'application/json' },
    accepts: [{ ...TERMS, ...change }],
  } as unknown as PaymentRequired);

describe('the client', () => {
  let spending: Spending;
  let buyer: Buyer;
  let bad: TestServer;
  let other: TestServer;
  let handler: RequestListener = () => undefined;
  /** Paths of requests with a payment or a sign-in. */
  const signed: string[] = [];
  let others = 0;

  before(async () => {
    spending = openSpending(':memory:', { perCall: 50_000n, total: 200_000n });
    const account = privateKeyToAccount(generatePrivateKey());
    buyer = createBuyer({ wallet: async () => ({ account, rpcUrl: null }), spending, collectEveryMs: 50 });
    const watching: RequestListener = (request, response) => {
      if (request.headers['payment-signature'] !== undefined || request.headers['sign-in-with-x'] !== undefined)
        signed.push(request.url ?? '');
      handler(request, response);
    };
    [bad, other] = [
      await startTestServer(watching),
      await startTestServer((request, response) => {
        others += 1;
        watching(request, response);
      }),
    ];
  });
  after(async () => {
    for (const server of [bad, other]) await server.close();
    spending.close();
  });

  const call = async (path = '/api/deals'): Promise<readonly [reason: string, billed: boolean | null]> => {
    const outcome = await buyer.call(new URL(bad.url + path));
    return outcome.kind === 'response' ? ['response', true] : [outcome.reason, outcome.billed];
  };
  const respond402 =
    (header: string): RequestListener =>
    (_, response) => {
      response.writeHead(402, { 'PAYMENT-REQUIRED': header }).end('{}');
    };

  it('signs only USDC on Base, within the cap, for a short time', async () => {
    for (const [name, header, reason] of [
      ['a cent more than the cap', termsHeader({ amount: '60000' }), 'price_above_call_cap'],
      ['a huge price', termsHeader({ amount: '999999999999' }), 'price_above_call_cap'],
      ['too many digits', termsHeader({ amount: '9'.repeat(40) }), 'terms_not_accepted'],
      ['a negative price', termsHeader({ amount: '-1' }), 'terms_not_accepted'],
      ['a price in hex', termsHeader({ amount: '0x10' }), 'terms_not_accepted'],
      ['a price with an exponent', termsHeader({ amount: '5e4' }), 'terms_not_accepted'],
      ['another token', termsHeader({ asset: '0x00000000000000000000000000000000000000bb' }), 'terms_not_accepted'],
      ['another network', termsHeader({ network: 'eip155:1' }), 'terms_not_accepted'],
      ['another scheme', termsHeader({ scheme: 'upto' }), 'terms_not_accepted'],
      ['a payment valid for ten years', termsHeader({ maxTimeoutSeconds: 315_360_000 }), 'terms_not_accepted'],
      ['a Permit2 payment', termsHeader({ extra: { assetTransferMethod: 'permit2' } }), 'terms_not_accepted'],
      ['no time', termsHeader({ maxTimeoutSeconds: 0 }), 'terms_not_accepted'],
      ['an undecodable header', 'AAAA', 'terms_not_accepted'],
      ['no terms', Buffer.from('{"accepts":[]}').toString('base64'), 'terms_not_accepted'],
    ] as const) {
      handler = respond402(header);
      assert.deepEqual(await call(), [reason, false], name);
    }
    handler = (_, response) => {
      response.writeHead(402).end();
    };
    assert.deepEqual(await call(), ['terms_not_accepted', false]);
    assert.deepEqual(signed, []);
    assert.equal((await buyer.budget()).spent_usd, '0.00');
  });

  it('sends a payment only to the server that required it', async () => {
    handler = (request, response) => {
      if (request.headers.host === new URL(bad.url).host)
        response.writeHead(307, { Location: `${other.url}/api/deals` }).end();
      else respond402(termsHeader())(request, response);
    };
    assert.deepEqual(await call(), ['server_unreachable', false]);
    assert.deepEqual([others, signed], [0, []]);
    // A redirect after the payment: the payment goes no further, and the challenge of a bank is not signed.
    const info = {
      domain: 'bank.example',
      uri: 'https://bank.example/login',
      statement: 'x',
      version: '1',
      nonce: 'abcdefgh',
      issuedAt: '2026-11-20T12:00:00.000Z',
      expirationTime: '2026-11-20T13:00:00.000Z',
      resources: [],
    };
    handler = (request, response) => {
      if (request.url?.startsWith('/api/purchases/'))
        response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify({ sign_in: { info } }));
      else if (request.headers['payment-signature'] === undefined) respond402(termsHeader())(request, response);
      else response.writeHead(307, { Location: `${other.url}/api/deals` }).end();
    };
    assert.deepEqual(await call(), ['outcome_unknown', null]);
    assert.deepEqual([others, signed.splice(0)], [0, ['/api/deals']]);
    assert.equal((await buyer.budget()).spent_usd, '0.05');
  });
});
