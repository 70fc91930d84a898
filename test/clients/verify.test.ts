/**
 * A receipt proves the sale of exactly its answer, and nothing forged, altered or signed outside the time of its key;
 * `make verify` says so, and looks up the pages that the answer names. api/payments/receipts.test.ts has a server's.
 */
import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newKey, receiptKeysOf, revokeKey, rotateKeys, type KeyFile } from '../../api/payments/receipts/keys.ts';
import { receiptSigner } from '../../api/payments/receipts/signed_receipt.ts';
import { parseKeys, verifyContent, verifyReceipt } from '../../clients/verify.ts';
import type { Purchase } from '../../ledger/ledger.ts';
import { NETWORK, USDC } from '../../lib/network.ts';
import { publicPart, RECEIPT_TYPE, type PublicKey } from '../../lib/receipt.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { archivePage, loseBody, replaceBody } from '../lib/archive_files.ts';
import { runHere, type Ended } from '../support/run_here.ts';

const SOLD_AT = '2026-11-20T12:00:00.000Z';
const SOLD_MS = Date.parse(SOLD_AT);
const NOW_MS = SOLD_MS + 48 * HOUR_MS;
const [HELD, LOST] = ['<p>found</p>', '<p>missing</p>'] as const;
const shaOf = (text: string): string => hash('sha256', text, 'hex');
const ANSWER = JSON.stringify({
  deal: { page_sha256: shaOf(HELD), source_url: 'https://county.example/1' },
  distress: { matches: [{ signal: { page_sha256: shaOf(LOST) } }], candidates: [{ page_sha256: null }] },
});

const purchase: Purchase = {
  id: '01a20799-59ce-709e-bb1d-83c883200204',
  state: 'sold',
  payment: {
    network: NETWORK,
    asset: USDC.toLowerCase(),
    payer: `0x${'1'.repeat(40)}`,
    nonce: `0x${'2'.repeat(64)}`,
    payTo: `0x${'3'.repeat(40)}`,
    amount: 1_500_000n,
    validBefore: 1_795_000_000n,
  },
  route: 'GET /api/deals/:id/report',
  request: '/api/deals/5/report?fields=deal',
  snapshotId: '2026-11-20.01',
  identifierHash: null,
  chain: `0x${'4'.repeat(64)}`,
  block: 17n,
  reservedAtMs: SOLD_MS - 900,
  reservedUntilMs: SOLD_MS + 60_000,
  settlingAtMs: SOLD_MS - 500,
  endedAtMs: SOLD_MS,
  transaction: `0x${'5'.repeat(64)}`,
  why: null,
  leadId: null,
  properties: [],
  answerSha256: null,
  refund: null,
};

/** The receipt of this sale for an answer, signed at this time. */
const receiptOf = (
  file: KeyFile,
  { text = ANSWER, at = SOLD_MS, sold = purchase, type = 'application/json; charset=utf-8' } = {},
): string =>
  receiptSigner(
    receiptKeysOf(file),
    { issuer: 'https://api.dealfeed.example', refundTerms: () => null },
    () => at,
  )(sold, { headers: { 'Content-Type': type }, sha256: shaOf(text), body: Buffer.from(text) });
const publishedOf = (file: KeyFile): PublicKey[] => file.keys.map(publicPart);

const file = { keys: [newKey(SOLD_MS - 24 * HOUR_MS)] };
const keys = publishedOf(file);
const [key = assert.fail()] = keys;
const notProven = (message: RegExp) => ({ name: 'NotProven', message });
const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = async (options: Parameters<typeof receiptOf>[1] = {}) =>
  (await verifyReceipt(receiptOf(file, options), keys, NOW_MS)).payload;

