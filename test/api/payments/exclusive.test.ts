/** One lead, one buyer: races, filters and lists. Two servers on one ledger, and a local chain. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bodyOf, fetchWithPayment } from '../support/buyers.ts';
import { DOLLAR, openShop, type Shop } from '../../shop/shop.ts';
import { rowsOfTable, uuid } from '../support/snapshot_fixtures.ts';

const reasonOf = async (response: Response): Promise<unknown> => (await bodyOf(response))['reason'];

interface Exclusive {
  claim: { promise: string; receipt_id: string; lead_id: string; claimed_at: string; collect: string };
  lead: { id: string; lead_score: number; county: string };
}

const sold = async (response: Response): Promise<Exclusive> => {
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.clone().text());
  return (await response.json()) as Exclusive;
};

const NONE_OR_FEW = { at_least: 0, at_most: 9 };
/** The refusal where the only matching lead is taken is the one where none matches. */
const assertTellsNothing = ({ being_bought: bought, sold: taken, detail }: Record<string, unknown>): void => {
  assert.deepEqual([bought, taken], [NONE_OR_FEW, NONE_OR_FEW]);
  assert.match(String(detail), /^No available lead matches these filters\./);
};

describe('an exclusive lead', () => {
  let shop: Shop;
  const path = '/api/leads/exclusive';
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
        leads: rowsOfTable('leads', 9, (i) => ({
          lead_score: 10 * i,
          county: i <= 5 ? 'Cuyahoga County, OH' : i <= 8 ? 'Franklin County, OH' : 'Wayne County, MI',
          lead_type: 'tax_delinquent',
        })),
      },
    });
  });
  after(() => shop.close());
  const [first, second] = [(): string => shop.servers[0]?.url ?? '', (): string => shop.servers[1]?.url ?? ''];

  it('is the best match, costs a dollar, and states the promise', async () => {
    const start = await shop.takings();
    const response = await (
      await shop.buyer()
    ).fetch(`${first()}${path}?county=franklin&min_score=50&lead_type=tax_delinquent`);
    const body = await sold(response);
    assert.equal(body.lead.id, uuid(8));
    assert.equal(body.claim.lead_id, uuid(8));
    assert.equal(body.claim.receipt_id, response.headers.get('Receipt-Id'));
    assert.equal(body.claim.collect, `https://dealfeed.test/api/purchases/${body.claim.receipt_id}`);
    assert.match(body.claim.promise, /no lead of it is sold to anyone else/);
    assert.equal((await shop.takings()) - start, DOLLAR);
  });

  it('is never a free sample once it is sold, and cached pages are revalidated', async () => {
    const sample = async (etag = ''): Promise<{ status: number; etag: string; id: string | undefined }> => {
      const response = await fetch(`${second()}/api/meta`, {
        headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' },
      });
      const body =
        response.status === 200
          ? ((await bodyOf(response)) as { free_samples: { leads: { id: string }[] } })
          : undefined;
      return { status: response.status, etag: response.headers.get('ETag') ?? '', id: body?.free_samples.leads[0]?.id };
    };
    const kept = await sample();
    assert.equal(kept.id, uuid(1));
    assert.equal((await sample(kept.etag)).status, 304);
    // The only lead with so low a score is the sample.
    const buyer = await shop.buyer();
    for (let i = 5; i >= 1; i -= 1)
      assert.equal((await sold(await buyer.fetch(`${first()}${path}?county=cuyahoga`))).lead.id, uuid(i));
    const now = await sample(kept.etag);
    assert.equal(now.status, 200);
    assert.equal(now.id, uuid(6));
  });

  it('goes to one of concurrent buyers, the next best to the next, and the others are not billed', async () => {
    const start = await shop.takings();
    const buyers = await Promise.all(Array.from({ length: 6 }, () => shop.buyer()));
    // Two of Franklin are left. Payments are signed before, so that the requests come at once, on both servers.
    const url = `${path}?county=franklin`;
    const payments = await Promise.all(buyers.map((b) => b.sign(first() + url)));
    const responses = await Promise.all(
      payments.map((p, i) => fetchWithPayment((i % 2 ? first() : second()) + url, p)),
    );
    const got: string[] = [];
    for (const response of responses) {
      if (response.status === 200) {
        got.push((await sold(response)).lead.id);
        continue;
      }
      assert.equal(response.status, 404);
      const body = await bodyOf(response);
      assert.equal(body['reason'], 'no_matches');
      assert.equal(body['billed'], false);
      assertTellsNothing(body);
    }
    assert.deepEqual(got.sort(), [uuid(6), uuid(7)]);
    assert.equal((await shop.takings()) - start, 2n * DOLLAR);
  });

  it("is nobody else's while it is being paid, and free again once the chain shows that it never will be", async () => {
    const start = await shop.takings();
    const url = `${path}?county=wayne`;
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
    assert.deepEqual(await listed('?county=wayne'), [uuid(9)]);
    assert.equal((await sold(await other.fetch(second() + url))).lead.id, uuid(9));
    assert.equal((await shop.takings()) - start, DOLLAR + DOLLAR / 4n);
  });
});
