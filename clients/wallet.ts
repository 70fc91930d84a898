/** Whose money a client pays with: a key of the buyer's, or the sandbox wallet that a server on test money left for its buyers. */
import { readFile } from 'node:fs/promises';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { readKeyFile } from '../lib/key_file.ts';
import { SettingError } from '../lib/settings.ts';
import { SandboxWallet, walletPath } from '../api/payments/local_chain/wallet.ts';

const KEY = /^0x[0-9a-fA-F]{64}$/;

/**
 * The wallet of the sandbox server that runs on this data folder.
 * @throws SettingError where none runs
 */
export async function sandboxWallet(dataDir: string): Promise<SandboxWallet> {
  const none = new SettingError(
    `no sandbox server is running on DATA_DIR ${JSON.stringify(dataDir)}: start one with "make serve" and buy from a second terminal`,
  );
  const text = await readFile(walletPath(dataDir), 'utf8').catch(() => {
    throw none;
  });
  const wallet = SandboxWallet.parse(JSON.parse(text));
  await fetch(new URL('/health', wallet.base_url))
    .then((r) => r.arrayBuffer())
    .catch(() => {
      throw none;
    });
  return wallet;
}

/**
 * The buyer's own key, from the environment or from a file, or none. No message ever repeats it.
 * @throws SettingError where it is not a key
 */
export async function ownAccount({
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
