/** The payer of a request whose wallet has money: a key of the rate limit that nobody can create for free. */
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { atomicOf, type Network } from '../../lib/network.ts';
import type { Offered } from './chain/authorization.ts';
import { ChainUnavailable } from './chain/node.ts';
import type { PaymentChain } from './chain/payment_chain.ts';
import type { Signatures } from './chain/signatures.ts';

/** Least balance of a payer that is counted by itself. A payer with less is counted by its address. */
const LEAST = atomicOf('1.00');
const CACHED_MS = 30_000;
/** How long a payer that had the money is checked although its address has sent too many worthless payments. */
const PROVEN_MS = 3_600_000;
/** After this, the payer counts by its address: a slow node must not delay a request that needs no node. */
const WAIT_MS = 1_000;
const MAX_CACHED = 10_000;

interface FundedPayerOptions {
  readonly chain: Pick<PaymentChain, 'payerState'>;
  readonly network: Network;
  readonly signatures: Pick<Signatures, 'byKey'>;
  readonly payTo: string;
  /** Limit of payments that are checked in vain, by address; above it, only payers that had money lately are. */
  readonly checks: { take(address: string): boolean; giveBack(address: string): void };
  readonly nowMs: () => number;
}

/**
 * Reads the payer of an offered payment, sent from this address; null if its key did not sign a payment to us
 * that is valid now, or it has too little money. A contract wallet has no key. The node reads the balance alone.
 */
export function fundedPayers({ chain, network, signatures, payTo, checks, nowMs }: FundedPayerOptions) {
  const balances = new LRUCache<string, { readonly balance: Promise<bigint>; readonly untilMs: number }>({
    max: MAX_CACHED,
  });
  /** Until when a payer is checked from any address. */
  const proven = new LRUCache<string, number>({ max: MAX_CACHED });
  type Payment = Parameters<typeof chain.payerState>[0];
  const balanceOf = (payment: Payment): Promise<bigint> => {
    const known = balances.get(payment.payer);
    if (known && known.untilMs > nowMs()) return known.balance;
    const balance = chain.payerState(payment).then(
      (state) => state.balance,
      (error: unknown) => {
        if (error instanceof ChainUnavailable) return 0n;
        throw error;
      },
    );
    balances.set(payment.payer, { balance, untilMs: nowMs() + CACHED_MS });
    return balance;
  };
  return async (offered: Offered, address: string): Promise<string | null> => {
    if (offered.kind !== 'payment') return null;
    const { payment, signed } = offered.offer;
    const isForUs =
      payment.network === network.name &&
      payment.asset === network.usdc.address.toLowerCase() &&
      payment.payTo === payTo.toLowerCase() &&
      payment.amount > 0n &&
      payment.validBefore > BigInt(Math.floor(nowMs() / 1_000));
    const isProven = (proven.get(payment.payer) ?? 0) > nowMs();
    if (!isForUs || !(isProven || checks.take(address))) return null;
    if (!(await signatures.byKey(signed))) return null;
    const balance = await Promise.race([balanceOf(payment), pause(WAIT_MS, 0n, { ref: false })]);
    if (balance < LEAST || balance < payment.amount) return null;
    if (!isProven) checks.giveBack(address);
    proven.set(payment.payer, nowMs() + PROVEN_MS);
    return payment.payer;
  };
}
