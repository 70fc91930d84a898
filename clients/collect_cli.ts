/**
 * `make collect RECEIPT=...`: collect again what the sandbox wallet has paid for, by signing the server's challenge, and
 * hold its bytes against the hash that came with them. RECEIPT is a Receipt-Id or the nonce of a payment.
 */
import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { say } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { collect, purchaseAt } from './collect.ts';
import { sandboxWallet } from './wallet.ts';

const settingsOfCollect = z.object({
  DATA_DIR: z.string().min(1, 'a folder').default('data'),
  RECEIPT: z
    .string('the Receipt-Id of an answer, or the nonce of its payment')
    .regex(/^(0x)?[0-9a-fA-F-]{32,66}$/, 'the Receipt-Id of an answer, or the nonce of its payment'),
});

async function run(): Promise<number> {
  const { DATA_DIR, RECEIPT } = readSettings(settingsOfCollect);
  const wallet = await sandboxWallet(DATA_DIR);
  const response = await collect(purchaseAt(wallet.base_url, RECEIPT), privateKeyToAccount(wallet.private_key as Hex));
  if (response === null)
    throw new SettingError(
      `RECEIPT is ${JSON.stringify(RECEIPT)}, and ${wallet.base_url} did not ask for a sign-in that this wallet may sign`,
    );
  const body = Buffer.from(await response.arrayBuffer());
  const digest = response.headers.get('Repr-Digest');
  const whole = digest === `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  say(`answered   ${response.status} ${response.headers.get('Content-Type') ?? ''}`);
  if (response.status === 200) {
    say(
      `receipt    ${response.headers.get('Receipt-Id') ?? ''}, snapshot ${response.headers.get('X-Snapshot-Id') ?? ''}, delivered by ${response.headers.get('Delivery') ?? ''}`,
    );
    say(`bytes      ${body.length}, ${whole ? 'as they were hashed when they were sold' : 'NOT those of the hash'}`);
  }
  say('');
  say(body.toString('utf8'));
  return response.status === 200 && whole ? 0 : 1;
}

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
