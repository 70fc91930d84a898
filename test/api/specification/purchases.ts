/** Prices and payment of calls: the payment protocol, free endpoints, media types, and the template. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { neededQuery, uuid } from '../support/snapshot_fixtures.ts';
import { ENDPOINTS } from '../routes/promised_interface.ts';
import { assertKind, type Body, type Shop } from './shop.ts';

const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** A call of each path that the snapshot can answer. */
const callOf = (path: string): string => {
  const query = path.endsWith('.csv') ? '?week=2026-W40' : neededQuery(path);
  return path.replace('{id}', uuid(1)) + query;
};

interface Terms {
  x402Version: number;
  accepts: { scheme: string; network: string; amount: string; asset: string }[];
}
const termsOf = (response: Response): Terms =>
  JSON.parse(Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8')) as Terms;

export function testPurchases(shop: Shop): void {
  it('charges for every endpoint but discovery and index, the price of the specification', async () => {
    for (const [path, [price]] of Object.entries(ENDPOINTS)) {
      const response = await fetch(shop.url() + callOf(path));
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
      const settled = shop.settled();
      const headers = { 'PAYMENT-SIGNATURE': await shop.sign(callOf(path)) };
      const response = await fetch(shop.url() + callOf(path), { headers });
      await response.arrayBuffer();
      assert.equal(response.status, 200, path);
      assert.notEqual(response.headers.get('PAYMENT-RESPONSE'), null, path);
      assert.equal(shop.settled(), settled + 1, path);
      const type = path.endsWith('.csv') ? 'text/csv' : 'application/json';
      assert.equal(response.headers.get('Content-Type')?.split(';')[0], type, path);
      const again = await fetch(shop.url() + callOf(path), { headers });
      await again.arrayBuffer();
      assert.equal(again.status, 409, `${path} is not sold twice for one payment`);
    }
  });

  it('answers 402 to an invalid payment, and charges nothing', async () => {
    const settled = shop.settled();
    for (const payment of ['nonsense', Buffer.from('{}').toString('base64')]) {
      const response = await fetch(`${shop.url()}/api/deals`, { headers: { 'PAYMENT-SIGNATURE': payment } });
      assert.deepEqual([response.status, ((await response.json()) as Body)['billed']], [402, false]);
    }
    assert.equal(shop.settled(), settled);
  });

  it('has paths without a version, read by GET alone', async () => {
    for (const path of Object.keys(ENDPOINTS)) {
      assert.doesNotMatch(path, /\/v\d/);
      const response = await fetch(shop.url() + callOf(path), { method: 'POST' });
      await response.arrayBuffer();
      assert.equal(response.status, 405, path);
    }
  });

  it('states its guarantee, its cadence and the 20 metros in the discovery document', async () => {
    const meta = await shop.free('/api/meta');
    assert.match(String(meta['guarantee']), /typed.*absent.*reason.*zero matches.*404.*not billed/);
    assert.match(String(meta['description']), /multifamily.*20 metros/);
    assert.match(String(meta['refresh_cadence']), /[Ll]istings daily; underwriting (at least )?every 2 days/);
    assert.match(String((await shop.free('/ohio/api/meta'))['refresh_cadence']), /second Saturday of each month/);
    assert.match(String((await shop.free('/colorado/api/meta'))['refresh_cadence']), /^Daily/);
  });

  it('types every figure of the discovery documents', async () => {
    const meta = (await shop.free('/api/meta')) as Record<string, Body>;
    const KINDS: Readonly<Record<string, string>> = {
      freshest: 'timestamp',
      freshest_verification: 'timestamp',
      oldest_active_verification: 'timestamp',
      next_sale_date: 'date',
      furthest_sale_date: 'date',
    };
    for (const coverage of [meta['coverage'], meta['signals_feed']?.['coverage'], meta['auctions_feed']?.['coverage']])
      for (const [name, value] of Object.entries(coverage as Body))
        assertKind(value, KINDS[name] ?? 'integer', `coverage.${name}`);
    assertKind(meta['generated_at'], 'timestamp', 'generated_at');
    for (const price of Object.values(meta['pricing'] ?? {})) assertKind(price, 'string', 'pricing');
    for (const note of Object.values(meta['record_schema_notes'] ?? {}))
      assert.ok(Array.isArray(note) ? note.length > 0 : typeof note === 'string');
    for (const prefix of ['/ohio', '/colorado']) {
      const { coverage, generated_at: at } = (await shop.free(`${prefix}/api/meta`)) as Record<string, Body>;
      assertKind(coverage?.['total_records'], 'integer', 'total_records');
      assertKind(coverage?.['added_last_7d'], 'integer', 'added_last_7d');
      assertKind(coverage?.['freshest'], 'date', 'freshest');
      assertKind(at, 'timestamp', 'generated_at');
    }
  });

  it('names the filters of each feed in the discovery document', async () => {
    const meta = (await shop.free('/api/meta')) as Record<string, Body>;
    for (const [path, names] of [
      ['/api/deals', meta['filters']?.['params']],
      ['/api/signals', meta['signals_feed']?.['filters']],
      ['/api/auctions', meta['auctions_feed']?.['filters']],
    ] as const) {
      const promised = (ENDPOINTS[path] ?? []).slice(1).map((p) => p.split(':')[0]);
      assert.deepEqual((names as string[]).slice(0, promised.length), promised, path);
    }
  });

  it('answers the literal {id} with the fields of a template, free', async () => {
    const template = await shop.free('/api/deals/{id}/report');
    for (const field of ['note', 'how_to', 'price', 'free_id_index', 'note_billing'])
      assertKind(template[field], 'string', field);
    assert.equal(template['price'], '$1.50');
    assert.match(String(template['note_billing']), /no charge was made/);
    const examples = template['live_examples'] as Body[];
    assert.ok(examples.length > 0);
    for (const { url, property } of examples) {
      assert.match(String(url), /^https?:\/\/.*\/api\/deals\/[\da-f-]{36}\/report$/);
      assertKind(property, 'string', 'property');
    }
  });
}
