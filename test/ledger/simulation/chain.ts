/**
 * The chain of a simulated world: blocks, of which the last ones can be reorganized, unmined transactions, and a token
 * that moves money by authorizations. Every client can read it and send transactions.
 */
import type { AuditedAccount, Payment } from '../../../ledger/ledger.ts';
import { BASE, chainIdentity } from '../../../lib/network.ts';
import type { World } from './world.ts';

/** A signed authorization. Anyone who sees it may send it. */
export type Authorization = Payment;

export type Call =
  | { readonly kind: 'pay'; readonly authorization: Authorization }
  | { readonly kind: 'cancel'; readonly payer: string; readonly nonce: string }
  | { readonly kind: 'move'; readonly from: string; readonly to: string; readonly amount: bigint };

export type Sender = 'facilitator' | 'payer' | 'stranger';

export interface Transaction {
  readonly hash: string;
  /** Each call fails or succeeds independently. */
  readonly calls: readonly Call[];
  readonly sender: Sender;
  state: 'waiting' | 'mined' | 'dropped';
}

/** An event of the token. */
export type Log = { readonly logIndex: number; readonly transaction: Transaction; readonly block: number } & (
  | {
      readonly kind: 'Transfer';
      readonly from: string;
      readonly to: string;
      readonly amount: bigint;
      readonly nonce: string | null;
    }
  | { readonly kind: 'AuthorizationUsed' | 'AuthorizationCanceled'; readonly payer: string; readonly nonce: string }
);

export interface Block {
  readonly number: number;
  /** Unix seconds. */
  readonly seconds: number;
  readonly transactions: readonly Transaction[];
  readonly logs: readonly Log[];
}

/** A contract wallet: it may change whether it accepts its signatures. */
export interface Wallet {
  accepts: boolean;
  /** Whether it was a contract from the start; an ordinary account may become one at any time (EIP-7702). */
  readonly wasBorn: boolean;
}

type Incoming = Extract<Log, { kind: 'Transfer' }>;

export const PRICE = 1_000_000n;
export const PAY_TO = `0x${'ca'.repeat(20)}`;
/** Hash of block 0. */
export const CHAIN = `0x${'c0'.repeat(32)}`;

const keyOf = ({ payer, nonce }: { readonly payer: string; readonly nonce: string }): string => `${payer}|${nonce}`;
/** Distance of the safe and the final block from the latest block. */
const [SAFE_LAG, FINAL_LAG] = [
  { least: 1, more: 3 },
  { least: 2, more: 5 },
];
/** Chances of a transaction after a reorganization: mined again at once, or never again. */
const [MINED_AGAIN, LOST] = [0.6, 0.15];

export class Chain {
  readonly #world: World;
  readonly network = BASE;
  readonly transactions: Transaction[] = [];
  readonly byHash = new Map<string, Transaction>();
  readonly balances = new Map<string, bigint>();
  /** The event that used or canceled each authorization. */
  readonly used = new Map<string, Log>();
  /** Payments that any block has shown, even if it was reorganized since. */
  readonly everPaid = new Set<string>();
  readonly wallets = new Map<string, Wallet>();
  readonly blocks: Block[] = [];
  safe = 0;
  final = 0;
  /** Number of reorganized blocks. */
  undone = 0;

  constructor(world: World) {
    this.#world = world;
    for (let n = 0; n < 4; n += 1) this.mine([]);
  }

  /** Address of the token, in lower case. */
  get asset(): string {
    return this.network.usdc.address.toLowerCase();
  }

  /** The account that is audited. */
  get account(): AuditedAccount {
    return { chain: chainIdentity(this.network, CHAIN), payTo: PAY_TO };
  }

  get latest(): Block {
    const block = this.blocks.at(-1);
    if (!block) throw new Error('the chain has no block');
    return block;
  }

