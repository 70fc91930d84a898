/** What a buyer sent in PAYMENT-SIGNATURE, parsed into exactly the shape we sell for. Nothing else of it is used. */
import { hash } from 'node:crypto';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { isValidPaymentId } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import type { Payment } from '../../../ledger/ledger.ts';
import { readPaymentHeader } from '../headers.ts';
import { CLOCK_SKEW_SECONDS } from '../../../lib/network.ts';

/** What a payment consists of, for whoever sent something else. */
const WHAT_WORKS =
  'Send scheme "exact" with an EIP-3009 payload: signature and authorization (from, to, value, validAfter, validBefore, nonce), nothing else.';
/** The last 32 bytes of a signature of a wallet that is not deployed yet (ERC-6492). */
const ERC_6492_SUFFIX = '6492'.repeat(16);
/** Seconds a payment must still be valid for, so that a block can include it. */
const LEAST_VALID_SECONDS = 6;

const hex = (digits: string, name: string) => {
  const pattern = new RegExp(`^0x[0-9a-fA-F]${digits}$`);
  return z.custom<`0x${string}`>((s) => typeof s === 'string' && pattern.test(s), name);
};
/** In lower case: a checksum is no part of what is signed, and libraries refuse a wrong one. */
const address = hex('{40}', 'an address').transform((s) => s.toLowerCase() as `0x${string}`);
const INTEGER = 'an integer in decimal digits';
const integer = z.string(INTEGER).regex(/^\d{1,78}$/, INTEGER);
const text = z.string('text');
const AN_OBJECT = 'an object';

const Authorization = z.strictObject(
  {
    from: address,
    to: address,
    value: integer,
    validAfter: integer,
    validBefore: integer,
    nonce: hex('{64}', 'a 32-byte nonce in hex'),
  },
  AN_OBJECT,
);

const Payload = z.strictObject(
  {
    signature: z.custom<`0x${string}`>(
      (s) => typeof s === 'string' && /^0x(?:[0-9a-fA-F]{2}){1,4096}$/.test(s),
      'a signature in hex of at most 4096 bytes',
    ),
    authorization: Authorization,
  },
  AN_OBJECT,
);

const IDENTIFIER = '16 to 128 letters, digits, hyphens and underscores';
const Extensions = z.object(
  {
    'payment-identifier': z
      .object(
        {
          info: z.object({ id: z.string(IDENTIFIER).refine(isValidPaymentId, IDENTIFIER).optional() }, AN_OBJECT),
        },
        AN_OBJECT,
      )
      .optional(),
  },
  AN_OBJECT,
);

/** Every message is ours: the detail of a refusal shows it. */
const Offer = z.object(
  {
    x402Version: z.literal(2, '2'),
    accepted: z.object(
      {
        scheme: text,
        network: text,
        asset: address,
        amount: text,
        payTo: text,
        maxTimeoutSeconds: z.number('a number'),
      },
      AN_OBJECT,
    ),
    payload: Payload,
    extensions: Extensions.optional(),
  },
  AN_OBJECT,
);

export type SignedAuthorization = z.infer<typeof Offer>['payload'];

export interface OfferedPayment {
  readonly payment: Payment;
  /** SHA-256, in hex, of the identifier the buyer chose for the purchase; null where none was given. */
  readonly identifierHash: string | null;
  /** The authorization as it was signed. */
  readonly signed: SignedAuthorization;
  /** The requirements that the buyer says it accepts. */
  readonly accepted: z.infer<typeof Offer>['accepted'];
}

export type Offered =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'payment'; readonly offer: OfferedPayment };

const malformed = (detail: string): Offered => ({ kind: 'malformed', detail });

/** Why a payment of another shape is refused, with what works instead. */
function shapeProblem({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => key.slice(0, 40));
    const isPermit2 = keys.includes('permit2Authorization');
    return `${isPermit2 ? 'Permit2 payments (permit2Authorization) are not accepted.' : `${path} has members that are not accepted: ${keys.slice(0, 5).join(', ')}.`} ${WHAT_WORKS}`;
  }
  return `PAYMENT-SIGNATURE is not an exact EIP-3009 payment: ${path === '' ? 'it' : path} should be ${issue?.message ?? 'another value'}. ${WHAT_WORKS}`;
}

/** Parse the header's value. Never throws. */
export function readOffered(header: string | undefined): Offered {
  if (header === undefined || header === '') return { kind: 'none' };
  let decoded: unknown;
  try {
    decoded = readPaymentHeader(header);
  } catch {
    return malformed('PAYMENT-SIGNATURE is not base64 of JSON.');
  }
  const parsed = Offer.safeParse(decoded);
  if (!parsed.success) return malformed(shapeProblem(parsed.error));
  const { accepted, payload, extensions } = parsed.data;
  if (payload.signature.toLowerCase().endsWith(ERC_6492_SUFFIX)) {
    return malformed(
      'Signatures of wallets that are not deployed (ERC-6492) are not accepted. Deploy the wallet, or pay from an ordinary account.',
    );
  }
  const a = payload.authorization;
  const id = extensions?.['payment-identifier']?.info.id;
  return {
    kind: 'payment',
    offer: {
      payment: {
        network: accepted.network.toLowerCase(),
        asset: accepted.asset.toLowerCase(),
        payer: a.from.toLowerCase(),
        nonce: a.nonce.toLowerCase(),
        payTo: a.to.toLowerCase(),
        amount: BigInt(a.value),
        validBefore: BigInt(a.validBefore),
      },
      identifierHash: id === undefined ? null : hash('sha256', id, 'hex'),
      signed: payload,
      accepted,
    },
  };
}

/** The payment as a facilitator is given it: our own requirements, and what we parsed. */
export const payloadFor = ({ signed }: OfferedPayment, requirements: PaymentRequirements): PaymentPayload => ({
  x402Version: 2,
  accepted: requirements,
  payload: { signature: signed.signature, authorization: { ...signed.authorization } },
});

/** What is wrong with a payment for these requirements, in the protocol's words; null where nothing is. */
export function mismatch(
  { payment, signed, accepted }: OfferedPayment,
  asked: PaymentRequirements,
  nowSeconds: number,
): string | null {
  const isAccepted =
    accepted.scheme === asked.scheme &&
    payment.network === asked.network.toLowerCase() &&
    payment.asset === asked.asset.toLowerCase() &&
    accepted.amount === asked.amount &&
    accepted.payTo.toLowerCase() === asked.payTo.toLowerCase() &&
    accepted.maxTimeoutSeconds === asked.maxTimeoutSeconds;
  if (!isAccepted) return 'no_matching_payment_requirements';
  if (payment.payTo !== asked.payTo.toLowerCase()) return 'invalid_exact_evm_recipient_mismatch';
  if (payment.amount !== BigInt(asked.amount)) return 'invalid_exact_evm_payload_authorization_value_mismatch';
  const now = BigInt(Math.floor(nowSeconds));
  if (payment.validBefore < now + BigInt(LEAST_VALID_SECONDS))
    return 'invalid_exact_evm_payload_authorization_valid_before';
  // A payment that stays valid for longer could be held back and settled much later.
  if (payment.validBefore > now + BigInt(asked.maxTimeoutSeconds + CLOCK_SKEW_SECONDS)) return 'valid_before_too_late';
  if (BigInt(signed.authorization.validAfter) > now) return 'invalid_exact_evm_payload_authorization_valid_after';
  return null;
}
