/** The networks on which payments can arrive, and their token. */
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
  readonly usdc: Token;
  /** A public node and an explorer, for wallets that do not know the network yet. */
  readonly rpc: string;
  readonly explorer: string;
}

/** The default network, and the only one with real money. */
export const BASE: Network = {
  name: 'eip155:8453',
  chainId: 8453,
  title: 'Base',
  usdc: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2' },
  rpc: 'https://mainnet.base.org',
  explorer: 'https://basescan.org',
};

/** The public test network of Base, with test money. */
export const BASE_SEPOLIA: Network = {
  name: 'eip155:84532',
  chainId: 84_532,
  title: 'Base Sepolia',
  usdc: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC', version: '2' },
  rpc: 'https://sepolia.base.org',
  explorer: 'https://sepolia.basescan.org',
};

/** Base and its token, for code that pays or is paid there alone. */
export const NETWORK = BASE.name;
export const CHAIN_ID = BASE.chainId;
export const USDC = BASE.usdc.address;

/** A setting with the name of a network. Default: Base. */
export const networkName = z
  .string()
  .default(BASE.name)
  .transform((text, context): Network => {
    const network = [BASE, BASE_SEPOLIA].find(({ name }) => name === text.trim().toLowerCase());
    if (network) return network;
    context.addIssue({
      code: 'custom',
      message: `${BASE.name} (${BASE.title}) or ${BASE_SEPOLIA.name} (${BASE_SEPOLIA.title})`,
    });
    return z.NEVER;
  });

/** Identity of a chain in the ledger: its network, and the hash of its block 0, which differs on each local chain. */
export const chainIdentity = ({ name }: Network, genesisHash: string): string => `${name} ${genesisHash}`;

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

/** Dollars with up to six decimals as atomic units: "0.05" becomes 50000. */
export function atomicOf(dollars: string): bigint {
  const [whole = '', decimals = ''] = dollars.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
}
