/** A batch lookup as a tool: one payment for one list of addresses, a free miss, and its limit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buyerWith } from '../support/buyers.ts';
import { identifier } from '../support/collecting.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';
import { withStarted, sharedApp } from '../support/test_app.ts';
import { callTool, paymentIn, type ToolResult } from './agents.ts';

const THREE = '77 Nowhere Rd|1 Main St\n2 Main St';
const amountOf = ({ structuredContent }: ToolResult): string | undefined =>
  (structuredContent as { accepts?: { amount: string }[] }).accepts?.[0]?.amount;

describe('a batch lookup over MCP', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 4) });
  const pathOf = (addresses: string): string => `/api/lookup/batch?${new URLSearchParams({ addresses }).toString()}`;
  it('costs one lookup, and its payment buys no other addresses, over MCP or HTTP', async () => {
    const { url, facilitator } = shared.app;
    assert.equal(amountOf(await callTool(url, 'lookup_batch', { addresses: THREE })), '20000');
    const buyer = buyerWith();
    const header = await buyer.signAs(url + pathOf(THREE), identifier());
    const payment = paymentIn(header);
    const { settled } = facilitator;
    const bought = (await callTool(url, 'lookup_batch', { addresses: THREE }, payment)).structuredContent as {
      paid: { amount_usd: string; receipt_id: string };
      body: { remaining: string[]; results: unknown[] };
    };
    const { paid, body } = bought;
    assert.deepEqual([paid.amount_usd, body.results.length, body.remaining], ['0.02', 2, ['2 Main St']]);
    for (const addresses of ['3 Main St|4 Main St', '2 Main St|1 Main St', '1 Main St']) {
      const { structuredContent } = await callTool(url, 'lookup_batch', { addresses }, payment);
      assert.equal(structuredContent['reason'], 'payment_identifier_used', addresses);
      const response = await fetch(url + pathOf(addresses), { headers: { 'PAYMENT-SIGNATURE': header } });
      assert.equal(response.status, 409);
      await response.arrayBuffer();
    }
    const again = await callTool(url, 'lookup_batch', { addresses: THREE, part: 'results.1' }, payment);
    assert.equal((again.structuredContent['paid'] as { receipt_id: string }).receipt_id, paid.receipt_id);
    assert.equal(facilitator.settled, settled + 1);
  });

  it('without a match is not billed, and shows so only to who pays', async () => {
    const { url } = shared.app;
    const addresses = '77 Nowhere Rd';
    assert.equal(amountOf(await callTool(url, 'lookup_batch', { addresses })), '20000');
    const payment = paymentIn(await buyerWith().sign(url + pathOf(addresses)));
    const { isError, structuredContent } = await callTool(url, 'lookup_batch', { addresses }, payment);
    assert.deepEqual(
      [isError, structuredContent['reason'], structuredContent['billed']],
      [undefined, 'no_matches', false],
    );
  });

  it('counts against the limit of its client as it does over HTTP', () =>
    withStarted(shared.folder.path, { unbilledPerMinute: 2, snapshots: shared.app.snapshots }, async ({ url }) => {
      const call = async (): Promise<ToolResult> => callTool(url, 'lookup_batch', { addresses: THREE });
      for (let i = 0; i < 2; i += 1) assert.equal(amountOf(await call()), '20000');
      assert.equal((await call()).structuredContent['reason'], 'rate_limited');
      const overHttp = await fetch(url + pathOf(THREE));
      assert.deepEqual([overHttp.status, overHttp.headers.get('RateLimit')?.slice(0, 12)], [429, '"unpaid";r=0']);
      await overHttp.arrayBuffer();
    }));
});
