/** The promised interface, line by line, compared with the OpenAPI description and with responses. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type Started } from '../support/test_app.ts';
import { fetchPaymentRequired, bodyOf, buyerWith } from '../support/buyers.ts';
import { dataFolder, neededQuery, rowOf, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';
import { ENDPOINTS, matchesType, NEVER_NULL, RECORDS, typeOf, type Document } from './promised_interface.ts';

describe('the interface', () => {
  let folder: DataFolder;
  let started: Started;
  let document: Document;
  const buyer = buyerWith();
  const get = async (path: string): Promise<Record<string, unknown>> => bodyOf(await fetch(started.url + path));

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 60, (i) => ({ deal_score: i, cap_rate: '9.00', dscr: '1.20' })),
      reports: rowsOfTable('reports', 60),
      signals: rowsOfTable('signals', 2),
      auctions: rowsOfTable('auctions', 2),
      leads: [
        rowOf('leads', 1),
        rowOf('leads', 2, {
          lead_type: 'sheriff_sale_auction',
          auction_type: 'sheriff_sale',
          sale_date: '2026-12-07',
          property_address: '2 Oak St',
          appraised_value: '90000.00',
          opening_bid: '60000.00',
          plaintiff: 'A Bank',
        }),
      ],
      filings: rowsOfTable('filings', 4, (i) => ({
        first_seen: `2026-11-${i % 2 ? '20' : '12'}T12:00:00Z`,
        ...(i > 2 ? { source: 'colorado_sos', source_state: 'CO' } : {}),
      })),
    });
    started = await startApp(folder.path);
    document = (await get('/openapi.json')) as unknown as Document;
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  it('has the promised endpoints and prices, with the promised parameters first and in order', async () => {
    for (const [path, [price, ...parameters]] of Object.entries(ENDPOINTS)) {
      const operation = document.paths[path]?.get;
      assert.ok(operation, path);
      assert.equal(operation['x-price-usd'], price, path);
      assert.deepEqual(operation.security, [], `${path} needs no key`);
      const described = operation.parameters
        .slice(0, parameters.length)
        .map((p) => `${p.name}:${typeOf(p.schema).kind}`);
      assert.deepEqual(described, parameters, path);
      for (const parameter of operation.parameters)
        assert.equal(parameter.required, parameter.in === 'path', `${path} ${parameter.name}`);
      if (price === '0.00') continue;
      const required = await fetchPaymentRequired(started.url + path.replace('{id}', uuid(1)) + neededQuery(path));
      assert.deepEqual(
        [required.x402Version, required.accepts[0]?.network, required.accepts[0]?.amount],
        [2, 'eip155:8453', String(Math.round(Number(price) * 1_000_000))],
        path,
      );
    }
    for (const prefix of ['/ohio', '/colorado']) {
      for (const path of ['/api/filings/recent', '/api/filings', '/api/batch/weekly.csv'])
        assert.equal(document.paths[prefix + path]?.get['x-price-usd'], ENDPOINTS[path]?.[0]);
      assert.equal(document.paths[`${prefix}/api/meta`]?.get['x-price-usd'], '0.00');
    }
    assert.equal(document.info.version, '1.0.0');
  });

  it('has the promised fields first and in order, with their types, values and nullability', () => {
    for (const [record, promised] of Object.entries(RECORDS)) {
      const fields = Object.entries(document.components.schemas[record]?.properties ?? {});
      for (const [i, line] of promised.entries()) {
        const [name = '', kind = ''] = line.split(/:(.*)/s);
        assert.equal(fields[i]?.[0], name, `${record}.${name}`);
        const type = typeOf(fields[i]?.[1]);
        assert.ok(matchesType(type.kind, kind), `${record}.${name} is ${type.kind}`);
        if (NEVER_NULL[record]?.includes(name)) assert.equal(type.nullable, false, `${record}.${name}`);
      }
    }
    const properties = document.components.schemas['deal']?.properties ?? {};
    for (const field of ['wholesale_status', 'creative_finance_status'])
      assert.deepEqual(properties[field]?.enum, ['Hot', 'Warm', 'Pass']);
    for (const field of ['rental_rationale', 'wholesale_rationale', 'creative_finance_rationale'])
      assert.deepEqual(Object.keys(properties[field]?.properties ?? {}).slice(-2), ['thresholds', 'inputs']);
  });

  it('has an index of the top fifty deals with the promised fields', async () => {
    const body = await get('/api/deals/ids');
    assert.deepEqual(Object.keys(body), ['note', 'count', 'generated_at', 'records']);
    assert.equal(body['count'], 50);
    assert.deepEqual(Object.keys((body['records'] as object[])[0] ?? {}), [
      'id',
      'address',
      'city',
      'state',
      'list_price',
      'units',
      'cap_rate',
      'deal_score',
      'absent',
    ]);
  });

  it('has cards with address, price, units, advertised cap rate, listing and freshness', async () => {
    const { records } = (await bodyOf(await buyer.fetch(`${started.url}/api/deals/basic`))) as { records: object[] };
    for (const field of [
      'id',
      'address',
      'city',
      'state',
      'list_price',
      'units',
      'cap_rate',
      'listing_url',
      'last_verified',
      'days_on_feed',
    ])
      assert.ok(field in (records[0] ?? {}), field);
  });

  it('has a lookup of listings with underwriting, signals and auctions, with basis and coverage', async () => {
    const body = await bodyOf(await buyer.fetch(`${started.url}/api/lookup?parcel=p%201`));
    for (const section of ['listings', 'signals', 'auctions', 'match_basis', 'coverage'])
      assert.ok(section in body, section);
    const noMatch = await buyer.fetch(`${started.url}/api/lookup?apn=999-999`);
    const problem = await bodyOf(noMatch);
    assert.deepEqual([noMatch.status, problem['billed'], typeof problem['coverage']], [404, false, 'object']);
  });

  it('has the auction fields in an auction lead', async () => {
    const { records } = (await bodyOf(
      await buyer.fetch(`${started.url}/api/leads?lead_type=sheriff_sale_auction`),
    )) as { records: Record<string, unknown>[] };
    for (const line of RECORDS['auction'] ?? []) assert.ok(records[0]?.[line.split(':')[0] ?? ''] !== undefined, line);
    assert.deepEqual(
      [records[0]?.['appraised_value'], records[0]?.['opening_bid'], records[0]?.['plaintiff']],
      ['90000.00', '60000.00', 'A Bank'],
    );
    assert.match(String(records[0]?.['freshness']), /^within_/);
  });

  it('sells the best matching lead exclusively, and to nobody else afterwards', async () => {
    const [first] = (
      (await bodyOf(await buyer.fetch(`${started.url}/api/leads?lead_type=tax_delinquent`))) as {
        records: { id: string }[];
      }
    ).records;
    const { lead } = (await bodyOf(
      await buyer.fetch(`${started.url}/api/leads/exclusive?lead_type=tax_delinquent`),
    )) as { lead: { id: string } };
    assert.equal(lead.id, first?.id);
    for (const path of ['/api/leads?lead_type=tax_delinquent', '/api/leads/exclusive?lead_type=tax_delinquent'])
      assert.equal((await buyer.fetch(started.url + path)).status, 404, path);
    const { free_samples } = (await get('/api/meta')) as { free_samples: { leads: { id: string }[] } };
    assert.ok(free_samples.leads.every((l) => l.id !== lead.id));
  });

  it('has a report with underwriting, DSCR, distress, three paths and an offer at a target cap rate', async () => {
    const body = await bodyOf(await buyer.fetch(`${started.url}/api/deals/${uuid(1)}/report`));
    const { deal, distress, paths, offer } = body as unknown as {
      deal: object;
      distress: object;
      paths: object;
      offer: object;
    };
    for (const [where, fields] of [
      [body, ['comparison', 'debt_terms']],
      [deal, ['dscr', 'dscr_status']],
      [distress, ['matches']],
      [paths, ['rental', 'wholesale', 'creative_finance']],
      [offer, ['low', 'high', 'target_cap_pct']],
    ] as const) {
      for (const field of fields) assert.ok(field in where, field);
    }
  });

  it('has the promised discovery documents', async () => {
    const meta = await get('/api/meta');
    const shape: Record<string, readonly string[]> = {
      coverage: [
        'total_records',
        'active_records',
        'hot',
        'warm',
        'dscr_computed',
        'cities',
        'freshest_verification',
        'oldest_active_verification',
      ],
      filters: ['note', 'params', 'example'],
      signals_feed: ['note', 'coverage', 'filters'],
      auctions_feed: ['note', 'coverage', 'filters'],
      free_samples: ['note', 'deals', 'signals', 'auctions', 'leads'],
      example_report: ['note', 'url', 'property'],
    };
    for (const [field, fields] of Object.entries(shape))
      assert.deepEqual(Object.keys(meta[field] as object), fields, field);
    const inner = (field: string): Record<string, unknown> =>
      (meta[field] as { coverage: Record<string, unknown> }).coverage;
    assert.deepEqual(Object.keys(inner('signals_feed')), ['total_signals', 'with_address', 'counties', 'freshest']);
    assert.deepEqual(Object.keys(inner('auctions_feed')), [
      'upcoming_sales',
      'next_sale_date',
      'furthest_sale_date',
      'counties',
      'freshest',
    ]);
    for (const field of ['name', 'description', 'guarantee', 'refresh_cadence', 'generated_at'])
      assert.equal(typeof meta[field], 'string', field);
    const pricing = meta['pricing'] as Record<string, string>;
    for (const [path, [price]] of Object.entries(ENDPOINTS))
      assert.equal(pricing[`GET ${path}`], price === '0.00' ? 'free' : `$${price}`);
    assert.ok(pricing['protocol'] !== undefined && pricing['network'] === 'eip155:8453');
    const samples = meta['free_samples'] as Record<string, object[]>;
    for (const [feed, record] of [
      ['deals', 'deal'],
      ['signals', 'signal'],
      ['auctions', 'auction'],
      ['leads', 'lead'],
    ] as const) {
      assert.deepEqual(
        Object.keys(samples[feed]?.[0] ?? {}),
        Object.keys(document.components.schemas[record]?.properties ?? {}),
        `the sample of ${feed} is a full record`,
      );
    }
    for (const prefix of ['/ohio', '/colorado']) {
      const register = await get(`${prefix}/api/meta`);
      assert.deepEqual(Object.keys(register['coverage'] as object), ['total_records', 'added_last_7d', 'freshest']);
      assert.deepEqual(Object.keys(register['free_samples'] as object), ['note', 'records']);
      for (const field of ['refresh_cadence', 'pricing', 'record_schema_notes', 'generated_at'])
        assert.ok(field in register, field);
    }
  });

  it('refuses as promised, and bills no refusal', async () => {
    const settled = started.facilitator.settled;
    const cases: readonly [path: string, status: number][] = [
      ['/api/deals/not-an-id/report', 400],
      [`/api/deals/${uuid(999)}/report`, 404],
      ['/api/lookup?apn=999', 404],
      ['/api/deals?state=ZZ', 404],
      ['/api/deals/basic?min_score=100', 404],
      ['/api/signals?county=nowhere', 404],
      ['/api/signals?signal_type=fire', 404],
      ['/api/auctions?to_date=2026-11-21', 404],
      ['/api/leads?min_score=99', 404],
      ['/api/leads/exclusive?min_score=99', 404],
      ['/api/filings?name=nobody', 404],
      ['/api/filings/recent?entity_type=water_company', 404],
      ['/api/batch/weekly.csv?week=2020-W01', 404],
    ];
    for (const [path, status] of cases) {
      const response = await buyer.fetch(started.url + path);
      const body = await bodyOf(response);
      assert.deepEqual(
        [response.status, body['billed'], response.headers.get('PAYMENT-RESPONSE')],
        [status, false, null],
        path,
      );
      assert.equal(typeof body['reason'], 'string');
    }
    for (const [path, [price]] of Object.entries(ENDPOINTS)) {
      if (price === '0.00') continue;
      const unpaid = await fetch(
        started.url + path.replace('{id}', uuid(1)) + (path === '/api/lookup' ? '?apn=1' : ''),
      );
      assert.equal(unpaid.status, 402, path);
      assert.equal((await bodyOf(unpaid))['billed'], false);
    }
    assert.equal(started.facilitator.settled, settled);
  });
});
