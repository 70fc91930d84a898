/** The market of a report: figures of the city, and the most similar deals. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { dataFolder, rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';
import { startApp } from '../support/test_app.ts';

describe('the market of a report', () => {
  it('counts the active deals of the city, and lists the most similar ones', async () => {
    const folder = await dataFolder();
    const priced = (per: string | null, units: number | null, given: Row = {}): Row => ({
      price_per_unit: per,
      units,
      cap_rate_underwritten: '6.00',
      ...given,
    });
    await folder.publish('2026-11-20.01', {
      deals: [
        rowOf('deals', 1, priced('100000.00', 4)),
        rowOf('deals', 2, priced('90000.00', 9, { cap_rate: '5.00' })),
        rowOf('deals', 3, priced('120000.00', 4, { zip: '44101', cap_rate: '9.00' })),
        rowOf(
          'deals',
          4,
          priced('101000.00', 4, { zip: '44101', city: 'CLEVELAND', cap_rate: null, cap_rate_source: 'none' }),
        ),
        rowOf('deals', 5, priced('99000.00', 4, { city: 'Akron' })),
        rowOf('deals', 6, priced('99000.00', 4, { listing_status: 'sold' })),
        rowOf(
          'deals',
          7,
          priced(null, 4, {
            cap_rate_underwritten: '99.00',
            underwrite_reliability: 'proxy_out_of_range',
            underwrite_reason: 'price_missing',
          }),
        ),
        rowOf('deals', 8, priced('100000.00', null)),
      ],
      reports: rowsOfTable('reports', 8),
    });
    const started = await startApp(folder.path);
    try {
      const marketOf = async (n: number): Promise<Record<string, unknown>> =>
        (await bodyOf(await buyerWith().fetch(`${started.url}/api/deals/${uuid(n)}/report`)))['market'] as Record<
          string,
          unknown
        >;
      const { comparables, ...figures } = await marketOf(1);
      assert.deepEqual(figures, {
        area: 'Cleveland, OH',
        active_deals: 6,
        priced_deals: 5,
        median_price_per_unit: '100000.00',
        median_cap_rate: '7.40',
        median_cap_rate_underwritten: '6.00',
        cheaper_deals: 1,
      });
      // The same ZIP first, then the nearest number of units, then the nearest price per unit; unknown values last.
      const idsOf = (deals: unknown): string[] => (deals as { id: string }[]).map((d) => d.id);
      assert.deepEqual(idsOf(comparables), [uuid(2), uuid(8), uuid(4), uuid(3)]);
      assert.deepEqual(idsOf((await marketOf(8))['comparables']), [uuid(1), uuid(2), uuid(4), uuid(3)]);
      assert.equal((await marketOf(7))['cheaper_deals'], null);
    } finally {
      await started.close();
      await folder.remove();
    }
  });
});
