/** A facilitator that approves and settles whatever it is given, a chain that shows what it settled, and signed payments for it. */
import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { FacilitatorClient, RouteConfig } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { hashTypedData, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { PaymentLayerOptions } from '../../api/payments/middleware.ts';
import { CHAIN_ID, NETWORK, PAYMENT_SECONDS, USDC } from '../../lib/network.ts';

export const PAY_TO = '0x00000000000000000000000000000000000000aa';
/** Buyers who pay in turns: the ledger limits what one payer may have open. */
const PAYERS = Array.from({ length: 64 }, () => {
  const key = generatePrivateKey();
  return { key, address: privateKeyToAddress(key) };
});
const RICH = 10n ** 18n;

/** Hash of the transaction that settles this payment. */
export const transactionOf = (payload: PaymentPayload): Hex =>
  `0x${createHash('sha256').update(JSON.stringify(payload.payload)).digest('hex')}`;

export const approving: FacilitatorClient = {
  getSupported: async () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }],
    extensions: [],
    signers: {},
  }),
  verify: async () => ({ isValid: true }),
  settle: async (payload) => ({ success: true, network: NETWORK, transaction: transactionOf(payload) }),
};

/** The chain of that facilitator: what it says it settled is paid. */
export const approvingChain: PaymentLayerOptions['chain'] = {
  id: async () => `0x${'0'.repeat(64)}`,
  of: async (_, { transaction }) =>
    transaction === null ? { kind: 'open' } : { kind: 'paid', transaction, block: 1n },
  payer: async () => ({ hasCode: false, balance: RICH, isUsed: false }),
};

/** Our payment layer waits as little as can be: the chain above answers at once. */
export const approvingWait = { everyMs: 1, looksWithHint: 1, looksWithoutHint: 1 } as const;

interface Secp256k1 {
  sign(hash: Uint8Array, key: Uint8Array): { toCompactHex(): string; readonly recovery: number };
}

// viem signs asynchronously only, and a benchmark makes its requests synchronously: this is what viem signs with.
const { secp256k1 } = createRequire(createRequire(import.meta.url).resolve('viem'))('@noble/curves/secp256k1') as {
  secp256k1: Secp256k1;
};
const bytesOf = (hex: Hex): Uint8Array => Buffer.from(hex.slice(2), 'hex');

let made = 0;

/** PAYMENT-SIGNATURE of a payment that nobody else has, for what a route asks for. */
export function paymentFor(accepted: PaymentRequirements): string {
  const payer = PAYERS[made % PAYERS.length];
  made += 1;
  if (!payer) throw new Error('there are no payers');
  const message = {
    from: payer.address,
    to: accepted.payTo as Hex,
    value: BigInt(accepted.amount),
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}` as Hex,
  };
  const hash = hashTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const signed = secp256k1.sign(bytesOf(hash), bytesOf(payer.key));
  const signature = `0x${signed.toCompactHex()}${(27 + signed.recovery).toString(16)}`;
  const authorization = {
    ...message,
    value: accepted.amount,
    validAfter: '0',
    validBefore: String(message.validBefore),
  };
  return encodePaymentSignatureHeader({ x402Version: 2, accepted, payload: { signature, authorization } });
}

/** A priced route as both payment layers take it. */
export const paidRoutes: Readonly<Record<string, RouteConfig>> = {
  'GET /paid': {
    accepts: { scheme: 'exact', network: NETWORK, payTo: PAY_TO, price: '$0.05', maxTimeoutSeconds: PAYMENT_SECONDS },
    description: 'Records.',
    mimeType: 'application/json',
    serviceName: 'Bench',
  },
};
