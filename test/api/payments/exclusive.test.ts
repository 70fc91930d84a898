/**
 * One lead, one buyer, who has its property: races, filters and lists, and a hostile second buyer who tries to get
 * another lead of the property by every endpoint. Two servers on one ledger, and a local chain.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bodyOf, fetchWithPayment } from '../support/buyers.ts';
import { DOLLAR, openShop, type Shop } from '../../support/shop.ts';
import { rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';

const EXCLUSIVE = '/api/leads/exclusive';

const reasonOf = async (response: Response): Promise<unknown> => (await bodyOf(response))['reason'];

/** The lead that was sold. */
const sold = async (response: Response): Promise<string> => {
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.clone().text());
  const { claim, lead } = (await response.json()) as { claim: Record<string, string>; lead: { id: string } };
  const receipt = response.headers.get('Receipt-Id');
  assert.deepEqual([claim['lead_id'], claim['receipt_id']], [lead.id, receipt]);
  assert.equal(claim['collect'], `https://dealfeed.test/api/purchases/${receipt}`);
  return lead.id;
};

const NONE_OR_FEW = { at_least: 0, at_most: 9 };
/** The refusal where the only matching lead is taken is the one where none matches. */
const assertTellsNothing = ({ being_bought: bought, sold: taken, detail }: Record<string, unknown>): void => {
  assert.deepEqual([bought, taken], [NONE_OR_FEW, NONE_OR_FEW]);
  assert.match(String(detail), /^No available lead matches these filters\./);
};

describe('an exclusive lead', () => {
  let shop: Shop;
  const listed = async (query = ''): Promise<string[]> => {
    const response = await (await shop.buyer()).fetch(`${shop.url}/api/leads${query}`);
    if (response.status === 404) return [];
    return ((await bodyOf(response))['records'] as { id: string }[]).map((r) => r.id);
  };

  before(async () => {
    shop = await openShop({
      mode: 'sandbox',
      servers: 2,
      tables: {
        leads: rowsOfTable('leads', 4, (i) => ({
          lead_score: 10 * i,
          county: i < 4 ? 'Franklin County, OH' : 'Wayne County, MI',
        })),
      },
    });
  });
  after(() => shop.close());
  const [first, second] = [(): string => shop.servers[0]?.url ?? '', (): string => shop.servers[1]?.url ?? ''];

  it('goes to one of concurrent buyers, the next best to the next, and the others are not billed', async () => {
    const start = await shop.takings();
    const buyers = await Promise.all(Array.from({ length: 6 }, () => shop.buyer()));
    const url = `${EXCLUSIVE}?county=franklin`;
    assert.equal(await sold(await (await shop.buyer()).fetch(first() + url)), uuid(3), 'the best match');
    // Two of Franklin are left. Payments are signed before, so that the requests come at once, on both servers.
    const payments = await Promise.all(buyers.map((b) => b.sign(first() + url)));
    const responses = await Promise.all(
      payments.map((p, i) => fetchWithPayment((i % 2 ? first() : second()) + url, p)),
    );
    const got: string[] = [];
    for (const response of responses) {
      if (response.status === 200) {
        got.push(await sold(response));
        continue;
      }
      assert.equal(response.status, 404);
      const body = await bodyOf(response);
      assert.equal(body['reason'], 'no_matches');
      assert.equal(body['billed'], false);
      assertTellsNothing(body);
    }
    assert.deepEqual(got.sort(), [uuid(1), uuid(2)]);
    assert.equal((await shop.takings()) - start, 3n * DOLLAR);
  });

  it('is reserved while it is being paid, and released once the chain shows that payment is impossible', async () => {
    const start = await shop.takings();
    const url = `${EXCLUSIVE}?county=wayne`;
    const [unlucky, other] = [await shop.buyer(), await shop.buyer()];
    const payment = await unlucky.sign(first() + url);
    shop.node.hold(async () => {
      const meanwhile = await other.fetch(second() + url);
      assert.equal(meanwhile.status, 404);
      assertTellsNothing(await bodyOf(meanwhile));
    });
    const held = await fetchWithPayment(first() + url, payment);
    assert.equal(held.status, 502);
    assert.deepEqual([await reasonOf(held.clone()), (await bodyOf(held))['billed']], ['settlement_unknown', null]);
    const [server] = shop.servers;
    assert.ok(server);
    assert.deepEqual(await server.running.watch.pass(), { sold: 0, released: 0, waiting: 1, failure: null });
    // The buyer cancels the payment on the chain. Two blocks later that is safe, and the held transfer fails.
    await unlucky.cancel(shop.chain, payment);
    await shop.mine(2);
    await shop.node.release();
    assert.deepEqual(await server.running.watch.pass(), { sold: 0, released: 1, waiting: 0, failure: null });
    assert.deepEqual(await listed('?county=wayne'), [uuid(4)]);
    assert.equal(await sold(await other.fetch(second() + url)), uuid(4));
    assert.equal((await shop.takings()) - start, DOLLAR + DOLLAR / 4n);
  });
});

