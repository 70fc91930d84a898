/** Reads the payment header strictly. attacks/signatures.test.ts has the forms of a signature. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import * as fc from 'fast-check';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  mismatch,
  payloadFor,
  readOffered,
  type OfferedPayment,
  type SignedAuthorization,
} from '../../../api/payments/chain/authorization.ts';
import { signaturesOf } from '../../../api/payments/chain/signatures.ts';
import { signAuthorization, TERMS } from '../support/base.ts';
import { thorough } from '../../thorough.ts';

const account = privateKeyToAccount(generatePrivateKey());
const NOW = Math.floor(Date.now() / 1000);
/** Changed payments. */
const RUNS = thorough(240, 1_200);
const asked = TERMS;
const authorization = {
  from: account.address,
  to: asked.payTo as Hex,
  value: '50000',
  validAfter: '0',
  validBefore: String(NOW + 200),
  nonce: generatePrivateKey(),
} as const;
const signature = await signAuthorization(account, authorization);
const valid = { x402Version: 2, accepted: asked, payload: { signature, authorization } };

const headerOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const offerIn = (value: unknown): OfferedPayment => {
  const offered = readOffered(headerOf(value));
  assert.ok(offered.kind === 'payment', 'detail' in offered ? offered.detail : offered.kind);
  return offered.offer;
};
const withPayload = (change: object): unknown => ({ ...valid, payload: { ...valid.payload, ...change } });
const withAuthorization = (change: object): unknown => withPayload({ authorization: { ...authorization, ...change } });
const signatures = signaturesOf(null);

describe('a payment header', () => {
  it('with a changed member is refused, or means the same', async () => {
    const paths = [
      ['x402Version'],
      ['payload'],
      ['payload', 'signature'],
      ['payload', 'authorization'],
      ['payload', 'more'],
      ...Object.keys(authorization).map((name) => ['payload', 'authorization', name]),
      ['payload', 'authorization', 'more'],
      ['accepted'],
      ...Object.keys(asked).map((name) => ['accepted', name]),
      ['accepted', 'extra', 'name'],
      ['resource'],
      ['extensions'],
    ];
    const original = offerIn(valid);
    const hexes = fc.oneof(
      fc.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      fc.stringMatching(/^0x[0-9a-fA-F]{64}$/),
      fc.stringMatching(/^0x[0-9a-fA-F]{130}$/),
    );
    const near = fc.constantFrom(
      signature,
      signature.toUpperCase().replace('0X', '0x'),
      `${signature}00`,
      account.address.toLowerCase(),
      account.address.toUpperCase().replace('0X', '0x'),
      '050000',
      '50000',
      '49999',
      '0',
      String(NOW),
      String(NOW + 200),
      String(NOW + 10_000),
      '9'.repeat(78),
      authorization.nonce.toUpperCase().replace('0X', '0x'),
      authorization,
      valid.payload,
      asked,
      2,
      300,
    );
    const values = fc.oneof(near, hexes, fc.stringMatching(/^\d{1,80}$/), fc.jsonValue(), fc.constant(undefined));
    let [same, refusedCount] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), values, async (path, value) => {
        const changed = structuredClone(valid) as Record<string, unknown>;
        const last = path.at(-1) ?? '';
        let at = changed;
        for (const step of path.slice(0, -1)) at = at[step] as Record<string, unknown>;
        if (value === undefined) delete at[last];
        else at[last] = value;
        const offered = readOffered(headerOf(changed));
        const isGood =
          offered.kind === 'payment' &&
          mismatch(offered.offer, asked, NOW) === null &&
          (await signatures.byKey(offered.offer.signed));
        // No check throws, whatever it is given.
        if (offered.kind === 'payment') await signatures.byContract(offered.offer.signed);
        if (!isGood) {
          refusedCount += 1;
          return;
        }
        same += 1;
        assert.deepEqual(offered.offer.payment, original.payment);
        const payload = payloadFor(offered.offer, asked).payload as SignedAuthorization;
        assert.deepEqual(Object.keys(payload).sort(), ['authorization', 'signature']);
        assert.deepEqual(Object.keys(payload.authorization).sort(), Object.keys(authorization).sort());
        const { nonce, validAfter } = payload.authorization;
        assert.equal(payload.signature.toLowerCase(), signature.toLowerCase());
        assert.deepEqual([BigInt(validAfter), nonce.toLowerCase()], [0n, authorization.nonce.toLowerCase()]);
      }),
      { numRuns: RUNS },
    );
    assert.ok(same > RUNS / 24 && refusedCount > RUNS / 2.4, `${same} the same, ${refusedCount} refused`);
  });
});

test('an authorization must have begun, leave time to settle, and end at most a minute after the terms', () => {
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
    assert.equal(mismatch(offerIn(withAuthorization(times)), asked, NOW)?.code ?? null, code, JSON.stringify(times));
  }
});
