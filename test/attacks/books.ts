/** Checks after an attack: the ledger, the chain and the responses that buyers got must agree. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { decodePaymentResponseHeader, decodePaymentSignatureHeader } from '@x402/core/http';
import { parseAbiItem, type Hex } from 'viem';
import { USDC } from '../../lib/network.ts';
import type { Purchase } from '../../ledger/ledger.ts';
import type { Shop } from '../support/shop.ts';

const USED = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)');
const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

const shown = (text: string | null): string => JSON.stringify(text?.slice(0, 80) ?? null);

/** One presentation of a payment, and what came back. */
export interface Attempt {
  readonly url: string;
  readonly payer: Hex;
  readonly nonce: Hex;
  /** 0 where no reply could be read. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** SIGN-IN-WITH-X of the payer; null where the wallet signs nothing. */
  readonly signIn: ((url: string) => Promise<string>) | null;
}

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};

/** Present a payment. */
export async function attempt(url: string, header: string, signIn: Attempt['signIn'] = null): Promise<Attempt> {
  const { payload } = decodePaymentSignatureHeader(header) as unknown as {
    payload: { authorization: { from: Hex; nonce: Hex } };
  };
  const { from, nonce } = payload.authorization;
  const paid = { url, payer: from, nonce, signIn };
  try {
    const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': header } });
    const text = await response.text();
    return { ...paid, status: response.status, headers: response.headers, text, json: objectIn(text) };
  } catch {
    return { ...paid, status: 0, headers: new Headers(), text: '', json: {} };
  }
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export interface Paid {
  readonly transaction: Hex;
  readonly amount: bigint;
}

/** Finds the transaction that paid the shop with an authorization. */
type FindPaid = (payer: Hex, nonce: Hex) => Paid | null;

/** All payments to the shop, each by its own two events, in one request to the chain. */
async function paymentsTo(shop: Shop): Promise<FindPaid> {
  const logs = await shop.admin.getLogs({ address: USDC, events: [USED, TRANSFER], strict: true, fromBlock: 0n });
  const placeOf = (block: bigint, logIndex: number): string => `${block}:${logIndex}`;
  const transfers = new Map(
    logs.flatMap((log) => (log.eventName === 'Transfer' ? [[placeOf(log.blockNumber, log.logIndex), log]] : [])),
  );
  return (payer, nonce) => {
    const used = logs.find(
      (log) =>
        log.eventName === 'AuthorizationUsed' && isSame(log.args.authorizer, payer) && isSame(log.args.nonce, nonce),
    );
    const next = used && transfers.get(placeOf(used.blockNumber, used.logIndex + 1));
    if (!next || next.transactionHash !== used.transactionHash) return null;
    const isOurs = isSame(next.args.from, payer) && isSame(next.args.to, shop.payTo);
    return isOurs ? { transaction: used.transactionHash, amount: next.args.value } : null;
  };
}

/** The transaction that paid the shop with this authorization; null if none did. */
export const paidIn = async (shop: Shop, payer: Hex, nonce: Hex): Promise<Paid | null> =>
  (await paymentsTo(shop))(payer, nonce);

/** The transaction that a response names. */
export const namedTransaction = (headers: Headers): string | null => {
  const value = headers.get('PAYMENT-RESPONSE');
  return value === null ? null : decodePaymentResponseHeader(value).transaction;
};

/** Sum of what is sold; each purchase must have its own events in its own receipt. */
function sumOfSold(findPaid: FindPaid, purchases: readonly Purchase[], faults: string[]): bigint {
  let total = 0n;
  for (const { id, payment, transaction } of purchases.filter((p) => p.state === 'sold')) {
    total += payment.amount;
    const paid = findPaid(payment.payer as Hex, payment.nonce as Hex);
    if (!paid) faults.push(`purchase ${id} is sold and was not paid`);
    else if (transaction !== paid.transaction) faults.push(`purchase ${id} names ${shown(transaction)}`);
    else if (payment.amount !== paid.amount) faults.push(`purchase ${id} was paid another amount`);
  }
  return total;
}

function checkLeads(purchases: readonly Purchase[], faults: string[]): void {
  const holders = new Map<string, string>();
  for (const { id, leadId, state } of purchases) {
    if (leadId === null || (state !== 'sold' && state !== 'settling')) continue;
    const holder = holders.get(leadId);
    if (holder !== undefined) faults.push(`lead ${leadId} belongs to ${holder} and ${id}`);
    holders.set(leadId, id);
  }
}

/** A charged buyer was served or can collect; a served buyer was charged; nobody was told something untrue. */
async function checkBuyer(shop: Shop, made: Attempt, paid: Paid | null, faults: string[]): Promise<void> {
  const who = `the buyer who got ${made.status} ${reasonOf(made)}`.trim();
  if (made.status === 200 && !paid) faults.push(`${who} paid nothing`);
  if (!paid) return;
  if (made.json['billed'] === false) faults.push(`${who} was charged and told billed: false`);
  const named = namedTransaction(made.headers);
  if (named !== null && named !== paid.transaction) faults.push(`${who} was told another transaction: ${shown(named)}`);
  if (!made.signIn) return;
  const url = `${shop.url}/api/purchases/${made.nonce}`;
  const collected = await fetch(url, { headers: { 'SIGN-IN-WITH-X': await made.signIn(url) } }).catch(() => null);
  if (collected?.status !== 200) {
    faults.push(`${who} was charged and collecting gives ${collected?.status ?? 'no readable reply'}`);
  } else if (namedTransaction(collected.headers) !== paid.transaction) {
    faults.push(`${who} collects with another transaction: ${shown(namedTransaction(collected.headers))}`);
  }
}

/** Resolve what is open, then compare ledger, chain and replies. All faults are reported together. */
export async function checkBooks(shop: Shop, attempts: readonly Attempt[]): Promise<void> {
  await shop.resolve();
  const faults: string[] = [];
  const purchases = await shop.purchases();
  const findPaid = await paymentsTo(shop);
  const total = sumOfSold(findPaid, purchases, faults);
  const received = await shop.chain.balanceOf(shop.payTo);
  if (total !== received) faults.push(`the ledger has ${total} and the chain ${received}`);
  checkLeads(purchases, faults);
  for (const made of attempts) await checkBuyer(shop, made, findPaid(made.payer, made.nonce), faults);
  assert.deepEqual(faults, []);
}

/** Wait until each of these requests has reached the facilitator or has its response. */
export async function untilHeldOrAnswered(
  shop: Shop,
  requests: readonly Promise<unknown>[],
  settlementsBefore: number,
): Promise<void> {
  let answered = 0;
  for (const request of requests) {
    request.finally(() => (answered += 1)).catch(() => undefined);
  }
  // An answered request may have reached the facilitator before.
  while (shop.facilitator.settlements() - settlementsBefore + answered < requests.length) await pause(20);
}

/** The typed reason of a refusal, or nothing. */
export const reasonOf = ({ json }: Attempt): string => (typeof json['reason'] === 'string' ? json['reason'] : '');

/** Statuses and reasons, counted: "402 payment_malformed" -> 3. */
export function outcomes(attempts: readonly Attempt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const made of attempts) {
    const name = `${made.status} ${reasonOf(made)}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Gas that our own key spent since a block. */
export async function gasSpent(shop: Shop, fromBlock = 0n): Promise<bigint> {
  const latest = await shop.admin.getBlockNumber();
  let gas = 0n;
  for (let blockNumber = fromBlock; blockNumber <= latest; blockNumber += 1n) {
    const { transactions } = await shop.admin.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, hash } of transactions) {
      if (isSame(from, shop.gasAccount)) gas += (await shop.admin.getTransactionReceipt({ hash })).gasUsed;
    }
  }
  return gas;
}
