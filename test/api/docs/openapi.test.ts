/** The OpenAPI description, llms.txt and the x402 resources: valid, complete, and equal to the server's behavior. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApi, templateOf } from '../../../api/docs/openapi.ts';
import { ABSENT_ABOUT } from '../../../lib/record.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { PUBLIC_URL, sharedApp } from '../support/test_app.ts';
import { responseChecker } from '../support/response_checker.ts';
import { fetchPaymentRequired, buyerWith } from '../support/buyers.ts';
import { callOf, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { startTestServer } from '../../web/server.ts';

interface Operation {
  operationId: string;
  security: unknown[];
  parameters: {
    name: string;
    in: string;
    schema: { type: string; enum?: string[]; minimum?: number; maximum?: number };
  }[];
  responses: Record<string, unknown>;
  'x-price-usd': string;
  'x-payment-info'?: unknown;
}
interface Document {
  openapi: string;
  paths: Record<string, { get: Operation }>;
  components: {
    schemas: Record<string, { properties: Record<string, { description?: string }>; additionalProperties?: boolean }>;
  };
}

/** How a catalog reads a fixed price. */
const paymentOf = (price: string | null): unknown =>
  price === null ? undefined : { price: { mode: 'fixed', currency: 'USD', amount: price }, protocols: [{ x402: {} }] };

