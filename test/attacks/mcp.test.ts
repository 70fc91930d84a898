/** Attacks on /mcp: bodies, headers, names, arguments, payments, and clients that go away. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { callOf, callTool, messageIn, paymentIn, post } from '../api/mcp/agents.ts';
import { buyerWith } from '../api/support/buyers.ts';
import { identifier } from '../api/support/collecting.ts';
import { rowsOfTable, uuid } from '../api/support/snapshot_fixtures.ts';
import { sharedApp } from '../api/support/test_app.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('an attack on /mcp', () => {
  const shared = sharedApp(
    { deals: rowsOfTable('deals', 3), reports: rowsOfTable('reports', 3) },
    { publicUrl: 'http://localhost:4021' },
  );
  const url = (): string => shared.app.url;
  /** Paths of the requests that calls of tools made meanwhile, with their queries. */
  const requestsOf = async (action: () => Promise<void>): Promise<string[]> => {
    const start = shared.app.requests.length;
    await action();
    return shared.app.requests
      .slice(start)
      .filter(({ path }) => path !== '/mcp')
      .map(({ path, query }) => (query === '' ? path : `${path}?${query}`));
  };
  const settledBy = async (action: () => Promise<void>): Promise<number> => {
    const { settled } = shared.app.facilitator;
    await action();
    return shared.app.facilitator.settled - settled;
  };
  const paymentFor = async (path: string, id?: string) => {
    const buyer = buyerWith();
    return paymentIn(await (id === undefined ? buyer.sign(url() + path) : buyer.signAs(url() + path, id)));
  };

  it('with a body that is no single message is refused', async () => {
    const seen = await requestsOf(async () => {
      for (const [body, status, code] of [
        [[callOf('deal_ids'), callOf('deal_ids')], 400, -32_600],
        ['null', 400, -32_600],
        ['{"jsonrpc":', 400, -32_700],
        [{ ...PING, padding: 'x'.repeat(65_536) }, 413, -32_600],
      ] as const) {
        const response = await post(url(), body);
        const { error } = await messageIn<{ error: { code: number } }>(response);
        assert.deepEqual([response.status, error.code], [status, code], JSON.stringify(body).slice(0, 60));
      }
    });
    assert.deepEqual(seen, []);
  });

  it('with headers that the protocol does not allow is refused', async () => {
    for (const [headers, status] of [
      [{ Accept: 'application/json' }, 406],
      [{ Accept: 'text/html' }, 406],
      [{ 'Content-Type': 'text/plain' }, 415],
      [{ 'Mcp-Protocol-Version': '1999-01-01' }, 400],
      [{ 'Mcp-Protocol-Version': '2025-06-18' }, 200],
      [{ Origin: 'https://evil.example' }, 403],
      [{ Origin: 'null' }, 403],
      [{ Origin: 'http://localhost:3000' }, 200],
    ] as const) {
      const response = await post(url(), PING, headers);
      assert.equal(response.status, status, JSON.stringify(headers));
      await response.arrayBuffer();
    }
    const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { result } = await messageIn<{ result: { protocolVersion: string } }>(
      await post(url(), { ...PING, method: 'initialize', params }),
    );
    assert.match(result.protocolVersion, /^2025-/);
  });

  it('with a name or arguments that do not exist makes no request', async () => {
    const seen = await requestsOf(async () => {
      for (const name of ['nothing', '__proto__', 'collect', 'deals\r\nX: 1', 'd'.repeat(10_000)]) {
        const { error } = await messageIn<{ error?: { code: number } }>(await post(url(), callOf(name)));
        assert.equal(error?.code, -32_602, name.slice(0, 20));
      }
      for (const args of [{ state: ['OH'] }, { stat: 'OH' }, { __proto__x: 1 }, { show: 1e9 }, { from: 1 }]) {
        const { isError, structuredContent: said } = await callTool(url(), 'deals', args);
        assert.deepEqual([isError, said['reason'], said['billed']], [true, 'invalid_arguments', false]);
      }
    });
    assert.deepEqual(seen, []);
  });

  it('with arguments that hold a path, a query or a header stays in its parameter', async () => {
    const seen = await requestsOf(async () => {
      for (const id of ['../../purchases/x', '//evil.example', 'x?state=OH#y', 'x\r\nPAYMENT-SIGNATURE: y'])
        await callTool(url(), 'deal_report', { id });
      await callTool(url(), 'deals', { state: 'OH&limit=1', city: 'x\r\nX-Forwarded-For: 10.0.0.1' });
    });
    assert.deepEqual(seen, [
      '/api/deals/..%2F..%2Fpurchases%2Fx/report',
      '/api/deals/%2F%2Fevil.example/report',
      '/api/deals/x%3Fstate%3DOH%23y/report',
      '/api/deals/x%0D%0APAYMENT-SIGNATURE%3A%20y/report',
      '/api/deals?state=OH%26limit%3D1&city=x%0D%0AX-Forwarded-For%3A+10.0.0.1',
    ]);
  });

  it('with a payment for a cheaper tool, or with anything else as payment, is refused unbilled', async () => {
    const cheap = await paymentFor('/api/deals/basic');
    const settled = await settledBy(async () => {
      for (const payment of [
        cheap,
        { ...cheap, accepted: { ...cheap.accepted, amount: '1500000' } },
        'a string',
        [],
        null,
        { x402Version: 2 },
        { padding: 'x'.repeat(40_000) },
      ]) {
        const { isError, structuredContent } = await callTool(url(), 'deal_report', { id: uuid(1) }, payment);
        assert.equal(isError, true, JSON.stringify(payment).slice(0, 60));
        assert.ok(!('body' in structuredContent));
      }
    });
    assert.equal(settled, 0);
  });

  it('that leaves before the answer is built is not charged', async () => {
    const { facilitator, requests } = shared.app;
    const payment = await paymentFor('/api/deals');
    const { onReach } = facilitator;
    const [checking, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    facilitator.onReach = async () => {
      checking.resolve();
      await leave.promise;
    };
    const start = requests.length;
    const sent = request(`${url()}/mcp`, {
      method: 'POST',
      headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
    });
    const gone = Promise.withResolvers<void>();
    sent.on('error', () => gone.resolve()).end(JSON.stringify(callOf('deals', {}, payment)));
    await checking.promise;
    sent.destroy();
    await gone.promise;
    const settled = await settledBy(async () => {
      // The server sees the end of the connection after this process does.
      await pause(50);
      leave.resolve();
      facilitator.onReach = onReach;
      while (!requests.slice(start).some(({ path }) => path === '/api/deals')) await pause(10);
    });
    assert.equal(settled, 0);
    const { structuredContent } = await callTool(url(), 'deals', {}, payment);
    assert.ok('body' in structuredContent, 'the payment is free again');
  });

  it('that leaves or cancels while the payment settles is charged once, and reads the answer later', async () => {
    const { facilitator } = shared.app;
    const payment = await paymentFor('/api/deals', identifier());
    const { onSettle } = facilitator;
    const settling = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    facilitator.onSettle = async (...settled) => {
      settling.resolve();
      await leave.promise;
      return onSettle(...settled);
    };
    const controller = new AbortController();
    const lost = fetch(`${url()}/mcp`, {
      method: 'POST',
      signal: controller.signal,
      headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
      body: JSON.stringify(callOf('deals', {}, payment)),
    });
    await settling.promise;
    const cancelled = await post(url(), {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'no longer needed' },
    });
    assert.equal(cancelled.status, 202);
    controller.abort();
    await assert.rejects(lost, { name: 'AbortError' });
    const settled = await settledBy(async () => {
      // The server sees the end of the connection after this process does.
      await pause(50);
      leave.resolve();
      facilitator.onSettle = onSettle;
      let again = await callTool(url(), 'deals', {}, payment);
      while (again.structuredContent['reason'] === 'payment_in_progress') {
        await pause(10);
        again = await callTool(url(), 'deals', {}, payment);
      }
      const { paid, body } = again.structuredContent as { paid: { amount_usd: string }; body: { count: number } };
      assert.deepEqual([paid.amount_usd, body.count], ['0.00', 3]);
    });
    assert.equal(settled, 1);
  });
});
