/** Calls of tools over HTTP: free ones, priced ones with the MCP transport of x402, and the limits they count for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client';
import { parseKeys, verifyContent, verifyReceipt } from '../../../clients/verify.ts';
import { buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { identifier } from '../support/collecting.ts';
import { rowsOfTable, uuid } from '../support/snapshot_fixtures.ts';
import { withStarted, sharedApp } from '../support/test_app.ts';
import { callTool, messageIn, paymentIn, post } from './agents.ts';

/** An agent has the list in its context all the time. */
const MAX_TOOLS_BYTES = 15_000;

interface Bought {
  readonly paid: { readonly amount_usd: string; readonly receipt_id: string; readonly signed_receipt: string };
  readonly shown: string;
  readonly body: { readonly count: number; readonly next_cursor: string | null; readonly records: { id: string }[] };
}

describe('a tool call over HTTP', () => {
  const shared = sharedApp({
    deals: rowsOfTable('deals', 12, (i) => ({ deal_score: i })),
    filings: rowsOfTable('filings', 9, () => ({ first_seen: '2026-11-12T12:00:00Z' })),
  });
  const url = (): string => shared.app.url;
  it('is served to the official client of each revision, with the same tools in at most 15 kB', async () => {
    const lists: Tool[][] = [];
    for (const [mode, version] of [
      ['legacy', '2025-11-25'],
      [{ pin: '2026-07-28' }, '2026-07-28'],
    ] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url()}/mcp`)));
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      assert.deepEqual(Object.keys(client.getServerCapabilities() ?? {}), ['tools']);
      const { tools } = await client.listTools();
      const bytes = Buffer.byteLength(JSON.stringify(tools));
      assert.ok(bytes <= MAX_TOOLS_BYTES, String(bytes));
      lists.push(tools);
      const { structuredContent } = await client.callTool({ name: 'deal_ids', arguments: { show: 3 } });
      assert.equal((structuredContent as { shown: string }).shown, 'records 1 to 3 of 12.');
      await assert.rejects(client.callTool({ name: 'nothing' }), { code: -32_602 });
      await client.close();
    }
    assert.deepEqual(lists[0], lists[1]);
    assert.deepEqual(
      lists[0]?.map(({ name }) => name),
      shared.app.app.routes.filter(({ path }) => path.startsWith('/api/')).map((route) => route.name),
    );
  });

  it('to a priced tool returns the terms, then the paid answer, and its rest for the same payment', async () => {
    const terms = await callTool(url(), 'deals', { limit: 9 });
    assert.equal(terms.isError, true);
    const { x402Version, accepts, extensions } = terms.structuredContent as {
      x402Version: number;
      accepts: { amount: string }[];
      extensions: Record<string, unknown>;
    };
    assert.deepEqual([x402Version, accepts[0]?.amount], [2, '50000']);
    assert.ok('payment-identifier' in extensions && !('bazaar' in extensions));
    const offer = JSON.parse(terms.content[1]?.text ?? '') as Record<'max_limit' | 'price_note' | 'again', unknown>;
    assert.match(String(offer.again), /in snapshot 2026-11-20\.01, send that payment again/u);
    assert.equal(offer.max_limit, 500);
    assert.match(String(offer.price_note), /^Same price up to 500: .* 1 call \(\$0\.05\) with limit=500/u);
    const buyer = buyerWith();
    const payment = paymentIn(await buyer.signAs(`${url()}/api/deals`, identifier()));
    const settled = shared.app.facilitator.settled;
    const first = await callTool(url(), 'deals', { limit: 9 }, payment);
    const bought = first.structuredContent as unknown as Bought;
    assert.deepEqual([bought.body.count, bought.body.records.length, bought.paid.amount_usd], [9, 5, '0.05']);
    assert.match(
      bought.shown,
      /^records 1 to 5 of 9\. To read more, free: call again with the same arguments and payment/,
    );
    const settlement = first._meta?.['x402/payment-response'] as { success: boolean; transaction: string } | undefined;
    assert.equal(settlement?.success, true);
    assert.match(settlement.transaction, /^0x[0-9a-f]{64}$/);
    const again = await callTool(url(), 'deals', { limit: 9, from: 5 }, payment);
    const rest = again.structuredContent as unknown as Bought;
    assert.deepEqual(
      [...bought.body.records, ...rest.body.records].map((r) => r.id),
      Array.from({ length: 9 }, (_, i) => uuid(12 - i)),
    );
    assert.deepEqual([rest.paid.receipt_id, rest.paid.amount_usd], [bought.paid.receipt_id, '0.00']);
    assert.equal(shared.app.facilitator.settled, settled + 1);
    assert.match(
      String((await callTool(url(), 'deals', { from: 5 })).structuredContent['detail']),
      /^from continues an answer that is already bought/,
    );
  });

  it('returns the signed receipt of the whole answer', async () => {
    const header = await buyerWith().signAs(`${url()}/api/deals`, identifier());
    const { structuredContent } = await callTool(url(), 'deals', {}, paymentIn(header));
    const { paid } = structuredContent as unknown as Bought;
    const keys = parseKeys(await (await fetch(`${url()}/.well-known/jwks.json`)).text());
    const { payload } = await verifyReceipt(paid.signed_receipt, keys, Date.now());
    assert.deepEqual([payload.request.path, payload.price], ['/api/deals', '0.050000']);
    const whole = await fetchWithPayment(`${url()}/api/deals`, header);
    verifyContent(payload, Buffer.from(await whole.arrayBuffer()));
  });

  it('for a file returns its header and first lines', async () => {
    const payment = paymentIn(await buyerWith().sign(`${url()}/api/batch/weekly.csv`));
    const { structuredContent } = await callTool(url(), 'weekly_filings', { show: 2 }, payment);
    assert.match(String(structuredContent['body']), /^id,document_number,.*\r\n.*\r\n.*\r\n$/);
    assert.match(
      String(structuredContent['shown']),
      /^lines 1 to 2 of 9, and the header\. The wallet that paid collects/,
    );
  });

  it('without a match returns a result and is not billed', async () => {
    const settled = shared.app.facilitator.settled;
    const payment = paymentIn(await buyerWith().sign(`${url()}/api/deals`));
    const { isError, structuredContent } = await callTool(url(), 'deals', { state: 'ZZ' }, payment);
    assert.deepEqual(
      [isError, structuredContent['reason'], structuredContent['billed']],
      [undefined, 'no_matches', false],
    );
    assert.equal(shared.app.facilitator.settled, settled);
  });

  it('counts once against the limit of its client, and not at all if it is paid', () =>
    withStarted(
      shared.folder.path,
      { settings: { UNBILLED_PER_MINUTE: 5, PROXY_HOPS: 1 } },
      async ({ url: limited }) => {
        const call = async (ip: string, name: string, payment?: unknown): Promise<unknown> => {
          const response = await post(
            limited,
            { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: { 'x402/payment': payment } } },
            { 'X-Forwarded-For': ip },
          );
          const { result, error } = await messageIn<{
            result?: { structuredContent: Record<string, unknown> };
            error?: { code: number };
          }>(response);
          return result ? (result.structuredContent['reason'] ?? 'answer') : (error?.code ?? response.status);
        };
        const header = { headers: { 'X-Forwarded-For': '198.51.100.9' } };
        await fetch(`${limited}/api/deals`, header);
        const buyer = buyerWith();
        for (const payment of [await buyer.sign(`${limited}/api/deals`), await buyer.sign(`${limited}/api/deals`)])
          assert.equal(await call('198.51.100.1', 'deals', paymentIn(payment)), 'answer');
        for (let i = 0; i < 3; i += 1) assert.equal(await call('198.51.100.1', 'deal_ids'), 'answer');
        // Messages that make no request count themselves.
        assert.equal(await call('198.51.100.1', 'nothing'), -32_602);
        assert.equal(await call('198.51.100.1', 'nothing'), -32_602);
        assert.equal(await call('198.51.100.1', 'nothing'), 429);
        assert.equal(await call('198.51.100.1', 'deal_ids'), 'rate_limited');
        assert.equal(await call('198.51.100.2', 'deal_ids'), 'answer');
      },
    ));
});
