/** The report of one deal: what it holds, who may ask, and what its own template answers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { summaryOf } from '../../../api/routes/report/summary.ts';
import { TABLES } from '../../../api/snapshot/tables.ts';
import { PUBLIC_URL, startApp, type Started } from '../support/test_app.ts';
import { fetchPaymentRequired, bodyOf, buyerWith } from '../support/buyers.ts';
import {
  dataFolder,
  NOTICE,
  rowOf,
  rowsOfTable,
  uuid,
  type DataFolder,
  type Row,
} from '../support/snapshot_fixtures.ts';

const LITERALS = ['{id}', '%7Bid%7D', '%7bid%7d', '%7B%69d}'];

describe('the report of a deal', () => {
  let folder: DataFolder;
  let started: Started;
  const buyer = buyerWith();
  const reportUrl = (id: string): string => `${started.url}/api/deals/${id}/report`;
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
  ];
  const reports = rowsOfTable('reports', 3, (i) => ({
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
      version_first_seen: '2026-11-10T12:00:00Z',
      list_price: '700000.00',
    }),
    rowOf('listing_history', 2, { version: 1, change: 'added', version_first_seen: '2026-11-01T12:00:00Z' }),
    rowOf('listing_history', 1),
  ];

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals,
      reports,
      signals: [signal],
      auctions: [auction],
      listing_history: versions,
      assumptions: [rowOf('assumptions', 1), rowOf('assumptions', 2, { assumption_set_id: 'another' })],
    });
    started = await startApp(folder.path);
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  it('costs $1.50 and holds the deal, its report, whole county records with their sources, and the history', async () => {
    assert.equal((await fetchPaymentRequired(reportUrl(uuid(2)))).accepts[0]?.amount, '1500000');
    const response = await buyer.fetch(reportUrl(uuid(2)));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('ETag'), null);
    const body = await bodyOf(response);
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
    assert.deepEqual(
      (body['history'] as { version: number; list_price: string }[]).map((v) => [v.version, v.list_price]),
      [
        [1, '740000.00'],
        [2, '700000.00'],
      ],
    );
    assert.deepEqual(body['assumptions'], { assumption_set_id: 'uw-test', values: { key_1: '0.05' } });
    assert.deepEqual([body['as_of'], body['snapshot_id'], body['note']], ['2026-11-20', '2026-11-20.01', NOTICE]);
    // Every column of the mart is sold.
    for (const { name } of TABLES.reports.columns) assert.ok(name in body || name in (body['deal'] as object), name);
  });

  it('takes an id in upper case, and says of a property that is gone that it is gone', async () => {
    const response = await buyer.fetch(reportUrl(uuid(3).toUpperCase()));
    assert.equal(response.status, 200);
    assert.match(String((await bodyOf(response))['note']), /no longer shown for sale: listing_status is sold/);
  });

  it('refuses what is no id before it is priced, and an unknown deal unbilled', async () => {
    const settled = started.facilitator.settled;
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
    assert.equal(started.facilitator.settled, settled);
  });

  it('answers the literal {id}, however it is written, free and with exactly the fields of a template', async () => {
    const settled = started.facilitator.settled;
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
        // The deal whose report is free is not offered for money.
        assert.deepEqual(body['live_examples'], [
          { url: `${PUBLIC_URL}/api/deals/${uuid(1)}/report`, property: '1 Main St, Cleveland, OH 44113' },
        ]);
        assert.match(String(body['note_billing']), /no charge was made/);
        assert.equal((await fetch(String(body['free_id_index']).replace(PUBLIC_URL, started.url))).status, 200);
        const etag = response.headers.get('ETag') ?? '';
        assert.equal(
          (await fetch(reportUrl(literal), { headers: { 'If-None-Match': etag, 'Cache-Control': '' } })).status,
          304,
        );
      }
    }
    assert.equal(started.facilitator.settled, settled);
    assert.equal((await fetch(`${reportUrl('{id}')}?x=1`)).status, 400);
    assert.equal((await fetch(reportUrl('{id}'), { method: 'HEAD' })).status, 200);
  });

  it('is shown free for one deal, to which /api/meta leads', async () => {
    const meta = await bodyOf(await fetch(`${started.url}/api/meta`));
    const example = meta['example_report'] as { note: string; url: string; property: string };
    assert.deepEqual(Object.keys(example), ['note', 'url', 'property']);
    assert.equal(example.property, '2 Main St, Cleveland, OH 44113');
    const shown = await bodyOf(await fetch(example.url.replace(PUBLIC_URL, started.url)));
    const { note, ...sold } = await bodyOf(await buyer.fetch(reportUrl(uuid(2))));
    const { note: freeNote, ...free } = shown;
    assert.deepEqual(free, sold);
    assert.match(String(freeNote), /The full report that https:.* sells, free\./);
    assert.equal(note, NOTICE);
  });

  it('is told with both of its answers in the interface description', async () => {
    const { paths } = (await bodyOf(await fetch(`${started.url}/openapi.json`))) as {
      paths: Record<
        string,
        {
          get: {
            parameters: { name: string; in: string; required: boolean; schema: unknown }[];
            responses: Record<string, { description: string; content: Record<string, { schema: unknown }> }>;
          };
        }
      >;
    };
    const operation = paths['/api/deals/{id}/report']?.get;
    assert.deepEqual(
      operation?.parameters.map(({ name, in: place, required, schema }) => ({ name, place, required, schema })),
      [{ name: 'id', place: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
    );
    assert.deepEqual(operation?.responses['200']?.content['application/json']?.schema, {
      oneOf: [
        { $ref: '#/components/schemas/api_deals_id_report' },
        { $ref: '#/components/schemas/api_deals_id_report_template' },
      ],
    });
    assert.match(operation?.responses['404']?.description ?? '', /unknown_deal/);
    for (const [path, { get }] of Object.entries(paths))
      if (path !== '/api/deals/{id}/report') assert.doesNotMatch(JSON.stringify(get.responses), /unknown_deal/, path);
  });
});

describe('the summary of a report', () => {
  const report = rowOf('reports', 1) as Parameters<typeof summaryOf>[1];
  const summary = (given: Row, offer: Row = {}): string[] =>
    summaryOf(rowOf('deals', 1, { why_this_is_interesting: 'Why.', ...given }) as Parameters<typeof summaryOf>[0], {
      ...report,
      offer: { ...report.offer, ...offer },
    });
  const tax = {
    kind: 'tax_delinquent',
    id: uuid(7),
    match_basis: 'address_exact',
    county: 'Cuyahoga County, OH',
    parcel_id: null,
    address: null,
    amount: '4321.09',
    sale_date: null,
    source_url: 'https://county.example',
    last_seen: '2026-11-20T12:00:00Z',
  };

  it('says in sentences what stands in it', () => {
    assert.deepEqual(
      summary(
        {
          list_price: '1225000.00',
          units: 8,
          price_per_unit: '153125.00',
          price_reduction_pct: '2.00',
          cap_rate: '7.40',
          cap_rate_source: 'advertised',
          cap_rate_underwritten: '6.10',
          cap_gap_pct: '1.30',
          dscr: '1.21',
          noi_source: 'stated',
          wholesale_status: 'Pass',
          creative_finance_status: 'Warm',
          distress_status: 'matched',
          distress_matches: [tax, { ...tax, kind: 'sheriff_sale', amount: null, sale_date: '2026-12-07' }],
        },
        {
          low: '900000.00',
          high: '1000500.50',
          target_cap_pct: '8.00',
          high_binding: 'target_cap',
          status: 'claimed_basis_unverified',
        },
      ),
      [
        'Why.',
        'Asking $1,225,000 for 8 units, $153,125 per unit, after a cut of 2.00% seen by this service.',
        'The advertised cap rate is 7.40%; HUD rents under the declared assumptions give 6.10%, a gap of 1.30 points.',
        "DSCR 1.21 on the broker's NOI, with a loan of 100% at 1.00% over 1.00 years.",
        'Rental Hot, wholesale Pass, creative finance Warm.',
        'Suggested offer $900,000 to $1,000,500.50 at a target cap rate of 8.00%, limited by the target cap; ' +
          "it is based on the broker's unverified claim.",
        'County records at this address: delinquent tax of $4,321.09, a sheriff sale on 2026-12-07.',
      ],
    );
  });

  it('says what is not known, and never null', () => {
    const lines = summary(
      {
        list_price: null,
        units: null,
        cap_rate: null,
        cap_rate_source: 'none',
        underwrite_reliability: 'proxy_out_of_range',
        underwrite_reason: 'price_missing',
        dscr_reason: 'single_unit',
        distress_status: 'county_not_covered',
      },
      { status: 'insufficient_data' },
    );
    assert.deepEqual(lines.slice(1), [
      'No asking price is published, for an unstated number of units.',
      'No cap rate is advertised; it could not be underwritten (price missing).',
      "HUD's 2-bedroom rent does not fit this property (price missing), so do not rely on the underwriting.",
      'There is no DSCR: single unit.',
      'Rental Hot, wholesale Hot, creative finance Hot.',
      'No offer is suggested: insufficient data.',
      'Neither tax delinquency nor sheriff sales are read for this county.',
    ]);
    assert.doesNotMatch([...lines, ...summary({})].join(' '), /null|undefined|NaN|\$\$/);
  });
});

describe('the market of a report', () => {
  it('counts the active deals of the city, and names the ones most like it', async () => {
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
      // The same ZIP first, then the nearest number of units, then the nearest price per unit; what is not known comes last.
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

describe('without an active deal', () => {
  it('there is no example and no live example, and nothing fails', async () => {
    const folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: [rowOf('deals', 1, { listing_status: 'sold' })] });
    const started = await startApp(folder.path);
    try {
      const example = await fetch(`${started.url}/api/example_report`);
      assert.deepEqual([example.status, (await bodyOf(example))['reason']], [404, 'no_matches']);
      assert.equal(
        ((await bodyOf(await fetch(`${started.url}/api/meta`)))['example_report'] as { property: unknown }).property,
        null,
      );
      assert.deepEqual((await bodyOf(await fetch(`${started.url}/api/deals/{id}/report`)))['live_examples'], []);
    } finally {
      await started.close();
      await folder.remove();
    }
  });
});