const [DEBT_LEAD, SALE_LEAD, OTHER_LEAD, LATER_LEAD] = [uuid(1), uuid(2), uuid(3), uuid(4)];
const [SIGNAL, AUCTION, OTHER_SIGNAL, LATER_AUCTION] = [uuid(101), uuid(102), uuid(103), uuid(104)];
const [HOUSE, OTHER_HOUSE] = [uuid(201), uuid(202)];
/** Debt and sale of the house share its parcel; the sale of a later snapshot shares its address only. */
const OF_HOUSE = ['parcel:39035:P1', 'zip:44113:1 MAIN ST', 'case:39035:CV1'];
const KEYS: Readonly<Record<string, readonly string[]>> = {
  [SIGNAL]: OF_HOUSE,
  [AUCTION]: OF_HOUSE,
  [OTHER_SIGNAL]: ['parcel:39035:P3'],
  [LATER_AUCTION]: ['case:39035:CV9', 'zip:44113:1 MAIN ST'],
  [HOUSE]: ['zip:44113:1 MAIN ST'],
};
const keysOf = (...records: readonly string[]): Row[] =>
  records.flatMap((record_id) => (KEYS[record_id] ?? []).map((property_key) => ({ record_id, property_key })));

const taxLead = (id: string, signal: string, score: number): Row =>
  rowOf('leads', 1, { id, signal_id: signal, lead_type: 'tax_delinquent', lead_score: score, address: '1 Main St' });
const saleLead = (id: string, auction: string, score: number): Row =>
  rowOf('leads', 1, { id, auction_id: auction, lead_type: 'sheriff_sale_auction', lead_score: score });
const records = {
  signals: [
    rowOf('signals', 1, { id: SIGNAL, signal_state: 'listed', has_address: true, amount: '1.00' }),
    rowOf('signals', 3, { id: OTHER_SIGNAL, signal_state: 'listed', has_address: true, amount: '2.00' }),
  ],
  auctions: [rowOf('auctions', 1, { id: AUCTION, parcel_id: 'P-1', parcel_key: 'P1', sale_status: 'scheduled' })],
  deals: [
    rowOf('deals', 1, { id: HOUSE, deal_score: 90, listing_status: 'active' }),
    rowOf('deals', 2, { id: OTHER_HOUSE, deal_score: 10, listing_status: 'active' }),
  ],
  reports: rowsOfTable('reports', 2, (i) => ({ id: i === 1 ? HOUSE : OTHER_HOUSE })),
};

interface Meta {
  readonly leads_feed: { readonly coverage: { readonly available_leads: number } };
  readonly free_samples: Readonly<Record<string, readonly { readonly id: string }[]>>;
  readonly example_report: { readonly property: string };
}

