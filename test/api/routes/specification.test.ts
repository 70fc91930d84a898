/** The interface line by line: paths, prices, parameters, fields, values and refusals that buyers were promised, held against what is described and served. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type Started } from '../support/test_app.ts';
import { fetchPaymentRequired, bodyOf, buyerWith } from '../support/buyers.ts';
import { dataFolder, rowOf, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';

interface Schema {
  type?: string | string[];
  enum?: string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}
interface Operation {
  parameters: Parameter[];
  security: unknown[];
  'x-price-usd': string;
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Document {
  info: { version: string };
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, Schema> };
}

/** Path: price, then parameters as `name:type`, a closed list as its values, a range as its ends. */
const ENDPOINTS: Record<string, readonly [price: string, ...parameters: string[]]> = {
  '/api/meta': ['0.00'],
  '/api/deals/ids': ['0.00'],
  '/api/lookup': ['0.02', 'address:string', 'apn:string', 'parcel:string', 'city:string', 'state:string'],
  '/api/deals/basic': [
    '0.01',
    'state:string',
    'city:string',
    'min_price:number',
    'max_price:number',
    'min_cap:number',
    'min_units:integer',
    'max_units:integer',
    'min_score:0-100',
    'status:Hot|Warm|Pass',
  ],
  '/api/deals': [
    '0.05',
    'state:string',
    'city:string',
    'min_price:number',
    'max_price:number',
    'min_cap:number',
    'min_units:integer',
    'max_units:integer',
    'min_score:0-100',
    'status:Hot|Warm|Pass',
  ],
  '/api/deals/hot': ['0.02'],
  '/api/signals': ['0.03', 'county:string', 'signal_type:string', 'min_amount:number', 'has_address:boolean'],
  '/api/auctions': [
    '0.03',
    'county:string',
    'from_date:date',
    'to_date:date',
    'min_appraised:number',
    'include_past:boolean',
  ],
  '/api/leads': ['0.25', 'county:string', 'min_score:0-100', 'lead_type:tax_delinquent|sheriff_sale_auction'],
  '/api/leads/exclusive': ['1.00', 'county:string', 'min_score:0-100', 'lead_type:tax_delinquent|sheriff_sale_auction'],
  '/api/deals/{id}/report': ['1.50', 'id:uuid'],
  '/api/filings/recent': ['0.01'],
  '/api/filings': ['0.03'],
  '/api/batch/weekly.csv': ['2.00'],
};

/** Fields of a record in order: decimal, integer, boolean, string, uuid, date, timestamp, or the values of a closed list. */
const RECORDS: Record<string, readonly string[]> = {
  deal: [
    'id:string',
    'address:string',
    'city:string',
    'state:string',
    'zip:string',
    'source:string',
    'listing_url:string',
    'list_price:decimal',
    'units:integer',
    'cap_rate:decimal',
    'noi:decimal',
    'noi_source:stated|derived_from_advertised_cap|underwritten',
    'market_rent_2br:decimal',
    'noi_underwritten:decimal',
    'cap_rate_underwritten:decimal',
    'dscr:decimal',
    'dscr_status:computed|insufficient_data|not_applicable',
    'deal_score:integer',
    'confidence_score:decimal',
    'why_this_is_interesting:string',
    'cap_gap_pct:decimal',
    'underwrite_reliability:ok|proxy_out_of_range|unknown',
    'rental_status:Hot|Warm|Pass',
    'motivation_score:integer',
    'last_verified:timestamp',
    'price_reduction_pct:decimal',
    'days_on_feed:integer',
  ],
  signal: [
    'signal_type:tax_delinquent',
    'county:string',
    'address:string',
    'owner_name:string',
    'parcel_id:string',
    'amount:decimal',
    'source_url:string',
    'last_seen:timestamp',
    'has_address:boolean',
    'address_status:...pending_parcel_lookup',
  ],
  auction: [
    'auction_type:sheriff_sale',
    'county:string',
    'sale_date:date',
    'property_address:string',
    'city:string',
    'appraised_value:decimal',
    'opening_bid:decimal',
    'plaintiff:string',
    'source_url:string',
  ],
  lead: [
    'lead_type:tax_delinquent|sheriff_sale_auction',
    'lead_score:integer',
    'score_rationale:object',
    'address:string',
    'source_url:string',
  ],
  filing: [
    'id:string',
    'document_number:string',
    'charter_number:string',
    'business_name:string',
    'filing_date:date',
    'entity_type:...domestic_llc',
    'entity_type_raw:string',
    'entity_status:...Good Standing',
    'registered_agent_name:string',
    'registered_agent_status:available|not_provided_by_source',
    'agent_addr1:string',
    'agent_city:string',
    'agent_state:string',
    'agent_zip:string',
    'business_city:string',
    'business_state:string',
    'business_zip:string',
    'source_state:...OH',
    'naics:string',
    'naics_status:available|not_collected_by_source',
    'source:ohio_sos|colorado_sos',
    'source_url:string',
    'first_seen:timestamp',
    'last_seen:timestamp',
    'last_updated:timestamp',
  ],
};

