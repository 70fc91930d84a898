/** Where payments go: a local chain with test money, a facilitator with real money, or the chain itself with a key of our own. */
import { HTTPFacilitatorClient, type FacilitatorClient } from '@x402/core/server';
import type { Hex, PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readerOf } from './node.ts';
import { ownFacilitator } from './own.ts';
import { joinChain, POLLING_MS, startChain, type Chain } from './sandbox/chain.ts';
import { makeBuyer, readWallet, type SandboxWallet } from './sandbox/wallet.ts';

const FACILITATOR_TIMEOUT_MS = 30_000;

export const SANDBOX_NOTICE = 'SANDBOX PAYMENTS: test money on a local chain. Nothing here costs or is worth anything; do not sign with a wallet that holds real funds.';

/** Where money comes from, with everything that mode needs. */
export type PaymentSettings =
  /** `rpcUrl` names a chain of anvil to join; without it one is started, unless another server on the same data folder has one. */
  | { readonly mode: 'sandbox'; readonly payTo?: Hex; readonly rpcUrl?: string }
  | { readonly mode: 'facilitator'; readonly payTo: Hex; readonly publicUrl: string; readonly rpcUrl: string; readonly url: string; readonly authorization?: string }
  | { readonly mode: 'self'; readonly payTo: Hex; readonly publicUrl: string; readonly rpcUrl: string; readonly key: Hex };

export interface OpenPayments {
  readonly mode: PaymentSettings['mode'];
  readonly facilitator: FacilitatorClient;
  readonly payTo: Hex;
  /** Reads the chain. */
  readonly chain: PublicClient;
  readonly notice?: string;
  /** How many settlements the gas is enough for, where it is ours. */
  readonly settlementsLeft?: () => Promise<bigint>;
  /** Account that pays the gas, where it is ours and the money is real. */
  readonly gasFrom?: Hex;
  /** Only in the sandbox. The wallet file is written by the first of the servers that share it. */
  readonly sandbox?: { readonly chain: Chain; readonly buyer: { readonly privateKey: Hex; readonly address: Hex }; readonly writesWallet: boolean };
  close(): Promise<void>;
}

/** The wallet of a server that runs on the same data folder, where its chain answers. */
async function joined(dataDir: string): Promise<SandboxWallet | null> {
  const wallet = await readWallet(dataDir);
  if (wallet === null) return null;
  return readerOf(wallet.rpc_url).getBlockNumber().then(() => wallet, () => null);
}

async function openSandbox({ payTo, rpcUrl }: Extract<PaymentSettings, { mode: 'sandbox' }>, dataDir: string): Promise<OpenPayments> {
  const other = await joined(dataDir);
  const at = rpcUrl ?? other?.rpc_url;
  const chain = at === undefined ? await startChain() : await joinChain(at);
  try {
    // Servers on one chain and one data folder share the buyer and who is paid.
    const shared = other?.rpc_url === chain.rpcUrl ? other : null;
    const buyer = shared ? { privateKey: shared.private_key as Hex, address: shared.address as Hex } : await makeBuyer(chain);
    const own = ownFacilitator({ rpcUrl: chain.rpcUrl, key: chain.gasKey, pollingMs: POLLING_MS });
    return {
      mode: 'sandbox', facilitator: own, chain: chain.reader, notice: SANDBOX_NOTICE, sandbox: { chain, buyer, writesWallet: shared === null },
      payTo: payTo ?? (shared?.pay_to as Hex | undefined) ?? privateKeyToAccount(generatePrivateKey()).address,
      close: () => chain.close(),
    };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Open the payments that the settings ask for. `dataDir` is where sandbox servers find each other. */
export async function openPayments(settings: PaymentSettings, dataDir: string): Promise<OpenPayments> {
  if (settings.mode === 'sandbox') return openSandbox(settings, dataDir);
  const { mode, payTo, rpcUrl } = settings;
  const common = { mode, payTo, chain: readerOf(rpcUrl), close: async () => undefined };
  if (settings.mode === 'self') {
    const own = ownFacilitator({ rpcUrl, key: settings.key, pollingMs: 1_000 });
    return { ...common, facilitator: own, settlementsLeft: () => own.settlementsLeft(), gasFrom: own.address };
  }
  const headers = settings.authorization === undefined ? undefined : { Authorization: settings.authorization };
  return {
    ...common,
    facilitator: new HTTPFacilitatorClient({
      url: settings.url, timeoutMs: FACILITATOR_TIMEOUT_MS,
      ...(headers === undefined ? {} : { createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }) }),
    }),
  };
}
