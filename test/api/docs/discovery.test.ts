/** What catalogs of paid services read: the bytes that a facilitator receives, and the 402 of every priced route. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { encodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import {
  extractDiscoveryInfo,
  extractDiscoveryInfoFromExtension,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  type DiscoveryExtension,
} from '@x402/extensions/bazaar';
import { validatePaymentIdentifier } from '@x402/extensions/payment-identifier';
import { httpFacilitator } from '../../../api/payments/facilitator/http_facilitator.ts';
import { mediaOf, type Route } from '../../../api/routes/define.ts';
import { BASE } from '../../../lib/network.ts';
import { startTestServer, type TestServer } from '../../web/server.ts';
import { PUBLIC_URL, ScriptedFacilitator, sharedApp } from '../support/test_app.ts';
import { buyerWith, fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
import { callOf, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { paymentIn } from '../mcp/agents.ts';

/** Longest header line that common proxies accept. */
const LINE_BYTES = 4_096;
/** Most characters of a description that catalogs show. */
const DESCRIPTION_CHARACTERS = 500;

interface Settle {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

const facilitator = new ScriptedFacilitator();
const shared = sharedApp(
  {
    deals: rowsOfTable('deals', 3, () => ({ cap_rate: '9.00', dscr: '1.30', dscr_status: 'computed' })),
    reports: rowsOfTable('reports', 3),
    signals: rowsOfTable('signals', 2),
    auctions: rowsOfTable('auctions', 2),
    leads: rowsOfTable('leads', 3),
    owners: rowsOfTable('owners', 2),
    filings: rowsOfTable('filings', 4, (i) => ({
      first_seen: `2026-11-${i % 2 ? '12' : '20'}T12:00:00Z`,
      ...(i > 2 ? { source: 'colorado_sos', source_state: 'CO' } : {}),
    })),
  },
  { facilitator },
);
const priced = (): Route[] => shared.app.app.routes.filter(({ price }) => price !== null);

describe('the request to a facilitator', () => {
  const received: string[] = [];
  let server: TestServer;
  before(async () => {
    const settle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await text(request);
      received.push(body);
      const transaction = facilitator.move((JSON.parse(body) as Settle).paymentPayload);
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ success: true, transaction }));
    };
    server = await startTestServer((request, response) => void settle(request, response));
    const client = httpFacilitator({ network: BASE, url: server.url });
    facilitator.onSettle = (payload, requirements) => client.settle(payload, requirements);
  });
  after(() => server.close());

  it('lets a catalog list every paid route, with our own description, tags and example', async () => {
    for (const route of priced()) {
      const response = await buyerWith().fetch(shared.app.url + callOf(route));
      assert.equal(response.status, 200, route.path);
      await response.arrayBuffer();
      const { paymentPayload, paymentRequirements } = JSON.parse(received.at(-1) ?? '') as Settle;
      const found = extractDiscoveryInfo(paymentPayload, paymentRequirements);
      assert.ok(found && found.discoveryInfo.input.type === 'http', route.path);
      assert.deepEqual(
        [found.resourceUrl, found.mimeType, found.description, found.discoveryInfo.input.method],
        [PUBLIC_URL + route.path, mediaOf(route), route.about, 'GET'],
      );
      assert.ok(route.about.length <= DESCRIPTION_CHARACTERS, route.path);
      assert.ok(found.discoveryInfo.output?.example, route.path);
      const { serviceName, tags, iconUrl } = paymentPayload.resource ?? {};
      assert.deepEqual(sanitizeResourceServiceMetadata(paymentPayload.resource), { serviceName, tags, iconUrl });
      assert.ok(serviceName !== undefined && iconUrl !== undefined && tags?.length, route.path);
      const bazaar = paymentPayload.extensions?.['bazaar'] as DiscoveryExtension;
      assert.deepEqual(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true }, route.path);
    }
    assert.equal(received.length, priced().length);
  });

  it("has nothing of the buyer's request but its authorization", async () => {
    const url = `${shared.app.url}/api/deals?state=OH`;
    const payment = paymentIn(await buyerWith().sign(url));
    const spoiled = {
      ...payment,
      resource: { url: 'https://other.example/stolen', description: 'stolen' },
      extensions: { bazaar: { info: { input: { stolen: true } } } },
    };
    const response = await fetchWithPayment(url, encodePaymentSignatureHeader(spoiled));
    assert.equal(response.status, 200);
    const sent = JSON.parse(received.at(-1) ?? '') as Settle;
    assert.equal(sent.paymentPayload.payload['signature'], payment.payload['signature']);
    assert.doesNotMatch(received.at(-1) ?? '', /stolen|city=|state=/u);
  });
});

describe('the 402 of every priced route', () => {
  it('describes its input and output for the Bazaar, and supports a payment identifier', async () => {
    assert.equal(priced().length, 20);
    for (const route of priced()) {
      const { extensions, resource } = await fetchPaymentRequired(shared.app.url + callOf(route));
      const bazaar = extensions?.['bazaar'] as DiscoveryExtension;
      assert.deepEqual(validateDiscoveryExtension(bazaar), { valid: true }, route.path);
      assert.deepEqual(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true }, route.path);
      const info = extractDiscoveryInfoFromExtension(bazaar);
      assert.equal('method' in info.input && info.input.method, 'GET', route.path);
      assert.equal(resource.mimeType, mediaOf(route), route.path);
      assert.deepEqual([resource.tags, resource.iconUrl, info.output], [undefined, undefined, undefined], route.path);
      assert.deepEqual(validatePaymentIdentifier(extensions?.['payment-identifier']), { valid: true }, route.path);
      assert.deepEqual(Object.keys(extensions ?? {}), ['bazaar', 'payment-identifier'], route.path);
    }
  });

  it('is at most 3,000 characters, and a header line that proxies accept however long the URL is', async () => {
    for (const route of priced()) {
      const size = encodePaymentRequiredHeader(await fetchPaymentRequired(shared.app.url + callOf(route))).length;
      assert.ok(size <= 3_000, `${route.path}: ${size}`);
    }
    for (const query of [`city=${'x'.repeat(190)}`, `city=${'%E2%82%AC'.repeat(200)}`]) {
      const response = await fetch(`${shared.app.url}/api/deals?${query}`);
      const header = response.headers.get('PAYMENT-REQUIRED') ?? '';
      assert.ok(header !== '' && `PAYMENT-REQUIRED: ${header}\r\n`.length <= LINE_BYTES, query);
    }
  });
});