  /** Time of the next block. */
  get seconds(): number {
    return Math.max(Math.floor(this.#world.nowMs / 1000), this.blocks.at(-1)?.seconds ?? 0);
  }

  send(calls: readonly Call[], sender: Sender): Transaction {
    const transaction: Transaction = {
      hash: `0x${(this.transactions.length + 1).toString(16).padStart(64, '0')}`,
      calls,
      sender,
      state: 'waiting',
    };
    this.transactions.push(transaction);
    this.byHash.set(transaction.hash, transaction);
    return transaction;
  }

  waiting(): Transaction[] {
    return this.transactions.filter((t) => t.state === 'waiting');
  }

  /** Whether the token would accept it at this time. */
  canSettle(a: Authorization, seconds = this.seconds): boolean {
    return (
      !this.used.has(keyOf(a)) &&
      BigInt(seconds) < a.validBefore &&
      (this.balances.get(a.payer) ?? 0n) >= a.amount &&
      this.wallets.get(a.payer)?.accepts !== false
    );
  }

  /** Whether this payment is on the chain now, with its terms. */
  isPaid(payment: Payment): boolean {
    return this.paidBy(payment) !== null;
  }

  /** The transfer of this payment to us. */
  paidBy(payment: Payment): Incoming | null {
    const used = this.used.get(keyOf(payment));
    if (used?.kind !== 'AuthorizationUsed') return null;
    const moved = this.blocks[used.block]?.logs[used.logIndex + 1];
    return moved?.kind === 'Transfer' && moved.to === payment.payTo && moved.amount === payment.amount ? moved : null;
  }

  wasEverPaid(payment: Payment): boolean {
    return this.everPaid.has(`${keyOf(payment)}|${payment.payTo}|${payment.amount}`);
  }

  /** Transfers to us, in order. */
  incoming(): Incoming[] {
    return this.blocks.flatMap(({ logs }) =>
      logs.filter((log): log is Incoming => log.kind === 'Transfer' && log.to === PAY_TO),
    );
  }

  balanceAt(address: string, number: number): bigint {
    let balance = this.balances.get(address) ?? 0n;
    for (let n = this.latest.number; n > number; n -= 1) {
      for (const log of this.blocks[n]?.logs ?? []) {
        if (log.kind !== 'Transfer') continue;
        if (log.from === address) balance += log.amount;
        if (log.to === address) balance -= log.amount;
      }
    }
    return balance;
  }

  /** Put these waiting transactions into a block. */
  mine(included: readonly Transaction[], seconds = this.seconds): void {
    const logs: Log[] = [];
    const number = this.blocks.length;
    const transactions = included.filter(({ state }) => state === 'waiting');
    for (const transaction of transactions) {
      transaction.state = 'mined';
      const before = logs.length;
      for (const call of transaction.calls) this.#run(call, transaction, number, seconds, logs);
      const result = logs.length > before ? 'done' : 'failed';
      this.#world.log('chain', `block ${number}: ${transaction.hash.slice(-4)} of ${transaction.sender} ${result}`);
    }
    this.blocks.push({ number, seconds, transactions, logs });
    this.safe = Math.max(this.safe, number - SAFE_LAG.least - this.#world.below(SAFE_LAG.more));
    this.final = Math.max(
      this.final,
      Math.min(this.safe, number - FINAL_LAG.least - this.#world.below(FINAL_LAG.more)),
    );
  }

  #move(from: string, to: string, amount: bigint): void {
    this.balances.set(from, (this.balances.get(from) ?? 0n) - amount);
    this.balances.set(to, (this.balances.get(to) ?? 0n) + amount);
  }

  #run(call: Call, transaction: Transaction, block: number, seconds: number, logs: Log[]): void {
    const add = (log: Log): void => {
      logs.push(log);
      if (log.kind === 'Transfer') this.#move(log.from, log.to, log.amount);
      else this.used.set(keyOf(log), log);
    };
    const at = (): { logIndex: number; transaction: Transaction; block: number } => ({
      logIndex: logs.length,
      transaction,
      block,
    });
    switch (call.kind) {
      case 'cancel':
        if (!this.used.has(keyOf(call))) {
          add({ ...at(), kind: 'AuthorizationCanceled', payer: call.payer, nonce: call.nonce });
        }
        return;
      case 'move':
        if ((this.balances.get(call.from) ?? 0n) >= call.amount) {
          add({ ...at(), kind: 'Transfer', from: call.from, to: call.to, amount: call.amount, nonce: null });
        }
        return;
      case 'pay': {
        const { authorization: a } = call;
        if (!this.canSettle(a, seconds)) return;
        add({ ...at(), kind: 'AuthorizationUsed', payer: a.payer, nonce: a.nonce });
        add({ ...at(), kind: 'Transfer', from: a.payer, to: a.payTo, amount: a.amount, nonce: a.nonce });
        this.everPaid.add(`${keyOf(a)}|${a.payTo}|${a.amount}`);
      }
    }
  }

  /**
   * Replace some of the blocks that are not safe: their transactions move to other blocks, wait, or are dropped.
   */
  reorganize(): void {
    const most = this.latest.number - this.safe;
    if (most <= 0) return;
    const undone = this.blocks.splice(this.blocks.length - 1 - this.#world.below(most));
    this.undone += undone.length;
    this.#world.log('chain', `blocks from ${undone[0]?.number} on are reorganized`);
    for (const { logs } of undone.toReversed()) {
      for (const log of logs.toReversed()) {
        if (log.kind === 'Transfer') this.#move(log.to, log.from, log.amount);
        else this.used.delete(keyOf(log));
      }
    }
    const again = undone.flatMap(({ transactions }) => transactions.filter((t) => t.state === 'mined'));
    for (const transaction of again) transaction.state = this.#world.random() < LOST ? 'dropped' : 'waiting';
    for (const { seconds } of undone) {
      this.mine(
        again.filter((t) => t.state === 'waiting' && this.#world.random() < MINED_AGAIN),
        seconds,
      );
    }
  }
}
