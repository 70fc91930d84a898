/**
 * The chain of a simulated world: blocks, of which the last ones can be reorganized, unmined transactions, and a token
 * that moves money by authorizations. Every client can read it and send transactions.
 */
import type { AuditedAccount, Payment } from '../../../ledger/ledger.ts';
import { BASE, chainIdentity } from '../../../lib/network.ts';
import type { World } from './world.ts';

/** A call of the token: `pay` with a signed authorization, which anyone who sees it may send. */
export type Call = readonly [kind: 'pay' | 'cancel' | 'move', terms: Payment];

export interface Transaction {
  readonly hash: string;
  /** Each call fails or succeeds independently. */
  readonly calls: readonly Call[];
  readonly sender: 'facilitator' | 'payer' | 'stranger';
  state: 'waiting' | 'mined' | 'dropped';
}

/** An event of the token: a transfer, or the use or the end of an authorization. */
export interface Log extends Pick<Payment, 'payer' | 'payTo' | 'amount'> {
  readonly kind: 'Transfer' | 'AuthorizationUsed' | 'AuthorizationCanceled';
  readonly block: number;
  readonly logIndex: number;
  readonly transaction: Transaction;
  /** Null for a plain transfer. */
  readonly nonce: string | null;
}

export interface Block {
  readonly number: number;
  /** Unix seconds. */
  readonly seconds: number;
  readonly transactions: readonly Transaction[];
  readonly logs: readonly Log[];
}

/** A contract wallet: it may change whether it accepts its signatures. */
interface Wallet {
  accepts: boolean;
  /** Whether it was a contract from the start; an ordinary account may become one at any time (EIP-7702). */
  readonly wasBorn: boolean;
}

export const PRICE = 1_000_000n;
export const PAY_TO = `0x${'ca'.repeat(20)}`;
/** Hash of block 0. */
export const CHAIN = `0x${'c0'.repeat(32)}`;

const keyOf = ({ payer, nonce }: Pick<Log, 'payer' | 'nonce'>): string => `${payer}|${nonce}`;
const termsOf = (payment: Payment): string => `${keyOf(payment)}|${payment.payTo}|${payment.amount}`;
/** Distance of the safe and the final block from the latest block: at least, and less than how much more. */
const [SAFE_LAG, FINAL_LAG] = [
  [1, 3],
  [2, 5],
] as const;
/** Chances of a transaction after a reorganization: mined again at once, or never again. */
const [MINED_AGAIN, LOST] = [0.6, 0.15];

export class Chain {
  readonly network = BASE;
  /** Address of the token, in lower case. */
  readonly asset = BASE.usdc.address.toLowerCase();
  /** The account that is audited. */
  readonly account: AuditedAccount = { chain: chainIdentity(BASE, CHAIN), payTo: PAY_TO };
  readonly transactions: Transaction[] = [];
  readonly balances = new Map<string, bigint>();
  /** The event that used or canceled each authorization. */
  readonly used = new Map<string, Log>();
  readonly wallets = new Map<string, Wallet>();
  readonly blocks: Block[] = [];
  safe = 0;
  final = 0;
  /** Number of reorganized blocks. */
  undone = 0;
  readonly #world: World;
  /** Payments that any block has shown, even if it was reorganized since. */
  readonly #everPaid = new Set<string>();
  #nonces = 0;

