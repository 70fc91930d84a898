/** Records as they are sold: their promised fields, types, values and absences. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NEVER_NULL, RECORDS } from './promised_interface.ts';
import { assertKind, buyRecords, type Body, type Shop } from './shop.ts';

const without = (records: readonly Body[], field: string): Body[] => records.filter((r) => r[field] === null);

/** Assert that each record has the promised fields first and in order, each null only if it may be. */
function assertPromised(records: readonly Body[], record: string): void {
  const promised = (RECORDS[record] ?? []).map((line) => line.split(/:(.*)/s));
  for (const sold of records) {
    assert.deepEqual(
      Object.keys(sold).slice(0, promised.length),
      promised.map(([name]) => name),
    );
    for (const [name = '', kind = ''] of promised) {
      const value = sold[name];
      if (value === null) assert.ok(!NEVER_NULL[record]?.includes(name), `${record}.${name} is null`);
      else assertKind(value, name === 'id' ? 'uuid' : kind, `${record}.${name}`);
    }
  }
  // A field that is null in every row would pass without a test of its type.
  for (const [name = ''] of promised)
    assert.ok(
      records.some((r) => r[name] !== null),
      `every ${record}.${name} is null`,
    );
}

/** Assert the kinds of fields, "id:uuid city:string", and of those of a deal that may be null. */
function assertKinds(records: readonly Body[], kinds: string, optional = ''): void {
  assert.ok(records.length > 0);
  const own = (RECORDS['deal'] ?? []).filter((line) => optional.split(' ').includes(line.split(':')[0] ?? ''));
  for (const line of [...kinds.split(' '), ...own]) {
    const [name = '', kind = ''] = line.split(':');
    for (const { [name]: value } of records) if (value !== null || !own.includes(line)) assertKind(value, kind, name);
  }
}

const valuesOf = (records: readonly Body[], field: string): string[] =>
  [...new Set(records.map((r) => r[field]))].flatMap((v) => (v === null ? [] : [String(v)])).sort();