describe('the property of an exclusive lead', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop({
      mode: 'sandbox',
      servers: 2,
      tables: {
        ...records,
        leads: [taxLead(DEBT_LEAD, SIGNAL, 10), saleLead(SALE_LEAD, AUCTION, 20), taxLead(OTHER_LEAD, OTHER_SIGNAL, 5)],
        property_keys: keysOf(SIGNAL, AUCTION, OTHER_SIGNAL, HOUSE),
      },
    });
  });
  after(() => shop.close());
  const urlOf = (i: number): string => shop.servers[i % 2]?.url ?? '';
  const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;
  const freePages = async (): Promise<{ meta: Meta; example: string; live: string[] }> => {
    const { property } = await read<{ property: string }>(`${urlOf(1)}/api/example_report`);
    const { live_examples } = await read<{ live_examples: { url: string }[] }>(`${urlOf(1)}/api/deals/{id}/report`);
    return { meta: await read<Meta>(`${urlOf(1)}/api/meta`), example: property, live: live_examples.map((e) => e.url) };
  };
  const listed = async (): Promise<string[]> => {
    const body = await bodyOf(await (await shop.buyer()).fetch(`${urlOf(1)}/api/leads`));
    const found = body['records'] as { id: string }[];
    assert.equal(body['total_matches'], found.length);
    return found.map(({ id }) => id);
  };

  let kept = '';
  const metaAgain = (): Promise<Response> => fetch(`${urlOf(1)}/api/meta`, { headers: { 'If-None-Match': kept } });

  it('is shown for free before it is sold', async () => {
    const { meta, example } = await freePages();
    assert.equal(meta.leads_feed.coverage.available_leads, 3);
    assert.deepEqual([example, meta.example_report.property], Array(2).fill('1 Main St, Cleveland, OH 44113'));
    assert.deepEqual([meta.free_samples['deals']?.[0]?.id, meta.free_samples['signals']?.[0]?.id], [HOUSE, SIGNAL]);
    kept = (await metaAgain()).headers.get('ETag') ?? '';
    assert.equal((await metaAgain()).status, 304);
    assert.deepEqual(await listed(), [SALE_LEAD, DEBT_LEAD, OTHER_LEAD]);
  });

  it('goes to one of the buyers of its leads who race on two servers; the others are not billed', async () => {
    const start = await shop.takings();
    const paths = ['tax_delinquent', 'sheriff_sale_auction'].map(
      (type) => `${EXCLUSIVE}?lead_type=${type}&min_score=10`,
    );
    const buyers = await Promise.all(Array.from({ length: 4 }, () => shop.buyer()));
    const calls = buyers.map((buyer, i) => ({ buyer, url: `${urlOf(i >> 1)}${paths[i % 2] ?? ''}` }));
    const payments = await Promise.all(calls.map(({ buyer, url }) => buyer.sign(url)));
    const responses = await Promise.all(payments.map((p, i) => fetchWithPayment(calls[i]?.url ?? '', p)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404, 404, 404]);
    for (const response of responses) {
      const body = await bodyOf(response);
      if (response.status === 404) assert.deepEqual([body['reason'], body['billed']], ['no_matches', false]);
      else {
        const { lead_id, also_taken } = body['claim'] as { lead_id: string; also_taken: string[] };
        assert.deepEqual([lead_id, ...also_taken].sort(), [DEBT_LEAD, SALE_LEAD]);
      }
    }
    assert.equal((await shop.takings()) - start, DOLLAR);
  });

  it('is in no list, count, sample or example from then on', async () => {
    assert.deepEqual(await listed(), [OTHER_LEAD]);
    assert.equal((await metaAgain()).status, 200);
    const { meta, example, live } = await freePages();
    assert.equal(meta.leads_feed.coverage.available_leads, 1);
    assert.deepEqual([example, meta.example_report.property], Array(2).fill('2 Main St, Cleveland, OH 44113'));
    assert.deepEqual(live, []);
    assert.deepEqual(
      ['deals', 'signals', 'leads'].map((name) => meta.free_samples[name]?.[0]?.id),
      [OTHER_HOUSE, OTHER_SIGNAL, OTHER_LEAD],
    );
    assert.deepEqual(meta.free_samples['auctions'], []);
  });

  it('stays public record in signals, auctions, lookup and deals, under ids that no lead has', async () => {
    const buyer = await shop.buyer();
    for (const [path, id] of [
      ['/api/signals', SIGNAL],
      ['/api/auctions', AUCTION],
      ['/api/lookup?apn=P-1', SIGNAL],
      ['/api/deals', HOUSE],
      [`/api/deals/${HOUSE}/report`, HOUSE],
    ] as const) {
      const text = await (await buyer.fetch(urlOf(0) + path)).text();
      assert.ok(text.includes(id), path);
      assert.ok(![DEBT_LEAD, SALE_LEAD].some((lead) => text.includes(`"${lead}"`)), path);
    }
  });

  it('is not sold by a lead that a later snapshot forms, known by other facts', async () => {
    await shop.folder.publish('2026-11-21.01', {
      ...records,
      leads: [saleLead(LATER_LEAD, LATER_AUCTION, 99), taxLead(OTHER_LEAD, OTHER_SIGNAL, 5)],
      property_keys: keysOf(SIGNAL, OTHER_SIGNAL, LATER_AUCTION, HOUSE),
    });
    for (const { snapshots } of shop.servers) await snapshots.refresh();
    assert.deepEqual(await listed(), [OTHER_LEAD]);
    const response = await (await shop.buyer()).fetch(`${urlOf(0)}${EXCLUSIVE}?min_score=90`);
    assert.equal(response.status, 404);
  });
});