  constructor(world: World) {
    this.#world = world;
    for (let n = 0; n < 4; n += 1) this.mine([]);
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

  balanceOf(address: string): bigint {
    return this.balances.get(address) ?? 0n;
  }

  /** A payment to us with an unused nonce. */
  signed(payer: string, validSeconds: number): Payment {
    return {
      network: this.network.name,
      asset: this.asset,
      payer,
      nonce: `0x${(this.#nonces += 1).toString(16).padStart(64, '0')}`,
      payTo: PAY_TO,
      amount: PRICE,
      validBefore: BigInt(this.seconds + validSeconds),
    };
  }

  send(calls: readonly Call[], sender: Transaction['sender']): Transaction {
    const hash = `0x${(this.transactions.length + 1).toString(16).padStart(64, '0')}`;
    const transaction: Transaction = { hash, calls, sender, state: 'waiting' };
    this.transactions.push(transaction);
    return transaction;
  }

  waiting(): Transaction[] {
    return this.transactions.filter((t) => t.state === 'waiting');
  }

  /** Whether the token would accept it at this time. */
  canSettle(a: Payment, seconds = this.seconds): boolean {
    const isValid = !this.used.has(keyOf(a)) && BigInt(seconds) < a.validBefore;
    return isValid && this.balanceOf(a.payer) >= a.amount && this.wallets.get(a.payer)?.accepts !== false;
  }

  /** Whether this payment is on the chain now, with its terms. */
  isPaid(payment: Payment): boolean {
    const used = this.used.get(keyOf(payment));
    if (used?.kind !== 'AuthorizationUsed') return false;
    const moved = this.blocks[used.block]?.logs[used.logIndex + 1];
    return moved?.kind === 'Transfer' && moved.payTo === payment.payTo && moved.amount === payment.amount;
  }

  wasEverPaid(payment: Payment): boolean {
    return this.#everPaid.has(termsOf(payment));
  }

  /** Transfers to us, in order. */
  incoming(): Log[] {
    return this.blocks.flatMap(({ logs }) => logs.filter((log) => log.kind === 'Transfer' && log.payTo === PAY_TO));
  }

  balanceAt(address: string, number: number): bigint {
    let balance = this.balanceOf(address);
    for (const { kind, payer, payTo, amount } of this.blocks.slice(number + 1).flatMap(({ logs }) => logs)) {
      if (kind !== 'Transfer') continue;
      if (payer === address) balance += amount;
      if (payTo === address) balance -= amount;
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
      for (const call of transaction.calls) this.#run(call, transaction, seconds, logs);
      const result = logs.length > before ? 'done' : 'failed';
      this.#world.log('chain', `block ${number}: ${transaction.hash.slice(-4)} of ${transaction.sender} ${result}`);
    }
    this.blocks.push({ number, seconds, transactions, logs });
    const lagging = ([least, more]: readonly [number, number]): number => number - least - this.#world.below(more);
    this.safe = Math.max(this.safe, lagging(SAFE_LAG));
    this.final = Math.max(this.final, Math.min(this.safe, lagging(FINAL_LAG)));
  }

  #run([kind, terms]: Call, transaction: Transaction, seconds: number, logs: Log[]): void {
    const { payer, payTo, amount } = terms;
    const add = (event: Log['kind'], nonce: string | null = terms.nonce): void => {
      const place = { block: this.blocks.length, logIndex: logs.length, transaction };
      const log = { ...place, kind: event, payer, payTo, amount, nonce };
      logs.push(log);
      if (event === 'Transfer') this.#move(payer, payTo, amount);
      else this.used.set(keyOf(log), log);
    };
    if (kind === 'cancel' && !this.used.has(keyOf(terms))) add('AuthorizationCanceled');
    if (kind === 'move' && this.balanceOf(payer) >= amount) add('Transfer', null);
    if (kind !== 'pay' || !this.canSettle(terms, seconds)) return;
    add('AuthorizationUsed');
    add('Transfer');
    this.#everPaid.add(termsOf(terms));
  }

  #move(from: string, to: string, amount: bigint): void {
    this.balances.set(from, this.balanceOf(from) - amount);
    this.balances.set(to, this.balanceOf(to) + amount);
  }

  /** Replace some of the blocks that are not safe: their transactions move to other blocks, wait, or are dropped. */
  reorganize(): void {
    const world = this.#world;
    const most = this.latest.number - this.safe;
    if (most <= 0) return;
    const undone = this.blocks.splice(this.blocks.length - 1 - world.below(most));
    this.undone += undone.length;
    world.log('chain', `blocks from ${undone[0]?.number} on are reorganized`);
    for (const log of undone.flatMap(({ logs }) => logs).reverse()) {
      if (log.kind === 'Transfer') this.#move(log.payTo, log.payer, log.amount);
      else this.used.delete(keyOf(log));
    }
    const again = undone.flatMap(({ transactions }) => transactions.filter((t) => t.state === 'mined'));
    for (const transaction of again) transaction.state = world.random() < LOST ? 'dropped' : 'waiting';
    for (const { seconds } of undone)
      this.mine(
        again.filter((t) => t.state === 'waiting' && world.random() < MINED_AGAIN),
        seconds,
      );
  }
}
