/**
 * The continuous audit, in both directions: every transfer to us in a final block matches at most one purchase, and every
 * sold purchase has its transfer. One server among all has the lease of the auditor.
 */
import type { Ledger, Purchase } from '../../../ledger/ledger.ts';
import type {
  AuditedAccount,
  AuditState,
  BlockTime,
  BookedTransfer,
  IncomingTransfer,
} from '../../../ledger/transfers.ts';
import { dollarsOf, NETWORK, USDC } from '../../../lib/network.ts';
import type { PaymentChain } from '../chain/payment_chain.ts';

/** Blocks booked in one transaction. */
const BLOCKS_PER_BOOKING = 1_000n;
/** Bookings of one pass, so that a long absence is made up step by step: half a day of Base. */
const MOST_BOOKINGS = 20;
/** How long the auditor's lease lasts without being extended. */
const LEASE_MS = 180_000;
/** How much earlier than its first purchase the audit of an account begins. */
const HEAD_START_SECONDS = 3_600;

export interface Auditor {
  readonly ledger: Ledger;
  readonly chain: PaymentChain;
  readonly payTo: string;
  /** Names this server among those that share the ledger. */
  readonly holder: string;
  readonly nowMs: () => number;
}

export interface AuditPass {
  /** False where another server has the lease. */
  readonly isAuditor: boolean;
  readonly through: BlockTime | null;
  readonly booked: Readonly<Record<BookedTransfer['kind'], number>>;
  /** Whether final blocks are left for the next pass. */
  readonly isBehind: boolean;
}

/** Where the first audit of an account begins: before its first purchase. */
async function firstBlock({ ledger, chain, payTo }: Auditor, chainId: string, final: BlockTime): Promise<bigint> {
  // The earliest of these times: a clock that was ahead may have written some of them.
  let { seconds } = final;
  for await (const { reservedAtMs, chain: own, payment } of ledger.purchases()) {
    // A purchase of an older version names no chain: its payment may have been believed refused.
    if ((own !== chainId && own !== null) || payment.payTo !== payTo) continue;
    seconds = Math.min(seconds, Math.floor(reservedAtMs / 1000), Number(payment.validBefore));
  }
  return chain.firstBlockAt(Math.max(0, seconds - HEAD_START_SECONDS));
}

/** A sold purchase without a transfer: a reorganization may have moved its payment to another block. */
async function findMoved({ ledger, chain }: Auditor, account: AuditedAccount, through: BlockTime): Promise<void> {
  for (const purchase of await ledger.soldWithoutTransfer(account, through)) {
    const evidence = await chain.of(purchase.payment, { transaction: purchase.transaction });
    if (evidence.kind === 'paid' && evidence.block !== purchase.block) await ledger.moved(purchase.id, evidence);
  }
}

/** Book the final blocks that are not booked yet. @throws where chain or ledger cannot be read */
export async function auditPass(auditor: Auditor): Promise<AuditPass> {
  const { ledger, chain, holder, nowMs } = auditor;
  const account: AuditedAccount = { chain: await chain.id(), payTo: auditor.payTo };
  const booked = { matched: 0, made_good: 0, owed: 0, no_purchase: 0 };
  const state: AuditState | null = await ledger.leaseAudit(account, holder, nowMs(), LEASE_MS);
  if (state === null) return { isAuditor: false, through: null, booked, isBehind: false };
  const final = await chain.finalBlock();
  let next = state.throughBlock === null ? await firstBlock(auditor, account.chain, final) : state.throughBlock + 1n;
  let through: BlockTime | null =
    state.throughBlock === null ? null : { block: state.throughBlock, seconds: state.throughSeconds };
  for (let booking = 0; booking < MOST_BOOKINGS && next <= final.block; booking += 1) {
    const isLast = next + BLOCKS_PER_BOOKING > final.block;
    const block = isLast ? final.block : next + BLOCKS_PER_BOOKING - 1n;
    const transfers = await chain.incoming(account.payTo, next, block);
    // The time of a block between is not needed: the next booking begins after it.
    const end = { block, seconds: isLast ? final.seconds : (through?.seconds ?? 0) };
    for (const { kind } of await ledger.bookTransfers({ account, holder, transfers, through: end, nowMs: nowMs() }))
      booked[kind] += 1;
    const extended = await ledger.leaseAudit(account, holder, nowMs(), LEASE_MS);
    // Another auditor had the lease meanwhile and booked up to a block of its own: the next pass goes on from there.
    if (extended?.throughBlock !== block) break;
    through = end;
    next = block + 1n;
  }
  if (through !== null) await findMoved(auditor, account, through);
  return { isAuditor: true, through, booked, isBehind: next <= final.block };
}

