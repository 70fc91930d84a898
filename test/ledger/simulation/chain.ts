/** The chain of a simulated world: it tells the truth, and everybody may read it and send to it. */
import type { Payment } from '../../../ledger/ledger.ts';
import type { ChainEvidence } from '../../../api/payments/reconcile.ts';
import type { Process, World } from './world.ts';

/** An authorization as its payer signed it. Whoever sees it may send it. */
export type Authorization = Payment;

export interface Transaction {
  readonly hash: string;
  readonly authorization: Authorization;
  readonly sender: string;
  state: 'waiting' | 'done' | 'failed' | 'dropped';
}

export const PRICE = 1_000_000n;
export const PAY_TO = `0x${'ca'.repeat(20)}`;

const keyOf = ({ payer, nonce }: Payment): string => `${payer}|${nonce}`;
const [ROUND_TRIP_FAILS, NOT_FOUND] = [0.05, 0.05];

export class Chain {
  readonly #world: World;
  readonly transactions: Transaction[] = [];
  readonly balances = new Map<string, bigint>();
  readonly used = new Map<string, Transaction>();

  constructor(world: World) { this.#world = world; }

  get seconds(): bigint { return BigInt(Math.floor(this.#world.nowMs / 1000)); }

  send(authorization: Authorization, sender: string): Transaction {
    const transaction: Transaction = { hash: `0x${(this.transactions.length + 1).toString(16).padStart(64, '0')}`, authorization, sender, state: 'waiting' };
    this.transactions.push(transaction);
    return transaction;
  }

  /** Whether it could be settled now. */
  canSettle(a: Authorization): boolean {
    return !this.used.has(keyOf(a)) && this.seconds < a.validBefore && (this.balances.get(a.payer) ?? 0n) >= a.amount;
  }

  /** Put a waiting transaction into a block. */
  mine(transaction: Transaction): void {
    if (transaction.state !== 'waiting') return;
    const { authorization: a } = transaction;
    if (!this.canSettle(a)) {
      transaction.state = 'failed';
    } else {
      transaction.state = 'done';
      this.used.set(keyOf(a), transaction);
      this.balances.set(a.payer, (this.balances.get(a.payer) ?? 0n) - a.amount);
      this.balances.set(a.payTo, (this.balances.get(a.payTo) ?? 0n) + a.amount);
    }
    this.#world.say('chain', `${transaction.hash.slice(-4)} of ${transaction.sender} ${transaction.state}`);
  }

  waiting(): Transaction[] { return this.transactions.filter((t) => t.state === 'waiting'); }

  /** The transaction that used this payment's nonce, where it paid what the payment says. */
  paid(payment: Payment): Transaction | null {
    const by = this.used.get(keyOf(payment));
    return by && by.authorization.payTo === payment.payTo && by.authorization.amount === payment.amount ? by : null;
  }

  /** What the reconciler of a process is told. */
  evidenceFor(process: Process): ChainEvidence {
    const world = this.#world;
    return {
      of: async (payment) => {
        await world.gate(process, 'asks the chain');
        if (world.mishap(ROUND_TRIP_FAILS)) throw new Error('the node cannot be reached');
        const by = this.used.get(keyOf(payment));
        if (!by) return { kind: 'unused', chainSeconds: this.seconds };
        if (world.mishap(NOT_FOUND)) return { kind: 'not_found', why: 'its event was not found' };
        return { kind: this.paid(payment) ? 'paid' : 'used_elsewhere', transaction: by.hash };
      },
    };
  }
}
