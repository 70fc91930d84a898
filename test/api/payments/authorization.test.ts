/** The times of a payment. attacks/signature_forms.test.ts has its forms, and the matrix of bills its terms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mismatch, readOffered } from '../../../api/payments/chain/authorization.ts';
import { NETWORK, USDC } from '../../../lib/network.ts';

const NOW = Math.floor(Date.now() / 1000);
const asked = {
  scheme: 'exact',
  network: NETWORK,
  asset: USDC,
  amount: '50000',
  payTo: `0x${'a'.repeat(40)}`,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
} as const;

test('the times of an authorization have begun, leave time to settle, and end within the terms and a minute', () => {
  const tooSoon = 'invalid_exact_evm_payload_authorization_valid_before';
  const notYet = 'invalid_exact_evm_payload_authorization_valid_after';
  for (const [validAfter, validBefore, code] of [
    [0, 300, null],
    [0, 360, null],
    [0, 361, 'valid_before_too_late'],
    [0, 20, null],
    [0, 19, tooSoon],
    [0, -1, tooSoon],
    [1, 300, notYet],
  ] as const) {
    const times = { validAfter: String(NOW + validAfter), validBefore: String(NOW + validBefore) };
    const authorization = {
      from: `0x${'b'.repeat(40)}`,
      to: asked.payTo,
      value: asked.amount,
      ...times,
      nonce: `0x${'1'.repeat(64)}`,
    };
    const payload = { signature: `0x${'1'.repeat(130)}`, authorization };
    const header = Buffer.from(JSON.stringify({ x402Version: 2, accepted: asked, payload })).toString('base64');
    const offered = readOffered(header);
    assert.ok(offered.kind === 'payment', offered.kind);
    assert.equal(mismatch(offered.offer, asked, NOW)?.code ?? null, code, JSON.stringify(times));
  }
});
