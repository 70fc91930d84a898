/** The buyer of sandbox mode: a key with test money on the local chain, in a file that `make buy` reads. */
import { chmod, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { writeWhole } from '../../../lib/files.ts';
import { dollarsOf } from '../../../lib/network.ts';
import type { Chain } from './chain.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

export const SandboxWallet = z.strictObject({
  notice: z.string(),
  network: z.templateLiteral(['eip155:', z.int()]),
  /** Address of the local chain. */
  rpc_url: z.url(),
  /** Address of the server. */
  base_url: z.url(),
  asset: address,
  address,
  private_key: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  /** The receiving account. */
  pay_to: address,
});

export type SandboxWallet = z.infer<typeof SandboxWallet>;

/** Test money of a new buyer: $1,000. */
const START_UNITS = 1_000_000_000n;

export const walletPath = (dataDir: string): string => join(dataDir, 'sandbox', 'wallet.json');

/** Create the key of a buyer. */
export function createBuyerKey(): { privateKey: `0x${string}`; address: `0x${string}` } {
  const privateKey = generatePrivateKey();
  return { privateKey, address: privateKeyToAccount(privateKey).address };
}

/** Give a new buyer its test money on a chain. */
export const fundBuyer = (chain: Chain, buyer: `0x${string}`): Promise<void> => chain.mint(buyer, START_UNITS);

/** Write the buyer's wallet file, readable only by its owner. */
export async function writeWallet(
  dataDir: string,
  { network, rpcUrl }: Pick<Chain, 'network' | 'rpcUrl'>,
  wallet: Pick<SandboxWallet, 'base_url' | 'address' | 'private_key' | 'pay_to'>,
): Promise<void> {
  const path = walletPath(dataDir);
  const content: SandboxWallet = {
    notice:
      `Key for test money (${dollarsOf(START_UNITS)} USDC) on a local chain in memory. ` +
      'It is worth nothing anywhere else: never send real funds to it.',
    network: network.name,
    rpc_url: rpcUrl,
    asset: network.usdc.address,
    ...wallet,
  };
  await writeWhole(path, `${JSON.stringify(SandboxWallet.parse(content), null, 2)}\n`);
  await chmod(path, 0o600);
}

/** The wallet file, or null if it does not exist or cannot be read. */
export async function readWallet(dataDir: string): Promise<SandboxWallet | null> {
  const text = await readFile(walletPath(dataDir), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return SandboxWallet.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Remove the wallet file of a server that stops, unless the file belongs to another server. */
export async function removeWallet(dataDir: string, baseUrl: string): Promise<void> {
  if ((await readWallet(dataDir))?.base_url === baseUrl) await rm(walletPath(dataDir), { force: true });
}
