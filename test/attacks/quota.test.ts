/** The limit of unpaid responses against callers who mint signatures, and for buyers who share their address. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { NETWORK } from '../../lib/network.ts';
import { buyerWith, fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf } from '../api/support/contracts.ts';
import { DEALS, DOLLAR, openShop, type Shop } from '../support/shop.ts';
import { headerOf, randomAddress } from './wallets.ts';

const LIMIT = 8;

describe('the limit of unpaid responses', () => {
  let shop: Shop;
  let terms: PaymentRequired;
  before(async () => {
    shop = await openShop({ env: { UNBILLED_PER_MINUTE: String(LIMIT), PROXY_HOPS: '1' } });
    terms = await fetchPaymentRequired(shop.url + DEALS);
  });
  after(() => shop.close());

  /** Payments of this key, signed without a request. */
  const mint = async (key: Hex, count: number): Promise<string[]> => {
    const client = new x402Client().register(NETWORK, new ExactEvmScheme(privateKeyToAccount(key)));
    const payloads = Array.from({ length: count }, () => client.createPaymentPayload(terms));
    return (await Promise.all(payloads)).map(encodePaymentSignatureHeader);
  };
  const statusFrom = async (ip: string, payment?: string, path = DEALS): Promise<number> => {
    const headers = { 'X-Forwarded-For': ip, ...(payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }) };
    const response = await fetch(shop.url + path, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  const fundedKey = async (units: bigint): Promise<Hex> => {
    const key = generatePrivateKey();
    await shop.chain.mint(privateKeyToAccount(key).address, units);
    return key;
  };

  it('binds a caller who signs with an empty wallet, with new wallets, or with dust', async () => {
    const dusty = await fundedKey(1n);
    const payments = [
      ...(await mint(generatePrivateKey(), LIMIT)),
      ...(await Promise.all(Array.from({ length: LIMIT }, () => mint(generatePrivateKey(), 1)))).flat(),
      ...(await mint(dusty, LIMIT)),
    ];
    const passed: number[] = [];
    for (const payment of payments) {
      const status = await statusFrom('203.0.113.1', payment);
      if (status !== 429) passed.push(status);
    }
    assert.deepEqual(passed, Array(LIMIT).fill(402));
  });

  it('admits a buyer with funds at the same address, whose limit neither strangers nor copies use up', async () => {
    const key = await fundedKey(20n * DOLLAR);
    const [payment = '', ...others] = await mint(key, 4);
    const ip = '203.0.113.2';
    for (let i = 0; i <= LIMIT; i += 1) await statusFrom(ip);
    assert.equal(await statusFrom(ip), 429);
    assert.equal(await statusFrom(ip, payment), 200);
    // Copies of a payment that was seen, sent by somebody else.
    const copies: number[] = [];
    for (let i = 0; i <= LIMIT; i += 1) copies.push(await statusFrom('203.0.113.3', payment));
    assert.deepEqual(new Set(copies), new Set([409]));
    for (const next of others) assert.equal(await statusFrom('203.0.113.4', next), 200);
  });

  it('admits a buyer who had funds within the hour even if its address sends worthless payments', async () => {
    const [first = '', next = ''] = await mint(await fundedKey(20n * DOLLAR), 2);
    const [stranger = ''] = await mint(await fundedKey(20n * DOLLAR), 1);
    const ip = '203.0.113.8';
    assert.equal(await statusFrom(ip, first), 200);
    for (const worthless of await mint(generatePrivateKey(), 2 * LIMIT)) await statusFrom(ip, worthless);
    assert.deepEqual([await statusFrom(ip, stranger), await statusFrom(ip, next)], [429, 200]);
  });

  it('does not count what one wallet signed for another, or for another receiver', async () => {
    const [payment = ''] = await mint(await fundedKey(20n * DOLLAR), 1);
    const [other = ''] = await mint(generatePrivateKey(), 1);
    const from = JSON.parse(Buffer.from(payment, 'base64').toString('utf8')) as { payload: { signature: string } };
    const signed = JSON.parse(Buffer.from(other, 'base64').toString('utf8')) as typeof from;
    from.payload.signature = signed.payload.signature;
    const elsewhere = { ...terms, accepts: terms.accepts.map((one) => ({ ...one, payTo: shop.gasAccount })) };
    const client = new x402Client().register(
      NETWORK,
      new ExactEvmScheme(privateKeyToAccount(await fundedKey(20n * DOLLAR))),
    );
    const misdirected = encodePaymentSignatureHeader(await client.createPaymentPayload(elsewhere));
    const ip = '203.0.113.5';
    for (let i = 0; i <= LIMIT; i += 1) await statusFrom(ip);
    for (const forged of [Buffer.from(JSON.stringify(from)).toString('base64'), misdirected])
      assert.equal(await statusFrom(ip, forged), 429);
  });

  it('binds a contract that signed nothing, and lets a contract wallet buy', async () => {
    const [owner, wallet] = [randomAddress(), randomAddress()];
    await shop.contract(owner, codeOf('RefusesAll'));
    await shop.contract(wallet, codeOf('AcceptsAnything'));
    const pathOf = (house: number): string => `/api/lookup?address=${house}+Main+St`;
    const lookup = await fetchPaymentRequired(shop.url + pathOf(1));
    const answers: number[] = [];
    for (let i = 0; i < 12; i += 1)
      answers.push(await statusFrom('203.0.113.6', headerOf(lookup, owner, '0x1234'), pathOf(i % 2 === 0 ? 1 : 9)));
    assert.deepEqual(answers, [402, 404, 402, 404, 402, ...Array<number>(7).fill(429)]);
    const buy = (ip: string): Promise<number> => statusFrom(ip, headerOf(terms, wallet, '0x1234'));
    assert.equal(await buy('203.0.113.6'), 429);
    for (let i = 0; i < 7; i += 1) assert.equal(await buy('203.0.113.7'), 200);
  });

  it('never stops a buyer with a stock client who buys as fast as it can', async () => {
    const key = await fundedKey(20n * DOLLAR);
    const buyer = buyerWith(key);
    const buy = async (): Promise<[number, string | null]> => {
      const response = await buyer.fetch(shop.url + DEALS);
      await response.arrayBuffer();
      return [response.status, response.headers.get('RateLimit')];
    };
    const lanes = Array.from({ length: 4 }, async () => {
      const lane: (readonly [number, string | null])[] = [];
      for (let i = 0; i < LIMIT / 2; i += 1) lane.push(await buy());
      return lane;
    });
    const bought = (await Promise.all(lanes)).flat();
    assert.deepEqual(new Set(bought.map(([status]) => status)), new Set([200]));
    for (const [, standing] of bought) assert.match(standing ?? '', /^"unpaid";r=[3-8];t=\d+$/);
  });
});
