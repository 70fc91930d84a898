/** What a buyer sent in PAYMENT-SIGNATURE, read strictly before anything else looks at it. */
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { z } from 'zod';
import { CLOCK_SKEW_SECONDS, PAYMENT_SECONDS } from './network.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address');
const whole = z.string().regex(/^\d{1,78}$/, 'a whole number in digits');

const Payment = z.object({
  x402Version: z.literal(2, 'x402 version 2'),
  accepted: z.object({ network: z.string(), asset: address }),
  payload: z.object({
    signature: z.string().regex(/^0x[0-9a-fA-F]+$/, 'a signature in hex'),
    authorization: z.object({
      from: address, to: address, value: whole, validAfter: whole, validBefore: whole,
      nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'a 32-byte nonce in hex'),
    }),
  }),
});

/** An EIP-3009 authorization, reduced to what identifies it. */
export interface Authorization {
  /** The same for every copy of this payment: network, asset, payer, nonce. */
  readonly key: string;
  readonly payer: string;
  readonly nonce: string;
  /** Unix second from which it can no longer be settled. */
  readonly validBefore: bigint;
}

export type Offered =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'payment'; readonly authorization: Authorization };

/** Read the header's value. Never throws: whatever it holds is one of three kinds. */
export function readOffered(header: string | undefined): Offered {
  if (header === undefined || header === '') return { kind: 'none' };
  let decoded: unknown;
  try { decoded = decodePaymentSignatureHeader(header); } catch {
    return { kind: 'malformed', detail: 'PAYMENT-SIGNATURE is not base64 of JSON.' };
  }
  const checked = Payment.safeParse(decoded);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const where = issue?.path.join('.') ?? '';
    return { kind: 'malformed', detail: `PAYMENT-SIGNATURE is not an exact EIP-3009 payment: ${where === '' ? 'the whole' : where} should be ${issue?.message ?? 'otherwise'}.` };
  }
  const { accepted, payload: { authorization: a } } = checked.data;
  return {
    kind: 'payment',
    authorization: {
      key: [accepted.network, accepted.asset, a.from, a.nonce].join('|').toLowerCase(),
      payer: a.from, nonce: a.nonce, validBefore: BigInt(a.validBefore),
    },
  };
}

/** True where the authorization stays valid for longer than was asked: it could be held back and settled much later. */
export const validTooLong = (authorization: Authorization, nowSeconds: number): boolean =>
  authorization.validBefore > BigInt(Math.floor(nowSeconds) + PAYMENT_SECONDS + CLOCK_SKEW_SECONDS);