describe('a receipt', () => {
  it('proves price, payment, request, content and snapshot; signing again gives the same bytes', async () => {
    const payload = await payloadOf();
    verifyContent(payload, Buffer.from(ANSWER));
    const { price, payment, request, snapshot_id, sold_at } = payload;
    assert.deepEqual([price, snapshot_id, sold_at], ['1.500000', '2026-11-20.01', SOLD_AT]);
    assert.deepEqual([payment.transaction, payment.block], [purchase.transaction, 17]);
    assert.deepEqual(request, {
      method: 'GET',
      path: '/api/deals/5/report',
      query: 'fields=deal',
      query_sha256: null,
      media_type: 'application/json',
    });
    assert.equal(receiptOf(file), receiptOf(file, { at: NOW_MS }));
    for (const state of ['reserved', 'settling', 'released'] as const)
      assert.throws(() => receiptOf(file, { sold: { ...purchase, state } }), /has no receipt$/);
  });

  it('of a CSV names its type, and a long query by its hash, so that its header stays below 4 kB', async () => {
    const csv = await payloadOf({ sold: { ...purchase, request: '/api/deals?state=OH text/csv' }, type: 'text/csv' });
    const { request } = csv;
    assert.deepEqual([request.path, request.query, request.media_type], ['/api/deals', 'state=OH', 'text/csv']);
    const query = `addresses=${'1+Main+St%7C'.repeat(400)}`;
    const long = { sold: { ...purchase, request: `/api/lookup?${query}` } };
    const { request: asked } = await payloadOf(long);
    assert.deepEqual([asked.query, asked.query_sha256], [null, shaOf(query)]);
    assert.ok(receiptOf(file, long).length < 4_000);
  });

  it('that is forged is refused', async () => {
    const attacker = { keys: [newKey(SOLD_MS - HOUR_MS)] };
    const [{ kid, ...jwk } = assert.fail()] = publishedOf(attacker);
    const header = { alg: 'EdDSA', typ: RECEIPT_TYPE, kid: key.kid };
    const payload = await payloadOf();
    const receipt = receiptOf(file);
    const [head = '', , signature = ''] = receipt.split('.');
    const signAs = (head_: unknown, body: unknown = payload, by: KeyFile = attacker): string => {
      const input = `${segment(head_)}.${segment(body)}`;
      return `${input}.${receiptKeysOf(by).at(NOW_MS).sign(Buffer.from(input)).toString('base64url')}`;
    };
    const macOf = (alg: string | undefined): string => {
      const input = `${segment({ ...header, alg })}.${segment(payload)}`;
      return `${input}.${createHmac('sha256', Buffer.from(key.x, 'base64url')).update(input).digest('base64url')}`;
    };
    const { content: _, ...incomplete } = payload;
    for (const [jws, message] of [
      [signAs(header), /^the signature is not by/],
      [`${head}.${segment({ ...payload, price: '0.010000' })}.${signature}`, /^the signature is not by/],
      ...['none', 'None', 'HS256', 'ES256', undefined].map((alg) => [macOf(alg), /^alg is /] as const),
      [`${segment({ ...header, alg: 'none' })}.${segment(payload)}.`, /^alg is /],
      [signAs({ ...header, jwk }), /^the signature is not by/],
      [signAs({ ...header, kid, jwk }), /not among the saved keys/],
      [signAs({ ...header, typ: undefined }, payload, file), /^typ is undefined/],
      [signAs({ ...header, typ: 'JWT' }, payload, file), /^typ is "JWT"/],
      [signAs(header, incomplete, file), /has no content/],
      ...['', 'a.b', 'a.b.c', '{"signature":"x"}'].map((text) => [text, /not a compact JWS/] as const),
    ] as const)
      await assert.rejects(verifyReceipt(jws, keys, NOW_MS), notProven(message), jws);
    const [other = assert.fail()] = publishedOf({ keys: [newKey(SOLD_MS)] });
    for (const [text, message] of [
      [JSON.stringify({ keys: [{ ...key, x: other.x }] }), /thumbprint of its key/],
      ['<html>', /not JSON/],
      ['{}', /jwks\.json/],
    ] as const)
      assert.throws(() => parseKeys(text), notProven(message));
  });

  it('is verified by its key after a rotation, and by no key outside its time or once revoked', async () => {
    const both = rotateKeys(file, SOLD_MS + HOUR_MS, SOLD_MS);
    const receipt = receiptOf(file);
    const again = receiptOf(both, { at: NOW_MS });
    const [first, second] = await Promise.all(
      [receipt, again].map((jws) => verifyReceipt(jws, publishedOf(both), NOW_MS)),
    );
    assert.deepEqual([first?.isSignedAgain, second?.isSignedAgain], [false, true]);
    assert.deepEqual(first?.payload, second?.payload);
    const late = receiptOf(file, { sold: { ...purchase, endedAtMs: SOLD_MS + 2 * HOUR_MS } });
    const early = { keys: [newKey(NOW_MS + HOUR_MS)] };
    const leaked = revokeKey(file, key.kid, NOW_MS);
    for (const [jws, by, message] of [
      [late, both, /signed until/],
      [receiptOf(early), early, /in the future/],
      [receipt, leaked, /was revoked at/],
    ] as const)
      await assert.rejects(verifyReceipt(jws, publishedOf(by), NOW_MS), notProven(message));
    const signedAgain = receiptOf(leaked, { at: NOW_MS });
    assert.equal((await verifyReceipt(signedAgain, publishedOf(leaked), NOW_MS)).isSignedAgain, true);
  });
});

