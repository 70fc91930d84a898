/**
 * `make collect RECEIPT=...`: collects a paid response again with the sandbox wallet and verifies its hash. RECEIPT is
 * a Receipt-Id or the nonce of a payment.
 */
import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { print } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { collect, purchaseUrl } from './collect.ts';
import { sandboxWallet, serverSetting } from './wallet.ts';

const EXPECTED = 'the Receipt-Id of a response, or the nonce of its payment';

const collectSettings = z.object({
  DATA_DIR: z.string().min(1, 'a folder').default('data'),
  ...serverSetting,
  RECEIPT: z.string(EXPECTED).regex(/^(0x)?[0-9a-fA-F-]{32,66}$/, EXPECTED),
});

async function run(): Promise<number> {
  const { DATA_DIR, RECEIPT, SERVER } = readSettings(collectSettings);
  const wallet = await sandboxWallet(DATA_DIR, SERVER);
  const account = privateKeyToAccount(wallet.private_key as Hex);
  const response = await collect(purchaseUrl(wallet.base_url, RECEIPT), account, wallet.network);
  if (response === null)
    throw new SettingError(
      `RECEIPT is ${JSON.stringify(RECEIPT)}: ${wallet.base_url} did not respond with a sign-in challenge for ` +
        'itself. Set SERVER to the PUBLIC_BASE_URL of the server',
    );
  const body = Buffer.from(await response.arrayBuffer());
  const digest = response.headers.get('Unencoded-Digest');
  const isIntact = digest === `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  print(`response   ${response.status} ${response.headers.get('Content-Type') ?? ''}`);
  if (response.status === 200) {
    const header = (name: string): string => response.headers.get(name) ?? '';
    print(
      `receipt    ${header('Receipt-Id')}, snapshot ${header('X-Snapshot-Id')}, delivered by ${header('Delivery')}`,
    );
    print(`bytes      ${body.length}, ${isIntact ? 'the hash matches' : 'the hash does NOT match'}`);
  }
  print('');
  print(body.toString('utf8'));
  return response.status === 200 && isIntact ? 0 : 1;
}

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
