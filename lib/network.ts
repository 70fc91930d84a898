/** The networks and tokens in which payments can arrive. */
import { z } from 'zod';

/** USDC on one network. Its name and version are those of its EIP-712 domain. */
export interface Token {
  readonly address: `0x${string}`;
  readonly name: string;
  readonly version: string;
}

/** An EVM chain with USDC as its issuer deployed it, which takes EIP-3009 transfers. */
export interface Network {
  /** As x402 names it (CAIP-2). */
  readonly name: `eip155:${number}`;
  readonly chainId: number;
  readonly title: string;
  /** Currency that pays the gas. */
  readonly gas: string;
  readonly usdc: Token;
  /** Tag of the latest block that its nodes treat as safe from reorganization. Polygon's nodes have no `safe` block. */
  readonly safeBlock: 'safe' | 'finalized';
}

const usdCoin = (address: `0x${string}`): Token => ({ address, name: 'USD Coin', version: '2' });

/** The default network. */
export const BASE: Network = {
  name: 'eip155:8453',
  chainId: 8453,
  title: 'Base',
  gas: 'ETH',
  usdc: usdCoin('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  safeBlock: 'safe',
};

/**
 * Every network that NETWORKS may name. Addresses: developers.circle.com/stablecoins/usdc-contract-addresses. The x402
 * client library knows the same ones, so that its spending limits hold on each.
 */
export const KNOWN_NETWORKS: readonly Network[] = [
  BASE,
  {
    name: 'eip155:137',
    chainId: 137,
    title: 'Polygon',
    gas: 'POL',
    usdc: usdCoin('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
    safeBlock: 'finalized',
  },
  {
    name: 'eip155:42161',
    chainId: 42161,
    title: 'Arbitrum One',
    gas: 'ETH',
    usdc: usdCoin('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    safeBlock: 'safe',
  },
  {
    name: 'eip155:43114',
    chainId: 43114,
    title: 'Avalanche C-Chain',
    gas: 'AVAX',
    usdc: usdCoin('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
    safeBlock: 'safe',
  },
];

/** The default network and its token, for code that pays or is paid there alone. */
export const NETWORK = BASE.name;
export const CHAIN_ID = BASE.chainId;
export const USDC = BASE.usdc.address;

/** The network with this CAIP-2 name, in any case; undefined if it is not known. */
export const knownNetwork = (name: string): Network | undefined =>
  KNOWN_NETWORKS.find((network) => network.name === name.toLowerCase());

/** Networks named in a text, separated by commas; null unless each is known and named once. */
function networksIn(text: string): readonly Network[] | null {
  const named = text.split(',').map((name) => knownNetwork(name.trim()));
  const known = named.filter((network) => network !== undefined);
  return known.length === named.length && new Set(known).size === known.length ? known : null;
}

const NETWORK_LIST = `names of networks, each once, separated by commas: ${KNOWN_NETWORKS.map(
  ({ name, title }) => `${name} (${title})`,
).join(', ')}`;

/** A setting with names of networks, in order of preference. Default: Base. */
export const networkList = z
  .string()
  .default(BASE.name)
  .transform((text, context): readonly Network[] => {
    const networks = networksIn(text);
    if (networks) return networks;
    context.addIssue({ code: 'custom', message: NETWORK_LIST });
    return z.NEVER;
  });

/** Name of a setting that each network has: RPC_URL for Base, RPC_URL_137 for Polygon. */
export const perNetwork = (setting: string, { name, chainId }: Pick<Network, 'name' | 'chainId'>): string =>
  name === BASE.name ? setting : `${setting}_${chainId}`;

/**
 * Identity of a chain in the ledger: its network and the hash of its block 0, because chains of different networks can
 * share block 0. Ledgers have the hash alone for Base, which was the only network.
 */
export const chainIdentity = ({ name }: Network, genesisHash: string): string =>
  name === BASE.name ? genesisHash : `${name} ${genesisHash}`;

/** CAIP-2 name of the network of a chain identity. */
export const networkOfChain = (identity: string): string => /^(\S+) /.exec(identity)?.[1] ?? BASE.name;

/** Seconds for which a buyer must keep the authorization valid. */
export const PAYMENT_SECONDS = 300;
/** The same for an exclusive lead, which is reserved for this long if the payment never arrives. */
export const EXCLUSIVE_SECONDS = 60;
/** Seconds by which a buyer's clock may be ahead of ours. */
export const CLOCK_SKEW_SECONDS = 60;

/** Atomic units as dollars with six decimals: 50000 becomes "0.050000". */
export function dollarsOf(atomic: bigint): string {
  const text = (atomic < 0n ? -atomic : atomic).toString().padStart(7, '0');
  return `${atomic < 0n ? '-' : ''}${text.slice(0, -6)}.${text.slice(-6)}`;
}

/** The same without trailing zeros beyond the cents: "0.05", "1.50". */
export const usdOf = (atomic: bigint): string => dollarsOf(atomic).replace(/0{1,4}$/, '');

/** Dollars with two decimals as atomic units: "0.05" becomes 50000. */
export const atomicOf = (dollars: string): bigint => BigInt(dollars.replace('.', '')) * 10_000n;
