/** The 402 of every priced route, as an x402 v2 client reads it, and the headers on the wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePaymentRequiredHeader, encodePaymentRequiredHeader } from '@x402/core/http';
import type { HTTPAdapter, RouteConfig } from '@x402/core/server';
import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import type { PaymentRequired } from '@x402/core/types';
import { paymentRequiredHeader } from '../../../api/payments/request/payment_required_header.ts';
import { requirementsOf } from '../../../api/payments/requirements.ts';
import { allRoutes } from '../../../api/routes/all.ts';
import { paymentRoutes } from '../../../api/routes/define.ts';
import { atomicOf, NETWORK, USDC } from '../../../lib/network.ts';

const PAY_TO = '0x00000000000000000000000000000000000000aa';
const PUBLIC_URL = 'https://deals.example';
const HEADER_BYTES = 4_000;
const routes: Record<string, RouteConfig> = paymentRoutes(
  allRoutes({ publicUrl: PUBLIC_URL, spoolDir: '/nowhere' }),
  PAY_TO,
);
const prices = new Map<string, string | null>(
  allRoutes({ publicUrl: PUBLIC_URL, spoolDir: '/nowhere' }).map(({ path, price }) => [`GET ${path}`, price]),
);

const requestFor = (path: string): HTTPAdapter => ({
  getHeader: () => undefined,
  getMethod: () => 'GET',
  getPath: () => path,
  getUrl: () => PUBLIC_URL + path,
  getAcceptHeader: () => 'application/json',
  getUserAgent: () => '',
});

test('every priced route requires its price in USDC on Base, and names the requested URL', async () => {
  const build = await requirementsOf(routes);
  assert.equal(Object.keys(routes).length, 19);
  assert.ok(
    Object.keys(routes).some((key) => key.includes(':')),
    'one of them has a parameter in its path',
  );
  for (const key of Object.keys(routes)) {
    for (const [i, query] of ['?q=1', '?q=2', '', '?q=1'].entries()) {
      const path = key.slice(4).replaceAll(/:\w+/g, `number-${i}`) + query;
      const required = await build(key, requestFor(path));
      PaymentRequiredV2Schema.parse(required);
      assert.equal(required.resource.url, PUBLIC_URL + path);
      assert.deepEqual(required.accepts, [
        {
          scheme: 'exact',
          network: NETWORK,
          asset: USDC,
          amount: String(atomicOf(prices.get(key) ?? '')),
          payTo: PAY_TO,
          // An exclusive lead is reserved for this long if the payment never arrives.
          maxTimeoutSeconds: key.endsWith('/leads/exclusive') ? 60 : 300,
          extra: { name: 'USD Coin', version: '2' },
        },
      ]);
      assert.deepEqual(Object.keys(required.extensions ?? {}).sort(), ['bazaar', 'payment-identifier']);
    }
  }
});

test('a route without a price has no requirements', async () => {
  const build = await requirementsOf(routes);
  await assert.rejects(build('GET /api/meta', requestFor('/api/meta')), /GET \/api\/meta requires no payment/);
});

test('the PAYMENT-REQUIRED header fits into 4 kB, and a client reads everything that is needed to pay', async () => {
  const build = await requirementsOf(routes);
  for (const key of Object.keys(routes)) {
    const required = await build(key, requestFor(`${key.slice(4)}?${'q'.repeat(500)}=1`));
    const header = paymentRequiredHeader(required);
    assert.ok(header.length <= HEADER_BYTES, `${key}: ${header.length}`);
    const { extensions: _, ...read } = decodePaymentRequiredHeader(header);
    const { extensions: __, ...sent } = required;
    assert.deepEqual(read, sent);
  }
});

test('a header that is too long loses its extensions one by one, and nothing else', () => {
  const required = (bazaarBytes: number, identifierBytes: number): PaymentRequired => ({
    x402Version: 2,
    error: 'Payment required',
    resource: { url: PUBLIC_URL, description: '', mimeType: '' },
    accepts: [],
    extensions: {
      bazaar: { text: 'x'.repeat(bazaarBytes) },
      'payment-identifier': { text: 'x'.repeat(identifierBytes) },
    },
  });
  const extensionsOf = (value: PaymentRequired): string[] =>
    Object.keys(decodePaymentRequiredHeader(paymentRequiredHeader(value)).extensions ?? {});
  assert.equal(paymentRequiredHeader(required(10, 10)), encodePaymentRequiredHeader(required(10, 10)));
  assert.deepEqual(extensionsOf(required(10, 10)), ['bazaar', 'payment-identifier']);
  assert.deepEqual(extensionsOf(required(4_000, 10)), ['payment-identifier']);
  assert.deepEqual(extensionsOf(required(10, 4_000)), []);
});
