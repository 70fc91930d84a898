/** Reads the payment header strictly, and checks its signature in the one form that USDC accepts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PaymentRequirements } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import * as fc from 'fast-check';
import { hexToBigInt, numberToHex, parseSignature, serializeSignature, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  mismatch,
  payloadFor,
  readOffered,
  type OfferedPayment,
  type SignedAuthorization,
} from '../../../api/payments/chain/authorization.ts';
import { CHAIN_ID, NETWORK, USDC } from '../../../lib/network.ts';
import { signaturesOf } from '../../../api/payments/chain/signatures.ts';
import { thorough } from '../../thorough.ts';

const account = privateKeyToAccount(generatePrivateKey());
const NOW = Math.floor(Date.now() / 1000);
/** Changed payments. */
const RUNS = thorough(240, 1_200);
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
const asked: PaymentRequirements = {
  scheme: 'exact',
  network: NETWORK,
  asset: USDC,
  amount: '50000',
  payTo: '0x00000000000000000000000000000000000000aa',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};
const message = {
  from: account.address,
  to: asked.payTo as Hex,
  value: 50_000n,
  validAfter: 0n,
  validBefore: BigInt(NOW + 200),
  nonce: generatePrivateKey(),
};
const signature = await account.signTypedData({
  domain: { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC },
  types: authorizationTypes,
  primaryType: 'TransferWithAuthorization',
  message,
});
const authorization = {
  ...message,
  value: '50000',
  validAfter: '0',
  validBefore: String(message.validBefore),
} as const;
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
  it('is parsed, and only parsed fields are forwarded', () => {
    const offer = offerIn({ ...valid, resource: { url: 'x' }, more: 1, accepted: { ...asked, more: 1 } });
    assert.equal(mismatch(offer, asked, NOW), null);
    const { nonce } = message;
    const payer = account.address.toLowerCase();
    assert.deepEqual(offer.payment, {
      network: NETWORK,
      asset: USDC.toLowerCase(),
      payer,
      nonce: nonce.toLowerCase(),
      payTo: asked.payTo,
      amount: 50_000n,
      validBefore: message.validBefore,
    });
    assert.deepEqual(payloadFor(offer, asked), {
      x402Version: 2,
      accepted: asked,
      payload: { signature, authorization: { ...authorization, from: payer } },
    });
  });

  const refused: [string, unknown, RegExp][] = [
    [
      'Permit2',
      withPayload({ permit2Authorization: { permitted: {} } }),
      /^Permit2 payments \(permit2Authorization\) are not accepted\. Send scheme "exact" with an EIP-3009 payload/,
    ],
    [
      'Permit2 in the authorization',
      withAuthorization({ permit2Authorization: {} }),
      /^Permit2 payments \(permit2Authorization\) are not accepted/,
    ],
    [
      'an unknown member of the payload',
      withPayload({ asset: 'x', note: 1 }),
      /^payload has members that are not accepted: asset, note\. Send/,
    ],
    [
      'an unknown member of the authorization',
      withAuthorization({ salt: '0x' }),
      /^payload\.authorization has members that are not accepted: salt\./,
    ],
    [
      'a wallet that is not deployed',
      withPayload({ signature: `0x${'00'.repeat(96)}${'6492'.repeat(16)}` }),
      /not deployed \(ERC-6492\)/,
    ],
    [
      'the same in upper case',
      withPayload({ signature: `0x${'AB'.repeat(96)}${'6492'.repeat(16)}` }),
      /not deployed \(ERC-6492\)/,
    ],
    [
      'a signature that is no hex',
      withPayload({ signature: '0xzz' }),
      /payload\.signature should be a signature in hex/,
    ],
    ['half a byte', withPayload({ signature: '0x123' }), /payload\.signature/],
    ['an empty signature', withPayload({ signature: '0x' }), /payload\.signature/],
    ['a signature of 4097 bytes', withPayload({ signature: `0x${'00'.repeat(4097)}` }), /at most 4096 bytes/],
    ['no signature', withPayload({ signature: undefined }), /payload\.signature/],
    ['a short nonce', withAuthorization({ nonce: `0x${'0'.repeat(63)}` }), /nonce should be a 32-byte nonce in hex/],
    [
      'a nonce with a line break',
      withAuthorization({ nonce: `0x${'0'.repeat(64)}\n` }),
      /nonce should be a 32-byte nonce in hex/,
    ],
    ['a payer that is no address', withAuthorization({ from: '0x12' }), /from should be an address/],
    ['a value in hex', withAuthorization({ value: '0xc350' }), /value should be an integer in decimal digits/],
    ['a negative value', withAuthorization({ value: '-1' }), /value should be an integer/],
    ['a value that is a number', withAuthorization({ value: 50_000 }), /value should be an integer/],
    ['a value of 79 digits', withAuthorization({ value: '1'.repeat(79) }), /value should be an integer/],
    ['version 1', { ...valid, x402Version: 1 }, /x402Version should be 2/],
    ['no terms', { ...valid, accepted: undefined }, /accepted should be an object/],
    [
      'terms without a number',
      { ...valid, accepted: { ...asked, maxTimeoutSeconds: '300' } },
      /maxTimeoutSeconds should be a number/,
    ],
    [
      'an identifier that is a number',
      { ...valid, extensions: { 'payment-identifier': { info: { id: 1 } } } },
      /id should be 16 to 128 letters/,
    ],
    [
      'a short identifier',
      { ...valid, extensions: { 'payment-identifier': { info: { id: 'x' } } } },
      /id should be 16 to 128 letters/,
    ],
    ['extensions that are text', { ...valid, extensions: 'x' }, /extensions should be an object/],
    ['an array', [valid], /^PAYMENT-SIGNATURE is not an exact EIP-3009 payment: it should be/],
    ['null', null, /^PAYMENT-SIGNATURE is not an exact EIP-3009 payment/],
  ];
  for (const [name, value, detail] of refused) {
    it(`is refused with ${name}, and names the accepted form`, () => {
      const offered = readOffered(headerOf(value));
      assert.ok(offered.kind === 'malformed', offered.kind);
      assert.match(offered.detail, detail);
      assert.doesNotMatch(offered.detail, /Invalid|received/, 'the text of a library');
      assert.match(offered.detail, /Send scheme "exact"|pay from an ordinary account/);
    });
  }

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
      message.nonce.toUpperCase().replace('0X', '0x'),
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
        assert.deepEqual([BigInt(validAfter), nonce.toLowerCase()], [0n, message.nonce.toLowerCase()]);
      }),
      { numRuns: RUNS },
    );
    assert.ok(same > RUNS / 24 && refusedCount > RUNS / 2.4, `${same} the same, ${refusedCount} refused`);
  });
});

