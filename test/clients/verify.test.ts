/** Verification of receipts, with damaged answers, forged receipts, keys outside their time, missing pages. */
import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newKey, receiptKeysOf, revokeKey, rotateKeys } from '../../api/payments/receipts/keys.ts';
import { parseKeys, verifyContent, verifyReceipt, verifyX402Receipt } from '../../clients/verify.ts';
import { archivedPages, checkPages, openFolder, namedPages } from '../../clients/verify_pages.ts';
import { RECEIPT_TYPE } from '../../lib/receipt.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { answerOf, publishedOf, purchase, receiptsOf, SOLD_AT } from './receipts_made.ts';
import { archivePage } from '../lib/archive_files.ts';

const SOLD_MS = Date.parse(SOLD_AT);
const NOW_MS = SOLD_MS + 48 * HOUR_MS;
const ANSWER = '{"records":[{"list_price":"250000.00"}]}';
const file = { keys: [newKey(SOLD_MS - 24 * HOUR_MS)] };
const keys = publishedOf(file);

const notProven = (message: RegExp) => ({ name: 'NotProven', message });
const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = async () => (await verifyReceipt((await receiptsOf(file, ANSWER)).receipt, keys, NOW_MS)).claims;

describe('a receipt', () => {
  it('proves price, payment, request, content and snapshot', async () => {
    const { receipt } = await receiptsOf(file, ANSWER);
    const { claims, key, isSignedAgain } = await verifyReceipt(receipt, keys, NOW_MS);
    verifyContent(claims, Buffer.from(ANSWER));
    assert.equal(key.kid, keys[0]?.kid);
    assert.equal(isSignedAgain, false);
    assert.equal(claims.price, '1.500000');
    assert.equal(claims.payment.transaction, purchase.transaction);
    assert.equal(claims.payment.block, 17);
    assert.deepEqual(claims.request, {
      method: 'GET',
      path: '/api/deals/5/report',
      query: 'fields=deal',
      query_sha256: null,
      media_type: 'application/json',
    });
    assert.equal(claims.snapshot_id, '2026-11-20.01');
    assert.equal(claims.sold_at, SOLD_AT);
  });

  it('is the same, byte for byte, at each signing with one key', async () => {
    assert.deepEqual(await receiptsOf(file, ANSWER), await receiptsOf(file, ANSWER, { at: '2026-11-21T00:00:00Z' }));
  });

  it('is not for an answer with one other byte, a longer one, or another answer', async () => {
    const claims = await claimsOf();
    const bytes = Buffer.from(ANSWER);
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 1;
      assert.throws(
        () => {
          verifyContent(claims, altered);
        },
        notProven(/^the SHA-256 of the file is /),
      );
    }
    for (const other of [`${ANSWER}\n`, '{}'])
      assert.throws(
        () => {
          verifyContent(claims, Buffer.from(other));
        },
        notProven(/^the file has \d+ bytes, the receipt is for \d+$/),
      );
  });

  it('of a CSV is not for the JSON of the same request', async () => {
    const csv = 'list_price\r\n250000.00\r\n';
    const sold = { ...purchase, request: '/api/deals?state=OH text/csv' };
    const { receipt } = await receiptsOf(file, csv, { type: 'text/csv; charset=utf-8', sold });
    const { claims } = await verifyReceipt(receipt, keys, NOW_MS);
    assert.deepEqual([claims.request.path, claims.request.query], ['/api/deals', 'state=OH']);
    assert.equal(claims.request.media_type, 'text/csv');
    verifyContent(claims, Buffer.from(csv));
    assert.throws(() => {
      verifyContent(claims, Buffer.from(ANSWER));
    }, notProven(/bytes/));
  });

  it('states a long query by its hash, so that its header stays below 4 kB', async () => {
    const query = `addresses=${'1+Main+St%7C'.repeat(400)}`;
    const { receipt } = await receiptsOf(file, ANSWER, { sold: { ...purchase, request: `/api/lookup?${query}` } });
    const { claims } = await verifyReceipt(receipt, keys, NOW_MS);
    assert.deepEqual([claims.request.query, claims.request.query_sha256], [null, hash('sha256', query, 'hex')]);
    assert.ok(receipt.length < 4_000, String(receipt.length));
  });

  it('is not made for a purchase that is not sold', async () => {
    for (const state of ['reserved', 'settling', 'released'] as const)
      await assert.rejects(receiptsOf(file, ANSWER, { sold: { ...purchase, state } }), /has no receipt$/);
  });

  it('names the x402 receipt of its sale by its hash', async () => {
    const { receipt, x402 } = await receiptsOf(file, ANSWER);
    const other = await receiptsOf(file, ANSWER, { sold: { ...purchase, transaction: `0x${'6'.repeat(64)}` } });
    const { claims } = await verifyReceipt(receipt, keys, NOW_MS);
    verifyX402Receipt(claims, x402.signature);
    assert.throws(
      () => {
        verifyX402Receipt(claims, other.x402.signature);
      },
      notProven(/not the one that the receipt names/),
    );
  });
});