describe('make verify', () => {
  const CLI = new URL('../../clients/verify_cli.ts', import.meta.url).pathname;
  const folder = mkdtempSync(join(tmpdir(), 'verify-command-'));
  const at = (name: string): string => join(folder, name);
  before(async () => {
    writeFileSync(at('answer.json'), ANSWER);
    writeFileSync(at('altered.json'), ANSWER.replace('county', 'bounty'));
    writeFileSync(at('answer.jws'), `${receiptOf(file)}\n`);
    writeFileSync(at('jwks.json'), JSON.stringify({ keys }));
    writeFileSync(at('other.json'), JSON.stringify({ keys: publishedOf({ keys: [newKey(0)] }) }));
    await archivePage(folder, HELD);
    await archivePage(folder, LOST);
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (env: Record<string, string> = {}): Promise<Ended> =>
    runHere(CLI, { env: { FILE: at('answer.json'), RECEIPT: at('answer.jws'), DATA_DIR: folder, ...env } });
  const pageOf = async (env: Record<string, string> = {}) => {
    const { code, out } = await run(env);
    return [code, new RegExp(`^ {2}(\\w+) +${shaOf(LOST)} {2}distress\\.matches\\.0\\.signal `, 'm').exec(out)?.[1]];
  };

  it('proves a sale with the keys next to the receipt, and fails for another answer or another key', async () => {
    const { code, out, err } = await run();
    assert.deepEqual([code, err], [0, '']);
    for (const line of [
      `signature  valid, EdDSA by ${key.kid}`,
      'request    GET /api/deals/5/report?fields=deal as application/json',
      `content    ${ANSWER.length} bytes, SHA-256 ${shaOf(ANSWER)}: identical`,
      'pages      2 of 2 found, byte for byte',
    ])
      assert.ok(out.split('\n').includes(line), out);
    for (const [env, expected] of [
      [{ FILE: at('altered.json') }, /^NOT PROVEN: the SHA-256 of the file is .*, the receipt is for /m],
      [{ KEYS: at('other.json') }, /^NOT PROVEN: the key ".*" is not among the saved keys\.$/m],
    ] as const) {
      const refused = await run(env);
      assert.equal(refused.code, 1);
      assert.match(refused.out, expected);
    }
    const unread = await run({ FILE: at('nowhere.json') });
    assert.equal(unread.code, 1);
    assert.match(unread.err, /^FILE is ".*nowhere\.json", expected a file that can be read$/m);
  });

  it('looks up every page that the answer names, in the archive or in a folder of pages with any names', async () => {
    assert.deepEqual(await pageOf(), [0, 'found']);
    replaceBody(folder, shaOf(LOST), 'other bytes');
    assert.deepEqual(await pageOf(), [1, 'different']);
    loseBody(folder, shaOf(LOST));
    assert.deepEqual(await pageOf(), [1, 'missing']);
    const FOLDER = at('pages');
    mkdirSync(FOLDER);
    writeFileSync(join(FOLDER, 'a page'), HELD);
    assert.deepEqual(await pageOf({ FOLDER }), [1, 'missing']);
    writeFileSync(join(FOLDER, shaOf(LOST)), 'other bytes');
    assert.deepEqual(await pageOf({ FOLDER }), [1, 'different']);
    writeFileSync(join(FOLDER, 'saved by hand.html'), LOST);
    assert.deepEqual(await pageOf({ FOLDER }), [0, 'found']);
  });
});
