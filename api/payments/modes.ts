/** Payment modes: test money on a local chain, real money through a facilitator, or settlement with our own key. */
import type { Hex, PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Ledger } from '../../ledger/ledger.ts';
import { BASE, knownNetwork, type Network } from '../../lib/network.ts';
import { dayOf } from '../../lib/time.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';
import { httpFacilitator, type FacilitatorSettings } from './facilitator/http_facilitator.ts';
import { preferredFacilitator } from './facilitator/preferred_facilitator.ts';
import { localFacilitator, type GasBudget } from './facilitator/local_facilitator.ts';
import { readerOf } from './chain/node.ts';
import { joinRunningChain, POLLING_MS, startChain, type Chain } from './local_chain/chain.ts';
import { chainOfWallet, fundBuyer, createBuyerKey, readWallet, type SandboxWallet } from './local_chain/wallet.ts';
import type { SettlementWait } from './sale.ts';

export const SANDBOX_NOTICE =
  'SANDBOX PAYMENTS: test money on a local chain, worth nothing. Do not sign with a wallet that holds real funds.';

/** A network on which payments are taken, and its node. */
export interface NetworkSettings {
  readonly network: Network;
  readonly rpcUrl: string;
}

/** A payment mode and its settings. Networks are in order of preference; each list has at least one. */
export type PaymentSettings =
  /**
   * `rpcUrl` is an anvil chain to join. Without it, join the chain of another server on the data folder, or start one.
   */
  | {
      readonly mode: 'sandbox';
      readonly networks: readonly (Pick<NetworkSettings, 'network'> & Partial<NetworkSettings>)[];
      readonly payTo?: Hex;
      readonly wait?: SettlementWait;
    }
  | {
      readonly mode: 'facilitator';
      readonly networks: readonly NetworkSettings[];
      readonly payTo: Hex;
      readonly publicUrl: string;
      /** In order of preference. */
      readonly facilitators: readonly FacilitatorSettings[];
      /** Timeout of a reply of a facilitator. */
      readonly timeoutMs?: number;
      readonly wait?: SettlementWait;
    }
  | {
      readonly mode: 'self';
      readonly networks: readonly (NetworkSettings & { readonly gas: GasLimits })[];
      readonly payTo: Hex;
      readonly publicUrl: string;
      readonly key: Hex;
      readonly wait?: SettlementWait;
    };

/** Limits on the gas of self mode. */
export interface GasLimits {
  readonly perSettlement: bigint;
  /** Per UTC day. */
  readonly perDay: bigint;
}

/** A facilitator that also reports its state for /health. */
export type OpenFacilitator = Facilitator & { settlementsLeft?(): Promise<bigint> };

/** A network of an open payment mode. */
export interface OpenNetwork {
  readonly network: Network;
  /** Reads the chain. */
  readonly reader: PublicClient;
  /** The facilitator. Gas that we pay is counted in this ledger. */
  facilitator(ledger: Ledger, nowMs: () => number): OpenFacilitator;
}

export interface OpenPayments {
  readonly mode: PaymentSettings['mode'];
  readonly payTo: Hex;
  /** In order of preference. */
  readonly networks: readonly OpenNetwork[];
  readonly notice?: string;
  /** How often, and for how long, a request looks for its payment on the chain. */
  readonly wait: SettlementWait;
  /** Our account that pays the gas; only with real money. */
  readonly gasFrom?: Hex;
  /** Only in the sandbox. The first of the servers that share a wallet file writes it. */
  readonly sandbox?: {
    /** The chain of the first network. */
    readonly chain: Chain;
    /** The chain of every network, in order. */
    readonly chains: readonly Chain[];
    readonly buyer: { readonly privateKey: Hex; readonly address: Hex };
    readonly writesWallet: boolean;
  };
  close(): Promise<void>;
}