/** A range of blocks held against the ledger, without changing either. */
export interface RangeAudit {
  readonly transfers: number;
  /** Sold purchases whose payment the ledger places in these blocks. */
  readonly sold: number;
  readonly atomic: bigint;
  /** One sentence each. */
  readonly differences: readonly string[];
  /** Transfers that belong to no purchase: gifts and dust. */
  readonly withoutPurchase: readonly IncomingTransfer[];
}

const placeOf = ({ transaction, logIndex }: Pick<IncomingTransfer, 'transaction' | 'logIndex'>): string =>
  `${transaction}:${logIndex}`;

/** The purchase a transfer paid for: the one that stands, or the one it was booked for. */
async function purchaseFor(
  { ledger, payTo }: Auditor,
  { payer, nonce }: IncomingTransfer,
  booked: BookedTransfer | undefined,
): Promise<Purchase | null> {
  if (nonce === null) return null;
  const standing = await ledger.find({ payment: { network: NETWORK, asset: USDC.toLowerCase(), payer, nonce } });
  if (standing?.payment.payTo === payTo) return standing;
  return booked?.purchaseId ? ledger.find({ id: booked.purchaseId }) : null;
}

/**
 * Audit any range of blocks in both directions: each transfer in it against the ledger, each sold purchase of it against
 * the chain. @throws where chain or ledger cannot be read
 */
export async function auditRange(auditor: Auditor, fromBlock: bigint, toBlock: bigint): Promise<RangeAudit> {
  const { ledger, chain, payTo } = auditor;
  const account: AuditedAccount = { chain: await chain.id(), payTo };
  const booked = new Map<string, BookedTransfer>();
  for await (const transfer of ledger.transfers(account)) booked.set(placeOf(transfer), transfer);
  const [differences, withoutPurchase, paid] = [[] as string[], [] as IncomingTransfer[], new Map<string, string>()];
  let [transfers, atomic] = [0, 0n];
  for (let from = fromBlock; from <= toBlock; from += BLOCKS_PER_BOOKING) {
    const to = from + BLOCKS_PER_BOOKING - 1n < toBlock ? from + BLOCKS_PER_BOOKING - 1n : toBlock;
    for (const transfer of await chain.incoming(payTo, from, to)) {
      transfers += 1;
      const known = booked.get(placeOf(transfer));
      const purchase = await purchaseFor(auditor, transfer, known);
      const text = `transfer ${placeOf(transfer)} of ${dollarsOf(transfer.amount)} USDC by ${transfer.payer}`;
      if (known?.kind === 'owed') {
        if (known.resolution === null) differences.push(`${text} is owed`);
      } else if (purchase === null) withoutPurchase.push(transfer);
      else if (purchase.state !== 'sold')
        differences.push(`${text} belongs to purchase ${purchase.id}, which is ${purchase.state}`);
      else if (purchase.payment.amount !== transfer.amount)
        differences.push(`${text} is not the price of purchase ${purchase.id}`);
      else if (paid.has(purchase.id)) differences.push(`${text} is the second one for purchase ${purchase.id}`);
      else {
        paid.set(purchase.id, transfer.transaction);
        atomic += transfer.amount;
      }
    }
  }
  let sold = 0;
  for await (const { id, state, chain: own, block, payment, transaction } of ledger.purchases()) {
    if (
      state !== 'sold' ||
      own !== account.chain ||
      payment.payTo !== payTo ||
      block === null ||
      block < fromBlock ||
      block > toBlock
    )
      continue;
    sold += 1;
    const by = paid.get(id);
    if (by === undefined)
      differences.push(`purchase ${id} is sold in block ${block}, and no transfer there pays for it`);
    else if (by !== transaction)
      differences.push(`purchase ${id} names transaction ${String(transaction)}, and ${by} paid for it`);
  }
  return { transfers, sold, atomic, differences, withoutPurchase };
}
