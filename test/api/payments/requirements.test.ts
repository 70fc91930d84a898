/** The 402 of every priced route, as an x402 v2 client reads it, and the headers on the wire. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { RouteConfig } from '@x402/core/server';
import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import { paymentRequiredHeader } from '../../../api/payments/refusals.ts';
import { openRequirements } from '../../../api/payments/requirements.ts';
import { allRoutes } from '../../../api/routes/all.ts';
import { paymentRoutes } from '../../../api/docs/x402_extensions.ts';
import { atomicOf, BASE, NETWORK, USDC } from '../../../lib/network.ts';

const PAY_TO = '0x00000000000000000000000000000000000000aa';
const PUBLIC_URL = 'https://deals.example';
const routes: Record<string, RouteConfig> = paymentRoutes(allRoutes({ publicUrl: PUBLIC_URL }), PAY_TO);
const prices = new Map<string, string | null>(
  allRoutes({ publicUrl: PUBLIC_URL }).map(({ path, price }) => [`GET ${path}`, price]),
);

const requirements = openRequirements(routes, BASE, PUBLIC_URL);

test('every priced route requires its price in USDC on Base, and names the requested URL', async () => {
  const { required: build } = await requirements;
  assert.deepEqual(
    Object.keys(routes),
    [...prices].flatMap(([key, price]) => (price === null ? [] : [key])),
  );
  for (const key of Object.keys(routes)) {
    for (const query of ['?q=1', '']) {
      const path = key.slice(4).replaceAll(/:\w+/g, 'number-1') + query;
      const required = await build(key, path);
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

test('a query that is too long for the header is left out of its URL, and nothing else', async () => {
  const { required: build } = await requirements;
  for (const key of Object.keys(routes)) {
    const path = key.slice(4).replaceAll(':id', randomUUID());
    const required = await build(key, `${path}?${'q'.repeat(6_000)}=1`);
    const header = paymentRequiredHeader(required);
    assert.ok(header.length < 3_500, `${key}: ${header.length}`);
    const resource = { ...required.resource, url: PUBLIC_URL + path };
    assert.deepEqual(decodePaymentRequiredHeader(header), { ...required, resource });
  }
});