/** Fields that are never null. */
const ALWAYS: Record<string, readonly string[]> = {
  signal: ['source_url', 'has_address', 'address_status'],
  auction: ['source_url', 'sale_date'],
  lead: ['address', 'source_url', 'lead_score', 'score_rationale'],
  filing: ['document_number', 'business_name', 'filing_date', 'entity_type', 'source_state'],
  deal: ['id', 'dscr_status', 'underwrite_reliability', 'rental_status', 'deal_score', 'confidence_score'],
};

/** A schema in the words of the tables above, and whether it may be null. */
function told(schema: Schema | undefined): { kind: string; nullable: boolean } {
  if (Array.isArray(schema?.type))
    return {
      ...told({ ...schema, type: schema.type.find((t) => t !== 'null') ?? '' }),
      nullable: schema.type.includes('null'),
    };
  if (schema?.anyOf)
    return {
      kind: told(schema.anyOf.find((s) => s.type !== 'null')).kind,
      nullable: schema.anyOf.some((s) => s.type === 'null'),
    };
  const kind = schema?.enum
    ? schema.enum.join('|')
    : schema?.format === 'date-time'
      ? 'timestamp'
      : (schema?.format ??
        (schema?.pattern?.includes('\\d{2}$')
          ? 'decimal'
          : schema?.maximum === 100
            ? `${schema.minimum}-${schema.maximum}`
            : (schema?.type ?? '')));
  return { kind: String(kind), nullable: false };
}

const agrees = (kind: string, promised: string): boolean =>
  promised.startsWith('...') ? kind.split('|').includes(promised.slice(3)) : kind === promised;

describe('the specification', () => {
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

  it('promises these endpoints at these prices, with these parameters first and in this order', async () => {
    for (const [path, [price, ...parameters]] of Object.entries(ENDPOINTS)) {
      const operation = document.paths[path]?.get;
      assert.ok(operation, path);
      assert.equal(operation['x-price-usd'], price, path);
      assert.deepEqual(operation.security.length, price === '0.00' ? 0 : 1, path);
      const described = operation.parameters.slice(0, parameters.length).map((p) => `${p.name}:${told(p.schema).kind}`);
      assert.deepEqual(described, parameters, path);
      for (const parameter of operation.parameters)
        assert.equal(parameter.required, parameter.in === 'path', `${path} ${parameter.name}`);
      if (price === '0.00') continue;
      const asked = await fetchPaymentRequired(
        started.url + path.replace('{id}', uuid(1)) + (path === '/api/lookup' ? '?apn=P-1' : ''),
      );
      assert.deepEqual(
        [asked.x402Version, asked.accepts[0]?.network, asked.accepts[0]?.amount],
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

  it('promises these fields first and in this order, of these types and values, and these never null', () => {
    for (const [record, promised] of Object.entries(RECORDS)) {
      const fields = Object.entries(document.components.schemas[record]?.properties ?? {});
      for (const [i, line] of promised.entries()) {
        const [name = '', kind = ''] = line.split(/:(.*)/s);
        assert.equal(fields[i]?.[0], name, `${record}.${name}`);
        const is = told(fields[i]?.[1]);
        assert.ok(agrees(is.kind, kind), `${record}.${name} is ${is.kind}`);
        if (ALWAYS[record]?.includes(name)) assert.equal(is.nullable, false, `${record}.${name}`);
      }
    }
    const properties = document.components.schemas['deal']?.properties ?? {};
    for (const field of ['wholesale_status', 'creative_finance_status'])
      assert.deepEqual(properties[field]?.enum, ['Hot', 'Warm', 'Pass']);
    for (const field of ['rental_rationale', 'wholesale_rationale', 'creative_finance_rationale'])
      assert.deepEqual(Object.keys(properties[field]?.properties ?? {}).slice(-2), ['thresholds', 'inputs']);
  });

  it('promises an index of the best fifty by these fields', async () => {
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
    ]);
  });

  it('promises cards with address, price, units, advertised cap, listing and freshness', async () => {
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

  it('promises a lookup of listings with underwriting, signals and auctions, with its basis and its coverage', async () => {
    const body = await bodyOf(await buyer.fetch(`${started.url}/api/lookup?parcel=p%201`));
    for (const section of ['listings', 'signals', 'auctions', 'match_basis', 'coverage'])
      assert.ok(section in body, section);
    const nothing = await buyer.fetch(`${started.url}/api/lookup?apn=999-999`);
    const problem = await bodyOf(nothing);
    assert.deepEqual([nothing.status, problem['billed'], typeof problem['coverage']], [404, false, 'object']);
  });

  it('promises that an auction lead carries the auction fields', async () => {
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

  it("promises one exclusive lead, the best that matches, which then is nobody else's", async () => {
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

  it('promises a report with underwriting, DSCR, distress with sources, three paths and an offer at a target cap', async () => {
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

  it('promises this discovery', async () => {
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
        `the sample of ${feed} is a whole record`,
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

  it('promises these refusals, none of which is billed', async () => {
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
