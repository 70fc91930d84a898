/** Where payments go: a local chain with test money, or a facilitator with real money. */
import { HTTPFacilitatorClient, type FacilitatorClient } from '@x402/core/server';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { PaymentSettings } from '../settings.ts';
import { startChain, type Chain } from './sandbox/chain.ts';
import { localFacilitator } from './sandbox/facilitator.ts';
import { makeBuyer } from './sandbox/wallet.ts';

const FACILITATOR_TIMEOUT_MS = 30_000;

export const SANDBOX_NOTICE = 'SANDBOX PAYMENTS: test money on a local chain. Nothing here costs or is worth anything; do not sign with a wallet that holds real funds.';

export interface OpenPayments {
  readonly mode: 'sandbox' | 'facilitator';
  readonly facilitator: FacilitatorClient;
  readonly payTo: `0x${string}`;
  readonly notice?: string;
  /** Only in the sandbox. */
  readonly sandbox?: { readonly chain: Chain; readonly buyer: { readonly privateKey: `0x${string}`; readonly address: `0x${string}` } };
  close(): Promise<void>;
}

async function openSandbox(payTo?: `0x${string}`): Promise<OpenPayments> {
  const chain = await startChain();
  try {
    const buyer = await makeBuyer(chain);
    return {
      mode: 'sandbox', facilitator: localFacilitator(chain), notice: SANDBOX_NOTICE, sandbox: { chain, buyer },
      payTo: payTo ?? privateKeyToAccount(generatePrivateKey()).address,
      close: () => chain.close(),
    };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Open the payments that the settings ask for. */
export async function openPayments(settings: PaymentSettings): Promise<OpenPayments> {
  if (settings.mode === 'sandbox') return openSandbox(settings.payTo);
  const headers = settings.authorization === undefined ? undefined : { Authorization: settings.authorization };
  return {
    mode: 'facilitator', payTo: settings.payTo,
    facilitator: new HTTPFacilitatorClient({
      url: settings.url, timeoutMs: FACILITATOR_TIMEOUT_MS,
      ...(headers === undefined ? {} : { createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }) }),
    }),
    close: async () => undefined,
  };
}
