/** A batch lookup: matched before it is priced, billed by the address that matches, and limited as so many lookups. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { ReceiptClaims } from '../../../lib/receipt.ts';
import { bodyOf, buyerWith, fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
import { rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';
import { withStarted, sharedApp } from '../support/test_app.ts';

type Body = Record<string, unknown>;
interface Result {
  readonly address: string;
  readonly understood_as: string | null;
  readonly miss: string | null;
  readonly same_as: number | null;
  readonly match_basis: string | null;
  readonly listings: readonly { readonly id: string }[];
  readonly coverage: Body | null;
}
const [NOWHERE, UNREADABLE] = ['77 Nowhere Rd, Cleveland, OH', 'Main St'];

/** Deals at 1 to n Main St, and two more at 5 Oak Ave. */
const dealsUpTo = (n: number): Row[] => [
  ...rowsOfTable('deals', n),
  ...[11, 12].map((i) =>
    rowOf('deals', i, { address_key: '5 OAK AVE', street_key: 'OAK AVE', house_low: 5, house_high: 5 }),
  ),
];

describe('a batch lookup', () => {
  const shared = sharedApp({ deals: dealsUpTo(3) });
  const buyer = buyerWith();

  before(async () => {
    await shared.folder.publish('2026-11-20.02', { deals: dealsUpTo(4) }, { current: false });
  });
  const urlOf = (addresses: readonly string[], more: Record<string, string> = {}): string =>
    `${shared.app.url}/api/lookup/batch?${new URLSearchParams({ addresses: addresses.join('|'), ...more }).toString()}`;
  const amountOf = async (url: string): Promise<string | undefined> =>
    (await fetchPaymentRequired(url)).accepts[0]?.amount;
  const resultsOf = (body: Body): Result[] => body['results'] as Result[];

  it('requires the price of a lookup for each address that matches', async () => {
    for (const [addresses, cents] of [
      [['1 Main St'], 2],
      [['1 Main St', NOWHERE, '2 Main St', UNREADABLE], 4],
      [['5 Oak Ave', '3 Main St', '2 Main St'], 6],
    ] as const) {
      const unpaid = await fetch(urlOf(addresses));
      const body = await bodyOf(unpaid);
      const [terms] = decodePaymentRequiredHeader(unpaid.headers.get('PAYMENT-REQUIRED') ?? '').accepts;
      assert.equal(terms?.amount, String(cents * 10_000), addresses.join());
      const { price, unit_price, units } = body;
      assert.deepEqual([price, unit_price, units], [`$0.0${cents}`, '$0.02', cents / 2]);
      const head = await fetch(urlOf(addresses), { method: 'HEAD' });
      assert.equal(head.headers.get('PAYMENT-REQUIRED'), unpaid.headers.get('PAYMENT-REQUIRED'), 'HEAD costs the same');
    }
  });

  it('bills an address once, whatever forms the request has', async () => {
    const forms = [
      '1 Main St, Cleveland, OH',
      '1 MAIN STREET',
      '1 main st, cleveland oh 44113',
      '2 Main St',
      '1 Main St',
    ];
    assert.equal(await amountOf(urlOf(forms)), '40000');
    const body = await bodyOf(await buyer.fetch(urlOf(forms)));
    assert.deepEqual([body['asked'], body['matched'], body['billed']], [5, 5, 2]);
    assert.deepEqual(
      resultsOf(body).map((result) => result.same_as),
      [null, 0, 0, null, 0],
    );
    for (const { listings } of resultsOf(body)) assert.equal(listings.length, 1, 'each has its records');
  });

  it('answers each address in order, as the lookup of that address or with a typed miss', async () => {
    const addresses = ['5 Oak Ave, Cleveland', NOWHERE, UNREADABLE, `1 ${'x'.repeat(200)} St`, '2 Main St'];
    const settled = shared.app.facilitator.settled;
    const body = await bodyOf(await buyer.fetch(urlOf(addresses)));
    assert.equal(shared.app.facilitator.settled, settled + 1);
    const results = resultsOf(body);
    assert.deepEqual(
      results.map(({ address, understood_as, miss }) => [address, understood_as, miss]),
      [
        [addresses[0], '5 OAK AVE', null],
        [NOWHERE, '77 NOWHERE RD', 'no_matches'],
        [UNREADABLE, null, 'unreadable_address'],
        [addresses[3], null, 'unreadable_address'],
        ['2 Main St', '2 MAIN ST', null],
      ],
    );
    for (const { address, miss, listings, match_basis, coverage } of results) {
      if (miss !== null) continue;
      const query = new URLSearchParams({ address }).toString();
      const alone = await bodyOf(await buyer.fetch(`${shared.app.url}/api/lookup?${query}`));
      assert.deepEqual([listings, match_basis], [alone['listings'], alone['match_basis']]);
      assert.deepEqual(coverage, (alone['coverage'] as Body)['place']);
    }
    assert.deepEqual(
      results[0]?.listings.map(({ id }) => id),
      [uuid(11), uuid(12)],
    );
    assert.equal(results[1]?.coverage?.['city'], 'Cleveland');
  });

  it('takes line breaks, and a city and a state for every address', async () => {
    const url = (city: string): string =>
      `${shared.app.url}/api/lookup/batch?addresses=1+Main+St%0D%0A%0A2+Main+St%0A&city=${city}&state=OH`;
    assert.equal(await amountOf(url('Cleveland')), '40000');
    const elsewhere = await fetch(url('Akron'));
    assert.equal(elsewhere.status, 404);
    await elsewhere.arrayBuffer();
  });

  it('is 404 and not billed where nothing matches, before a payment and with one', async () => {
    const payment = await buyer.sign(urlOf(['1 Main St']));
    const settled = shared.app.facilitator.settled;
    for (const addresses of [[NOWHERE, UNREADABLE], [UNREADABLE]]) {
      for (const response of [await fetch(urlOf(addresses)), await fetchWithPayment(urlOf(addresses), payment)]) {
        const body = await bodyOf(response);
        assert.deepEqual([response.status, body['reason'], body['billed']], [404, 'no_matches', false]);
        const misses = resultsOf(body).map(({ address, miss }) => [address, miss]);
        const expected = addresses.map((a) => [a, a === NOWHERE ? 'no_matches' : 'unreadable_address']);
        assert.deepEqual(misses, expected);
      }
    }
    assert.equal(shared.app.facilitator.settled, settled);
    assert.equal((await fetchWithPayment(urlOf(['1 Main St']), payment)).status, 200, 'the payment is free again');
  });

  it('has its price in the log, the ledger and the receipt', async () => {
    const response = await buyer.fetch(urlOf(['1 Main St', '2 Main St', '3 Main St', NOWHERE]));
    await response.arrayBuffer();
    const id = response.headers.get('Receipt-Id');
    assert.equal(shared.app.requests.findLast((entry) => entry.receipt_id === id)?.charged, '0.06');
    const [, claims = ''] = (response.headers.get('Signed-Receipt') ?? '').split('.');
    const receipt = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as ReceiptClaims;
    assert.deepEqual([receipt.receipt_id, receipt.price, receipt.payment.amount], [id, '0.060000', '60000']);
    const sold = (await Array.fromAsync(shared.app.ledger.purchases())).find((purchase) => purchase.id === id);
    assert.deepEqual([sold?.state, sold?.payment.amount, sold?.route], ['sold', 60_000n, 'GET /api/lookup/batch']);
  });

  it('refuses a payment of another price, also if the price moved since', async () => {
    const addresses = ['1 Main St', '4 Main St'];
    const earlier = await buyer.signAs(urlOf(addresses), 'batch-of-two-addresses-1');
    const settled = shared.app.facilitator.settled;
    const refused = await fetchWithPayment(urlOf(['1 Main St', '2 Main St']), earlier);
    assert.deepEqual([refused.status, (await bodyOf(refused))['reason']], [402, 'payment_invalid']);
    const identified = await buyer.signAs(urlOf(addresses), 'batch-of-two-addresses-2');
    const first = await fetchWithPayment(urlOf(addresses), identified);
    const bytes = await first.text();
    assert.equal(shared.app.facilitator.settled, settled + 1);

    await shared.switchTo('2026-11-20.02');
    try {
      const moved = await fetchWithPayment(urlOf(addresses), earlier);
      const body = await bodyOf(moved);
      assert.deepEqual([moved.status, body['reason'], body['price']], [402, 'payment_invalid', '$0.04']);
      assert.equal(await amountOf(urlOf(addresses)), '40000');
      // What was bought stays bought, at its old price.
      const again = await fetchWithPayment(urlOf(addresses), identified);
      assert.deepEqual([again.status, again.headers.get('Delivery')], [200, 'identifier']);
      assert.equal(await again.text(), bytes);
      assert.equal(again.headers.get('Signed-Receipt'), first.headers.get('Signed-Receipt'));
    } finally {
      await shared.switchTo('2026-11-20.01');
    }
    assert.equal(shared.app.facilitator.settled, settled + 1);
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
    const url = urlOf(['1 Main St', ...long]);
    assert.ok(url.length > 2_500);
    const required = (await fetch(url)).headers.get('PAYMENT-REQUIRED') ?? '';
    assert.ok(required.length < 3_500, String(required.length));
    const response = await buyer.fetch(url);
    assert.equal(response.status, 200);
    for (const [name, value] of response.headers) assert.ok(value.length < 4_000, name);
    assert.equal(resultsOf(await bodyOf(response)).length, 50);
  });

  it('counts as one unpaid response for each address, and not at all if it is paid', () =>
    withStarted(shared.folder.path, { unbilledPerMinute: 10, snapshots: shared.app.snapshots }, async ({ url }) => {
      const four = `${url}/api/lookup/batch?addresses=1+Main+St%7C2+Main+St%7C3+Main+St%7C9+Main+St`;
      const statusOf = async (target: string): Promise<number> => {
        const response = await fetch(target);
        await response.arrayBuffer();
        return response.status;
      };
      const payments = [await buyer.sign(four), await buyer.sign(four)] as const;
      assert.equal(await statusOf(four), 429, '8 of 10 are counted');
      assert.equal(await statusOf(`${url}/api/lookup?apn=1`), 402, 'the refused batch is not');
      for (const payment of payments) assert.equal((await fetchWithPayment(four, payment)).status, 200);
    }));
});
