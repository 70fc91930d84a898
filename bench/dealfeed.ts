/**
 * Our server as `make serve` starts it, on a local chain for Base Sepolia, and a buyer of its answers. For real money
 * it refuses the data of the sandbox.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startChain } from '../api/payments/local_chain/chain.ts';
import { newKey, sandboxKeyFile, writeReceiptKeys } from '../api/payments/receipts/keys.ts';
import { BASE_SEPOLIA } from '../lib/network.ts';
import type { Call } from './programs.ts';
import { freePort, QUIET, ROOT, start, startServer } from './programs.ts';
import { once } from './settings.ts';

const buyer = privateKeyToAccount(generatePrivateKey());
const wallet = new x402Client().register(BASE_SEPOLIA.name, new ExactEvmScheme(buyer));
wallet.setSpendControls({ maxAmountPerPayment: '$2' });

/** The chain, and x402's own facilitator on it, which the compared servers use. */
export const openChain = once(async () => {
  const { mint, rpcUrl, gasKey } = await startChain(BASE_SEPOLIA);
  await mint(buyer.address, 10n ** 12n);
  const facilitator = await startServer('facilitator.ts', [rpcUrl, gasKey]);
  return { rpcUrl, facilitator, payTo: privateKeyToAccount(generatePrivateKey()).address };
});

/** So many calls of a path, each with a payment of its own, signed now. */
export async function paidCalls(url: string, path: string, count: number): Promise<Call[]> {
  const required = decodePaymentRequiredHeader((await fetch(url + path)).headers.get('PAYMENT-REQUIRED') ?? '');
  const sign = async () => encodePaymentSignatureHeader(await wallet.createPaymentPayload(required));
  const call = async (): Promise<Call> => ({ path, headers: { 'payment-signature': await sign() } });
  return Promise.all(Array.from({ length: count }, call));
}

/** Start the server. @returns when healthy */
export async function startDealfeed(DATA_DIR: string) {
  const [{ rpcUrl: RPC_URL, facilitator, payTo: PAY_TO }, PORT] = [await openChain(), await freePort()];
  const [url, LEDGER] = [`http://127.0.0.1:${PORT}`, join(DATA_DIR, 'ledger.sqlite')];
  const RECEIPT_KEY_FILE = sandboxKeyFile(DATA_DIR);
  await writeReceiptKeys(RECEIPT_KEY_FILE, { keys: [newKey(Date.now())] }, false);
  const place = { DATA_DIR, LEDGER, PORT, PUBLIC_BASE_URL: url, UNBILLED_PER_MINUTE: '0' };
  const payments = { PAYMENTS: 'facilitator', NETWORK: BASE_SEPOLIA.name };
  const env = { ...place, ...payments, FACILITATOR_URL: facilitator, RPC_URL, PAY_TO, RECEIPT_KEY_FILE };
  const startedMs = performance.now();
  const { child, stop } = start(process.execPath, ['api/server.ts'], { cwd: ROOT, env, stdio: QUIET });
  for (let health; !(health = await fetch(`${url}/health`).catch(() => null))?.ok; await pause(5)) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (performance.now() - startedMs > 120_000) throw new Error(`no healthy server: ${await health?.text()}`);
  }
  return { url, child, stop, seconds: (performance.now() - startedMs) / 1000 };
}
