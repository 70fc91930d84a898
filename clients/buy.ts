/**
 * `make buy URL='/api/deals?state=OH'`: pays for one call from the sandbox wallet, prints each step, and saves the
 * answer with its receipt. FULL=1 prints every record. Also an example of a client: it uses only the server's URL, its
 * 402 and the sandbox's wallet file.
 */
import { join } from 'node:path';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { createPublicClient, formatUnits, http, parseAbi, type Address, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Network } from '../lib/network.ts';
import { print } from '../lib/output.ts';
import { RECEIPT_HEADER } from '../lib/receipt.ts';
import { readSettings, SettingError, shellQuoted } from '../lib/settings.ts';
import type { SandboxWallet } from '../api/payments/local_chain/wallet.ts';
import { receiptPath, saveKeys, saveResponse } from './saved.ts';
import { sandboxWallet, serverSetting } from './wallet.ts';

const MAX_RECORDS = 2;
/** Maximum paid for the one call of this process; the default of @x402/fetch is $1. There is no cap over processes. */
const MAX_PAYMENT = '$2';

const buySettings = z.object({
  DATA_DIR: z.string().min(1, 'a folder').default('data'),
  URL: z
    .string("a path of the server, such as '/api/deals?state=OH'")
    .regex(/^\/[^\r\n\t]*$/, "a path of the server, such as '/api/deals?state=OH'"),
  FULL: z.enum(['0', '1'], 'either 0 or 1').default('0'),
  ...serverSetting,
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'a port')
    .optional(),
});

/** The wallet of the server on DATA_DIR. PORT, if set, must be that server's port. */
async function findWallet({ DATA_DIR, PORT, SERVER }: z.infer<typeof buySettings>): Promise<SandboxWallet> {
  const wallet = await sandboxWallet(DATA_DIR, SERVER);
  const port = new URL(wallet.base_url).port;
  if (SERVER === undefined && PORT !== undefined && PORT !== port) {
    throw new SettingError(
      `PORT is ${JSON.stringify(PORT)}, expected ${port}, the port of the server on DATA_DIR ` +
        `${JSON.stringify(DATA_DIR)}: the wallet pays that server only. For another server, set its DATA_DIR`,
    );
  }
  return wallet;
}

/** The body, with long lists shortened. */
function bodyText(body: unknown, full: boolean): string {
  if (full || typeof body !== 'object' || body === null || !('records' in body) || !Array.isArray(body.records))
    return JSON.stringify(body, null, 2);
  const more = body.records.length - MAX_RECORDS;
  const text = JSON.stringify({ ...body, records: body.records.slice(0, MAX_RECORDS) as unknown[] }, null, 2);
  return more > 0 ? `${text}\n... and ${more} more records (FULL=1 prints them)` : text;
}

interface Balances {
  readonly buyer: bigint;
  readonly seller: bigint;
}

const usdc = (units: bigint): string => `${formatUnits(units, 6)} USDC`;

/** A function that reads the balances of buyer and seller. */
function balanceReader(rpcUrl: string, asset: string, buyer: string, seller: string): () => Promise<Balances> {
  const chain = createPublicClient({ transport: http(rpcUrl) });
  const balanceOf = (address: string): Promise<bigint> =>
    chain.readContract({
      address: asset as Address,
      abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
      functionName: 'balanceOf',
      args: [address as Address],
    });
  return async () => ({ buyer: await balanceOf(buyer), seller: await balanceOf(seller) });
}

/** A fetch that pays: it requests, prints the price in the 402, signs, and requests again. */
function payingFetch(network: Network['name'], account: PrivateKeyAccount): typeof fetch {
  let isPriced = false;
  const printingFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const required = response.headers.get('PAYMENT-REQUIRED');
    const accepts = required === null ? [] : decodePaymentRequiredHeader(required).accepts;
    const terms = accepts.find((one) => one.network === network);
    if (response.status === 402 && terms && !isPriced) {
      isPriced = true;
      print(`required   402, price ${usdc(BigInt(terms.amount))} to ${terms.payTo} on ${terms.network}`);
    }
    return response;
  };
  const pay = wrapFetchWithPaymentFromConfig(printingFetch, {
    schemes: [{ network, client: new ExactEvmScheme(account) }],
    spendControls: { maxAmountPerPayment: MAX_PAYMENT },
  });
  return async (input, init) => {
    const response = await pay(input, init);
    if (!isPriced) print('required   no payment');
    return response;
  };
}

function printResponse({ status, headers }: Response): void {
  print(`response   ${status} ${headers.get('Content-Type') ?? ''}`);
  const receipt = headers.get('PAYMENT-RESPONSE');
  const settled = receipt === null ? undefined : decodePaymentResponseHeader(receipt);
  print(`settled    ${settled?.success === true ? `transaction ${settled.transaction}` : 'no'}`);
  const id = headers.get('Receipt-Id');
  if (id !== null) print(`receipt    ${id}   (collect it again, free: make collect RECEIPT=${id})`);
}

/** Save a paid response with its receipt and the server's keys. Does nothing without a signed receipt. */
async function savePaid(response: Response, text: string, url: URL, dataDir: string): Promise<void> {
  const receipt = response.headers.get(RECEIPT_HEADER);
  if (!response.ok || receipt === null) return;
  const type = (response.headers.get('Content-Type') ?? '').split(';')[0] ?? '';
  const name = url.pathname.split('/').findLast(Boolean) ?? 'answer';
  const file = await saveResponse(join(dataDir, 'client', 'bought'), { name, type, text, receipt });
  const problem = await saveKeys(url.origin, file);
  print(`saved      ${file}`);
  print(
    `           verify it offline: make verify FILE=${shellQuoted(file)} RECEIPT=${shellQuoted(receiptPath(file))}`,
  );
  if (problem !== null) print(`           the server's keys are not saved: ${problem}`);
}

const printChange = (label: string, before: bigint, after: bigint): void =>
  print(`${label.padEnd(10)} ${usdc(before)} -> ${usdc(after)}   (${usdc(after - before)})`);

function printBody(text: string, full: boolean): void {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  print(body === undefined ? text : bodyText(body, full));
}

async function buy(): Promise<number> {
  const settings = readSettings(buySettings);
  const wallet = await findWallet(settings);
  const url = new URL(settings.URL, wallet.base_url);
  const account = privateKeyToAccount(wallet.private_key as Hex);
  const { network, rpc_url: rpcUrl, asset } = wallet;
  const readBalances = balanceReader(rpcUrl, asset, account.address, wallet.pay_to);

  const before = await readBalances();
  const response = await payingFetch(network, account)(url.href, { redirect: 'error' });
  const text = await response.text();
  const after = await readBalances();

  printResponse(response);
  await savePaid(response, text, url, settings.DATA_DIR);
  printChange('buyer', before.buyer, after.buyer);
  printChange('seller', before.seller, after.seller);
  print('');
  printBody(text, settings.FULL === '1');
  // Sold, or no match and no charge: both are success.
  return response.ok || response.status === 404 ? 0 : 1;
}

try {
  process.exitCode = await buy();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
