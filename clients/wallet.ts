/** The wallet of a client: the buyer's own key, or the wallet file of a sandbox server. */
import { readFile } from 'node:fs/promises';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { readKeyFile } from '../lib/key_file.ts';
import { SettingError } from '../lib/settings.ts';
import { SandboxWallet, walletPath } from '../api/payments/local_chain/wallet.ts';

const KEY = /^0x[0-9a-fA-F]{64}$/;

/** Setting of the server to buy from, for clients with the wallet of a sandbox server. */
export const serverSetting = {
  SERVER: z
    .url({ protocol: /^https?$/u, error: 'the address of a running server, such as http://localhost:4021' })
    .transform((url) => new URL(url).origin)
    .optional(),
};

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
