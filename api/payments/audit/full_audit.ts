/**
 * The audit that `make ledger AUDIT=1` runs: journal, its copy, tables, answers and chain, each compared with the next,
 * from the block in which the ledger began. It changes nothing.
 */
import {
  auditLedger,
  type AuditedBlocks,
  type LedgerAudit,
  type LedgerAuditOptions,
  type PaidBack,
  type Say,
} from '../../../ledger/audit.ts';
import type { IncomingTransfer, Purchase } from '../../../ledger/ledger.ts';
import type { Query, Row, Store } from '../../../ledger/sql/store.ts';
import { dollarsOf } from '../../../lib/network.ts';
import type { PaymentChain, SentTransfer } from '../chain/payment_chain.ts';
import { BLOCKS_PER_BOOKING } from './audit.ts';

/** Ranges of blocks that are requested in parallel. */
const PARALLEL_RANGES = 8;

/** What the chain has for this ledger. */
interface OnChain {
  /** Incoming transfers, and their sum in atomic units. */
  transfers: number;
  atomic: bigint;
  /** Of them, in final blocks that no server has booked yet. */
  notBooked: number;
  /** Plain transfers and transfers of 0, which pay for nothing. */
  dust: number;
  /** Sold purchases of test chains that ended with their servers. */
  ended: number;
}

export interface FullAudit extends LedgerAudit, Readonly<OnChain> {
  readonly differences: readonly string[];
}

const BOOKED = 'SELECT * FROM transfers WHERE chain = $1 AND pay_to = $2 AND block >= $3 AND block <= $4';

/** How a booked transfer differs from the chain; null if it does not. */
function bookingProblem(row: Row, { transaction, payer, nonce, amount }: IncomingTransfer): string | null {
  const onChain = { tx_hash: transaction, payer, nonce, amount: String(amount) };
  for (const [name, value] of Object.entries(onChain))
    if (row[name] !== value) return `${name} is ${row[name]}, and on the chain ${value}`;
  const isDust = nonce === null || amount === 0n;
  return (row['kind'] === 'dust') === isDust ? null : `it is booked as ${row['kind']}`;
}

type AuditedChain = Pick<
  PaymentChain,
  'id' | 'finalBlock' | 'incomingTransfers' | 'outgoingTransfers' | 'pays' | 'evidenceOf'
>;

