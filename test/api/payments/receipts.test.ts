/** Receipts as a server sends them: on every paid answer, on no other, the same on two servers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newKey, receiptKeysOf } from '../../../api/payments/receipts/keys.ts';
import { parseKeys, verifyContent, verifyReceipt } from '../../../clients/verify.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { backUpTo } from '../../ledger/ledger_folders.ts';
import { buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { testKeyFile } from '../support/receipt_key.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';
import { startApp, startSharedApp, ScriptedFacilitator, type SharedApp, type Started } from '../support/test_app.ts';

const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const PROGRAM = fileURLToPath(new URL('../../../examples/verify.py', import.meta.url));

describe('the receipt of a server', async () => {
  const buyer = buyerWith();
  const facilitator = new ScriptedFacilitator();
  const ledger = await openSqliteLedger(':memory:');
  let shared: SharedApp;
  let second: Started;
  let rotated: Started;
  before(async () => {
    shared = await startSharedApp({ deals: rowsOfTable('deals', 3) }, { ledger, facilitator });
    const options = { ledger, facilitator, snapshots: shared.app.snapshots };
    second = await startApp(shared.folder.path, options);
    const receiptKeys = receiptKeysOf({ keys: [newKey(Date.now() - 1000)] });
    rotated = await startApp(shared.folder.path, { ...options, receiptKeys });
  });
  after(async () => {
    await rotated.close();
    await second.close();
    await shared.close();
    await ledger.close();
  });
  const keysOf = async ({ url }: Started) => parseKeys(await (await fetch(`${url}/.well-known/jwks.json`)).text());
  const receiptIn = (response: Response): string => response.headers.get('Signed-Receipt') ?? '';

  it('is the same each time a paid answer is sent, on every server with its key', async () => {
    const payment = await buyer.signAs(`${shared.app.url}/api/deals`, 'an-order-of-the-receipts-1');
    const first = await fetchWithPayment(`${shared.app.url}/api/deals`, payment);
    const bytes = Buffer.from(await first.arrayBuffer());
    const { payload } = await verifyReceipt(receiptIn(first), await keysOf(second), Date.now());
    verifyContent(payload, bytes);
    assert.equal(payload.receipt_id, first.headers.get('Receipt-Id'));
    assert.equal(payload.payment.payer, buyer.address.toLowerCase());
    const again = await fetchWithPayment(`${second.url}/api/deals`, payment);
    assert.equal(again.headers.get('Delivery'), 'identifier');
    assert.equal(receiptIn(again), receiptIn(first));
    const published = await (await fetch(`${second.url}/.well-known/jwks.json`)).text();
    for (const { x, d = published } of testKeyFile.keys)
      assert.deepEqual([published.includes(x), published.includes(d)], [true, false]);
    // With another key, as after a rotation: the same sale, signed again.
    const later = receiptIn(await fetchWithPayment(`${rotated.url}/api/deals`, payment));
    assert.notEqual(later, receiptIn(first));
    assert.equal(
      (await verifyReceipt(later, await keysOf(rotated), Date.now())).payload.receipt_id,
      payload.receipt_id,
    );
  });

  it('is signed by a key that no backup of the ledger has', async () => {
    const [LEDGER, FILE] = [join(shared.folder.path, 'sold.sqlite'), join(shared.folder.path, 'backup')];
    const own = await openSqliteLedger(LEDGER);
    const app = await startApp(shared.folder.path, { ledger: own, facilitator, snapshots: shared.app.snapshots });
    const response = await buyer.fetch(`${app.url}/api/deals`);
    await response.arrayBuffer();
    assert.notEqual(receiptIn(response), '');
    await app.close();
    await own.close();
    await backUpTo(FILE, { DATA_DIR: shared.folder.path, LEDGER });
    const text = readFileSync(FILE).toString('latin1');
    assert.ok(text.includes(response.headers.get('Receipt-Id') ?? '?'), 'the sale is in it');
    for (const { d = '' } of testKeyFile.keys) {
      const bytes = Buffer.from(d, 'base64url');
      for (const form of [d, bytes.toString('hex'), bytes.toString('base64')]) assert.ok(!text.includes(form));
    }
  });

  it('is on paid answers only', async () => {
    const { url } = shared.app;
    for (const path of ['/api/deals', '/api/meta', '/api/deals?state=x'])
      assert.equal((await fetch(url + path)).headers.get('Signed-Receipt'), null, path);
    const payment = await buyer.sign(`${url}/api/deals`);
    const nothing = await fetchWithPayment(`${url}/api/deals?state=AK`, payment);
    assert.deepEqual([nothing.status, nothing.headers.get('Signed-Receipt')], [404, null]);
    const settle = facilitator.onSettle;
    facilitator.onSettle = async () => ({ transaction: null });
    const unknown = await fetchWithPayment(`${url}/api/deals`, payment);
    facilitator.onSettle = settle;
    assert.deepEqual([unknown.status, unknown.headers.get('Signed-Receipt')], [502, null]);
  });

  it('is verified by examples/verify.py', { skip: !hasPython }, async () => {
    const url = `${shared.app.url}/api/deals`;
    const response = await fetchWithPayment(url, await buyer.sign(url));
    const files = ['answer', 'receipt', 'jwks'].map((name) => join(shared.folder.path, name));
    const [answer = '', receipt = '', jwks = ''] = files;
    const bytes = Buffer.from(await response.arrayBuffer());
    writeFileSync(answer, bytes);
    writeFileSync(receipt, receiptIn(response));
    writeFileSync(jwks, await (await fetch(`${shared.app.url}/.well-known/jwks.json`)).text());
    const run = (): string => execFileSync('python3', [PROGRAM, ...files], { encoding: 'utf8', stdio: 'pipe' });
    assert.match(run(), /^proven [0-9a-f-]{36} 0\.050000 \/api\/deals\n$/);
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    writeFileSync(answer, bytes);
    assert.throws(run, /AssertionError/);
  });
});
