/** The wallet of a client: the buyer's own key, or the wallet file of a sandbox server, and the node it trusts. */
import { readFile } from 'node:fs/promises';
import { createPublicClient, http, parseAbi, type Address, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { readKeyFile } from '../lib/key_file.ts';
import type { Network } from '../lib/network.ts';
import { SettingError } from '../lib/settings.ts';
import { SandboxWallet, walletPath } from '../api/payments/local_chain/wallet.ts';
import type { SignedPayment } from './spending.ts';

const NODE_MS = 10_000;
const token = parseAbi(['function authorizationState(address, bytes32) view returns (bool)']);

/** A key that pays, and the node that says which of its payments were used. */
export interface Wallet {
  readonly account: PrivateKeyAccount;
  /** Null if the buyer has none: then everything signed counts as spent. */
  readonly rpcUrl: string | null;
}

/**
 * Read from the buyer's node which payments were used, at its latest final block.
 * @returns those that no later block can use, each with whether it was used; none if the node is of another chain
 */
export async function readUse(
  rpcUrl: string,
  { chainId, usdc }: Network,
  payments: readonly SignedPayment[],
): Promise<readonly (readonly [payment: SignedPayment, isUsed: boolean])[]> {
  const node = createPublicClient({ transport: http(rpcUrl, { batch: true, timeout: NODE_MS }), cacheTime: 0 });
  const [id, final] = await Promise.all([node.getChainId(), node.getBlock({ blockTag: 'finalized' })]);
  if (id !== chainId) return [];
  return Promise.all(
    payments
      .filter(({ validBefore }) => validBefore <= final.timestamp)
      .map(async (payment) => {
        const { payer, nonce } = payment;
        const args = [payer as Address, nonce] as const;
        const call = { address: usdc.address, abi: token, functionName: 'authorizationState', args } as const;
        return [payment, await node.readContract({ ...call, blockNumber: final.number })] as const;
      }),
  );
}

const KEY = /^0x[0-9a-fA-F]{64}$/;

/**
 * The wallet of the sandbox server that runs on this data folder.
 * @param server address of the server, if it differs from the one in the wallet file
 * @throws SettingError if there is none
 */
export async function sandboxWallet(dataDir: string, server?: string): Promise<SandboxWallet> {
  const text = await readFile(walletPath(dataDir), 'utf8').catch(() => {
    throw new SettingError(
      `no sandbox server is running on DATA_DIR ${JSON.stringify(dataDir)}, whose wallet pays: start one with ` +
        '"make serve" and buy from a second terminal, or set DATA_DIR to the folder of the running server',
    );
  });
  const wallet = SandboxWallet.parse(JSON.parse(text));
  const base = server ?? wallet.base_url;
  await fetch(new URL('/health', base))
    .then((response) => response.arrayBuffer())
    .catch(() => {
      throw new SettingError(
        `no server responds at ${base}: start one with "make serve", or set SERVER to the address where it listens`,
      );
    });
  return { ...wallet, base_url: base };
}

/**
 * The account of the buyer's own key, from the environment or a file, if there is one. No message contains the key.
 * @throws SettingError if it is not a key
 */
export async function buyerAccount({
  BUYER_KEY,
  BUYER_KEY_FILE,
}: {
  readonly BUYER_KEY?: string | undefined;
  readonly BUYER_KEY_FILE?: string | undefined;
}): Promise<PrivateKeyAccount | undefined> {
  if (BUYER_KEY !== undefined && BUYER_KEY_FILE !== undefined)
    throw new SettingError('BUYER_KEY and BUYER_KEY_FILE are both set, expected one of them');
  const name = BUYER_KEY_FILE === undefined ? 'BUYER_KEY' : 'BUYER_KEY_FILE';
  const key = BUYER_KEY_FILE === undefined ? BUYER_KEY : readKeyFile(name, BUYER_KEY_FILE);
  if (key === undefined) return undefined;
  if (!KEY.test(key)) throw new SettingError(`${name} does not hold a private key, expected 0x and 64 hex digits`);
  return privateKeyToAccount(key as Hex);
}
