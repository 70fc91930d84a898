/** Prices and payment of calls: the payment protocol, free endpoints, media types, and the template. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { neededQuery, uuid } from '../support/snapshot_fixtures.ts';
import { ENDPOINTS, RECORDS } from './promised_interface.ts';
import { assertKind, type Body, type Shop } from './shop.ts';

const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** A call of each path that the snapshot can answer. */
const callOf = (path: string): string => {
  const query = path.endsWith('.csv') ? '?week=2026-W40' : neededQuery(path);
  return path.replace('{id}', uuid(1)) + query;
};

interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly security: unknown;
          readonly 'x-price-usd': string;
          readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
        };
      }
    >
  >;
}

/** Assert that a record has the promised fields first and in order. */
function assertFields(sample: Body, record: string): void {
  const promised = (RECORDS[record] ?? []).map((line) => line.split(':')[0]);
  assert.deepEqual(Object.keys(sample).slice(0, promised.length), promised, record);
}

interface Terms {
  x402Version: number;
  accepts: { scheme: string; network: string; amount: string; asset: string }[];
}
const termsOf = (response: Response): Terms =>
  JSON.parse(Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8')) as Terms;

export function testPurchases(shop: Shop): void {
  it('charges the specified price for every endpoint except discovery and index', async () => {
    for (const [path, [price]] of Object.entries(ENDPOINTS)) {
      const response = await fetch(shop.app.url + callOf(path));
      await response.arrayBuffer();
      assert.equal(response.status, price === '0.00' ? 200 : 402, path);
      if (price === '0.00') continue;
      const { x402Version, accepts } = termsOf(response);
      assert.equal(x402Version, 2);
      for (const { scheme, network, amount, asset } of accepts)
        assert.deepEqual(
          [scheme, network, asset, Number(amount) / 1_000_000],
          ['exact', 'eip155:8453', USDC_ON_BASE, Number(price)],
          path,
        );
    }
  });

  it('sells to a wallet with one header: no account, no key, one payment per call', async () => {
    for (const [path, [price]] of Object.entries(ENDPOINTS)) {
      // Leads are sold exclusively by a test of their own.
      if (price === '0.00' || path === '/api/leads/exclusive') continue;
      const settled = shop.app.facilitator.settled;
      const headers = { 'PAYMENT-SIGNATURE': await shop.buyer.sign(shop.app.url + callOf(path)) };
      const response = await fetch(shop.app.url + callOf(path), { headers });
      await response.arrayBuffer();
      assert.equal(response.status, 200, path);
      assert.notEqual(response.headers.get('PAYMENT-RESPONSE'), null, path);
      assert.equal(shop.app.facilitator.settled, settled + 1, path);
      const type = path.endsWith('.csv') ? 'text/csv' : 'application/json';
      assert.equal(response.headers.get('Content-Type')?.split(';')[0], type, path);
      const again = await fetch(shop.app.url + callOf(path), { headers });
      await again.arrayBuffer();
      assert.equal(again.status, 409, `${path} is not sold twice for one payment`);
    }
  });

  it('answers 402 to an invalid payment, and charges nothing', async () => {
    const settled = shop.app.facilitator.settled;
    for (const payment of ['nonsense', Buffer.from('{}').toString('base64')]) {
      const response = await fetch(`${shop.app.url}/api/deals`, { headers: { 'PAYMENT-SIGNATURE': payment } });
      assert.deepEqual([response.status, ((await response.json()) as Body)['billed']], [402, false]);
    }
    assert.equal(shop.app.facilitator.settled, settled);
  });

  it('has paths without a version, and accepts only GET', async () => {
    const { paths } = (await shop.buy('/openapi.json')) as unknown as Description;
    assert.deepEqual(
      Object.keys(paths).filter((path) => /\/v\d/u.test(path)),
      [],
    );
    for (const path of Object.keys(ENDPOINTS)) {
      const response = await fetch(shop.app.url + callOf(path), { method: 'POST' });
      await response.arrayBuffer();
      assert.equal(response.status, 405, path);
    }
  });

  it('states its guarantee, its cadence and the 20 metros in the discovery document', async () => {
    const meta = await shop.buy('/api/meta');
    assert.match(String(meta['guarantee']), /typed.*absent.*reason.*zero matches.*404.*not billed/);
    assert.match(String(meta['description']), /multifamily.*20 metros/);
    assert.match(String(meta['refresh_cadence']), /[Ll]istings daily; underwriting (at least )?every 2 days/);
    assert.match(String((await shop.buy('/ohio/api/meta'))['refresh_cadence']), /second Saturday of each month/);
    assert.match(String((await shop.buy('/colorado/api/meta'))['refresh_cadence']), /^Daily/);
  });

  it('describes each endpoint with its price and its optional parameters in order', async () => {
    const { info, paths } = (await shop.buy('/openapi.json')) as unknown as Description;
    assert.equal(info.version, '1.0.0');
    for (const [path, [price, ...promised]] of Object.entries(ENDPOINTS)) {
      const { get } = paths[path] ?? assert.fail(path);
      assert.deepEqual([get['x-price-usd'], get.security], [price, []], path);
      assert.deepEqual(
        get.parameters.slice(0, promised.length).map(({ name }) => name),
        promised,
        path,
      );
      if (price === '0.00') assert.deepEqual(get.parameters, [], path);
      for (const { name, in: place, required } of get.parameters)
        assert.equal(required, place === 'path', `${path} ${name}`);
    }
    for (const prefix of ['/ohio', '/colorado'])
      for (const path of ['/api/meta', '/api/filings/recent', '/api/filings', '/api/batch/weekly.csv'])
        assert.equal(paths[prefix + path]?.get['x-price-usd'], ENDPOINTS[path]?.[0], prefix + path);
  });

  it('has the promised parts of the discovery documents, each with its figures in order', async () => {
    const meta = (await shop.buy('/api/meta')) as Record<string, Body>;
    const keys = (body: unknown): string[] => Object.keys(body as Body);
    assert.deepEqual(keys(meta['coverage']), [
      'total_records',
      'active_records',
      'hot',
      'warm',
      'dscr_computed',
      'cities',
      'freshest_verification',
      'oldest_active_verification',
    ]);
    assert.deepEqual(keys(meta['filters']), ['note', 'params', 'example']);
    for (const [path, names] of [
      ['/api/deals', meta['filters']?.['params']],
      ['/api/signals', meta['signals_feed']?.['filters']],
      ['/api/auctions', meta['auctions_feed']?.['filters']],
    ] as const) {
      const promised = (ENDPOINTS[path] ?? []).slice(1);
      assert.deepEqual((names as string[]).slice(0, promised.length), promised, path);
    }
    for (const [feed, figures] of [
      ['signals_feed', ['total_signals', 'with_address', 'counties', 'freshest']],
      ['auctions_feed', ['upcoming_sales', 'next_sale_date', 'furthest_sale_date', 'counties', 'freshest']],
    ] as const) {
      assert.deepEqual(keys(meta[feed]), ['note', 'coverage', 'filters']);
      assert.deepEqual(keys(meta[feed]?.['coverage']), figures);
    }
    for (const name of ['name', 'description', 'guarantee', 'refresh_cadence']) assertKind(meta[name], 'string', name);
    for (const [path, [price]] of Object.entries(ENDPOINTS))
      assert.equal(meta['pricing']?.[`GET ${path}`], price === '0.00' ? 'free' : `$${price}`);
    assert.equal(meta['pricing']?.['network'], 'eip155:8453');
    assertKind(meta['pricing']['protocol'], 'string', 'protocol');
    assert.deepEqual(keys(meta['free_samples']), ['note', 'deals', 'signals', 'auctions', 'leads']);
    for (const [feed, record] of [
      ['deals', 'deal'],
      ['signals', 'signal'],
      ['auctions', 'auction'],
      ['leads', 'lead'],
    ] as const)
      assertFields((meta['free_samples'] as Record<string, Body[]>)[feed]?.[0] ?? {}, record);
    for (const prefix of ['/ohio', '/colorado']) {
      const register = await shop.buy(`${prefix}/api/meta`);
      assert.deepEqual(keys(register['coverage']), ['total_records', 'added_last_7d', 'freshest']);
      assert.deepEqual(keys(register['free_samples']), ['note', 'records']);
      for (const field of ['refresh_cadence', 'pricing', 'record_schema_notes']) assert.ok(register[field], field);
    }
  });
}
