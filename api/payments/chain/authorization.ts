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

const hex = (pattern: RegExp, name: string) =>
  z.custom<`0x${string}`>((given) => typeof given === 'string' && pattern.test(given), name);
/** In lower case: the checksum is not signed, and libraries reject a wrong one. */
const address = hex(/^0x[0-9a-fA-F]{40}$/, 'an address').transform((given) => given.toLowerCase() as `0x${string}`);
const nonce = hex(/^0x[0-9a-fA-F]{64}$/, 'a 32-byte nonce in hex');
const signature = hex(/^0x(?:[0-9a-fA-F]{2}){1,4096}$/, 'a signature in hex of at most 4096 bytes');
const INTEGER = 'an integer in decimal digits';
const integer = z.string(INTEGER).regex(/^\d{1,78}$/, INTEGER);
const text = z.string('text');
const IDENTIFIER = '16 to 128 letters, digits, hyphens and underscores';
const id = z.string(IDENTIFIER).refine(isValidPaymentId, IDENTIFIER);

const object = <T extends z.ZodRawShape>(shape: T) => z.object(shape, 'an object');
/** Other members are refused: a facilitator might settle them instead of the authorization that we record. */
const only = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, 'an object');

/** The detail of a refusal shows these messages; none comes from a library. */
const Offer = object({
  x402Version: z.literal(2, '2'),
  accepted: object({
    scheme: text,
    network: text,
    asset: address,
    amount: text,
    payTo: text,
    maxTimeoutSeconds: z.number('a number'),
  }),
  payload: only({
    signature,
    authorization: only({
      from: address,
      to: address,
      value: integer,
      validAfter: integer,
      validBefore: integer,
      nonce,
    }),
  }),
  extensions: object({
    'payment-identifier': object({ info: object({ id: id.optional() }) }).optional(),
  }).optional(),
});

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
  const identifier = extensions?.['payment-identifier']?.info.id;
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
      identifierHash: identifier === undefined ? null : hash('sha256', identifier, 'hex'),
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
  if (name !== undefined) {
    const cause = `It accepts ${name} ${String(given).slice(0, 80)}, and this call requires ${offered}.`;
    return { code: 'no_matching_payment_requirements', cause };
  }
  const { payTo: to, amount, validBefore } = payment;
  const validAfter = BigInt(signed.authorization.validAfter);
  const now = BigInt(Math.floor(nowSeconds));
  const least = now + BigInt(MIN_VALID_SECONDS);
  // A payment that stays valid for longer could be settled much later.
  const latest = now + BigInt(required.maxTimeoutSeconds + CLOCK_SKEW_SECONDS);
  const badTime = (field: string, value: bigint, limit: bigint, side: 'earlier' | 'later'): string =>
    `${field} is ${value}; it must be ${limit} or ${side} (unix seconds).`;
  const ofAuthorization = 'invalid_exact_evm_payload_authorization';
  const problems: readonly (readonly [isWrong: boolean, code: string, cause: string])[] = [
    [to !== payTo, 'invalid_exact_evm_recipient_mismatch', `It pays ${to}, and this call is paid to ${payTo}.`],
    [
      amount !== BigInt(required.amount),
      `${ofAuthorization}_value_mismatch`,
      `It pays ${amount} millionths of USDC, and this call costs exactly ${required.amount}.`,
    ],
    [validBefore < least, `${ofAuthorization}_valid_before`, badTime('validBefore', validBefore, least, 'later')],
    [validBefore > latest, 'valid_before_too_late', badTime('validBefore', validBefore, latest, 'earlier')],
    [validAfter > now, `${ofAuthorization}_valid_after`, badTime('validAfter', validAfter, now, 'earlier')],
  ];
  const [, code, cause] = problems.find(([isWrong]) => isWrong) ?? [];
  return code === undefined || cause === undefined ? null : { code, cause };
}