export function testRecords(shop: Shop): void {
  it('sells deals with all fields of the specification by default, typed', async () => {
    const deals = await buyRecords(shop, '/api/deals');
    assertPromised(deals, 'deal');
    for (const deal of deals) {
      for (const path of ['rental', 'wholesale', 'creative_finance']) {
        assertKind(deal[`${path}_status`], 'Hot|Warm|Pass', path);
        const { thresholds, inputs } = deal[`${path}_rationale`] as { thresholds: unknown; inputs: unknown };
        assertKind(thresholds, 'object', path);
        assertKind(inputs, 'object', path);
      }
      assertKind(deal['distress_score'], 'integer', 'distress_score');
      assertKind(deal['distress_status'], 'string', 'distress_status');
      assert.ok(Array.isArray(deal['distress_matches']));
    }
  });

  it('sells every enum value of a deal as published', async () => {
    const deals = await buyRecords(shop, '/api/deals');
    assert.deepEqual(valuesOf(deals, 'rental_status'), ['Hot', 'Pass', 'Warm']);
    assert.deepEqual(valuesOf(deals, 'dscr_status'), ['computed', 'insufficient_data', 'not_applicable']);
    assert.deepEqual(valuesOf(deals, 'noi_source'), ['derived_from_advertised_cap', 'stated', 'underwritten']);
    assert.deepEqual(valuesOf(deals, 'underwrite_reliability'), ['ok', 'proxy_out_of_range', 'unknown']);
  });

  it('describes fields with the promised values, and as never null where that is promised', async () => {
    const { components } = (await shop.buy('/openapi.json')) as unknown as {
      components: { schemas: Record<string, { properties: Record<string, Body> }> };
    };
    for (const [record, promised] of Object.entries(RECORDS)) {
      const { properties = {} } = components.schemas[record] ?? assert.fail(record);
      for (const line of promised) {
        const [name = '', kind = ''] = line.split(/:(.*)/s);
        const { enum: own, anyOf = [] } = properties[name] as { enum?: string[]; anyOf?: { enum?: string[] }[] };
        const values = own ?? anyOf.flatMap((choice) => choice.enum ?? []);
        if (kind.startsWith('...')) assert.ok(values.includes(kind.slice(3)), line);
        else assert.deepEqual(values, kind.includes('|') ? kind.split('|') : [], line);
      }
      for (const name of NEVER_NULL[record] ?? [])
        assert.doesNotMatch(JSON.stringify(properties[name]), /"type":(?:"null"|\[[^\]]*"null")/u, `${record}.${name}`);
    }
  });

  it('returns null for an absent value of a deal, with the field that states the reason', async () => {
    const deals = await buyRecords(shop, '/api/deals');
    for (const [field, reason] of [
      ['address', 'address_status'],
      ['cap_rate', 'cap_rate_source'],
      ['dscr', 'dscr_status'],
      ['dscr', 'dscr_reason'],
      ['noi', 'dscr_reason'],
      ['list_price', 'dscr_reason'],
      ['units', 'underwrite_reason'],
      ['cap_rate_underwritten', 'underwrite_reason'],
    ] as const) {
      assert.ok(without(deals, field).length > 0, field);
      for (const deal of without(deals, field)) assertKind(deal[reason], 'string', `${reason} of a null ${field}`);
    }
  });

  it('sells signals with the promised fields, a reason for each missing address, and a source', async () => {
    const signals = await buyRecords(shop, '/api/signals');
    assertPromised(signals, 'signal');
    assert.ok(without(signals, 'address').length > 0);
    for (const { address, address_status: status, has_address: has } of signals)
      assert.deepEqual([has, status], address === null ? [false, 'pending_parcel_lookup'] : [true, 'available']);
  });

  it('sells auctions with the promised fields, case number, defendant and basis of the bid', async () => {
    const auctions = await buyRecords(shop, '/api/auctions');
    assertPromised(auctions, 'auction');
    for (const auction of auctions)
      for (const field of ['case_number', 'defendant', 'opening_bid_basis'])
        assertKind(auction[field], 'string', field);
  });

  it('sells leads with the promised fields, and those of an auction on an auction lead', async () => {
    const leads = await buyRecords(shop, '/api/leads');
    assertPromised(leads, 'lead');
    const sales = leads.filter((l) => l['lead_type'] === 'sheriff_sale_auction');
    assert.equal(sales.length, 1);
    for (const sale of sales) {
      for (const line of RECORDS['auction'] ?? []) {
        const [name = '', kind = ''] = line.split(':');
        assertKind(sale[name], kind, `auction lead, ${name}`);
      }
      assert.deepEqual(Object.keys(sale['score_rationale'] as object), ['base', 'equity_gap', 'urgency']);
    }
    for (const { score_rationale: rationale, freshness } of leads) {
      for (const text of Object.values(rationale as object)) assert.match(String(text), /^\+\d+ points, /);
      assertKind(freshness, 'within_1_day|within_3_days|within_7_days', 'freshness');
    }
  });

  it('sells no lead field for a telephone number or an email address', async () => {
    for (const lead of await buyRecords(shop, '/api/leads'))
      assert.deepEqual(
        Object.keys(lead).filter((name) => /phone|e?mail_address|email|contact|skip/u.test(name)),
        [],
      );
  });

  it('sells filings with the promised fields and a status for a missing agent and industry code', async () => {
    const filings = await buyRecords(shop, '/api/filings');
    assertPromised(filings, 'filing');
    assert.deepEqual(valuesOf(filings, 'source'), ['colorado_sos', 'ohio_sos']);
    assert.deepEqual(valuesOf(filings, 'source_state'), ['CO', 'OH']);
    assert.deepEqual(valuesOf(filings, 'registered_agent_status'), ['available', 'not_provided_by_source']);
    assert.deepEqual(valuesOf(filings, 'naics_status'), ['available', 'not_collected_by_source']);
    for (const filing of filings) {
      assert.equal(
        filing['registered_agent_name'] === null,
        filing['registered_agent_status'] === 'not_provided_by_source',
      );
      assert.equal(filing['naics'] === null, filing['naics_status'] === 'not_collected_by_source');
      assert.equal(filing['entity_status'], filing['source_state'] === 'CO' ? 'Good Standing' : null);
    }
  });

  it('sells the same filings as recent ones and under the prefix of a register, with a free sample', async () => {
    const promised = RECORDS['filing']?.map((line) => line.split(':')[0]);
    const assertFields = (filings: readonly Body[]): void => {
      assert.ok(filings.length > 0);
      for (const filing of filings) assert.deepEqual(Object.keys(filing).slice(0, 25), promised);
    };
    for (const path of ['/api/filings/recent', '/ohio/api/filings', '/colorado/api/filings'])
      assertFields(await buyRecords(shop, path));
    for (const prefix of ['/ohio', '/colorado'])
      assertFields(((await shop.buy(`${prefix}/api/meta`))['free_samples'] as { records: Body[] }).records);
  });

  it('returns full records of listings, signals and auctions in a lookup, in the requested place only', async () => {
    const query = `/api/lookup?address=${encodeURIComponent('1 Main St')}`;
    const found = (await shop.buy(`${query}&city=Cleveland&state=OH`)) as Record<string, Body[]>;
    for (const [section, record] of [
      ['listings', 'deal'],
      ['signals', 'signal'],
      ['auctions', 'auction'],
    ] as const) {
      assert.equal(found[section]?.length, 1, section);
      for (const line of RECORDS[record] ?? []) {
        const [name = '', kind = ''] = line.split(':');
        assertKind(found[section]?.[0]?.[name], name === 'id' ? 'uuid' : kind, `${section}.${name}`);
      }
    }
    assertKind(found['coverage'], 'object', 'coverage');
    assertKind(found['match_basis'], 'string', 'match_basis');
    for (const place of ['&city=Akron', '&state=IN']) assert.equal((await shop.ask(query + place)).status, 404, place);
  });

  it('sells cards and hot deals with typed fields', async () => {
    const place = 'city:string state:string zip:string listing_url:string';
    const card = `id:uuid ${place} last_verified:timestamp days_on_feed:integer`;
    assertKinds(await buyRecords(shop, '/api/deals/basic'), card, 'address list_price units cap_rate');
    assertKinds(await buyRecords(shop, '/api/deals/hot'), 'cap_rate:decimal dscr:decimal');
  });

  it('returns the free index in its envelope, typed', async () => {
    const { records, ...envelope } = await shop.buy('/api/deals/ids');
    assertKinds([envelope], 'note:string count:integer generated_at:timestamp');
    assertKinds(records as Body[], 'id:uuid city:string state:string deal_score:integer', 'list_price units cap_rate');
  });
}
