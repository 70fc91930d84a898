/** What a buyer sent in PAYMENT-SIGNATURE, read strictly before anything else looks at it. */
import { hash } from 'node:crypto';
import type { PaymentPayload } from '@x402/core/types';
import { isValidPaymentId } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import type { Payment } from '../../ledger/ledger.ts';
import { readPaymentHeader } from './headers.ts';
import { CLOCK_SKEW_SECONDS, PAYMENT_SECONDS } from './network.ts';

const hex = (digits: string, what: string) => {
  const pattern = new RegExp(`^0x[0-9a-fA-F]${digits}$`);
  return z.custom<`0x${string}`>((s) => typeof s === 'string' && pattern.test(s), what);
};
const address = hex('{40}', 'an address');
const whole = z.string().regex(/^\d{1,78}$/, 'a whole number in digits');

const Offer = z.object({
  x402Version: z.literal(2, 'x402 version 2'),
  accepted: z.object({ network: z.string(), asset: address }),
  payload: z.object({
    signature: hex('+', 'a signature in hex'),
    authorization: z.object({ from: address, to: address, value: whole, validAfter: whole, validBefore: whole, nonce: hex('{64}', 'a 32-byte nonce in hex') }),
  }),
  extensions: z.object({
    'payment-identifier': z.object({ info: z.object({ id: z.string().refine(isValidPaymentId, '16 to 128 letters, digits, hyphens and underscores').optional() }) }).optional(),
  }).optional(),
});

export type SignedAuthorization = z.infer<typeof Offer>['payload'];

export interface OfferedPayment {
  readonly payment: Payment;
  /** SHA-256, in hex, of the identifier the buyer chose for the purchase; null where none was given. */
  readonly identifierHash: string | null;
  /** The authorization as it was signed. */
  readonly signed: SignedAuthorization;
  /** All that was sent, for the library. */
  readonly payload: PaymentPayload;
}

export type Offered =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'payment'; readonly offer: OfferedPayment };

/** Read the header's value. Never throws: whatever it holds is one of three kinds. */
export function readOffered(header: string | undefined): Offered {
  if (header === undefined || header === '') return { kind: 'none' };
  let decoded: unknown;
  try { decoded = readPaymentHeader(header); } catch {
    return { kind: 'malformed', detail: 'PAYMENT-SIGNATURE is not base64 of JSON.' };
  }
  const checked = Offer.safeParse(decoded);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const where = issue?.path.join('.') ?? '';
    return { kind: 'malformed', detail: `PAYMENT-SIGNATURE is not an exact EIP-3009 payment: ${where === '' ? 'the whole' : where} should be ${issue?.message ?? 'otherwise'}.` };
  }
  const { accepted, payload, extensions } = checked.data;
  const a = payload.authorization;
  const id = extensions?.['payment-identifier']?.info.id;
  return {
    kind: 'payment',
    offer: {
      payment: {
        network: accepted.network.toLowerCase(), asset: accepted.asset.toLowerCase(), payer: a.from.toLowerCase(), nonce: a.nonce.toLowerCase(),
        payTo: a.to.toLowerCase(), amount: BigInt(a.value), validBefore: BigInt(a.validBefore),
      },
      identifierHash: id === undefined ? null : hash('sha256', id, 'hex'),
      signed: payload,
      payload: decoded as PaymentPayload,
    },
  };
}

/** True where the authorization stays valid for longer than was asked: it could be held back and settled much later. */
export const validTooLong = ({ validBefore }: Payment, nowSeconds: number): boolean =>
  validBefore > BigInt(Math.floor(nowSeconds) + PAYMENT_SECONDS + CLOCK_SKEW_SECONDS);
