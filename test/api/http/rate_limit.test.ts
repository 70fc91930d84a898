/** The limit of unpaid responses per client, which never keeps a buyer from paying. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clientKey } from '../../../api/http/middleware.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { withStarted, type AppOptions, type Started } from '../support/test_app.ts';

describe('the limit of unpaid responses', () => {
  let folder: DataFolder;
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 2) });
  });
  after(() => folder.remove());
  const withApp = (options: AppOptions, test: (started: Started) => Promise<void>): Promise<void> =>
    withStarted(folder.path, options, test);

  it('responds with 429 above the limit of unpaid responses, and does not count paid ones', () =>
    withApp({ unbilledPerMinute: 6, proxies: 1 }, async ({ url }) => {
      const from = (ip: string, path = '/api/deals', more: Record<string, string> = {}): Promise<Response> =>
        fetch(url + path, { headers: { 'X-Forwarded-For': `203.0.113.99, ${ip}`, ...more } });
      const buyer = buyerWith();
      const payments = await Promise.all([1, 2, 3, 4].map(() => buyer.sign(`${url}/api/deals`)));
      for (const payment of payments)
        assert.equal((await from('198.51.100.1', '/api/deals', { 'PAYMENT-SIGNATURE': payment })).status, 200);
      const statuses = (await Promise.all(Array.from({ length: 9 }, () => from('198.51.100.1'))))
        .map((r) => r.status)
        .sort();
      assert.deepEqual(statuses, [402, 402, 402, 402, 402, 402, 429, 429, 429]);
      const refused = await from('198.51.100.1', '/api/meta');
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('Retry-After')) >= 1);
      const body = await bodyOf(refused);
      assert.deepEqual([body['reason'], body['billed']], ['rate_limited', false]);
      assert.equal((await from('198.51.100.2')).status, 402, 'another client');
      assert.equal((await from('198.51.100.1', '/health')).status, 200);
    }));

  it('takes a signed payment although other callers of the same address are above the limit', () =>
    withApp({ unbilledPerMinute: 3 }, async ({ url }) => {
      const deals = `${url}/api/deals`;
      const [buyer, poor] = [buyerWith(), buyerWith()];
      const [first, second, third] = [await buyer.sign(deals), await buyer.sign(deals), await poor.sign(deals)];
      const statusOf = async (payment?: string): Promise<number> => {
        const response = payment === undefined ? await fetch(deals) : await fetchWithPayment(deals, payment);
        await response.arrayBuffer();
        return response.status;
      };
      const exhausted = await Promise.all(Array.from({ length: 9 }, () => statusOf()));
      assert.ok(exhausted.includes(429));
      assert.deepEqual(await Promise.all([statusOf(first), statusOf(second)]), [200, 200]);
      assert.equal(await statusOf(), 429, 'a request without a payment');
      const unsigned = JSON.parse(Buffer.from(third, 'base64').toString('utf8')) as {
        payload: { authorization: { nonce: string } };
      };
      unsigned.payload.authorization.nonce = `0x${'7'.repeat(64)}`;
      assert.equal(await statusOf(Buffer.from(JSON.stringify(unsigned)).toString('base64')), 429, 'no signature');
      assert.equal(await statusOf('junk'), 429);
      // A payment that is used again and again has a limit of its own.
      const repeated: number[] = [];
      for (let i = 0; i < 4; i += 1) repeated.push(await statusOf(first));
      assert.deepEqual(repeated, [409, 409, 409, 429]);
      assert.equal(await statusOf(third), 200);
    }));

  it('counts an IPv6 household as one client', () => {
    assert.equal(clientKey('::ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(clientKey('2001:db8:1:2:3:4:5:6'), clientKey('2001:db8:1:2::9'));
    assert.equal(clientKey('2001:0db8:1:2::'), clientKey('2001:db8:1:2:ffff::1'));
    assert.notEqual(clientKey('2001:db8:1:2::1'), clientKey('2001:db8:1:3::1'));
    assert.equal(clientKey('::1'), '0:0:0:0');
  });
});