describe('a forged receipt is refused', () => {
  const attacker = { keys: [newKey(SOLD_MS - HOUR_MS)] };
  const signAs = (header: unknown, claims: unknown, key = attacker): string => {
    const input = `${segment(header)}.${segment(claims)}`;
    return `${input}.${receiptKeysOf(key).at(NOW_MS).sign(Buffer.from(input)).toString('base64url')}`;
  };
  const header = { alg: 'EdDSA', typ: RECEIPT_TYPE, kid: keys[0]?.kid };

  it('signed by another key under the kid of ours', async () => {
    await assert.rejects(
      verifyReceipt(signAs(header, await claimsOf()), keys, NOW_MS),
      notProven(/^the signature is not by/),
    );
  });

  it('with a changed claim and the old signature', async () => {
    const [head = '', , signature = ''] = (await receiptsOf(file, ANSWER)).receipt.split('.');
    const claims = { ...(await claimsOf()), price: '0.010000' };
    await assert.rejects(
      verifyReceipt(`${head}.${segment(claims)}.${signature}`, keys, NOW_MS),
      notProven(/^the signature is not by/),
    );
  });

  it('without a signature (alg none), or with a MAC by the public key (alg HS256)', async () => {
    const claims = await claimsOf();
    for (const alg of ['none', 'None', 'HS256', 'ES256', 'Ed25519ph', undefined]) {
      const input = `${segment({ ...header, alg })}.${segment(claims)}`;
      const mac = createHmac('sha256', Buffer.from(keys[0]?.x ?? '', 'base64url'))
        .update(input)
        .digest('base64url');
      for (const signature of ['', mac])
        await assert.rejects(verifyReceipt(`${input}.${signature}`, keys, NOW_MS), notProven(/^alg is /));
    }
  });

  it('that brings its own key in the header', async () => {
    const [own] = publishedOf(attacker);
    const jwk = own && { kty: own.kty, crv: own.crv, x: own.x };
    for (const kid of [own?.kid, header.kid])
      await assert.rejects(
        verifyReceipt(signAs({ ...header, kid, jwk }, await claimsOf()), keys, NOW_MS),
        notProven(/not among the saved keys|^the signature is not by/),
      );
  });

  it('that is another document signed by the same key, as the x402 receipt is', async () => {
    const { x402 } = await receiptsOf(file, ANSWER);
    await assert.rejects(verifyReceipt(x402.signature, keys, NOW_MS), notProven(/^typ is undefined/));
    const claims = await claimsOf();
    await assert.rejects(verifyReceipt(signAs({ ...header, typ: 'JWT' }, claims, file), keys, NOW_MS), {
      message: /^typ is "JWT"/,
    });
  });

  it('that is no JWS, or lacks a claim', async () => {
    for (const text of ['', 'a', 'a.b', 'a.b.c', '{"signature":"x"}'])
      await assert.rejects(verifyReceipt(text, keys, NOW_MS), notProven(/not a compact JWS/));
    const { content: _, ...claims } = await claimsOf();
    await assert.rejects(verifyReceipt(signAs(header, claims, file), keys, NOW_MS), notProven(/has no content/));
  });
});

