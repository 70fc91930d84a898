/**
 * The freshness guarantee on two servers and a local chain: what the next day's snapshot shows to have ended before the
 * sale is due back, listed, paid once, and audited. ledger/conformance/audit.ts has the rules of both databases, and
 * models/history/endings.test.ts the pages that date an end.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeFunctionData, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Purchase } from '../../../ledger/ledger.ts';
import { fileURLToPath } from 'node:url';
import { bookRefunds } from '../../../api/routes/guarantee.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { runHere } from '../../support/run_here.ts';
import { authorizationFor, sendAsStranger } from '../../attacks/wallets.ts';
import { signAuthorization } from '../support/base.ts';
import { bodyOf, fetchPaymentRequired, type Buyer } from '../support/buyers.ts';
import { collect } from '../support/collecting.ts';
import { rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';

const LEDGER_COMMAND = fileURLToPath(new URL('../../../api/payments/audit/cli.ts', import.meta.url));
const TRANSFER = parseAbi(['function transfer(address to, uint256 value)']);

const [EXCLUSIVE, ENDED, REPORT, SAME_DAY] = [1, 2, 4, 5].map(uuid) as [string, string, string, string];
const TABLES = {
  leads: rowsOfTable('leads', 3, (i) => ({
    lead_score: 100 - i,
    county: i === 1 ? 'Wayne County, MI' : 'Kent County, MI',
  })),
  deals: [REPORT, SAME_DAY].map((id, i) => rowOf('deals', i + 4, { id, listing_status: 'active' })),
  reports: [REPORT, SAME_DAY].map((id, i) => rowOf('reports', i + 4, { id })),
};
const ending = (n: number, id: string, ended_on: string): Row =>
  rowOf('endings', n, {
    id,
    ended_on,
    found_on: '2026-11-21',
    reason: 'debt_paid',
    ended_basis: 'published',
    open_sha256: 'a'.repeat(64),
    page_sha256: 'b'.repeat(64),
  });
const ENDINGS = [
  ending(1, EXCLUSIVE, '2026-11-19'),
  ending(2, ENDED, '2026-11-18'),
  ending(4, REPORT, '2026-11-19'),
  ending(5, SAME_DAY, '2026-11-20'),
];

let shop: Shop;
let buyer: Buyer;
/** Receipt ids, by what was bought. */
const ids: Record<string, string> = {};

const refunded = async (name: string): Promise<Purchase['refund']> => {
  const purchase = await shop.server.running.ledger.find({ id: ids[name] ?? '' });
  return (purchase ?? assert.fail()).refund;
};
const command = async (args: Record<string, string>): Promise<{ code: number; out: string }> => {
  const { code, out, err } = await runHere(LEDGER_COMMAND, { env: { ...shop.env, RPC_URL: shop.node.url, ...args } });
  return { code: Number(code), out: out + err };
};
/** Move money from the receiving account, as its owner signs it. */
async function send(to: string, units: bigint): Promise<string> {
  const data = encodeFunctionData({ abi: TRANSFER, functionName: 'transfer', args: [to as Hex, units] });
  await shop.admin.impersonateAccount({ address: shop.payTo });
  await shop.admin.setBalance({ address: shop.payTo, value: 10n ** 20n });
  const to_ = shop.chain.network.usdc.address;
  const hash = await shop.admin.request({
    method: 'eth_sendTransaction' as never,
    params: [{ from: shop.payTo, to: to_, data }] as never,
  });
  await shop.mine(4);
  return String(hash);
}

before(async () => {
  shop = await openShop({ mode: 'sandbox', servers: 2, tables: TABLES });
  buyer = await shop.buyer();
  const buy = async (name: string, path: string, headers: Record<string, string> = {}): Promise<Response> => {
    const payment = { 'PAYMENT-SIGNATURE': await buyer.sign(shop.url + path) };
    const response = await fetch(shop.url + path, { headers: { ...headers, ...payment } });
    assert.equal(response.status, 200, path);
    ids[name] = response.headers.get('Receipt-Id') ?? '';
    return response;
  };
  await buy('json', '/api/leads?fields=card');
  await buy('csv', '/api/leads?county=kent', { Accept: 'text/csv' });
  await buy('one', '/api/leads?county=kent&limit=1');
  const payload = (await buy('report', `/api/deals/${REPORT}/report`)).headers.get('Signed-Receipt')?.split('.')[1];
  assert.match(String(JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())['refund_terms']), /^Due back if/);
  await buy('same day', `/api/deals/${SAME_DAY}/report`);
  await buy('deals', '/api/deals');
  await buy('exclusive', '/api/leads/exclusive?county=wayne');
});
after(() => shop.close());

