/** A batch lookup as a tool: its price by the matches, one payment for one list of addresses, and its limit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buyerWith } from '../support/buyers.ts';
import { identifier } from '../support/collecting.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';
import { withStarted, sharedApp } from '../support/test_app.ts';
import { callTool, paymentIn, type ToolResult } from './agents.ts';

const TWO = '1 Main St\n2 Main St|77 Nowhere Rd';
const amountOf = ({ structuredContent }: ToolResult): string | undefined =>
  (structuredContent as { accepts?: { amount: string }[] }).accepts?.[0]?.amount;

describe('a batch lookup over MCP', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 4) });
  const pathOf = (addresses: string): string => `/api/lookup/batch?${new URLSearchParams({ addresses }).toString()}`;
  it('costs its matches, and its payment buys no other addresses, over MCP or HTTP', async () => {
    const { url, facilitator } = shared.app;
    assert.equal(amountOf(await callTool(url, 'lookup_batch', { addresses: TWO })), '40000');
    const buyer = buyerWith();
    const header = await buyer.signAs(url + pathOf(TWO), identifier());
    const payment = paymentIn(header);
    const { settled } = facilitator;
    const bought = (await callTool(url, 'lookup_batch', { addresses: TWO }, payment)).structuredContent as {
      paid: { amount_usd: string; receipt_id: string };
      body: { billed: number; results: unknown[] };
    };
    assert.deepEqual([bought.paid.amount_usd, bought.body.billed, bought.body.results.length], ['0.04', 2, 3]);
    for (const addresses of ['3 Main St|4 Main St', '2 Main St|1 Main St', '1 Main St']) {
      const { structuredContent } = await callTool(url, 'lookup_batch', { addresses }, payment);
      assert.equal(structuredContent['reason'], 'payment_identifier_used', addresses);
      const response = await fetch(url + pathOf(addresses), { headers: { 'PAYMENT-SIGNATURE': header } });
      assert.equal(response.status, 409);
      await response.arrayBuffer();
    }
    const again = await callTool(url, 'lookup_batch', { addresses: TWO, part: 'results.1' }, payment);
    assert.equal((again.structuredContent['paid'] as { receipt_id: string }).receipt_id, bought.paid.receipt_id);
    assert.equal(facilitator.settled, settled + 1);
  });

  it('without a match is not billed', async () => {
    const { isError, structuredContent } = await callTool(shared.app.url, 'lookup_batch', {
      addresses: '77 Nowhere Rd',
    });
    assert.deepEqual(
      [isError, structuredContent['reason'], structuredContent['billed']],
      [undefined, 'no_matches', false],
    );
  });

  it('counts against the limit of its client as it does over HTTP', () =>
    withStarted(shared.folder.path, { unbilledPerMinute: 5, snapshots: shared.app.snapshots }, async ({ url }) => {
      const call = async (): Promise<ToolResult> => callTool(url, 'lookup_batch', { addresses: TWO });
      assert.equal(amountOf(await call()), '40000');
      assert.equal((await call()).structuredContent['reason'], 'rate_limited');
      const overHttp = await fetch(url + pathOf(TWO));
      assert.equal(overHttp.status, 429);
      await overHttp.arrayBuffer();
    }));
});