describe('the keys of a server', () => {
  it('are refused if another key hides behind a known kid', async () => {
    const [key] = keys;
    const [other] = publishedOf({ keys: [newKey(SOLD_MS)] });
    assert.ok(key && other);
    assert.equal(parseKeys(JSON.stringify({ keys: [{ ...key, use: 'sig' }] })).length, 1);
    assert.throws(
      () => parseKeys(JSON.stringify({ keys: [{ ...key, x: other.x }] })),
      notProven(/thumbprint of its key/),
    );
    assert.throws(() => parseKeys('<html>'), notProven(/not JSON/));
    assert.throws(() => parseKeys('{}'), notProven(/jwks\.json/));
    // A set that was replaced in transit has other kids: the receipt of a known kid is not proven by it.
    const { receipt } = await receiptsOf(file, ANSWER);
    await assert.rejects(verifyReceipt(receipt, [other], NOW_MS), notProven(/not among the saved keys/));
  });

  it('verify old receipts after a rotation, and the same sale signed again by the new key', async () => {
    const old = await receiptsOf(file, ANSWER);
    const both = rotateKeys(file, SOLD_MS + HOUR_MS, SOLD_MS);
    const again = await receiptsOf(both, ANSWER, { at: new Date(NOW_MS).toISOString() });
    assert.notEqual(old.receipt, again.receipt);
    const first = await verifyReceipt(old.receipt, publishedOf(both), NOW_MS);
    const second = await verifyReceipt(again.receipt, publishedOf(both), NOW_MS);
    assert.deepEqual([first.isSignedAgain, second.isSignedAgain], [false, true]);
    assert.deepEqual(
      { ...first.claims, x402_receipt_sha256: '' },
      { ...second.claims, x402_receipt_sha256: '' },
      'the same statement',
    );
    assert.equal(second.key.kid, both.keys[1]?.kid);
  });

  it('sign nothing after their time, before it, or once revoked', async () => {
    const both = rotateKeys(file, SOLD_MS + HOUR_MS, SOLD_MS);
    const late = { ...purchase, endedAtMs: SOLD_MS + 2 * HOUR_MS };
    const { receipt } = await receiptsOf(file, ANSWER, { sold: late });
    await verifyReceipt(receipt, keys, NOW_MS);
    await assert.rejects(verifyReceipt(receipt, publishedOf(both), NOW_MS), notProven(/signed until/));
    const early = { keys: [newKey(NOW_MS + HOUR_MS)] };
    const future = await receiptsOf(early, ANSWER);
    await assert.rejects(verifyReceipt(future.receipt, publishedOf(early), NOW_MS), notProven(/in the future/));
    const leaked = revokeKey(file, file.keys[0]?.kid ?? '', NOW_MS);
    const signed = await receiptsOf(file, ANSWER);
    await assert.rejects(verifyReceipt(signed.receipt, publishedOf(leaked), NOW_MS), notProven(/was revoked at/));
    const again = await receiptsOf(leaked, ANSWER, { at: new Date(NOW_MS).toISOString() });
    assert.equal((await verifyReceipt(again.receipt, publishedOf(leaked), NOW_MS)).isSignedAgain, true);
  });
});

describe('the pages that an answer names', () => {
  let folder: string;
  const pages = ['<p>found</p>', '<p>missing</p>', '<p>different</p>'].map((text) => ({
    text,
    sha256: answerOf(text).sha256,
  }));
  const [found, missing, different] = pages;
  const report = JSON.stringify({
    distress: {
      matches: [{ signal: { page_sha256: found?.sha256, source_url: 'https://county.example/1' }, auction: null }],
      candidates: [{ signal: null, auction: { page_sha256: missing?.sha256 } }],
    },
    history: [{ page_sha256: different?.sha256 }, { page_sha256: found?.sha256 }, { page_sha256: null }],
  });
  const states = [
    ['found', 'distress.matches.0.signal', 'https://county.example/1'],
    ['missing', 'distress.candidates.0.auction', null],
    ['different', 'history.0', null],
  ];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pages-'));
    await archivePage(folder, found?.text ?? '');
    await archivePage(folder, different?.text ?? '', {}, 'other bytes');
    await writeFile(join(folder, 'a page'), found?.text ?? '');
    await writeFile(join(folder, different?.sha256 ?? ''), 'other bytes');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('are found in every section, each once, and looked up in the archive of a data folder', async () => {
    const store = await archivedPages(folder);
    assert.ok(store);
    const checked = await checkPages(namedPages(report), store);
    assert.deepEqual(
      checked.map(({ state, place, url }) => [state, place, url]),
      states,
    );
  });

  it('are looked up in a folder of pages with any names', async () => {
    const store = await openFolder(folder);
    assert.ok(store);
    const checked = await checkPages(namedPages(report), store);
    assert.deepEqual(
      checked.map(({ state, place, url }) => [state, place, url]),
      states,
    );
    await writeFile(join(folder, 'saved by hand.html'), missing?.text ?? '');
    const again = await openFolder(folder);
    assert.equal(await again?.stateOf(missing?.sha256 ?? ''), 'found');
  });

  it('are none in an answer that is not JSON, and nowhere in a folder without an archive', async () => {
    assert.deepEqual(namedPages('id,name\r\n1,x\r\n'), []);
    assert.equal(await archivedPages(join(folder, 'nowhere')), null);
    assert.equal(await openFolder(join(folder, 'nowhere')), null);
  });
});
