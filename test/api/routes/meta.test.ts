/** /api/meta and /api/deals/ids: counts, prices, field notes and samples. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { templateOf } from '../../../api/routes/define.ts';
import { PRICES } from '../../../lib/prices.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { sharedApp } from '../support/test_app.ts';
import { bodyOf } from '../support/buyers.ts';
import { AS_OF, NOTICE, rowOf, uuid } from '../support/snapshot_fixtures.ts';

interface Meta {
  notice: string;
  coverage: unknown;
  pricing: Record<string, string>;
  record_schema_notes: Record<string, string | string[]>;
  filters: { params: string[]; example: string };
  signals_feed: { coverage: unknown };
  auctions_feed: { coverage: unknown };
  leads_feed: { coverage: unknown };
  free_samples: Record<'deals' | 'signals' | 'auctions' | 'leads', { id: string }[]>;
  sources: { source: string; freshness: string; stale_reason: string | null; fiscal_year: number | null }[];
  as_of: string;
}

describe('/api/meta', () => {
  let meta: Meta;

  const deal = { dscr: '1.20', last_verified: '2026-11-20T06:00:00Z' };
  const best = rowOf('deals', 2, { ...deal, deal_score: 90, rental_status: 'Warm', city: 'Akron' });
  const shared = sharedApp({
    deals: [
      rowOf('deals', 1, { ...deal, deal_score: 80, rental_status: 'Hot' }),
      best,
      rowOf('deals', 3, {
        rental_status: 'Pass',
        city: 'CLEVELAND',
        dscr_status: 'insufficient_data',
        last_verified: '2026-11-18T06:00:00Z',
      }),
      rowOf('deals', 4, {
        rental_status: 'Hot',
        city: 'Toledo',
        listing_status: 'delisted',
        last_verified: '2026-11-01T06:00:00Z',
      }),
      rowOf('deals', 5, { ...deal, deal_score: 70, rental_status: 'Hot' }),
    ],
    signals: [
      rowOf('signals', 1),
      rowOf('signals', 2, { has_address: true, address: '1 A St', county: 'Stark County, OH' }),
      rowOf('signals', 3, { signal_state: 'removed' }),
    ],
    auctions: [
      rowOf('auctions', 1, { sale_date: '2026-11-19' }),
      rowOf('auctions', 2, { sale_date: '2026-12-24' }),
      rowOf('auctions', 3, { sale_date: '2026-12-01' }),
    ],
    leads: [
      rowOf('leads', 1, { lead_score: 90 }),
      rowOf('leads', 2, { lead_score: 20 }),
      rowOf('leads', 3, { lead_score: 10, last_verified: '2026-11-01T12:00:00Z' }),
    ],
    sources: [
      rowOf('sources', 1, {
        source: 'rents',
        freshness: 'stale',
        stale_reason: 'newer_fiscal_year_published',
        fiscal_year: 2024,
      }),
      rowOf('sources', 2, { source: 'site', freshness: 'fresh' }),
    ],
  });
  before(async () => {
    meta = (await bodyOf(await fetch(`${shared.app.url}/api/meta`))) as unknown as Meta;
  });

  it('counts the rows of the snapshot, by the data clock', () => {
    assert.deepEqual(meta.coverage, {
      total_records: 5,
      active_records: 4,
      hot: 2,
      warm: 1,
      dscr_computed: 3,
      cities: 2,
      freshest_verification: '2026-11-20T06:00:00Z',
      oldest_active_verification: '2026-11-18T06:00:00Z',
    });
    assert.deepEqual(meta.signals_feed.coverage, {
      total_signals: 2,
      with_address: 1,
      counties: 2,
      freshest: '2026-11-20T12:00:00Z',
    });
    assert.deepEqual(meta.auctions_feed.coverage, {
      upcoming_sales: 2,
      next_sale_date: '2026-12-01',
      furthest_sale_date: '2026-12-24',
      counties: 1,
      freshest: '2026-11-20T12:00:00Z',
    });
    assert.deepEqual(meta.leads_feed.coverage, { available_leads: 2, counties: 1 });
    assert.equal(meta.as_of, AS_OF);
  });

  it('has the price of every route, as in the price table, and the notice of made-up data', () => {
    const { protocol, network, ...prices } = meta.pricing;
    assert.match(protocol ?? '', /version 2/);
    assert.equal(network, 'eip155:8453');
    assert.deepEqual(Object.keys(prices).sort(), shared.app.app.routes.map((r) => `GET ${templateOf(r)}`).sort());
    const table: Readonly<Record<string, string>> = PRICES;
    for (const [label, price] of Object.entries(prices)) {
      const listed = table[label.replace(/^GET (\/ohio|\/colorado)?/, '').replace('{id}', ':id')];
      assert.equal(price, listed === undefined ? 'free' : `$${listed}`);
    }
    assert.equal(meta.notice, NOTICE);
  });

  it('has a note for every field: the accepted values, or a sentence with its null case', () => {
    for (const [table, prefix] of [
      ['deals', ''],
      ['signals', 'signals.'],
      ['auctions', 'auctions.'],
      ['leads', 'leads.'],
      ['filings', 'filings.'],
    ] as const) {
      for (const column of TABLES[table].columns) {
        const note = meta.record_schema_notes[prefix + column.name];
        assert.ok(note !== undefined, prefix + column.name);
        if (column.absent !== undefined)
          assert.ok(typeof note === 'string' && note.includes(`Null when: ${column.absent}`), prefix + column.name);
        else if (column.values !== undefined) assert.deepEqual(note, column.values);
      }
    }
    assert.deepEqual(meta.record_schema_notes['dscr_status'], ['computed', 'insufficient_data', 'not_applicable']);
  });

  it('has full records as samples: the best deal, never the best lead', () => {
    const [{ absent, ...sample } = {}] = meta.free_samples.deals as { absent?: Record<string, string> }[];
    assert.equal(absent?.['property_type'], 'not_stated_by_site');
    assert.deepEqual(sample, best);
    const { leads, auctions, signals } = meta.free_samples;
    assert.deepEqual(
      [leads, auctions, signals].map((records) => records.map(({ id }) => id)),
      [[uuid(2)], [uuid(3)], [uuid(2)]],
    );
  });

  it('has an example that works', async () => {
    const { pathname, search } = new URL(meta.filters.example);
    assert.equal((await fetch(shared.app.url + pathname + search)).status, 402);
    assert.ok(meta.filters.params.includes('min_cap'));
  });
});

describe('/api/deals/ids', () => {
  const shared = sharedApp({
    deals: Array.from({ length: 60 }, (_, i) =>
      rowOf('deals', i + 1, { deal_score: i, listing_status: i === 59 ? 'sold' : 'active', units: i % 2 ? null : 4 }),
    ),
  });

  it('has the top 50 active deals by score, free, with the fields of the index', async () => {
    const body = await bodyOf(await fetch(`${shared.app.url}/api/deals/ids`));
    assert.deepEqual(Object.keys(body), ['note', 'count', 'generated_at', 'records']);
    assert.equal(body['count'], 50);
    const records = body['records'] as Record<string, unknown>[];
    assert.deepEqual(
      records.map((r) => r['deal_score']),
      Array.from({ length: 50 }, (_, i) => 58 - i),
    );
    const fields = 'id address city state list_price units cap_rate deal_score report_status absent';
    assert.equal(Object.keys(records[0] ?? {}).join(' '), fields);
  });
});
