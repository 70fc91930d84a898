/** Kinds of payment in a request: none, valid, and every kind of invalid. */
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

export const PAYMENT_KINDS = [
  'no payment',
  'valid',
  'expired',
  'wrong amount',
  'wrong network',
  'wrong recipient',
  'malformed header',
  'replayed',
  'concurrent replays',
] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** Copies of one payment that are sent concurrently. */
export const COPIES = 4;

export interface Wallet {
  readonly address: Hex;
  /** PAYMENT-SIGNATURE of this kind; undefined for no header. */
  payment(kind: PaymentKind, required: PaymentRequired, identifier?: string): Promise<string | undefined>;
}

const OTHER_ADDRESS = '0x00000000000000000000000000000000000000ee';

/** How the terms are changed before they are signed. */
const CHANGES: Partial<Record<PaymentKind, (terms: PaymentRequirements) => PaymentRequirements>> = {
  'wrong amount': (terms) => ({ ...terms, amount: String(BigInt(terms.amount) - 1n) }),
  'wrong network': (terms) => ({ ...terms, network: 'eip155:84532' }),
  'wrong recipient': (terms) => ({ ...terms, payTo: OTHER_ADDRESS }),
  expired: (terms) => ({ ...terms, maxTimeoutSeconds: -10 }),
};

export function createWallet(): Wallet {
  const account = privateKeyToAccount(generatePrivateKey());
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account)).setSpendControls(false);
  return {
    address: account.address,
    async payment(kind, required, identifier) {
      if (kind === 'no payment') return undefined;
      if (kind === 'malformed header') return 'e30=';
      const extensions = structuredClone(required.extensions ?? {});
      if (identifier !== undefined) appendPaymentIdentifierToExtensions(extensions, identifier);
      const accepts = required.accepts.map((terms) => CHANGES[kind]?.(terms) ?? terms);
      const payload = await client.createPaymentPayload({ ...required, accepts, extensions });
      // Signed for a time in the past and sent with the required terms: the signature itself is valid.
      const accepted = kind === 'expired' ? required.accepts[0] : undefined;
      return encodePaymentSignatureHeader({ ...payload, accepted: accepted ?? payload.accepted });
    },
  };
}
