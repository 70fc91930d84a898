/** The report of one deal: its contents, invalid ids, and the response to its template. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TABLES } from '../../../models/serving/tables.ts';
import { PUBLIC_URL, sharedApp } from '../support/test_app.ts';
import { fetchPaymentRequired, bodyOf, buyerWith } from '../support/buyers.ts';
import { NOTICE, rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';

const LITERALS = ['{id}', '%7Bid%7D', '%7bid%7d', '%7B%69d}'];

/** The body without the reasons of null fields. */
const withoutReasons = (body: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === 'absent' ? undefined : value))) as typeof body;

describe('the report of a deal', () => {
  const buyer = buyerWith();
  const reportUrl = (id: string): string => `${shared.app.url}/api/deals/${id}/report`;
  const signal = rowOf('signals', 7, { amount: '4321.09' });
  const auction = rowOf('auctions', 8);
  const match = (kind: string, id: string) => ({
    kind,
    id,
    match_basis: 'address_exact',
    county: 'Cuyahoga County, OH',
    parcel_id: null,
    address: null,
    amount: null,
    sale_date: null,
    filed_on: null,
    description: null,
    source_url: 'https://county.example/list',
    last_seen: '2026-11-20T12:00:00Z',
  });
  const deals = [
    rowOf('deals', 1, { deal_score: 90 }),
    rowOf('deals', 2, {
      deal_score: 20,
      dscr: '1.30',
      distress_matches: [match('tax_delinquent', uuid(7))],
      distress_candidates: [match('sheriff_sale', uuid(8))],
      distress_status: 'matched',
    }),
    rowOf('deals', 3, { listing_status: 'sold' }),
    rowOf('deals', 4, { deal_score: 10, list_price: null, report_status: 'no_underwriting' }),
  ];
  const reports = rowsOfTable('reports', 4, (i) => ({
    recompute: [
      {
        figure: 'price_per_unit',
        formula: 'round2(list_price / units)',
        inputs: { list_price: '740000.00', units: '8' },
        result: `9250${i}.00`,
      },
    ],
  }));
  const versions = [
    rowOf('listing_history', 2, {
      version: 2,
      change: 'price_cut',
      page_sha256: 'b'.repeat(64),
      version_first_seen: '2026-11-10T12:00:00Z',
      list_price: '700000.00',
    }),
    rowOf('listing_history', 2, { version: 1, change: 'added', version_first_seen: '2026-11-01T12:00:00Z' }),
    rowOf('listing_history', 1),
  ];

  const shared = sharedApp({
    deals,
    reports,
    signals: [signal],
    auctions: [auction],
    listing_history: versions,
    assumptions: [rowOf('assumptions', 1), rowOf('assumptions', 2, { assumption_set_id: 'another' })],
  });

  it('costs $1.50 and has the deal, the report, full county records with sources, and the history', async () => {
    assert.equal((await fetchPaymentRequired(reportUrl(uuid(2)))).accepts[0]?.amount, '1500000');
    const response = await buyer.fetch(reportUrl(uuid(2)));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('ETag'), null);
    const whole = await bodyOf(response);
    const absent = (whole['deal'] as { absent: Record<string, string> }).absent;
    assert.equal(absent['property_type'], 'not_stated_by_site');
    const body = withoutReasons(whole);
    const report = reports[1];
    assert.equal(body['property'], '2 Main St, Cleveland, OH 44113');
    assert.deepEqual(body['deal'], deals[1]);
    for (const field of ['comparison', 'debt_terms', 'offer', 'sensitivity', 'paths', 'recompute'])
      assert.deepEqual(body[field], report?.[field], field);
    assert.deepEqual(body['distress'], {
      status: 'matched',
      score: 0,
      coverage: deals[1]?.['distress_coverage'],
      matches: [
        {
          kind: 'tax_delinquent',
          match_basis: 'address_exact',
          source_url: 'https://county.example/list',
          signal,
          auction: null,
        },
      ],
      candidates: [
        {
          kind: 'sheriff_sale',
          match_basis: 'address_exact',
          source_url: 'https://county.example/list',
          signal: null,
          auction,
        },
      ],
    });
    const pages = (body['history'] as { page_sha256: string | null }[]).map((v) => v.page_sha256);
    assert.deepEqual(pages, ['x', 'b'.repeat(64)], 'make verify looks the pages of the history up');
    assert.deepEqual(
      (body['history'] as { version: number; list_price: string }[]).map((v) => [v.version, v.list_price]),
      [
        [1, '740000.00'],
        [2, '700000.00'],
      ],
    );
    assert.deepEqual(body['assumptions'], { assumption_set_id: 'uw-test', values: { key_1: '0.05' } });
    assert.deepEqual([body['as_of'], body['snapshot_id'], body['note']], ['2026-11-20', '2026-11-20.01', NOTICE]);
    // Every column of the mart is in the response.
    for (const { name } of TABLES.reports.columns) assert.ok(name in body || name in (body['deal'] as object), name);
  });

  it('accepts an id in upper case, and notes that a property is no longer for sale', async () => {
    const response = await buyer.fetch(reportUrl(uuid(3).toUpperCase()));
    assert.equal(response.status, 200);
    assert.match(String((await bodyOf(response))['note']), /no longer shown for sale: listing_status is sold/);
  });

  it('refuses an invalid id before a payment, and an unknown deal without a charge', async () => {
    const settled = shared.app.facilitator.settled;
    for (const id of [
      '1',
      'x',
      '{ID}',
      '{id',
      '%7Bid',
      '%7Bother%7D',
      `${uuid(1)}0`,
      uuid(1).replaceAll('-', ''),
      '%00',
      "1' OR '1'='1",
      '%E0%A4%A',
      '..%2F..',
    ]) {
      const response = await fetch(reportUrl(id));
      const body = await bodyOf(response);
      assert.deepEqual(
        [response.status, body['reason'], body['field'], body['billed']],
        [400, 'invalid_parameter', 'id', false],
        id,
      );
    }
    const unknown = await buyer.fetch(reportUrl(uuid(99)));
    const body = await bodyOf(unknown);
    assert.deepEqual(
      [unknown.status, body['reason'], body['billed'], body['id'], body['free_id_index']],
      [404, 'unknown_deal', false, uuid(99), `${PUBLIC_URL}/api/deals/ids`],
    );
    assert.equal(unknown.headers.get('PAYMENT-RESPONSE'), null);
    assert.equal(shared.app.facilitator.settled, settled);
  });

  it('is refused free if the deal has no underwriting, as report_status says, and is no example', async () => {
    const { facilitator } = shared.app;
    const settled = facilitator.settled;
    const response = await buyer.fetch(reportUrl(uuid(4)));
    const body = await bodyOf(response);
    assert.deepEqual([response.status, body['reason'], body['billed']], [404, 'no_underwriting', false]);
    assert.equal(response.headers.get('PAYMENT-RESPONSE'), null);
    assert.equal(facilitator.settled, settled);
    const { records } = (await bodyOf(await fetch(`${shared.app.url}/api/deals/ids`))) as { records: Row[] };
    assert.deepEqual(
      records.map(({ id, report_status }) => [id, report_status]),
      [
        [uuid(1), 'available'],
        [uuid(2), 'available'],
        [uuid(4), 'no_underwriting'],
      ],
    );
    const template = await bodyOf(await fetch(reportUrl('{id}')));
    assert.doesNotMatch(JSON.stringify(template['live_examples']), new RegExp(uuid(4), 'u'));
  });

  it('responds to the literal {id}, in any encoding, free and with exactly the fields of a template', async () => {
    const settled = shared.app.facilitator.settled;
    for (const literal of LITERALS) {
      for (const payment of [undefined, await buyer.sign(reportUrl(uuid(1)))]) {
        const response = await fetch(
          reportUrl(literal),
          payment === undefined ? {} : { headers: { 'PAYMENT-SIGNATURE': payment } },
        );
        assert.equal(response.status, 200, literal);
        const body = await bodyOf(response);
        assert.deepEqual(Object.keys(body), [
          'note',
          'how_to',
          'price',
          'live_examples',
          'free_id_index',
          'note_billing',
        ]);
        assert.equal(body['price'], '$1.50');
        // The deal of the free example is not for sale.
        assert.deepEqual(body['live_examples'], [
          { url: `${PUBLIC_URL}/api/deals/${uuid(1)}/report`, property: '1 Main St, Cleveland, OH 44113' },
        ]);
        assert.match(String(body['note_billing']), /no charge was made/);
        assert.equal((await fetch(String(body['free_id_index']).replace(PUBLIC_URL, shared.app.url))).status, 200);
        const etag = response.headers.get('ETag') ?? '';
        assert.equal((await fetch(reportUrl(literal), { headers: { 'If-None-Match': etag } })).status, 304);
      }
    }
    assert.equal(shared.app.facilitator.settled, settled);
    assert.equal((await fetch(`${reportUrl('{id}')}?x=1`)).status, 400);
    assert.equal((await fetch(reportUrl('{id}'), { method: 'HEAD' })).status, 200);
  });

  it('is free for one deal, which /api/meta names', async () => {
    const meta = await bodyOf(await fetch(`${shared.app.url}/api/meta`));
    const example = meta['example_report'] as { note: string; url: string; property: string };
    assert.deepEqual(Object.keys(example), ['note', 'url', 'property']);
    assert.equal(example.property, '2 Main St, Cleveland, OH 44113');
    const exampleBody = await bodyOf(await fetch(example.url.replace(PUBLIC_URL, shared.app.url)));
    const { note, ...sold } = await bodyOf(await buyer.fetch(reportUrl(uuid(2))));
    const { note: freeNote, ...free } = exampleBody;
    assert.deepEqual(free, sold);
    assert.match(String(freeNote), /The full report that https:.* sells, free\./);
    assert.equal(note, NOTICE);
  });
});

describe('the market of a report', () => {
  const priced = (per: string | null, units: number | null, given: Row = {}): Row => ({
    price_per_unit: per,
    units,
    cap_rate_underwritten: '6.00',
    ...given,
  });
  const shared = sharedApp({
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

  it('counts the active deals of the city, and lists the most similar ones', async () => {
    const marketOf = async (n: number): Promise<Record<string, unknown>> =>
      (await shared.buy(`/api/deals/${uuid(n)}/report`))['market'] as Record<string, unknown>;
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
  });
});
