/**
 * The continuous audit, in both directions: every transfer to us in a final block matches at most one purchase, and every
 * sold purchase has its transfer. One server among all has the lease of the auditor.
 */
import type { Ledger, Purchase } from '../../ledger/ledger.ts';
import type { AuditedAccount, AuditState, BlockTime, BookedTransfer } from '../../ledger/transfers.ts';
import type { PaymentChain } from './payment_chain.ts';

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

/** A difference between chain and ledger. */
export type Difference =
  /** Money arrived for which we can no longer give what it paid for: a refund is due. */
  | { readonly kind: 'owed'; readonly transfer: BookedTransfer }
  /** The ledger says sold, and no transfer pays for it. */
  | { readonly kind: 'unpaid'; readonly purchase: Purchase };

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
    if (own !== chainId || payment.payTo !== payTo) continue;
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
  let through: BlockTime | null = state.throughBlock === null ? null : { block: state.throughBlock, seconds: state.throughSeconds };
  for (let booking = 0; booking < MOST_BOOKINGS && next <= final.block; booking += 1) {
    const isLast = next + BLOCKS_PER_BOOKING > final.block;
    const block = isLast ? final.block : next + BLOCKS_PER_BOOKING - 1n;
    const transfers = await chain.incoming(account.payTo, next, block);
    // The time of a block between is not needed: the next booking begins after it.
    through = { block, seconds: isLast ? final.seconds : (through?.seconds ?? 0) };
    for (const { kind } of await ledger.bookTransfers({ account, holder, transfers, through, nowMs: nowMs() })) booked[kind] += 1;
    next = block + 1n;
    await ledger.leaseAudit(account, holder, nowMs(), LEASE_MS);
  }
  if (through !== null) await findMoved(auditor, account, through);
  return { isAuditor: true, through, booked, isBehind: next <= final.block };
}

/** What chain and ledger disagree about, as booked so far. */
export async function differencesOf(ledger: Ledger, account: AuditedAccount): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for await (const transfer of ledger.transfers(account, ['owed'])) {
    if (transfer.resolution === null) differences.push({ kind: 'owed', transfer });
  }
  const state = (await ledger.audits()).find(({ chain, payTo }) => chain === account.chain && payTo === account.payTo);
  if (!state || state.throughBlock === null) return differences;
  for (const purchase of await ledger.soldWithoutTransfer(account, { block: state.throughBlock, seconds: state.throughSeconds })) {
    differences.push({ kind: 'unpaid', purchase });
  }
  return differences;
}