describe('the OpenAPI description', () => {
  let document: Document;
  let text: string;

  const shared = sharedApp({
    deals: rowsOfTable('deals', 2, () => ({ cap_rate: '9.00', dscr: '1.20' })),
    reports: rowsOfTable('reports', 2),
    signals: rowsOfTable('signals', 2),
    auctions: rowsOfTable('auctions', 2),
    leads: rowsOfTable('leads', 2),
    owners: rowsOfTable('owners', 2),
    coverage: rowsOfTable('coverage', 2),
    filings: rowsOfTable('filings', 4, (i) => ({
      first_seen: `2026-11-${i % 2 ? '20' : '12'}T12:00:00Z`,
      ...(i > 2 ? { source: 'colorado_sos', source_state: 'CO' } : {}),
    })),
  });
  before(async () => {
    text = await (await fetch(`${shared.app.url}/openapi.json`)).text();
    document = JSON.parse(text) as Document;
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
    assert.deepEqual(result, { valid: true });
    assert.match(document.openapi, /^3\.1/);
  });

  it('has every route with its price and its parameters, and no other', () => {
    assert.deepEqual(
      Object.keys(document.paths).sort(),
      [...shared.app.app.routes.map(templateOf), '/api/purchases/{id}'].sort(),
    );
    for (const route of shared.app.app.routes) {
      const operation = document.paths[templateOf(route)]?.get;
      assert.equal(operation?.operationId, route.name);
      assert.equal(operation['x-price-usd'], route.price ?? '0.00');
      assert.deepEqual(operation.security, [], 'paying needs no key');
      assert.deepEqual(operation['x-payment-info'], paymentOf(route.price));
      assert.deepEqual(
        operation.parameters.map((p) => p.name),
        [...Object.keys(route.pathParams ?? {}), ...Object.keys(route.params)],
      );
      assert.equal('402' in operation.responses, route.price !== null);
    }
    const names = Object.values(document.paths).map(({ get }) => get.operationId);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name)),
      [],
    );
    const limit = document.paths['/api/deals']?.get.parameters.find((p) => p.name === 'limit');
    assert.deepEqual(limit?.schema, { type: 'integer', minimum: 1, maximum: 500 });
    assert.deepEqual(document.paths['/api/deals']?.get.parameters.find((p) => p.name === 'status')?.schema, {
      type: 'string',
      enum: ['Hot', 'Warm', 'Pass'],
    });
  });

  it('lists each reason of a refused payment with its status, for the routes that have it', () => {
    const pricedReasons = {
      402: [
        'payment_required',
        'payment_malformed',
        'payment_invalid',
        'contract_wallet_refused',
        'payer_without_funds',
        'payer_blocked',
      ],
      429: ['too_many_open_purchases'],
      502: ['settlement_unknown'],
      503: ['settlement_budget_spent', 'token_paused', 'pay_to_blocked'],
    };
    const exclusiveReasons = {
      429: ['too_many_held_leads', 'payer_unbilled_too_often'],
      503: ['lead_pool_held', 'exclusive_paused'],
    };
    for (const [list, hasReason] of [
      [pricedReasons, (path: string) => shared.app.app.routes.find((r) => r.path === path)?.price !== null],
      [exclusiveReasons, (path: string) => path === '/api/leads/exclusive'],
    ] as const) {
      for (const [status, reasons] of Object.entries(list)) {
        for (const reason of reasons) {
          for (const route of shared.app.app.routes) {
            const described = document.paths[templateOf(route)]?.get.responses[status] as
              { description: string; headers: object } | undefined;
            assert.equal(
              new RegExp(`\\b${reason}\\b`).test(described?.description ?? ''),
              hasReason(route.path),
              `${route.path} ${reason}`,
            );
            if (described && (status === '429' || status === '503'))
              assert.ok('Retry-After' in described.headers, `${route.path} ${status}`);
          }
        }
      }
    }
  });

  it('has every field of every record with its meaning, once, and no storage types', () => {
    for (const table of ['deals', 'signals', 'auctions', 'leads', 'owners', 'filings'] as const) {
      const record = TABLES[table];
      const schema = document.components.schemas[record.name];
      assert.deepEqual(
        Object.entries(schema?.properties ?? {}).map(([name, p]) => [name, p.description]),
        [...record.columns.map((c) => [c.name, c.about]), ['absent', ABSENT_ABOUT]],
      );
      assert.equal(schema?.additionalProperties, false);
    }
    assert.doesNotMatch(text, /VARCHAR|DECIMAL\(/);
    assert.doesNotMatch(text, /\$schema|\$id/);
  });

  it('describes the responses of every route, paid and unpaid', async () => {
    const buyer = buyerWith();
    const checkedBefore = shared.app.responsesChecked();
    for (const route of shared.app.app.routes) {
      const url = shared.app.url + callOf(route);
      assert.equal((await fetch(url)).status, route.price === null ? 200 : 402, url);
      const response = await buyer.fetch(url);
      await response.arrayBuffer();
      assert.equal(response.status, 200, url);
      assert.equal((await fetch(`${url}${url.includes('?') ? '&' : '?'}nothing=1`)).status, 400, url);
    }
    assert.ok(shared.app.responsesChecked() >= checkedBefore + shared.app.app.routes.length * 3);
  });

  it('is checked: the checker finds a response that differs', async () => {
    const checker = responseChecker(shared.app.app.routes);
    const server = await startTestServer((request, response) => {
      checker.watch(request, response);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ note: 'x', count: '1', generated_at: 'yesterday', records: [] }));
    });
    await (await fetch(`${server.url}/api/deals/ids`)).text();
    await server.close();
    assert.match(checker.errors.join('\n'), /count must be integer/);
  });

  it('has llms.txt and the x402 resources next to it, with the prices of the 402', async () => {
    const page = await fetch(`${shared.app.url}/llms.txt`);
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/markdown/);
    const llms = await page.text();
    const wellKnown = (await (await fetch(`${shared.app.url}/.well-known/x402`)).json()) as {
      x402Version: number;
      resources: { resource: string; accepts: { amount: string; payTo: string; asset: string; network: string }[] }[];
    };
    assert.equal(wellKnown.x402Version, 2);
    assert.equal(wellKnown.resources.length, shared.app.app.routes.filter((r) => r.price !== null).length);
    for (const route of shared.app.app.routes) assert.ok(llms.includes(`GET ${templateOf(route)}](`), route.path);
    for (const { resource, accepts } of wellKnown.resources) {
      const route = shared.app.app.routes.find((r) => PUBLIC_URL + templateOf(r) === resource);
      assert.ok(route, resource);
      const terms = (await fetchPaymentRequired(shared.app.url + callOf(route))).accepts[0];
      assert.deepEqual(accepts, [
        {
          scheme: terms?.scheme,
          network: terms?.network,
          asset: terms?.asset,
          amount: terms?.amount,
          payTo: terms?.payTo,
          maxTimeoutSeconds: terms?.maxTimeoutSeconds,
        },
      ]);
    }
  });

  it('depends on the routes only', () => {
    assert.equal(JSON.stringify(openApi(shared.app.app.routes, PUBLIC_URL)), JSON.stringify(document));
  });
});