describe('a signature', () => {
  const byKey = (changed: string): Promise<boolean> => signatures.byKey({ signature: changed as Hex, authorization });
  const { r, s, yParity } = parseSignature(signature);

  it('counts when its key is that of the payer', async () => {
    assert.equal(await byKey(signature), true);
    assert.equal(
      await signatures.byKey({ signature, authorization: { ...authorization, from: `0x${'1'.repeat(40)}` } }),
      false,
    );
    assert.equal(await signatures.byKey({ signature, authorization: { ...authorization, value: '50001' } }), false);
  });

  it('counts in one form only: neither with a high s, nor with v 0 or 1, nor shorter or longer', async () => {
    const high = serializeSignature({ r, s: numberToHex(ORDER - hexToBigInt(s), { size: 32 }), yParity: 1 - yParity });
    assert.equal(await byKey(high), false);
    assert.equal(await byKey(signature.slice(0, -2) + (yParity === 0 ? '00' : '01')), false);
    assert.equal(await byKey(signature.slice(0, -2) + (yParity === 0 ? '1c' : '1b')), false);
    assert.equal(
      await byKey(
        serializeSignature({
          r,
          s: numberToHex(hexToBigInt(s) | (BigInt(yParity) << 255n), { size: 32 }),
          yParity,
        }).slice(0, 130),
      ),
      false,
      'the compact form of EIP-2098',
    );
    assert.equal(await byKey(`${signature}00`), false);
    assert.equal(await byKey(`0x${'00'.repeat(65)}`), false);
  });

  it('of numbers that do not fit is none', async () => {
    const tooLarge = { signature, authorization: { ...authorization, value: '9'.repeat(78) } };
    assert.deepEqual([await signatures.byKey(tooLarge), await signatures.byContract(tooLarge)], [false, false]);
  });
});

/** What is wrong with a payment of these times; null if nothing is. */
const judge = (times: { readonly validAfter?: number; readonly validBefore: number }): string | null => {
  const texts = Object.fromEntries(Object.entries(times).map(([name, time]) => [name, String(time)]));
  return mismatch(offerIn(withAuthorization(texts)), asked, NOW)?.code ?? null;
};

describe('the times of an authorization', () => {
  it('end within the time that the terms allow and a minute for a wrong clock', () => {
    assert.equal(judge({ validBefore: NOW + 300 }), null);
    assert.equal(judge({ validBefore: NOW + 360 }), null);
    assert.equal(judge({ validBefore: NOW + 361 }), 'valid_before_too_late');
  });

  it('leave enough time for a settlement', () => {
    const tooSoon = 'invalid_exact_evm_payload_authorization_valid_before';
    assert.equal(judge({ validBefore: NOW + 20 }), null);
    assert.equal(judge({ validBefore: NOW + 19 }), tooSoon);
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
