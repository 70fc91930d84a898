/** What a priced route asks for is what the official server asks for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@x402/core/http';
import { x402HTTPResourceServer, x402ResourceServer, type HTTPAdapter, type RouteConfig } from '@x402/core/server';
import type { PaymentRequired, SettleResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { bazaarResourceServerExtension } from '@x402/extensions/bazaar';
import { paymentIdentifierResourceServerExtension } from '@x402/extensions/payment-identifier';
import fc from 'fast-check';
import { base64Of, readPaymentHeader } from '../../../api/payments/headers.ts';
import { NETWORK } from '../../../lib/network.ts';
import { requirementsOf } from '../../../api/payments/requirements.ts';
import { paymentRoutes } from '../../../api/routes/define.ts';
import { allRoutes } from '../../../api/routes/all.ts';

const PAY_TO = '0x00000000000000000000000000000000000000aa';
const routes: Record<string, RouteConfig> = paymentRoutes(
  allRoutes({ publicUrl: 'https://deals.example', spoolDir: '/nowhere' }),
  PAY_TO,
);

const callOf = (path: string, query: string): HTTPAdapter => ({
  getHeader: () => undefined,
  getMethod: () => 'GET',
  getPath: () => path,
  getUrl: () => `https://deals.example${path}${query}`,
  getAcceptHeader: () => 'application/json',
  getUserAgent: () => '',
});

/** The 402 of the library's own server for one route. */
async function officialServer(key: string, config: RouteConfig): Promise<(call: HTTPAdapter) => Promise<string>> {
  const unused = (): never => assert.fail('nothing is verified or settled');
  const server = new x402ResourceServer({
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }],
      extensions: [],
      signers: {},
    }),
    verify: async () => unused(),
    settle: async () => unused(),
  })
    .register(NETWORK, new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension)
    .registerExtension(paymentIdentifierResourceServerExtension);
  const http = new x402HTTPResourceServer(server, { [key]: config });
  await http.initialize();
  const pattern = key.slice(4);
  return async (adapter) => {
    const result = await http.processHTTPRequest({ adapter, path: pattern, method: 'GET' });
    assert.ok(result.type === 'payment-error');
    return Buffer.from(result.response.headers['PAYMENT-REQUIRED'] ?? '', 'base64').toString();
  };
}

test('every priced route asks what the official server asks, letter by letter, whatever was asked before', async () => {
  const ours = await requirementsOf(routes);
  assert.equal(Object.keys(routes).length, 18);
  assert.ok(
    Object.keys(routes).some((key) => key.includes(':')),
    'one with a parameter in its path is among them',
  );
  for (const [key, config] of Object.entries(routes)) {
    const official = await officialServer(key, config);
    for (const [i, query] of ['?q=1', '?q=2', '', '?q=1'].entries()) {
      const call = callOf(key.slice(4).replaceAll(/:\w+/g, `number-${i}`), query);
      const required = await ours(key).required(call);
      assert.equal(JSON.stringify(required), await official(call), `${key} ${query}`);
      assert.deepEqual(await ours(key).accepted(call), required.accepts[0]);
    }
  }
});

test('an exclusive lead asks for a payment that is valid for 60 seconds, everything else for 300', async () => {
  const ours = await requirementsOf(routes);
  for (const key of Object.keys(routes)) {
    const { maxTimeoutSeconds } = await ours(key).accepted(callOf(key.slice(4), ''));
    assert.equal(maxTimeoutSeconds, key.endsWith('/leads/exclusive') ? 60 : 300, key);
  }
});

test('headers are written and read as the library does', () => {
  const outcome = (read: () => unknown): unknown => {
    try {
      return read();
    } catch {
      return 'refused';
    }
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const object = { value };
      assert.equal(base64Of(object), encodePaymentRequiredHeader(object as unknown as PaymentRequired));
      assert.equal(base64Of(object), encodePaymentResponseHeader(object as unknown as SettleResponse));
      assert.deepEqual(readPaymentHeader(base64Of(object)), decodePaymentSignatureHeader(base64Of(object)));
    }),
  );
  const texts = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9+/]{0,12}={0,3}$/),
    fc.string(),
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString('base64')),
    fc.json().map((text) => Buffer.from(`\ufeff${text}`).toString('base64')),
    fc.json().map((text) => Buffer.from(text).toString('base64').replace(/=+$/, '')),
    fc.uint8Array().map((bytes) => Buffer.from([0x22, ...bytes, 0x22]).toString('base64')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      assert.deepEqual(
        outcome(() => readPaymentHeader(text)),
        outcome(() => decodePaymentSignatureHeader(text)),
      );
    }),
    { numRuns: 3000 },
  );
});
