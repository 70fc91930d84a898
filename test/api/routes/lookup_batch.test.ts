/** A batch lookup: one price, the records of the first address that matches, and no free word on any of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';
import { withStarted, sharedApp } from '../support/test_app.ts';

type Body = Record<string, unknown>;
interface Result {
  readonly address: string;
  readonly understood_as: string | null;
  readonly miss: string | null;
  readonly match_basis: string | null;
  readonly listings: readonly { readonly id: string }[];
  readonly coverage: Body | null;
}
const [NOWHERE, UNREADABLE] = ['77 Nowhere Rd, Cleveland, OH', 'Main St'];

/** Deals at 1 to 3 Main St, and two more at 5 Oak Ave. */
const DEALS: Row[] = [
  ...rowsOfTable('deals', 3),
  ...[11, 12].map((i) =>
    rowOf('deals', i, { address_key: '5 OAK AVE', street_key: 'OAK AVE', house_low: 5, house_high: 5 }),
  ),
];

describe('a batch lookup', () => {
  const shared = sharedApp({ deals: DEALS });
  const buyer = buyerWith();
  const urlOf = (addresses: readonly string[], more: Record<string, string> = {}): string =>
    `${shared.app.url}/api/lookup/batch?${new URLSearchParams({ addresses: addresses.join('|'), ...more }).toString()}`;
  const resultsOf = (body: Body): Result[] => body['results'] as Result[];
  const bought = async (addresses: readonly string[]): Promise<Body> => bodyOf(await buyer.fetch(urlOf(addresses)));

  it('without a payment is the same 402, whatever matches', async () => {
    const seen = new Set<string>();
    for (const addresses of [['1 Main St'], [NOWHERE], [UNREADABLE], ['1 Main St', '5 Oak Ave', NOWHERE]]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await fetch(urlOf(addresses), { method });
        const terms = Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8');
        const { resource: _, ...offered } = JSON.parse(terms) as Body;
        seen.add(JSON.stringify([response.status, offered]));
        const { instance: _id, ...body } = method === 'GET' ? await bodyOf(response) : {};
        if (method === 'GET') assert.deepEqual([body['reason'], body['price']], ['payment_required', '$0.02']);
      }
    }
    assert.equal(seen.size, 1);
  });

  it('without a payment reads no record, nor does a lookup, so the time it takes shows nothing', async () => {
    const lease = shared.app.snapshots.acquire();
    const { snapshot } = lease ?? assert.fail('there is no snapshot');
    const { rows, texts } = snapshot;
    const single = (address: string): string =>
      `${shared.app.url}/api/lookup?${new URLSearchParams({ address }).toString()}`;
    // The places of the snapshot are read once.
    await bought(['1 Main St']);
    const read = (): never => {
      throw new Error('a record was read');
    };
    Object.assign(snapshot, { rows: read, texts: read });
    try {
      for (const url of [urlOf(['3 Main St', '6 Elm St']), single('3 Main St'), single('6 Elm St')])
        assert.deepEqual([(await fetch(url)).status, url], [402, url]);
      assert.equal((await buyer.fetch(single('3 Main St'))).status, 500, 'a paid one reads some');
    } finally {
      Object.assign(snapshot, { rows, texts });
      lease?.release();
    }
  });

  it('answers the addresses up to the first that matches, as its lookup, and names those that remain', async () => {
    const settled = shared.app.facilitator.settled;
    const addresses = [NOWHERE, UNREADABLE, `1 ${'x'.repeat(200)} St`, '5 Oak Ave, Cleveland', '2 Main St', NOWHERE];
    const body = await bought(addresses);
    assert.equal(shared.app.facilitator.settled, settled + 1);
    assert.deepEqual([body['asked'], body['remaining']], [6, ['2 Main St', NOWHERE]]);
    const results = resultsOf(body);
    assert.deepEqual(
      results.map(({ address, understood_as, miss }) => [address, understood_as, miss]),
      [
        [NOWHERE, '77 NOWHERE RD', 'no_matches'],
        [UNREADABLE, null, 'unreadable_address'],
        [addresses[2], null, 'unreadable_address'],
        [addresses[3], '5 OAK AVE', null],
      ],
    );
    const found = results.at(-1);
    const query = new URLSearchParams({ address: addresses[3] ?? '' }).toString();
    const alone = await bodyOf(await buyer.fetch(`${shared.app.url}/api/lookup?${query}`));
    assert.deepEqual([found?.listings, found?.match_basis], [alone['listings'], alone['match_basis']]);
    assert.deepEqual(found?.coverage, (alone['coverage'] as Body)['place']);
    assert.deepEqual(
      found?.listings.map(({ id }) => id),
      [uuid(11), uuid(12)],
    );
    assert.equal(results[0]?.coverage?.['city'], 'Cleveland');
  });

  it('finds every match in as many calls, each paid once, and ends with a free 404', async () => {
    const settled = shared.app.facilitator.settled;
    const found: string[] = [];
    let addresses = ['3 Main St', NOWHERE, '1 Main St', UNREADABLE];
    for (;;) {
      const response = await buyer.fetch(urlOf(addresses));
      const body = await bodyOf(response);
      if (response.status === 404) break;
      found.push(resultsOf(body).at(-1)?.address ?? '');
      addresses = body['remaining'] as string[];
    }
    assert.deepEqual([found, addresses], [['3 Main St', '1 Main St'], [UNREADABLE]]);
    assert.equal(shared.app.facilitator.settled, settled + 2);
  });

  it('sells an address once, whatever forms the request has', async () => {
    const forms = [
      '1 Main St, Cleveland, OH',
      '1 MAIN STREET, cleveland, Ohio',
      '2 Main St',
      '1 Main St., Cleveland OH',
    ];
    assert.deepEqual((await bought(forms))['remaining'], ['2 Main St']);
  });

  it('takes line breaks, and a city and a state for every address', async () => {
    const url = (city: string): string =>
      `${shared.app.url}/api/lookup/batch?addresses=9+Main+St%0D%0A%0A2+Main+St%0A&city=${city}&state=OH`;
    const here = await buyer.fetch(url('Cleveland'));
    assert.deepEqual(
      resultsOf(await bodyOf(here)).map(({ miss }) => miss),
      ['no_matches', null],
    );
    const elsewhere = await buyer.fetch(url('Akron'));
    assert.equal(elsewhere.status, 404);
    await elsewhere.arrayBuffer();
  });

  it('is 404 and not billed where nothing matches', async () => {
    const payment = await buyer.sign(urlOf(['1 Main St']));
    const settled = shared.app.facilitator.settled;
    for (const addresses of [[NOWHERE, UNREADABLE], [UNREADABLE]]) {
      const response = await fetchWithPayment(urlOf(addresses), payment);
      const body = await bodyOf(response);
      assert.deepEqual([response.status, body['reason'], body['billed']], [404, 'no_matches', false]);
      const misses = resultsOf(body).map(({ address, miss }) => [address, miss]);
      const expected = addresses.map((a) => [a, a === NOWHERE ? 'no_matches' : 'unreadable_address']);
      assert.deepEqual(misses, expected);
    }
    assert.equal(shared.app.facilitator.settled, settled);
    assert.equal((await fetchWithPayment(urlOf(['1 Main St']), payment)).status, 200, 'the payment is free again');
  });

  it('refuses no address, more than fifty, and a longer URL than fifty addresses need', async () => {
    const statusOf = async (url: string): Promise<[number, unknown]> => {
      const response = await fetch(url);
      return [response.status, (await bodyOf(response))['reason']];
    };
    const many = Array.from({ length: 51 }, (_, i) => `${i + 1} Main St`);
    const bare = `${shared.app.url}/api/lookup/batch`;
    assert.deepEqual(await statusOf(bare), [400, 'missing_parameter']);
    assert.deepEqual(await statusOf(`${bare}?addresses=%7C%0A`), [400, 'invalid_parameter']);
    assert.deepEqual(await statusOf(urlOf(many)), [400, 'invalid_parameter']);
    assert.deepEqual(await statusOf(urlOf(many.slice(1))), [402, 'payment_required']);
    assert.deepEqual(await statusOf(urlOf(['x'.repeat(6_001)])), [414, 'uri_too_long']);
    assert.deepEqual(await statusOf(`${shared.app.url}/api/lookup?address=${'x'.repeat(2_001)}`), [
      414,
      'uri_too_long',
    ]);
  });

  it('sells fifty full addresses in headers that proxies accept', async () => {
    const long = Array.from(
      { length: 49 },
      (_, i) => `${i + 1} North Martin Luther King Junior Boulevard, Cleveland, OH`,
    );
    const url = urlOf([...long, '1 Main St']);
    assert.ok(url.length > 2_500);
    const required = (await fetch(url)).headers.get('PAYMENT-REQUIRED') ?? '';
    assert.ok(required.length < 3_500, String(required.length));
    const response = await buyer.fetch(url);
    assert.equal(response.status, 200);
    for (const [name, value] of response.headers) assert.ok(value.length < 4_000, name);
    assert.equal(resultsOf(await bodyOf(response)).length, 50);
  });

  it('that finds nothing counts as one unpaid response for each address, and not at all if it is paid', () =>
    withStarted(shared.folder.path, { unbilledPerMinute: 10, snapshots: shared.app.snapshots }, async ({ url }) => {
      const query = (addresses: string[]): string =>
        `/api/lookup/batch?${new URLSearchParams({ addresses: addresses.join('|') }).toString()}`;
      const payments = await Promise.all([1, 2, 3, 4].map(() => buyer.sign(urlOf(['1 Main St']))));
      const statusOf = async (addresses: string[]): Promise<number> => {
        const response = await fetchWithPayment(url + query(addresses), payments.pop() ?? '');
        await response.arrayBuffer();
        return response.status;
      };
      const misses = ['6 Elm St', '7 Elm St', '8 Elm St', '9 Elm St'];
      assert.equal(await statusOf([...misses, '1 Main St']), 200);
      assert.equal(await statusOf([...misses, ...misses]), 404, 'counted by the payer');
      assert.equal(await statusOf([...misses, ...misses]), 404, 'counted by the address');
      assert.equal(await statusOf([...misses, ...misses]), 429);
    }));
});
