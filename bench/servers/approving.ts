/** A facilitator that approves and settles whatever it is given, and payments of the right form for it. */
import { createHash, randomBytes } from 'node:crypto';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { FacilitatorClient, RouteConfig } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { NETWORK, PAYMENT_SECONDS } from '../../api/payments/network.ts';

export const PAY_TO = '0x00000000000000000000000000000000000000aa';
const PAYER = '0x00000000000000000000000000000000000000bb';

export const approving: FacilitatorClient = {
  getSupported: async () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} }),
  verify: async () => ({ isValid: true, payer: PAYER }),
  settle: async (payload) => ({ success: true, network: NETWORK, payer: PAYER, transaction: `0x${createHash('sha256').update(JSON.stringify(payload.payload)).digest('hex')}` }),
};

/** PAYMENT-SIGNATURE of a payment that nobody else has, for what a route asks for. Its signature is none: the facilitator above does not look. */
export function paymentFor(accepted: PaymentRequirements): string {
  const payload: PaymentPayload = {
    x402Version: 2, accepted,
    payload: {
      signature: `0x${'11'.repeat(65)}`,
      authorization: {
        from: PAYER, to: PAY_TO, value: accepted.amount, validAfter: '0', validBefore: String(Math.floor(Date.now() / 1000) + 290), nonce: `0x${randomBytes(32).toString('hex')}`,
      },
    },
  };
  return encodePaymentSignatureHeader(payload);
}

/** A priced route as both payment layers take it. */
export const paidRoutes: Readonly<Record<string, RouteConfig>> = {
  'GET /paid': {
    accepts: { scheme: 'exact', network: NETWORK, payTo: PAY_TO, price: '$0.05', maxTimeoutSeconds: PAYMENT_SECONDS }, description: 'Records.', mimeType: 'application/json', serviceName: 'Bench',
  },
};
