/**
 * `make buy URL='/api/deals?state=OH'`: pay for one call from the sandbox wallet and show what happened. An example
 * of a client: it knows the server only by its address, its 402 and the wallet file of the sandbox.
 *   FULL=1  prints every record
 */
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { createPublicClient, formatUnits, http, parseAbi, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { say } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import type { SandboxWallet } from '../api/payments/local_chain/wallet.ts';
import { sandboxWallet } from './wallet.ts';

const RECORDS_SHOWN = 2;
/** Most that is paid for one call; left alone, @x402/fetch stops at $1. */
const DEAREST = '$2';

const settingsOfBuy = z.object({
  DATA_DIR: z.string().min(1, 'a folder').default('data'),
  URL: z
    .string("a path of the server, such as '/api/deals?state=OH'")
    .regex(/^\/[^\s]*$/, "a path of the server, such as '/api/deals?state=OH'"),
  FULL: z.enum(['0', '1'], 'either 0 or 1').default('0'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'a port')
    .optional(),
});

/** The wallet of the data folder's server, which PORT may name and cannot choose. */
async function walletOf({ DATA_DIR, PORT }: z.infer<typeof settingsOfBuy>): Promise<SandboxWallet> {
  const wallet = await sandboxWallet(DATA_DIR);
  const port = new URL(wallet.base_url).port;
  if (PORT !== undefined && PORT !== port) {
    throw new SettingError(
      `PORT is ${JSON.stringify(PORT)}, expected ${port}, where the server of DATA_DIR ${JSON.stringify(DATA_DIR)} listens: the wallet pays that server alone. For another one give its DATA_DIR`,
    );
  }
  return wallet;
}

/** The body with long lists cut, and a line that says so. */
function shown(body: unknown, full: boolean): string {
  if (full || typeof body !== 'object' || body === null || !('records' in body) || !Array.isArray(body.records))
    return JSON.stringify(body, null, 2);
  const more = body.records.length - RECORDS_SHOWN;
  const cut = JSON.stringify({ ...body, records: body.records.slice(0, RECORDS_SHOWN) as unknown[] }, null, 2);
  return more > 0 ? `${cut}\n... and ${more} more records (FULL=1 prints them)` : cut;
}

async function buy(): Promise<number> {
  const settings = readSettings(settingsOfBuy);
  const wallet = await walletOf(settings);
  const url = new URL(settings.URL, wallet.base_url);
  const account = privateKeyToAccount(wallet.private_key as Hex);
  const chain = createPublicClient({ transport: http(wallet.rpc_url) });
  const balance = (address: string): Promise<bigint> =>
    chain.readContract({
      address: wallet.asset as Address,
      abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
      functionName: 'balanceOf',
      args: [address as Address],
    });
  const usdc = (units: bigint): string => `${formatUnits(units, 6)} USDC`;

  const before = { buyer: await balance(account.address), seller: await balance(wallet.pay_to) };
  let asked: string | undefined;
  // What @x402/fetch does: ask, read the 402, sign, ask again.
  const pay = wrapFetchWithPaymentFromConfig(
    async (input, init) => {
      const response = await fetch(input, init);
      const required = response.headers.get('PAYMENT-REQUIRED');
      const price = required === null ? undefined : decodePaymentRequiredHeader(required).accepts[0];
      if (response.status === 402 && price && asked === undefined) {
        asked = usdc(BigInt(price.amount));
        say(`asked      402, price ${asked} to ${price.payTo} on ${price.network}`);
      }
      return response;
    },
    {
      schemes: [{ network: 'eip155:8453', client: new ExactEvmScheme(account) }],
      spendControls: { maxAmountPerPayment: DEAREST },
    },
  );
  const response = await pay(url.href, { redirect: 'error' });
  const text = await response.text();
  const after = { buyer: await balance(account.address), seller: await balance(wallet.pay_to) };

  if (asked === undefined) say('asked      nothing was asked for');
  say(`answered   ${response.status} ${response.headers.get('Content-Type') ?? ''}`);
  const receipt = response.headers.get('PAYMENT-RESPONSE');
  const settled = receipt === null ? undefined : decodePaymentResponseHeader(receipt);
  say(`settled    ${settled?.success === true ? `transaction ${settled.transaction}` : 'no'}`);
  const id = response.headers.get('Receipt-Id');
  if (id !== null) say(`receipt    ${id}   (the same answer again, unbilled: make collect RECEIPT=${id})`);
  say(`buyer      ${usdc(before.buyer)} -> ${usdc(after.buyer)}   (${usdc(after.buyer - before.buyer)})`);
  say(`seller     ${usdc(before.seller)} -> ${usdc(after.seller)}   (${usdc(after.seller - before.seller)})`);
  say('');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  say(body === undefined ? text : shown(body, settings.FULL === '1'));
  // Sold, or nothing matched and nothing was charged: both are what was asked for.
  return response.ok || response.status === 404 ? 0 : 1;
}

try {
  process.exitCode = await buy();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
