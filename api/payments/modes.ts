/** Where payments go: a local chain with test money, a facilitator with real money, or the chain itself with a key of our own. */
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
  'SANDBOX PAYMENTS: test money on a local chain. Nothing here costs or is worth anything; do not sign with a wallet that holds real funds.';

/** Where money comes from, with everything that mode needs. */
export type PaymentSettings =
  /** `rpcUrl` names a chain of anvil to join; without it one is started, unless another server on the same data folder has one. */
  | { readonly mode: 'sandbox'; readonly payTo?: Hex; readonly rpcUrl?: string }
  | {
      readonly mode: 'facilitator';
      readonly payTo: Hex;
      readonly publicUrl: string;
      readonly rpcUrl: string;
      readonly url: string;
      readonly authorization?: string;
    }
  | {
      readonly mode: 'self';
      readonly payTo: Hex;
      readonly publicUrl: string;
      readonly rpcUrl: string;
      readonly key: Hex;
      readonly gas: GasLimits;
    };

/** Ceilings on the gas of self mode. */
export interface GasLimits {
  readonly perSettlement: bigint;
  /** A day is a UTC day. */
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
  /** The facilitator. Where its gas is ours, it is counted in this ledger. */
  facilitator(ledger: Ledger, nowMs: () => number): Facilitator & { settlementsLeft?(): Promise<bigint> };
  /** Account that pays the gas, where it is ours and the money is real. */
  readonly gasFrom?: Hex;
  /** Only in the sandbox. The wallet file is written by the first of the servers that share it. */
  readonly sandbox?: {
    readonly chain: Chain;
    readonly buyer: { readonly privateKey: Hex; readonly address: Hex };
    readonly writesWallet: boolean;
  };
  close(): Promise<void>;
}

/** Ten seconds where a transaction was named, four where none was. */
const waitOf = (everyMs: number): SettlementWait => ({
  everyMs,
  looksWithHint: Math.ceil(10_000 / everyMs),
  looksWithoutHint: Math.ceil(4_000 / everyMs),
});
const REAL_WAIT = waitOf(400);
const SANDBOX_WAIT = waitOf(POLLING_MS);

/** Gas limit of a sandbox settlement: a contract wallet may take part of it. */
const SANDBOX_GAS = 500_000n;

/** The day's gas, counted in the ledger, so that a restart does not begin anew. */
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

/** The wallet of a server that runs on the same data folder, where its chain answers. */
async function joined(dataDir: string): Promise<SandboxWallet | null> {
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
  { payTo, rpcUrl }: Extract<PaymentSettings, { mode: 'sandbox' }>,
  dataDir: string,
): Promise<OpenPayments> {
  const other = await joined(dataDir);
  const at = rpcUrl ?? other?.rpc_url;
  const chain = at === undefined ? await startChain() : await joinChain(at);
  try {
    // Servers on one chain and one data folder share the buyer and the account that is paid.
    const shared = other?.rpc_url === chain.rpcUrl ? other : null;
    const buyer = shared
      ? { privateKey: shared.private_key as Hex, address: shared.address as Hex }
      : await makeBuyer(chain);
    const gas: GasBudget = { perSettlement: SANDBOX_GAS, reserve: async () => true, hasLeft: async () => true };
    return {
      mode: 'sandbox',
      reader: chain.reader,
      notice: SANDBOX_NOTICE,
      wait: SANDBOX_WAIT,
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

/** Open the payments that the settings ask for. `dataDir` is where sandbox servers find each other. */
export async function openPayments(settings: PaymentSettings, dataDir: string): Promise<OpenPayments> {
  if (settings.mode === 'sandbox') return openSandbox(settings, dataDir);
  const { mode, payTo, rpcUrl } = settings;
  const common = { mode, payTo, reader: readerOf(rpcUrl), wait: REAL_WAIT, close: async () => undefined };
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
  const { url, authorization } = settings;
  return {
    ...common,
    facilitator: () => httpFacilitator({ url, ...(authorization === undefined ? {} : { authorization }) }),
  };
}
