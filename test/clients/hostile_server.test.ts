/**
 * The client against a hostile server: it signs nothing unexpected, sends nothing to other servers, and loses no more
 * than MAX_TOTAL; what was never used on the chain is free.
 */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, before, describe, it, afterEach, beforeEach, mock } from 'node:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePaymentRequiredHeader, decodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ExactEIP3009Payload } from '@x402/evm';
import { createTestClient, http, type Address, type Hex } from 'viem';
import { createBuyer, type Buyer } from '../../clients/purchase.ts';
import { openSpending, type Spending } from '../../clients/spending.ts';
import { TERMS } from '../api/support/base.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import { BASE_SEPOLIA } from '../../lib/network.ts';
import { sendAsStranger } from '../attacks/wallets.ts';

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

const DOLLAR = 1_000_000n;
const THEM: Address = '0x00000000000000000000000000000000000000bb';
const terms: PaymentRequired = {
  x402Version: 2,
  resource: { url: 'https://api.example/api/deals', description: '', mimeType: 'application/json' },
  accepts: [{ ...TERMS, amount: String(DOLLAR), payTo: THEM }],
};
const released = JSON.stringify({ reason: 'purchase_released', detail: 'Nothing was charged.', billed: false });
const refusedFree = JSON.stringify({ reason: 'no_matches', detail: 'No match.', billed: false });

/** What the server responds to a payment, whether or not it settles it. */
const LIES = ['404 billed false', '200 with a body', '500', 'a lost connection', 'released'] as const;

describe('MAX_TOTAL', () => {
  let folder: string;
  let chain: Chain;
  let server: TestServer;
  let spending: Spending;
  let account: ReturnType<typeof privateKeyToAccount>;
  let lie: (typeof LIES)[number] = '404 billed false';
  /** Every payment that the server has received. */
  let received: ExactEIP3009Payload[] = [];
  const path = (): string => join(folder, `${account.address}.sqlite`);

  before(async () => {
    // The client's clock moves with the chain's.
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    folder = await mkdtemp(join(tmpdir(), 'dealfeed-cap-'));
    chain = await startChain();
    server = await startTestServer((request, response) => {
      const header = request.headers['payment-signature'];
      if (request.url?.startsWith('/api/purchases/') === true)
        response.writeHead(410, { 'Content-Type': 'application/problem+json' }).end(released);
      else if (header === undefined)
        response.writeHead(402, { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(terms) }).end();
      else {
        received.push(decodePaymentSignatureHeader(String(header)).payload as unknown as ExactEIP3009Payload);
        if (lie === '404 billed false') response.writeHead(404).end(refusedFree);
        else if (lie === '200 with a body') response.writeHead(200).end('{}');
        else if (lie === '500') response.writeHead(500).end();
        else if (lie === 'released') response.writeHead(410).end(released);
        else response.destroy();
      }
    });
  });
  beforeEach(async () => {
    account = privateKeyToAccount(generatePrivateKey());
    received = [];
    await chain.mint(account.address, 20n * DOLLAR);
    spending = openSpending(path(), { perCall: DOLLAR, total: 3n * DOLLAR });
  });
  afterEach(() => {
    spending.close();
  });
  after(async () => {
    mock.timers.reset();
    await server.close();
    await chain.close();
    await rm(folder, { recursive: true, force: true });
  });

  const buyer = (rpcUrl: string | null): Buyer =>
    createBuyer({ wallet: async () => ({ account, rpcUrl }), spending, collectEveryMs: 1 });
  const call = async (one: Buyer): Promise<string> => {
    const outcome = await one.call(new URL(`${server.url}/api/deals`));
    return outcome.kind === 'response' ? 'response' : outcome.reason;
  };
  /** Settle a payment as the server or anybody else can. */
  const settle = ({ authorization, signature }: ExactEIP3009Payload): Promise<void> =>
    sendAsStranger(chain, { authorization, signature: signature as Hex });
  /** Let what was signed expire, in a block that is not final yet, or is. */
  const expire = async (isFinal: boolean): Promise<void> => {
    mock.timers.setTime(Date.now() + 310_000);
    const { timestamp } = await chain.reader.getBlock({ blockTag: 'latest' });
    const admin = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
    await admin.setNextBlockTimestamp({ timestamp: timestamp + 310n });
    await admin.mine({ blocks: isFinal ? 3 : 1 });
  };
  const lost = async (): Promise<bigint> => 20n * DOLLAR - (await chain.balanceOf(account.address));
  const left = async (one: Buyer): Promise<string> => (await one.budget()).left_usd;

  for (const kind of LIES) {
    it(`limits the loss to a server that responds with ${kind} and settles later, also after a restart`, async () => {
      lie = kind;
      for (let i = 0; i < 6; i += 1) await call(buyer(chain.rpcUrl));
      spending.close();
      spending = openSpending(path(), { perCall: DOLLAR, total: 3n * DOLLAR });
      for (let i = 0; i < 4; i += 1) assert.equal(await call(buyer(chain.rpcUrl)), 'price_above_total_cap');
      for (const payment of received) await settle(payment);
      await expire(true);
      assert.equal(await call(buyer(chain.rpcUrl)), 'price_above_total_cap');
      assert.deepEqual([received.length, await lost(), await left(buyer(chain.rpcUrl))], [3, 3n * DOLLAR, '0.00']);
    });
  }

  it('gets a payment back only if a final block shows it unused after it expired', async () => {
    lie = '404 billed false';
    const one = buyer(chain.rpcUrl);
    for (let i = 0; i < 3; i += 1) assert.equal(await call(one), 'no_matches');
    await settle(received[0] ?? assert.fail());
    assert.equal(await left(one), '0.00');
    await expire(false);
    // Without a node, or with the node of another chain, nothing is known.
    const other = await startChain(BASE_SEPOLIA);
    for (const rpcUrl of [null, other.rpcUrl, 'http://127.0.0.1:9', chain.rpcUrl])
      assert.equal(await left(buyer(rpcUrl)), '0.00', String(rpcUrl));
    await expire(true);
    for (const rpcUrl of [null, other.rpcUrl, 'http://127.0.0.1:9'])
      assert.equal(await left(buyer(rpcUrl)), '0.00', String(rpcUrl));
    await other.close();
    assert.deepEqual([await left(one), (await one.budget()).held_usd], ['2.00', '0.00']);
    for (let i = 0; i < 2; i += 1) assert.equal(await call(one), 'no_matches');
    assert.equal(await call(one), 'price_above_total_cap');
    for (const payment of received.slice(3)) await settle(payment);
    assert.equal(await lost(), 3n * DOLLAR);
  });
});