/** Compares the ledger with the chain. @param paidBack recorded refunds on this chain */
function chainComparison(read: Query, chain: AuditedChain, say: Say, paidBack: readonly PaidBack[]) {
  const counts: OnChain = { transfers: 0, atomic: 0n, notBooked: 0, dust: 0, ended: 0 };
  /** Recorded refunds that no transfer from an audited account was yet. */
  const refunds = new Map(paidBack.map((each) => [each.transaction, each]));

  /** A transfer to a buyer pays back what the ledger records, once. */
  const compareSent = async ({ transaction, logIndex, block, receiver, amount }: SentTransfer): Promise<void> => {
    const recorded = refunds.get(transaction);
    if (recorded?.receiver === receiver && recorded.amount === amount) refunds.delete(transaction);
    else if ((await read('SELECT 1 AS one FROM purchases WHERE payer = $1 LIMIT 1', receiver)).length > 0)
      say(
        `transfer ${transaction}:${logIndex} in block ${block}: ${dollarsOf(amount)} USDC to the buyer ${receiver}, ` +
          'and no refund is recorded for it',
      );
  };
  const compareRange = async (
    { chain: id, payTo, through }: AuditedBlocks,
    from: bigint,
    to: bigint,
  ): Promise<void> => {
    const rows = await read(BOOKED, id, payTo, Number(from), Number(to));
    const booked = new Map(rows.map((row) => [`${row['block']} ${row['log_index']}`, row]));
    for (const transfer of await chain.incomingTransfers(payTo, from, to)) {
      const { transaction, logIndex, block, payer, nonce, amount } = transfer;
      const row = booked.get(`${block} ${logIndex}`);
      booked.delete(`${block} ${logIndex}`);
      const problem = row
        ? bookingProblem(row, transfer)
        : `${dollarsOf(amount)} USDC by ${payer} with nonce ${nonce} are not booked`;
      counts.transfers += 1;
      counts.atomic += amount;
      if (nonce === null || amount === 0n) counts.dust += 1;
      if (!row && block > through) counts.notBooked += 1;
      else if (problem !== null) say(`transfer ${transaction}:${logIndex} in block ${block}: ${problem}`);
    }
    for (const { tx_hash: hash, log_index: index, block } of booked.values())
      say(`transfer ${hash}:${index} is booked in block ${block}, and is not there`);
    for (const sent of await chain.outgoingTransfers(payTo, from, to)) await compareSent(sent);
  };

  return {
    counts,
    /** Every transfer to an account is booked as it is on the chain, and what is booked is on the chain. */
    async account(account: AuditedBlocks, final: bigint): Promise<void> {
      const { first, through } = account;
      if (through > final) say(`the audit says that it has read block ${through}, and the last final is ${final}`);
      for (let from = first; from <= final; from += BLOCKS_PER_BOOKING * BigInt(PARALLEL_RANGES)) {
        const starts = Array.from({ length: PARALLEL_RANGES }, (_, i) => from + BigInt(i) * BLOCKS_PER_BOOKING);
        const ranges = starts
          .filter((start) => start <= final)
          .map(async (start) => {
            const end = start + BLOCKS_PER_BOOKING - 1n;
            await compareRange(account, start, end < final ? end : final);
          });
        await Promise.all(ranges);
      }
    },
    /** A refund that was sent from another account. */
    async otherRefunds(): Promise<void> {
      for (const { transaction, receiver, amount } of refunds.values())
        if (!(await chain.pays(transaction, receiver, amount)))
          say(`transaction ${transaction} is no refund: it does not pay ${dollarsOf(amount)} USDC to ${receiver}`);
    },
    /** A sold purchase without a booked transfer is paid in a block that the audit has not read yet. */
    async paid({ id, payment, transaction, block }: Purchase, through: bigint): Promise<void> {
      const evidence = await chain.evidenceOf(payment, { transaction });
      const place = `by ${transaction} in block ${block}`;
      if (evidence.kind !== 'paid') say(`purchase ${id} is sold ${place}, and no transfer pays it`);
      else if (evidence.block !== block || evidence.transaction !== transaction)
        say(`purchase ${id} is paid ${place}, on the chain by ${evidence.transaction} in block ${evidence.block}`);
      else if (evidence.block <= through)
        say(`purchase ${id} is sold, and its transfer ${transaction} is not booked for it`);
    },
  };
}

/** @throws ChainUnavailable, LedgerUnavailable */
export async function fullAudit(store: Store, chain: AuditedChain, options: LedgerAuditOptions): Promise<FullAudit> {
  const differences: string[] = [];
  const say: Say = (difference) => differences.push(difference);
  const ledger = await auditLedger(store, options, say);
  const { accounts, money, soldWithoutTransfer } = ledger;
  const [id, final] = [await chain.id(), await chain.finalBlock()];
  const paidBack = ledger.paidBack.filter((each) => each.chain === id);
  const comparison = chainComparison(store.read, chain, say, paidBack);
  for (const account of accounts) if (account.chain === id) await comparison.account(account, final.block);
  await comparison.otherRefunds();
  for (const purchase of soldWithoutTransfer) {
    const own = accounts.find((one) => one.chain === id && one.payTo === purchase.payment.payTo);
    if (purchase.chain === id) await comparison.paid(purchase, own?.through ?? -1n);
    // A chain in memory ends with its server.
    else if (money === 'test') comparison.counts.ended += 1;
    else say(`purchase ${purchase.id} is sold on chain ${purchase.chain}, and the node has ${id}`);
  }
  return { ...ledger, ...comparison.counts, differences };
}
