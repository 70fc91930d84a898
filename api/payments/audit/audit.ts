/**
 * The continuous audit, in both directions: every transfer to us in a final block matches at most one purchase, and
 * every sold purchase has its transfer. One server at a time holds the auditor's lease.
 */
import type {
  AuditedAccount,
  AuditState,
  BlockTime,
  BookedTransfer,
  IncomingTransfer,
  Ledger,
} from '../../../ledger/ledger.ts';
import type { PaymentChain } from '../chain/payment_chain.ts';

/** Blocks per booking, which is one database transaction. */
export const BLOCKS_PER_BOOKING = 1_000n;
/** Bookings per pass, which cover half a day of Base. A longer backlog takes several passes. */
const MAX_BOOKINGS = 20;
/** Duration of the auditor's lease unless it is extended. */
const LEASE_MS = 180_000;
/** The audit of an account begins this long before its first purchase. */
const HEAD_START_SECONDS = 3_600;

export interface Auditor {
  readonly ledger: Ledger;
  readonly chain: PaymentChain;
  readonly payTo: string;
  /** Identifies this server among those that share the ledger. */
  readonly holder: string;
  readonly nowMs: () => number;
  /** Whether the payments are sent by our own accounts (self mode). */
  readonly sendsPayments?: boolean;
}

export interface AuditPass {
  /** False if another server holds the lease. */
  readonly isAuditor: boolean;
  readonly through: BlockTime | null;
  readonly booked: Readonly<Record<BookedTransfer['kind'], number>>;
  /** Of the matched ones, those that somebody else sent. 0 if we do not send payments. */
  readonly sentByOthers: number;
  /** Whether final blocks remain for the next pass. */
  readonly isBehind: boolean;
}

/** The block where the first audit of an account begins: before its first purchase. */
async function firstBlock({ ledger, chain, payTo }: Auditor, chainId: string, final: BlockTime): Promise<bigint> {
  // Take the earliest of these times: a clock that was ahead may have written some of them.
  let { seconds } = final;
  for await (const { reservedAtMs, chain: own, payment } of ledger.purchases()) {
    if (own !== chainId || payment.payTo !== payTo) continue;
    seconds = Math.min(seconds, Math.floor(reservedAtMs / 1000), Number(payment.validBefore));
  }
  return chain.firstBlockAt(Math.max(0, seconds - HEAD_START_SECONDS));
}

/** Find sold purchases whose payment a reorganization moved to another block. */
async function followMovedPayments(
  { ledger, chain }: Auditor,
  account: AuditedAccount,
  through: BlockTime,
): Promise<void> {
  for (const purchase of await ledger.soldWithoutTransfer(account, through.block)) {
    const evidence = await chain.evidenceOf(purchase.payment, { transaction: purchase.transaction });
    if (evidence.kind === 'paid' && evidence.block !== purchase.block) await ledger.movePayment(purchase.id, evidence);
  }
}

const placeOf = ({ transaction, logIndex }: IncomingTransfer): string => `${transaction}:${logIndex}`;

/** Book the final blocks that are not booked yet. @throws if the chain or the ledger cannot be read */
export async function auditPass(auditor: Auditor): Promise<AuditPass> {
  const { ledger, chain, holder, nowMs } = auditor;
  const account: AuditedAccount = { chain: await chain.id(), payTo: auditor.payTo };
  const booked = { matched: 0, owed: 0, resolved: 0, dust: 0 };
  const state: AuditState | null = await ledger.leaseAudit(account, holder, nowMs(), LEASE_MS);
  if (state === null) return { isAuditor: false, through: null, booked, sentByOthers: 0, isBehind: false };
  const own = new Set(auditor.sendsPayments === true ? await ledger.gasAccounts() : []);
  let sentByOthers = 0;
  const final = await chain.finalBlock();
  // The latest block ends the window of a restore.
  const latest = (await ledger.exclusivePause()) === null ? final : await chain.latestBlock();
  let next = state.throughBlock === null ? await firstBlock(auditor, account.chain, final) : state.throughBlock + 1n;
  let through: BlockTime | null =
    state.throughBlock === null ? null : { block: state.throughBlock, seconds: state.throughSeconds };
  for (let booking = 0; booking < MAX_BOOKINGS && next <= final.block; booking += 1) {
    const isLast = next + BLOCKS_PER_BOOKING > final.block;
    const block = isLast ? final.block : next + BLOCKS_PER_BOOKING - 1n;
    const transfers = await chain.incomingTransfers(account.payTo, next, block);
    // Only the time of the final block is recorded; the next booking replaces an intermediate one.
    const end = { block, seconds: isLast ? final.seconds : (through?.seconds ?? 0) };
    const range = { transfers, from: next, through: end, latest };
    const found = await ledger.bookTransfers({ account, holder, ...range, nowMs: nowMs() });
    for (const { kind } of found) booked[kind] += 1;
    if (auditor.sendsPayments === true) {
      const others = new Set(transfers.filter(({ sender }) => !own.has(sender)).map(placeOf));
      sentByOthers += found.filter((one) => one.kind === 'matched' && others.has(placeOf(one))).length;
    }
    const extended = await ledger.leaseAudit(account, holder, nowMs(), LEASE_MS);
    // Another auditor took the lease meanwhile and booked to another block: the next pass continues from there.
    if (extended?.throughBlock !== block) break;
    through = end;
    next = block + 1n;
  }
  if (through !== null) await followMovedPayments(auditor, account, through);
  return { isAuditor: true, through, booked, sentByOthers, isBehind: next <= final.block };
}
