/** Payment modes: test money on a local chain, real money through a facilitator, or settlement with our own key. */
import type { Hex, PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Ledger, Money } from '../../ledger/ledger.ts';
import { BASE, type Network } from '../../lib/network.ts';
import { dayOf } from '../../lib/time.ts';
import {
  preferredFacilitator,
  type Facilitator,
  httpFacilitator,
  type FacilitatorSettings,
  localFacilitator,
  type GasBudget,
} from './facilitator.ts';
import { readerOf } from './chain/node.ts';
import { paymentChain } from './chain/payment_chain.ts';
import { joinChain, POLLING_MS, startChain, type Chain } from './local_chain/chain.ts';
import { fundBuyer, createBuyerKey, readWallet, type SandboxWallet } from './local_chain/wallet.ts';
import type { SettlementWait } from './sale.ts';

const SANDBOX_NOTICE =
  'SANDBOX PAYMENTS: test money on a local chain, worth nothing. Do not sign with a wallet that holds real funds.';

const TEST_NOTICE = 'TEST PAYMENTS: test money, worth nothing. Do not sign with a wallet that holds real funds.';

interface OnNetwork {
  readonly network: Network;
  readonly wait?: SettlementWait;
}

interface OnPublicNetwork extends OnNetwork {
  /** URL of its node. */
  readonly rpcUrl: string;
  readonly payTo: Hex;
}

/** A payment mode and its settings. */
export type PaymentSettings =
  /** On the chain of another server on the data folder, or a new one. */
  | (OnNetwork & { readonly mode: 'sandbox'; readonly payTo?: Hex })
  /** Facilitators in order of preference. */
  | (OnPublicNetwork & { readonly mode: 'facilitator'; readonly facilitators: readonly FacilitatorSettings[] })
  | (OnPublicNetwork & { readonly mode: 'self'; readonly gas: GasLimits; readonly key: Hex });

/** Only Base itself has real money. */
export const moneyOf = ({ mode, network }: Pick<PaymentSettings, 'mode' | 'network'>): Money =>
  mode !== 'sandbox' && network === BASE ? 'real' : 'test';

/** Limits on the gas of self mode, per settlement and per UTC day. */
interface GasLimits {
  readonly perSettlement: bigint;
  readonly perDay: bigint;
}

export interface OpenPayments {
  readonly mode: PaymentSettings['mode'];
  readonly payTo: Hex;
  readonly network: Network;
  readonly money: Money;
  readonly reader: PublicClient;
  /** The facilitator. Gas that we pay is counted in this ledger. */
  facilitator(ledger: Ledger, nowMs: () => number): Facilitator;
  /** Set if the money is test money. */
  readonly notice?: string;
  readonly wait: SettlementWait;
  /** Our account that pays the gas; only in self mode. */
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
  readsWithHint: Math.ceil(10_000 / everyMs),
  readsWithoutHint: Math.ceil(4_000 / everyMs),
});
const REAL_POLLING_MS = 400;

/** Gas limit of a sandbox settlement, part of which a contract wallet may use. */
const SANDBOX_GAS = 500_000n;

/** The wallet of a server that runs on the same data folder and network; null if its chain does not respond. */
async function findRunningWallet(dataDir: string, network: Network): Promise<SandboxWallet | null> {
  const wallet = await readWallet(dataDir);
  if (wallet?.network !== network.name) return null;
  const answer = paymentChain(readerOf(network, wallet.rpc_url), network).id();
  return answer.then(
    () => wallet,
    () => null,
  );
}

async function openSandbox(
  { network, payTo, wait = waitOf(POLLING_MS) }: Extract<PaymentSettings, { mode: 'sandbox' }>,
  dataDir: string,
): Promise<OpenPayments> {
  // Servers on one data folder share the chain, the buyer and the receiving account.
  const shared = await findRunningWallet(dataDir, network);
  const chain = shared ? await joinChain(network, shared.rpc_url) : await startChain(network);
  try {
    const buyer = shared ? { privateKey: shared.private_key as Hex, address: shared.address as Hex } : createBuyerKey();
    if (shared === null) await fundBuyer(chain, buyer.address);
    const gas: GasBudget = { perSettlement: SANDBOX_GAS, reserve: async () => true, hasLeft: async () => true };
    return {
      mode: 'sandbox',
      network,
      money: 'test',
      notice: SANDBOX_NOTICE,
      wait,
      reader: chain.reader,
      facilitator: () => localFacilitator({ network, rpcUrl: chain.rpcUrl, key: chain.gasKey, gas }),
      sandbox: { chain, buyer, writesWallet: shared === null },
      payTo: payTo ?? (shared?.pay_to as Hex | undefined) ?? privateKeyToAccount(generatePrivateKey()).address,
      close: () => chain.close(),
    };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** How our own key settles; the day's gas is counted in the ledger, so that it survives a restart. */
const settlingWith = (
  { key, gas: { perSettlement, perDay }, network, rpcUrl }: Extract<PaymentSettings, { mode: 'self' }>,
  gasFrom: Hex,
): OpenPayments['facilitator'] => {
  const account = gasFrom.toLowerCase();
  return (ledger, nowMs) => {
    const gas: GasBudget = {
      perSettlement,
      reserve: (units) => ledger.reserveGas(account, dayOf(nowMs()), units, perDay),
      hasLeft: async () => (await ledger.gasReserved(account, dayOf(nowMs()))) + perSettlement <= perDay,
    };
    return localFacilitator({ network, rpcUrl, key, gas });
  };
};

/** Open payments in the mode of the settings. Sandbox servers find each other in `dataDir`. */
export async function openPayments(settings: PaymentSettings, dataDir: string): Promise<OpenPayments> {
  if (settings.mode === 'sandbox') return openSandbox(settings, dataDir);
  const { mode, network, rpcUrl, payTo, wait = waitOf(REAL_POLLING_MS) } = settings;
  const money = moneyOf(settings);
  const common = {
    mode,
    network,
    money,
    ...(money === 'real' ? {} : { notice: TEST_NOTICE }),
    reader: readerOf(network, rpcUrl),
    payTo,
    wait,
    close: async () => undefined,
  } as const;
  if (settings.mode === 'self') {
    const gasFrom = privateKeyToAccount(settings.key).address;
    return { ...common, gasFrom, facilitator: settlingWith(settings, gasFrom) };
  }
  const all = settings.facilitators.map((facilitator) => httpFacilitator({ ...facilitator, network }));
  return { ...common, facilitator: () => preferredFacilitator(all) };
}
