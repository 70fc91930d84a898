/** The ways in which a payment is offered: none, right, and every way of being wrong. */
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
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

/** Copies of one payment that are sent at once. */
export const COPIES = 4;

export interface Wallet {
  readonly address: Hex;
  /** PAYMENT-SIGNATURE of this kind for what is asked; undefined is no header at all. */
  payment(kind: PaymentKind, asked: PaymentRequired, identifier?: string): Promise<string | undefined>;
}

const OTHER_ADDRESS = '0x00000000000000000000000000000000000000ee';

export function createWallet(privateKey: Hex = generatePrivateKey()): Wallet {
  const account = privateKeyToAccount(privateKey);
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account)).setSpendControls(false);
  return {
    address: account.address,
    async payment(kind, asked, identifier) {
      const signed = async (
        change: (accepted: PaymentRequirements) => PaymentRequirements = (a) => a,
      ): Promise<PaymentPayload> => {
        const extensions =
          identifier === undefined
            ? asked.extensions
            : appendPaymentIdentifierToExtensions(structuredClone(asked.extensions ?? {}), identifier);
        return client.createPaymentPayload({
          ...asked,
          accepts: asked.accepts.map(change),
          ...(extensions === undefined ? {} : { extensions }),
        });
      };
      switch (kind) {
        case 'no payment':
          return undefined;
        case 'malformed header':
          return 'e30=';
        case 'wrong amount':
          return encodePaymentSignatureHeader(await signed((a) => ({ ...a, amount: String(BigInt(a.amount) - 1n) })));
        case 'wrong network':
          return encodePaymentSignatureHeader(await signed((a) => ({ ...a, network: 'eip155:84532' })));
        case 'wrong recipient':
          return encodePaymentSignatureHeader(await signed((a) => ({ ...a, payTo: OTHER_ADDRESS })));
        case 'expired': {
          // Signed for a time that is over, and presented under the terms that were asked for: the signature itself is good.
          const payload = await signed((a) => ({ ...a, maxTimeoutSeconds: -10 }));
          return encodePaymentSignatureHeader({ ...payload, accepted: asked.accepts[0] ?? payload.accepted });
        }
        default:
          return encodePaymentSignatureHeader(await signed());
      }
    },
  };
}
