/** The times of an authorization: how long it must still be valid, and how long it may be. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PaymentRequirements } from '@x402/core/types';
import { mismatch, readOffered } from '../../../api/payments/chain/authorization.ts';
import { NETWORK, USDC } from '../../../lib/network.ts';

const NOW = 1_795_000_000;
const required: PaymentRequirements = {
  scheme: 'exact',
  network: NETWORK,
  asset: USDC,
  amount: '50000',
  payTo: '0x00000000000000000000000000000000000000aa',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};

function judge(times: { readonly validAfter?: number; readonly validBefore: number }): string | null {
  const authorization = {
    from: '0x00000000000000000000000000000000000000bb',
    to: required.payTo,
    value: required.amount,
    validAfter: String(times.validAfter ?? 0),
    validBefore: String(times.validBefore),
    nonce: `0x${'1'.repeat(64)}`,
  };
  const payment = { x402Version: 2, accepted: required, payload: { signature: '0x12', authorization } };
  const offered = readOffered(Buffer.from(JSON.stringify(payment)).toString('base64'));
  assert.ok(offered.kind === 'payment');
  return mismatch(offered.offer, required, NOW)?.code ?? null;
}

describe('the times of an authorization', () => {
  it('end within the time that the terms allow and a minute for a wrong clock', () => {
    assert.equal(judge({ validBefore: NOW + 300 }), null);
    assert.equal(judge({ validBefore: NOW + 360 }), null);
    assert.equal(judge({ validBefore: NOW + 361 }), 'valid_before_too_late');
  });

  it('leave enough time for a settlement', () => {
    const tooSoon = 'invalid_exact_evm_payload_authorization_valid_before';
    assert.equal(judge({ validBefore: NOW + 6 }), null);
    assert.equal(judge({ validBefore: NOW + 5 }), tooSoon);
    assert.equal(judge({ validBefore: NOW - 1 }), tooSoon);
  });

  it('have begun', () => {
    assert.equal(judge({ validAfter: NOW, validBefore: NOW + 300 }), null);
    assert.equal(
      judge({ validAfter: NOW + 1, validBefore: NOW + 300 }),
      'invalid_exact_evm_payload_authorization_valid_after',
    );
  });
});
