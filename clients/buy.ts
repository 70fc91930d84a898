/**
 * `make buy URL='/api/deals?state=OH'` pays for one call from the sandbox wallet, prints the answer and saves it with
 * its receipt; FULL=1 prints every record. `make collect RECEIPT=...` gets a paid answer again, by its Receipt-Id or
 * the nonce of its payment.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { SandboxWallet } from '../api/payments/local_chain/wallet.ts';
import { runCommand } from '../lib/command.ts';
import { usdOf } from '../lib/network.ts';
import { print } from '../lib/output.ts';
import { RECEIPT_HEADER } from '../lib/receipt.ts';
import { pipelineSettings, readSettings, SettingError, shellQuoted, zeroOrOne } from '../lib/settings.ts';
import { collect, purchaseUrl } from './collect.ts';
import { receiptPath, saveKeys, saveResponse } from './saved.ts';
import { sandboxWallet } from './wallet.ts';

const MAX_RECORDS = 2;
/** Maximum paid for the one call of this process; the default of @x402/fetch is $1. There is no cap over processes. */
const MAX_PAYMENT = '$2';

const A_PATH = "a path of the server, such as '/api/deals?state=OH'";
const A_RECEIPT = 'the Receipt-Id of a response, or the nonce of its payment';
const buySettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  URL: z.string(A_PATH).regex(/^\/[^\r\n\t]*$/, A_PATH),
  FULL: zeroOrOne.default(false),
  SERVER: z
    .url({ protocol: /^https?$/u, error: 'the address of a running server, such as http://localhost:4021' })
    .transform((url) => new URL(url).origin)
    .optional(),
});
const collectSettings = buySettings.omit({ URL: true }).extend({
  RECEIPT: z.string(A_RECEIPT).regex(/^(0x)?[0-9a-fA-F-]{32,66}$/, A_RECEIPT),
});

/** Requests, prints the price in the 402, signs, and requests again. */
async function pay(url: URL, { network }: SandboxWallet, account: PrivateKeyAccount): Promise<Response> {
  let price = 'no payment';
  const watchedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const required = response.headers.get('PAYMENT-REQUIRED');
    const terms = required === null ? undefined : decodePaymentRequiredHeader(required).accepts[0];
    if (terms) price = `402, price ${usdOf(BigInt(terms.amount))} USDC to ${terms.payTo} on ${terms.network}`;
    return response;
  };
  const payingFetch = wrapFetchWithPaymentFromConfig(watchedFetch, {
    schemes: [{ network, client: new ExactEvmScheme(account) }],
    spendControls: { maxAmountPerPayment: MAX_PAYMENT },
  });
  const response = await payingFetch(url.href, { redirect: 'error' });
  print(`required   ${price}`);
  return response;
}

/** Save a paid response with its receipt and the server's keys. */
async function save({ headers }: Response, text: string, { origin, pathname }: URL, dataDir: string): Promise<void> {
  const receipt = headers.get(RECEIPT_HEADER);
  const type = (headers.get('Content-Type') ?? '').split(';')[0] ?? '';
  const name = pathname.split('/').findLast(Boolean) ?? 'answer';
  const file = await saveResponse(join(dataDir, 'client', 'bought'), { name, type, text, receipt });
  const problem = await saveKeys(origin, file);
  print(`saved      ${file}`);
  print(`           verify it: make verify FILE=${shellQuoted(file)} RECEIPT=${shellQuoted(receiptPath(file))}`);
  if (problem !== null) print(`           the server's keys are not saved: ${problem}`);
}

/** A list as JSON, shortened to its first records. Other text is unchanged. */
function shortened(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof body !== 'object' || body === null || !('records' in body) || !Array.isArray(body.records))
    return JSON.stringify(body, null, 2);
  const records = body.records.slice(0, MAX_RECORDS) as unknown[];
  const more = body.records.length - records.length;
  const shown = JSON.stringify({ ...body, records }, null, 2);
  return more > 0 ? `${shown}\n... and ${more} more records (FULL=1 prints them)` : shown;
}

async function main(): Promise<number> {
  const isCollecting = process.argv[2] === 'collect';
  const settings = { URL: '', RECEIPT: '', ...readSettings(isCollecting ? collectSettings : buySettings) };
  const wallet = await sandboxWallet(settings.DATA_DIR, settings.SERVER);
  const account = privateKeyToAccount(wallet.private_key as Hex);
  const url = isCollecting ? purchaseUrl(wallet.base_url, settings.RECEIPT) : new URL(settings.URL, wallet.base_url);
  const response = await (isCollecting ? collect(url, account, wallet.network) : pay(url, wallet, account));
  if (response === null)
    throw new SettingError(
      `RECEIPT is ${JSON.stringify(settings.RECEIPT)}: ${wallet.base_url} did not respond with a sign-in challenge ` +
        'for itself. Set SERVER to the PUBLIC_BASE_URL of the server',
    );
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  print(`response   ${status} ${headers.get('Content-Type') ?? ''}`);
  const settled = headers.get('PAYMENT-RESPONSE');
  print(`settled    ${settled === null ? 'no' : `transaction ${decodePaymentResponseHeader(settled).transaction}`}`);
  const id = headers.get('Receipt-Id');
  if (id !== null) print(`receipt    ${id}   (collect it again, free: make collect RECEIPT=${id})`);
  const isIntact = headers.get('Unencoded-Digest') === `sha-256=:${hash('sha256', bytes, 'base64')}:`;
  if (id !== null) print(`hash       ${isIntact ? 'as the server stated it' : 'NOT as the server stated it'}`);
  if (response.ok && headers.has(RECEIPT_HEADER)) await save(response, text, url, settings.DATA_DIR);
  print(`\n${settings.FULL ? text : shortened(text)}`);
  // Sold, or no match and no charge: both are success.
  const isGood = status === 200 ? id === null || isIntact : status === 404 && !isCollecting;
  return isGood ? 0 : 1;
}

await runCommand(main);
