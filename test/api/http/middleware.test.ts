/** CORS, the handler timeout, health, metrics and the limit of unpaid responses. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serve } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { PAY_TO, sharedApp, withStarted, type Started, type AppOptions } from '../support/test_app.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { rowOf, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { receiptKeyPath } from '../support/receipt_key.ts';
import { clientKey } from '../../../api/http/quota.ts';

describe('the server', () => {
  const shared = sharedApp({
    deals: rowsOfTable('deals', 40),
    filings: rowsOfTable('filings', 1, () => ({ first_seen: '2026-11-12T12:00:00Z' })),
    sources: [
      rowOf('sources', 1, { source: 'daily', every_days: 1, last_good_at: '2026-11-19T12:00:00Z' }),
      rowOf('sources', 2, { source: 'late', every_days: 7, last_good_at: '2026-11-12T12:00:00Z' }),
      rowOf('sources', 3, { source: 'unjoined', status: 'degraded', detail: '0.00 % of 945 rows have a ZIP' }),
      rowOf('sources', 4, {
        source: 'rents',
        last_good_at: '2026-11-20T12:00:00Z',
        outdated_on: '2026-11-20',
        outdated_reason: 'fiscal_year_over',
      }),
      rowOf('sources', 3, {
        source: 'waits_for_a_file',
        last_good_at: null,
        freshness: 'never_read',
      }),
    ],
  });

  it('allows any page to read the payment terms and the receipt, on every response', async () => {
    const { url } = shared.app;
    for (const path of ['/api/meta', '/api/deals', '/api/nothing', '/api/deals?x=1']) {
      const { headers } = await fetch(url + path, { headers: { Origin: 'https://shop.example' } });
      assert.equal(headers.get('Access-Control-Allow-Origin'), '*', path);
      assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /PAYMENT-REQUIRED,PAYMENT-RESPONSE,X-Request/u);
    }
    for (const [path, methods] of [
      ['/api/deals', 'GET,HEAD'],
      ['/mcp', 'POST'],
    ] as const) {
      const asked = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'payment-signature' };
      const headers = { Origin: 'https://shop.example', ...asked };
      const preflight = await fetch(url + path, { method: 'OPTIONS', headers });
      assert.deepEqual(
        ['Methods', 'Headers'].map((name) => preflight.headers.get(`Access-Control-Allow-${name}`)),
        [methods, 'payment-signature'],
      );
    }
  });

  it('says in every page, list, record and problem where to report an error', () =>
    withStarted(
      shared.folder.path,
      { settings: { REPORT_URL: 'https://help.example/?about={id}' } },
      async ({ url }) => {
        const id = '7d1f0c0e-5c1d-5a55-9d0e-2f4a6f0b9a11';
        for (const [path, about] of [
          ['/', '/'],
          ['/api/meta', '/api/meta'],
          ['/api/deals', '/api/deals'],
          [`/api/deals/${id}/report`, id],
          ['/api/nothing', '/api/nothing'],
        ] as const) {
          const help = `<https://help.example/?about=${encodeURIComponent(about)}>; rel="help"`;
          assert.ok((await fetch(url + path)).headers.get('Link')?.includes(help), path);
        }
      },
    ));

  it('times out a slow handler without a charge, and keeps its snapshot open until the work ends', () =>
    withStarted(shared.folder.path, { handlerMs: 1_500 }, async ({ url, snapshots, facilitator }) => {
      const payment = await buyerWith().sign(`${url}/api/deals`);
      const lease = snapshots.acquire();
      assert.ok(lease);
      const { snapshot } = lease;
      const { find } = snapshot;
      const gate = Promise.withResolvers<undefined>();
      const late = Promise.withResolvers<Awaited<ReturnType<typeof find>>>();
      Object.assign(snapshot, {
        find: async (...args: Parameters<typeof find>) => {
          await gate.promise;
          // Part of the handler's work, which needs the snapshot.
          const found = find.apply(snapshot, args);
          found.then(late.resolve, late.reject);
          return found;
        },
      });
      lease[Symbol.dispose]();
      const response = await fetchWithPayment(`${url}/api/deals`, payment);
      assert.equal(response.status, 503);
      assert.equal((await bodyOf(response))['reason'], 'timed_out');
      assert.equal(response.headers.get('Retry-After'), '10');
      Object.assign(snapshot, { find });
      assert.equal(facilitator.settled, 0);
      assert.equal((await fetchWithPayment(`${url}/api/deals`, payment)).status, 200);
      await shared.folder.publish('2026-11-20.02', { deals: rowsOfTable('deals', 1) });
      await snapshots.refresh();
      assert.equal(snapshots.acquire()?.snapshot.id, '2026-11-20.02');
      gate.resolve(undefined);
      assert.equal((await late.promise).total, 40, 'the old snapshot was still open');
      await shared.folder.switchTo('2026-11-20.01');
      await shared.app.snapshots.refresh();
    }));

  it('lists in /health the sources that are stale, with the reason, and those that join nothing', async () => {
    const { url } = shared.app;
    const response = await fetch(`${url}/health`);
    assert.equal(response.status, 200);
    const body = await bodyOf(response);
    assert.equal(body['status'], 'degraded');
    assert.deepEqual(body['stale_sources'], [
      { source: 'late', last_good_at: '2026-11-12T12:00:00Z', every_days: 7, reason: 'older_than_read_interval' },
      { source: 'rents', last_good_at: '2026-11-20T12:00:00Z', every_days: 0, reason: 'fiscal_year_over' },
    ]);
    assert.deepEqual(body['degraded_sources'], [{ source: 'unjoined', detail: '0.00 % of 945 rows have a ZIP' }]);
    const meta = await bodyOf(await fetch(`${url}/api/meta`));
    const statuses = (meta['sources'] as { source: string; status: string }[]).map((s) => [s.source, s.status]);
    assert.deepEqual(Object.fromEntries(statuses)['unjoined'], 'degraded');
  });

  it('serves metrics on a separate port, and only if one is set', async () => {
    const env = {
      PAYMENTS: 'facilitator',
      NETWORK: 'eip155:84532',
      PAY_TO,
      PUBLIC_BASE_URL: 'http://localhost',
      FACILITATOR_URL: 'http://127.0.0.1:9',
      RPC_URL: 'http://127.0.0.1:9',
      RECEIPT_KEY_FILE: receiptKeyPath(),
      PORT: '0',
      DATA_DIR: shared.folder.path,
    };
    const withPort = await serve(readServerSettings({ ...env, METRICS_PORT: '0' }));
    try {
      await (await fetch(`${withPort.url}/api/deals/ids`)).arrayBuffer();
      await (await fetch(`${withPort.url}/api/deals`)).arrayBuffer();
      const text = await (await fetch(`http://127.0.0.1:${withPort.metricsPort}/metrics`)).text();
      assert.match(text, /dealfeed_requests_total\{route="\/api\/deals\/ids",status="200",reason=""\} 1/);
      assert.match(
        text,
        /dealfeed_requests_total\{route="\/api\/deals",status="503",reason="payments_unavailable"\} 1/,
      );
      assert.match(text, /dealfeed_health\{status="degraded"\} 1/);
      assert.match(text, /dealfeed_stale_sources 2/);
      assert.match(text, /dealfeed_degraded_sources 1/);
      assert.match(text, /dealfeed_payments_ready 0/);
      assert.match(text, /dealfeed_payment_warnings\{code="payments_unavailable"\} 1/);
      assert.match(text, /dealfeed_payment_warnings\{code="transfers_owed"\} 0/);
      assert.equal((await fetch(`${withPort.url}/metrics`)).status, 404);
    } finally {
      await withPort.close();
    }
    const without = await serve(readServerSettings(env));
    assert.equal(without.metricsPort, undefined);
    await without.close();
  });
});

describe('the limit of unpaid responses', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 2) });
  const withApp = (options: AppOptions, test: (started: Started) => Promise<void>): Promise<void> =>
    withStarted(shared.folder.path, { ...options, snapshots: shared.app.snapshots }, test);

  it('responds with 429 above the limit of unpaid responses, and does not count paid ones', () =>
    withApp({ settings: { UNBILLED_PER_MINUTE: 6, PROXY_HOPS: 1 } }, async ({ url }) => {
      const from = (ip: string, path = '/api/deals', more: Record<string, string> = {}): Promise<Response> =>
        fetch(url + path, {
          headers: { Origin: 'https://shop.example', 'X-Forwarded-For': `203.0.113.99, ${ip}`, ...more },
        });
      const buyer = buyerWith();
      const payments = await Promise.all([1, 2, 3, 4].map(() => buyer.sign(`${url}/api/deals`)));
      for (const payment of payments)
        assert.equal((await from('198.51.100.1', '/api/deals', { 'PAYMENT-SIGNATURE': payment })).status, 200);
      const statuses = (await Promise.all(Array.from({ length: 9 }, () => from('198.51.100.1'))))
        .map((r) => r.status)
        .sort();
      assert.deepEqual(statuses, [402, 402, 402, 402, 402, 402, 429, 429, 429]);
      const refused = await from('198.51.100.1', '/api/meta');
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('Retry-After')) >= 1);
      const body = await bodyOf(refused);
      assert.deepEqual([body['reason'], body['billed']], ['rate_limited', false]);
      const standing = (response: Response): (string | null)[] =>
        ['RateLimit', 'RateLimit-Policy'].map((name) => response.headers.get(name));
      assert.match(standing(refused)[0] ?? '', /^"unpaid";r=0;t=([1-9]|[1-5]\d|60)$/);
      const other = await from('198.51.100.2');
      assert.equal(other.status, 402, 'another client');
      assert.deepEqual(standing(other), ['"unpaid";r=5;t=60', '"unpaid";q=6;w=60']);
      assert.match(
        other.headers.get('Access-Control-Expose-Headers') ?? '',
        /,Retry-After,RateLimit,RateLimit-Policy,/,
      );
      assert.equal((await from('198.51.100.1', '/health')).status, 200);
    }));

  it('counts an IPv6 household as one client', () => {
    assert.equal(clientKey('::ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(clientKey('2001:db8:1:2:3:4:5:6'), clientKey('2001:db8:1:2::9'));
    assert.equal(clientKey('2001:0db8:1:2::'), clientKey('2001:db8:1:2:ffff::1'));
    assert.notEqual(clientKey('2001:db8:1:2::1'), clientKey('2001:db8:1:3::1'));
    assert.equal(clientKey('::1'), '0:0:0:0');
  });
});