describe('the refund of a record that ended before its sale', () => {
  test('is offered for leads and reports only, with its condition and when that was last read', async () => {
    const promised = async (path: string): Promise<unknown> => {
      const { guarantee } = (await bodyOf(await fetch(shop.url + path))) as {
        guarantee?: { must_hold: { what: string; last_read: object }[] };
      };
      return guarantee?.must_hold.map(({ what, last_read }) => [what, Object.keys(last_read)]);
    };
    const leads = ['debt_open', 'sale_scheduled'].map((what) => [what, ['oldest', 'newest']]);
    assert.deepEqual(await promised('/api/leads'), leads);
    assert.deepEqual(await promised('/api/leads/exclusive'), leads);
    assert.deepEqual(await promised(`/api/deals/${REPORT}/report`), [['listing_active', ['oldest', 'newest']]]);
    assert.equal(await promised('/api/deals'), undefined);
  });

  test('is due once, when a snapshot shows the end, on any server; for a list, the ended part is due', async () => {
    await shop.folder.publish('2026-11-21.01', { ...TABLES, endings: ENDINGS });
    for (const { snapshots } of shop.servers) await snapshots.refresh();
    for (let tries = 0; (await refunded('exclusive')) === null && tries < 300; tries += 1) await pause(100);
    // As a server that starts later, or was killed before its last booking.
    const { snapshots, running, app } = shop.servers[1] ?? assert.fail();
    using lease = snapshots.acquire() ?? assert.fail();
    const options = { routes: app.routes, nowMs: Date.now() };
    await Promise.all([1, 2].map(() => bookRefunds(running.ledger, lease.snapshot, options)));
    assert.equal(await bookRefunds(running.ledger, lease.snapshot, options), 0);
    const amounts = Object.fromEntries(
      await Promise.all(Object.keys(ids).map(async (name) => [name, (await refunded(name))?.amount ?? null] as const)),
    );
    // Two of three leads, then one of two: rounded up to a millionth.
    assert.deepEqual(amounts, {
      json: 166_667n,
      csv: 125_000n,
      one: 250_000n,
      report: 1_500_000n,
      'same day': null,
      deals: null,
      exclusive: 1_000_000n,
    });
  });

  test('is shown to the buyer with both pages when the answer is collected', async () => {
    const url = `${shop.url}/api/purchases/${ids['exclusive']}`;
    const response = await collect(url, await buyer.signIn(url));
    const { records, ...refund } = JSON.parse(response.headers.get('Refund') ?? '{}') as {
      records: { id: string; ended_on: string; open: { url: string; sha256: string }; end: { sha256: string } }[];
    };
    assert.deepEqual(refund, { state: 'due', amount: '1.000000', paid_by: null, ended: 1, of: 1 });
    const [{ id, ended_on, open, end } = assert.fail()] = records;
    assert.deepEqual([id, ended_on, open.url], [EXCLUSIVE, '2026-11-19', 'https://county.example/open/1']);
    assert.deepEqual([open.sha256, end.sha256], ['a'.repeat(64), 'b'.repeat(64)]);
  });

  test('is signed by the operator and recorded once, and the audit finds any other transfer', async () => {
    // A payment that the shop was never offered is owed.
    const stranger = privateKeyToAccount(generatePrivateKey());
    await shop.chain.mint(stranger.address, 1_500_000n);
    const asked = await fetchPaymentRequired(`${shop.url}/api/deals`);
    const authorization = authorizationFor(asked, stranger.address);
    await sendAsStranger(shop.chain, { authorization, signature: await signAuthorization(stranger, authorization) });
    await shop.mine(4);
    await shop.server.running.audit.pass();
    const listed = await command({ REFUNDS: '1' });
    const owed = /^(0x\w{64}:\d+) {2}0\.050000 USDC to (0x\w+)/m.exec(listed.out) ?? assert.fail(listed.out);
    assert.equal(owed[2], stranger.address.toLowerCase());
    const NOTE = 'paid back by hand';
    assert.equal((await command({ REFUNDED: owed[1] ?? '', NOTE })).code, 0);
    assert.equal((await command({ REFUNDED: owed[1] ?? '', NOTE })).code, 1);
    const transfers = [...listed.out.matchAll(/^ethereum:(0x\w+)@(\d+)\/transfer\?address=(0x\w+)&uint256=(\d+)$/gm)];
    const due = transfers.map(([, , chainId, to, amount]) => [chainId, to, amount]);
    assert.ok(due.some(([, to, amount]) => to === buyer.address.toLowerCase() && amount === '1000000'));
    const REFUNDED = ids['exclusive'] ?? '';
    const tooMuch = await send(buyer.address, 1_000_001n);
    assert.match(
      (await command({ REFUNDED, REFUND: tooMuch })).out,
      /expected a transaction that pays exactly 1\.000000 USDC/,
    );
    const paid = await send(buyer.address, 1_000_000n);
    assert.equal((await command({ REFUNDED, REFUND: paid })).code, 0);
    assert.equal((await refunded('exclusive'))?.paid, paid);
    // Neither the same refund again, nor the same transaction for another one.
    assert.equal((await command({ REFUNDED, REFUND: paid })).code, 1);
    assert.equal((await command({ REFUNDED: ids['report'] ?? '', REFUND: paid })).code, 1);
    assert.equal((await command({ REFUNDED: ids['deals'] ?? '', NOTE: 'nothing is due of it' })).code, 1);
    assert.ok(!(await command({ REFUNDS: '1' })).out.includes(REFUNDED));
    for (const { running } of shop.servers) await running.audit.pass();
    const audited = await command({ AUDIT: '1' });
    assert.match(audited.out, /^Blocks \d+ to \d+: transfers to 0x\w{40}\n {2}8 transfers of \d+\.\d{6} USDC, /);
    assert.match(audited.out, /\n {2}7 purchases, 7 answers, \d+ lines of the journal\n/);
    assert.equal(audited.code, 1);
    const differences = audited.out.split('\n').filter((line) => line.startsWith('  transfer '));
    assert.equal(differences.length, 1, audited.out);
    assert.match(
      differences[0] ?? '',
      new RegExp(`${tooMuch}:\\d+ .* 1\\.000001 USDC to the buyer .* no refund is recorded`),
    );
  });
});
