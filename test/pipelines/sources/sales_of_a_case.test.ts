/** Postponements and second sales followed from day to day: both rows stay, and each names the other's day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay } from '../runs.ts';

test('a postponed sale is linked to its new day, and a first sale without a bid to the second', async () => {
  const [layout, world] = [
    await newLayout(),
    makeWorld({ seed: 28, listings: 0, parcels: 0, auctions: 30, filings: 0 }),
  ];
  const wanted = ['oh_cuyahoga_sheriff', 'oh_stark_sheriff', 'oh_stark_sheriff_page'];
  const seen = { postponed: 0, rounds: 0 };
  for (const day of ['2026-11-16', '2026-11-20', '2026-11-25']) {
    const { runId, truth } = await runDay({
      layout,
      world,
      day,
      only: ({ name }) => wanted.includes(name),
      tables: ['auctions'],
    });
    const rows = new Map(
      (await published(layout, runId, 'auctions')).map((row) => [
        `${String(row['case_number'])} ${String(row['sale_date'])}`,
        row,
      ]),
    );
    // A sale counts from the day on which a read could have seen it.
    for (const first of truth.auctions.filter(
      (item) => ['39035', '39151'].includes(item.countyFips) && rows.has(`${item.caseNumber} ${item.saleDate}`),
    )) {
      const later = truth.auctions
        .filter((item) => item.caseNumber === first.caseNumber && item.saleDate > first.saleDate)
        .sort((a, b) => (a.saleDate < b.saleDate ? -1 : 1))[0];
      const row = rows.get(`${first.caseNumber} ${first.saleDate}`);
      assert.equal(
        row?.['next_sale_date'],
        later?.saleDate ?? null,
        `${first.caseNumber} of ${first.saleDate} on ${day}`,
      );
      if (!later) continue;
      const next = rows.get(`${later.caseNumber} ${later.saleDate}`);
      assert.deepEqual([row?.['sale_status'], next?.['previous_sale_date']], [first.status, first.saleDate]);
      if (first.status === 'postponed') seen.postponed += 1;
      if (first.kind === 'mortgage_foreclosure' && first.status === 'unsold') {
        assert.deepEqual([row?.['sale_round'], next?.['sale_round']], [1, 2], first.caseNumber);
        seen.rounds += 1;
      }
    }
  }
  assert.ok(seen.postponed > 0 && seen.rounds > 0, JSON.stringify(seen));
});
