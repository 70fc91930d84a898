/** Payment modes: test money on a local chain, real money through a facilitator, or settlement with our own key. */
import type { Hex, PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';
import { httpFacilitator } from './facilitator/http_facilitator.ts';
import { localFacilitator, type GasBudget } from './facilitator/local_facilitator.ts';
import { readerOf } from './chain/node.ts';
import { joinChain, POLLING_MS, startChain, type Chain } from './local_chain/chain.ts';
import { makeBuyer, readWallet, type SandboxWallet } from './local_chain/wallet.ts';
import type { SettlementWait } from './sale.ts';

export const SANDBOX_NOTICE =
  'SANDBOX PAYMENTS: test money on a local chain, worth nothing. Do not sign with a wallet that holds real funds.';

/** A payment mode and its settings. */
export type PaymentSettings =
  /**
   * `rpcUrl` is an anvil chain to join. Without it, join the chain of another server on the data folder, or start one.
   */
  | { readonly mode: 'sandbox'; readonly payTo?: Hex; readonly rpcUrl?: string; readonly wait?: SettlementWait }
  | {
      readonly mode: 'facilitator';
      readonly payTo: Hex;
      readonly publicUrl: string;
      readonly rpcUrl: string;
      readonly url: string;
      readonly authorization?: string;
      /** Timeout of a reply of the facilitator. */
      readonly timeoutMs?: number;
      readonly wait?: SettlementWait;
    }
  | {
      readonly mode: 'self';
      readonly payTo: Hex;
      readonly publicUrl: string;
      readonly rpcUrl: string;
      readonly key: Hex;
      readonly gas: GasLimits;
      readonly wait?: SettlementWait;
    };

/** Limits on the gas of self mode. */
export interface GasLimits {
  readonly perSettlement: bigint;
  /** Per UTC day. */
  readonly perDay: bigint;
}

export interface OpenPayments {
  readonly mode: PaymentSettings['mode'];
  readonly payTo: Hex;
  /** Reads the chain. */
  readonly reader: PublicClient;
  readonly notice?: string;
  /** How often, and for how long, a request looks for its payment on the chain. */
  readonly wait: SettlementWait;
  /** The facilitator. Gas that we pay is counted in this ledger. */
  facilitator(ledger: Ledger, nowMs: () => number): Facilitator & { settlementsLeft?(): Promise<bigint> };
  /** Our account that pays the gas; only with real money. */
  readonly gasFrom?: Hex;
  /** Only in the sandbox. The first of the servers that share a wallet file writes it. */
  readonly sandbox?: {
    readonly chain: Chain;
    readonly buyer: { readonly privateKey: Hex; readonly address: Hex };
    readonly writesWallet: boolean;
  };
  close(): Promise<void>;
}

/** Wait ten seconds if the facilitator named a transaction, four if it did not. */
const waitOf = (everyMs: number): SettlementWait => ({
  everyMs,
  looksWithHint: Math.ceil(10_000 / everyMs),
  looksWithoutHint: Math.ceil(4_000 / everyMs),
});
const REAL_WAIT = waitOf(400);
const SANDBOX_WAIT = waitOf(POLLING_MS);

/** Gas limit of a sandbox settlement, part of which a contract wallet may use. */
const SANDBOX_GAS = 500_000n;

/** The day's gas, counted in the ledger so that it survives a restart. */
const gasBudget = (
  ledger: Ledger,
  account: string,
  { perSettlement, perDay }: GasLimits,
  nowMs: () => number,
): GasBudget => {
  const today = (): string => new Date(nowMs()).toISOString().slice(0, 10);
  return {
    perSettlement,
    reserve: (gas) => ledger.reserveGas(account, today(), gas, perDay),
    hasLeft: async () => (await ledger.gasReserved(account, today())) + perSettlement <= perDay,
  };
};

/** The wallet of a server that runs on the same data folder; null if its chain does not answer. */
async function runningWallet(dataDir: string): Promise<SandboxWallet | null> {
  const wallet = await readWallet(dataDir);
  if (wallet === null) return null;
  return readerOf(wallet.rpc_url)
    .getBlockNumber()
    .then(
      () => wallet,
      () => null,
    );
}

async function openSandbox(
  { payTo, rpcUrl, wait = SANDBOX_WAIT }: Extract<PaymentSettings, { mode: 'sandbox' }>,
  dataDir: string,
): Promise<OpenPayments> {
  const other = await runningWallet(dataDir);
  const chainUrl = rpcUrl ?? other?.rpc_url;
  const chain = chainUrl === undefined ? await startChain() : await joinChain(chainUrl);
  try {
    // Servers on one chain and one data folder share the buyer and the receiving account.
    const shared = other?.rpc_url === chain.rpcUrl ? other : null;
    const buyer = shared
      ? { privateKey: shared.private_key as Hex, address: shared.address as Hex }
      : await makeBuyer(chain);
    const gas: GasBudget = { perSettlement: SANDBOX_GAS, reserve: async () => true, hasLeft: async () => true };
    return {
      mode: 'sandbox',
      reader: chain.reader,
      notice: SANDBOX_NOTICE,
      wait,
      sandbox: { chain, buyer, writesWallet: shared === null },
      payTo: payTo ?? (shared?.pay_to as Hex | undefined) ?? privateKeyToAccount(generatePrivateKey()).address,
      facilitator: () => localFacilitator({ rpcUrl: chain.rpcUrl, key: chain.gasKey, gas }),
      close: () => chain.close(),
    };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Open payments in the mode of the settings. Sandbox servers find each other in `dataDir`. */
export async function openPayments(settings: PaymentSettings, dataDir: string): Promise<OpenPayments> {
  if (settings.mode === 'sandbox') return openSandbox(settings, dataDir);
  const { mode, payTo, rpcUrl, wait = REAL_WAIT } = settings;
  const common = { mode, payTo, reader: readerOf(rpcUrl), wait, close: async () => undefined };
  if (settings.mode === 'self') {
    const { key, gas } = settings;
    const { address } = privateKeyToAccount(key);
    return {
      ...common,
      gasFrom: address,
      facilitator: (ledger, nowMs) =>
        localFacilitator({ rpcUrl, key, gas: gasBudget(ledger, address.toLowerCase(), gas, nowMs) }),
    };
  }
  return { ...common, facilitator: () => httpFacilitator(settings) };
}