/** Wait ten seconds if the facilitator named a transaction, four if it did not. */
const waitOf = (everyMs: number): SettlementWait => ({
  everyMs,
  readsWithHint: Math.ceil(10_000 / everyMs),
  readsWithoutHint: Math.ceil(4_000 / everyMs),
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
  const today = (): string => dayOf(nowMs());
  return {
    perSettlement,
    reserve: (gas) => ledger.reserveGas(account, today(), gas, perDay),
    hasLeft: async () => (await ledger.gasReserved(account, today())) + perSettlement <= perDay,
  };
};

/** The account under which a network's gas is counted. Ledgers have the address alone for Base. */
const gasAccount = ({ name }: Network, address: Hex): string =>
  name === BASE.name ? address.toLowerCase() : `${name} ${address.toLowerCase()}`;

/** The wallet of a server that runs on the same data folder; null if its chain does not respond. */
async function findRunningWallet(dataDir: string): Promise<SandboxWallet | null> {
  const wallet = await readWallet(dataDir);
  const network = wallet && knownNetwork(wallet.network);
  if (!network) return null;
  return readerOf(network, wallet.rpc_url)
    .getBlockNumber()
    .then(
      () => wallet,
      () => null,
    );
}

/** Open the chain of each network: the one of the settings, else that of the running server, else a new one. */
async function openChains(
  networks: Extract<PaymentSettings, { mode: 'sandbox' }>['networks'],
  other: SandboxWallet | null,
): Promise<readonly [Chain, ...Chain[]]> {
  const chains: Chain[] = [];
  try {
    for (const { network, rpcUrl } of networks) {
      const url = rpcUrl ?? (other === null ? undefined : chainOfWallet(other, network)?.rpc_url);
      chains.push(url === undefined ? await startChain(network) : await joinRunningChain(network, url));
    }
  } catch (error) {
    for (const chain of chains) await chain.close();
    throw error;
  }
  const [first, ...more] = chains;
  if (!first) throw new Error('payments need a network');
  return [first, ...more];
}

async function openSandbox(
  { networks, payTo, wait = SANDBOX_WAIT }: Extract<PaymentSettings, { mode: 'sandbox' }>,
  dataDir: string,
): Promise<OpenPayments> {
  const other = await findRunningWallet(dataDir);
  const chains = await openChains(networks, other);
  const [chain] = chains;
  const close = async (): Promise<void> => {
    for (const one of chains) await one.close();
  };
  try {
    // Servers on one chain and one data folder share the buyer and the receiving account.
    const shared = other?.rpc_url === chain.rpcUrl ? other : null;
    const buyer = shared ? { privateKey: shared.private_key as Hex, address: shared.address as Hex } : createBuyerKey();
    for (const one of chains)
      if (shared === null || chainOfWallet(shared, one.network)?.rpc_url !== one.rpcUrl)
        await fundBuyer(one, buyer.address);
    const gas: GasBudget = { perSettlement: SANDBOX_GAS, reserve: async () => true, hasLeft: async () => true };
    return {
      mode: 'sandbox',
      notice: SANDBOX_NOTICE,
      wait,
      networks: chains.map(({ network, reader, rpcUrl, gasKey }) => ({
        network,
        reader,
        facilitator: () => localFacilitator({ network, rpcUrl, key: gasKey, gas }),
      })),
      sandbox: { chain, chains, buyer, writesWallet: shared === null },
      payTo: payTo ?? (shared?.pay_to as Hex | undefined) ?? privateKeyToAccount(generatePrivateKey()).address,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Open payments in the mode of the settings. Sandbox servers find each other in `dataDir`. */
export async function openPayments(settings: PaymentSettings, dataDir: string): Promise<OpenPayments> {
  if (settings.mode === 'sandbox') return openSandbox(settings, dataDir);
  const { mode, payTo, wait = REAL_WAIT } = settings;
  const common = { mode, payTo, wait, close: async () => undefined };
  const opened = ({ network, rpcUrl }: NetworkSettings) => ({ network, reader: readerOf(network, rpcUrl) });
  if (settings.mode === 'self') {
    const { key } = settings;
    const { address } = privateKeyToAccount(key);
    return {
      ...common,
      gasFrom: address,
      networks: settings.networks.map((one) => ({
        ...opened(one),
        facilitator: (ledger, nowMs) =>
          localFacilitator({ ...one, key, gas: gasBudget(ledger, gasAccount(one.network, address), one.gas, nowMs) }),
      })),
    };
  }
  const { facilitators, timeoutMs } = settings;
  return {
    ...common,
    networks: settings.networks.map((one) => ({
      ...opened(one),
      facilitator: () =>
        preferredFacilitator(
          facilitators.map((facilitator) =>
            httpFacilitator({
              ...facilitator,
              network: one.network,
              ...(timeoutMs === undefined ? {} : { timeoutMs }),
            }),
          ),
        ),
    })),
  };
}
