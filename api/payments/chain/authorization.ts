/** Parses PAYMENT-SIGNATURE into the one payment shape that we accept. Other fields are ignored or refused. */
import { hash } from 'node:crypto';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { isValidPaymentId } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import type { Payment } from '../../../ledger/ledger.ts';
import { CLOCK_SKEW_SECONDS } from '../../../lib/network.ts';

/** The end of every refusal of a payment in another shape. */
const ACCEPTED_SHAPE =
  'Send scheme "exact" with an EIP-3009 payload: signature and authorization ' +
  '(from, to, value, validAfter, validBefore, nonce), nothing else.';
/** The last 32 bytes of a signature by a wallet that is not deployed yet (ERC-6492). */
const ERC_6492_SUFFIX = '6492'.repeat(16);
/**
 * Seconds for which a payment must still be valid. Facilitators refuse one with fewer than six: a payment that expires
 * while its answer is made would show for free whether there is one.
 */
const MIN_VALID_SECONDS = 20;

const hex = (digits: string, name: string) => {
  const pattern = new RegExp(`^0x[0-9a-fA-F]${digits}$`);
  return z.custom<`0x${string}`>((given) => typeof given === 'string' && pattern.test(given), name);
};
/** In lower case: the checksum is not signed, and libraries reject a wrong one. */
const address = hex('{40}', 'an address').transform((given) => given.toLowerCase() as `0x${string}`);
const INTEGER = 'an integer in decimal digits';
const integer = z.string(INTEGER).regex(/^\d{1,78}$/, INTEGER);
const text = z.string('text');
const AN_OBJECT = 'an object';

// Unknown members are refused: a facilitator might settle them instead of the authorization that we record.
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
      (given) => typeof given === 'string' && /^0x(?:[0-9a-fA-F]{2}){1,4096}$/.test(given),
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

/** The detail of a refusal shows these messages; none comes from a library. */
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
  /** SHA-256, in hex, of the identifier that the buyer chose for the purchase; null if it chose none. */
  readonly identifierHash: string | null;
  /** The authorization as signed. */
  readonly signed: SignedAuthorization;
  /** The requirements that the buyer says it accepts. */
  readonly accepted: z.infer<typeof Offer>['accepted'];
}

export type Offered =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'payment'; readonly offer: OfferedPayment };

const malformed = (detail: string): Offered => ({ kind: 'malformed', detail });

/** Why a payment in another shape is refused, and the shape that is accepted. */
function shapeProblem({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => key.slice(0, 40));
    const problem = keys.includes('permit2Authorization')
      ? 'Permit2 payments (permit2Authorization) are not accepted.'
      : `${path} has members that are not accepted: ${keys.slice(0, 5).join(', ')}.`;
    return `${problem} ${ACCEPTED_SHAPE}`;
  }
  const expected = `${path === '' ? 'it' : path} should be ${issue?.message ?? 'another value'}`;
  return `PAYMENT-SIGNATURE is not an exact EIP-3009 payment: ${expected}. ${ACCEPTED_SHAPE}`;
}

/** Parse the header's value. Never throws. */
export function readOffered(header: string | undefined): Offered {
  if (header === undefined || header === '') return { kind: 'none' };
  let decoded: unknown;
  try {
    decoded = decodePaymentSignatureHeader(header);
  } catch {
    return malformed('PAYMENT-SIGNATURE is not base64 of JSON.');
  }
  const parsed = Offer.safeParse(decoded);
  if (!parsed.success) return malformed(shapeProblem(parsed.error));
  const { accepted, payload, extensions } = parsed.data;
  if (payload.signature.toLowerCase().endsWith(ERC_6492_SUFFIX)) {
    return malformed(
      'Signatures of wallets that are not deployed (ERC-6492) are not accepted. ' +
        'Deploy the wallet, or pay from an ordinary account.',
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

/** The payment for a facilitator: our own requirements, and the fields that we parsed. */
export const payloadFor = ({ signed }: OfferedPayment, requirements: PaymentRequirements): PaymentPayload => ({
  x402Version: 2,
  accepted: requirements,
  payload: { signature: signed.signature, authorization: { ...signed.authorization } },
});

/** Why a payment does not meet these requirements: the protocol's code and a sentence; null if it does. */
export function mismatch(
  { payment, accepted, signed }: OfferedPayment,
  required: PaymentRequirements,
  nowSeconds: number,
): { readonly code: string; readonly cause: string } | null {
  const payTo = required.payTo.toLowerCase();
  const terms = [
    ['scheme', accepted.scheme, required.scheme],
    ['network', payment.network, required.network.toLowerCase()],
    ['asset', payment.asset, required.asset.toLowerCase()],
    ['amount', accepted.amount, required.amount],
    ['payTo', accepted.payTo.toLowerCase(), payTo],
    ['maxTimeoutSeconds', accepted.maxTimeoutSeconds, required.maxTimeoutSeconds],
  ] as const;
  const [name, given, offered] = terms.find(([, accepts, requires]) => accepts !== requires) ?? [];
  const { payTo: to, amount, validBefore } = payment;
  const { validAfter } = signed.authorization;
  const now = BigInt(Math.floor(nowSeconds));
  const least = now + BigInt(MIN_VALID_SECONDS);
  // A payment that stays valid for longer could be settled much later.
  const latest = now + BigInt(required.maxTimeoutSeconds + CLOCK_SKEW_SECONDS);
  const problems: readonly (readonly [isProblem: boolean, code: string, cause: string])[] = [
    [
      name !== undefined,
      'no_matching_payment_requirements',
      `It accepts ${name} ${String(given).slice(0, 80)}, and this call requires ${offered}.`,
    ],
    [to !== payTo, 'invalid_exact_evm_recipient_mismatch', `It pays ${to}, and this call is paid to ${payTo}.`],
    [
      amount !== BigInt(required.amount),
      'invalid_exact_evm_payload_authorization_value_mismatch',
      `It pays ${amount} millionths of USDC, and this call costs exactly ${required.amount}.`,
    ],
    [
      validBefore < least,
      'invalid_exact_evm_payload_authorization_valid_before',
      `validBefore is ${validBefore}; it must be ${least} or later (unix seconds).`,
    ],
    [
      validBefore > latest,
      'valid_before_too_late',
      `validBefore is ${validBefore}; it must be ${latest} or earlier (unix seconds).`,
    ],
    [
      BigInt(validAfter) > now,
      'invalid_exact_evm_payload_authorization_valid_after',
      `validAfter is ${validAfter}; it must be ${now} or earlier (unix seconds).`,
    ],
  ];
  const [, code, cause] = problems.find(([isProblem]) => isProblem) ?? [];
  return code === undefined || cause === undefined ? null : { code, cause };
}
