/** What is made once for a route is what the library makes for each call of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import { x402HTTPResourceServer, x402ResourceServer, type FacilitatorClient, type HTTPAdapter, type HTTPProcessResult, type RouteConfig } from '@x402/core/server';
import type { PaymentPayload, PaymentRequired, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { bazaarResourceServerExtension } from '@x402/extensions/bazaar';
import { paymentIdentifierResourceServerExtension } from '@x402/extensions/payment-identifier';
import fc from 'fast-check';
import { base64Of, readPaymentHeader } from '../../api/payments/headers.ts';
import { NETWORK } from '../../api/payments/network.ts';
import { ResourceServer, termsOf } from '../../api/payments/requirements.ts';
import { paymentRoutes } from '../../api/route.ts';
import { allRoutes } from '../../api/routes/all.ts';

const PAY_TO = '0x00000000000000000000000000000000000000aa';
let verified: (requirements: PaymentRequirements) => Awaited<ReturnType<FacilitatorClient['verify']>> = () => ({ isValid: true });
const facilitator: FacilitatorClient = {
  getSupported: async () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} }),
  verify: async (_, requirements) => verified(requirements),
  settle: async () => ({ success: true, network: NETWORK, transaction: `0x${'1'.repeat(64)}`, payer: PAY_TO }),
};
const server = (): x402ResourceServer => new x402ResourceServer(facilitator).register(NETWORK, new ExactEvmScheme())
  .registerExtension(bazaarResourceServerExtension).registerExtension(paymentIdentifierResourceServerExtension);

const routes: Record<string, RouteConfig> = {
  ...paymentRoutes(allRoutes({ publicUrl: 'https://deals.example', spoolDir: '/nowhere' }), PAY_TO),
  'GET /by/the/day': {
    accepts: [
      { scheme: 'exact', network: NETWORK, payTo: PAY_TO, price: (context) => (context.adapter.getUrl().endsWith('1') ? '$0.01' : '$0.02') },
      { scheme: 'exact', network: NETWORK, payTo: PAY_TO, price: '$0.03', extra: { note: 'ä' } },
    ],
    resource: 'https://deals.example/by/the/day', tags: ['a', 'b'], iconUrl: 'https://deals.example/icon.svg',
  },
};

const callOf = (path: string, query: string, payment?: string): HTTPAdapter => ({
  getHeader: (name) => (name.toLowerCase() === 'payment-signature' ? payment : undefined), getMethod: () => 'GET', getPath: () => path,
  getUrl: () => `https://deals.example${path}${query}`, getAcceptHeader: () => 'application/json', getUserAgent: () => '',
});
const headerOf = (result: HTTPProcessResult): string => {
  assert.ok(result.type === 'payment-error');
  return Buffer.from(result.response.headers['PAYMENT-REQUIRED'] ?? '', 'base64').toString();
};
const payloadFor = (required: PaymentRequired, change: object = {}): PaymentPayload => ({
  x402Version: 2, accepted: { ...required.accepts[0], ...change } as PaymentRequirements, resource: required.resource, payload: { signature: '0x', authorization: {} },
});

test('every route asks what the library asks, letter by letter, whatever was asked before', async () => {
  const ours = new ResourceServer(server(), routes);
  await ours.initialize();
  assert.ok(Object.keys(routes).some((key) => key.includes(':')), 'one with a parameter in its path is among them');
  for (const [key, config] of Object.entries(routes)) {
    const terms = termsOf(ours, key, config);
    const theirs = new x402HTTPResourceServer(ours.server, { [key]: config });
    const pattern = key.slice(4);
    for (const [i, query] of ['?q=1', '?q=2', '', '?q=1'].entries()) {
      const path = pattern.replaceAll(/:\w+/g, `number-${i}`);
      const asked = async (payload?: PaymentPayload): Promise<HTTPProcessResult> => {
        const payment = payload && Buffer.from(JSON.stringify(payload)).toString('base64');
        return theirs.processHTTPRequest({ adapter: callOf(path, query, payment), path: pattern, method: 'GET' });
      };
      const call = callOf(path, query);
      const required = await terms.required(call);
      assert.equal(JSON.stringify(required), headerOf(await asked()), `${key} ${query}`);

      const refused = async (payload: PaymentPayload, why: string | undefined): Promise<void> => {
        const result = await terms.verify(call, payload);
        assert.ok('refused' in result);
        assert.equal(result.refused.error, why);
        assert.equal(JSON.stringify(result.refused), headerOf(await asked(payload)), `${key} ${query}: ${why}`);
      };
      await refused(payloadFor(required, { amount: '1' }), 'No matching payment requirements');
      await refused(payloadFor(required, { network: 'eip155:1' }), 'No matching payment requirements');
      const extensions = required.extensions?.['bazaar'] === undefined ? undefined : { bazaar: { info: { input: { method: 'POST' } } } };
      if (extensions) await refused({ ...payloadFor(required), extensions }, 'extension_echo_mismatch');
      verified = () => ({ isValid: false, invalidReason: 'insufficient_funds' });
      await refused(payloadFor(required), 'insufficient_funds');
      verified = () => ({ isValid: false });
      await refused(payloadFor(required), undefined);
      verified = () => { throw new Error('it broke'); };
      await refused(payloadFor(required), 'it broke');
      // A facilitator that changes what it is given changes nothing for the next.
      verified = (requirements) => { Object.assign(requirements.extra, { spoilt: true }); requirements.amount = '0'; return { isValid: true }; };
      assert.ok('verified' in await terms.verify(call, payloadFor(required)));
      verified = () => ({ isValid: true });
      for (const payload of [payloadFor(required), payloadFor(required), payloadFor(required, { extra: { ...required.accepts[0]?.extra, more: 1 } })]) {
        const [result, library] = [await terms.verify(call, payload), await asked(payload)];
        assert.ok('verified' in result && library.type === 'payment-verified');
        assert.deepEqual(result.verified.requirements, library.paymentRequirements);
        const settled = await result.verified.settle();
        const { headers } = await theirs.processSettlement(library.paymentPayload, library.paymentRequirements, library.declaredExtensions, { request: { adapter: call, path: pattern, method: 'GET' } });
        assert.ok(settled.success);
        assert.deepEqual(settled.headers, headers);
      }
    }
  }
});

test('nothing is kept of what could not be made', async () => {
  const late = server();
  const ours = new ResourceServer(late, routes);
  const [key, config] = Object.entries(routes)[0] ?? assert.fail();
  const terms = termsOf(ours, key, config);
  await assert.rejects(terms.required(callOf(key.slice(4), '')), /initialize/);
  await ours.initialize();
  assert.equal((await terms.required(callOf(key.slice(4), ''))).accepts.length, 1);
});

test('headers are written and read as the library does', () => {
  const outcome = (read: () => unknown): unknown => { try { return read(); } catch { return 'refused'; } };
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const object = { value };
    assert.equal(base64Of(object), encodePaymentRequiredHeader(object as unknown as PaymentRequired));
    assert.equal(base64Of(object), encodePaymentResponseHeader(object as unknown as SettleResponse));
    assert.deepEqual(readPaymentHeader(base64Of(object)), decodePaymentSignatureHeader(base64Of(object)));
  }));
  const texts = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9+/]{0,12}={0,3}$/), fc.string(), fc.base64String(), fc.json().map((text) => Buffer.from(text).toString('base64')),
    fc.json().map((text) => Buffer.from(`\ufeff${text}`).toString('base64')), fc.json().map((text) => Buffer.from(text).toString('base64').replace(/=+$/, '')),
    fc.uint8Array().map((bytes) => Buffer.from([0x22, ...bytes, 0x22]).toString('base64')),
  );
  fc.assert(fc.property(texts, (text) => { assert.deepEqual(outcome(() => readPaymentHeader(text)), outcome(() => decodePaymentSignatureHeader(text))); }), { numRuns: 3000 });
});
