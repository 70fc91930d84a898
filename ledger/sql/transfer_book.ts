/** The book of incoming transfers, and the lease of the auditor who writes it. */
import type { ExclusivePause } from '../ledger.ts';
import type {
  AuditedAccount,
  AuditState,
  BookedTransfer,
  Booking,
  IncomingTransfer,
  TransferBook,
  TransferKind,
} from '../transfers.ts';
import { matchTransfer, type BookingTransaction } from './match_transfer.ts';
import { asNumber, FROM_PURCHASES, purchaseOf, PURCHASE_COLUMNS } from './rows.ts';
import type { Query, Row, Store } from './store.ts';

const PAGE_ROWS = 500;
/** Owed transfers of an account that are matched again in one booking. */
const MAX_OWED = 100;

const COLUMNS =
  'chain, pay_to, block, log_index, tx_hash, payer, nonce, amount, kind, purchase_id, resolution, booked_at_ms';
const INSERT = `INSERT INTO transfers (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL, $11)`;
const BY_PLACE = `SELECT ${COLUMNS} FROM transfers
  WHERE chain = $1 AND pay_to = $2 AND block = $3 AND log_index = $4`;
const OWED = `SELECT ${COLUMNS} FROM transfers
  WHERE kind = 'owed' AND resolution IS NULL AND nonce IS NOT NULL AND chain = $1 AND pay_to = $2
  ORDER BY booked_at_ms LIMIT ${MAX_OWED}`;
const SET_MATCH = `UPDATE transfers SET kind = $5, purchase_id = $6
  WHERE chain = $1 AND pay_to = $2 AND block = $3 AND log_index = $4`;
/** Chains that ignore the chain id of a transaction can share its hash. */
const RESOLVE = `UPDATE transfers SET resolution = $3
  WHERE tx_hash = $1 AND log_index = $2 AND chain = $4 AND kind = 'owed' AND resolution IS NULL RETURNING tx_hash`;

const AUDIT_COLUMNS = 'through_block, through_seconds, audited_at_ms';
const ADD_AUDIT = `INSERT INTO audits (chain, pay_to, ${AUDIT_COLUMNS}, lease_holder, lease_until_ms)
  VALUES ($1, $2, NULL, 0, 0, $3, 0) ON CONFLICT DO NOTHING`;
/** A lease from far in the future was written by a clock that was wrong. */
const LEASE = `UPDATE audits SET lease_holder = $3, lease_until_ms = $5
  WHERE chain = $1 AND pay_to = $2
    AND (lease_holder = $3 OR lease_until_ms <= $4 OR lease_until_ms > $4 + 2 * ($5 - $4))
  RETURNING ${AUDIT_COLUMNS}`;
const ADVANCE = `UPDATE audits SET through_block = $4, through_seconds = $5, audited_at_ms = $6
  WHERE chain = $1 AND pay_to = $2 AND lease_holder = $3 RETURNING chain`;
const AUDITS = `SELECT chain, pay_to, ${AUDIT_COLUMNS} FROM audits ORDER BY audited_at_ms DESC, chain, pay_to`;

const SOLD_WITHOUT_TRANSFER = `SELECT ${PURCHASE_COLUMNS} ${FROM_PURCHASES}
  WHERE p.state = 'sold' AND p.chain = $1 AND p.pay_to = $2
    AND p.block <= $3
    AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.purchase_id = p.id AND t.kind IN ('matched', 'made_good'))
  ORDER BY p.id LIMIT ${PAGE_ROWS}`;
const MOVE_PAYMENT = `UPDATE purchases SET tx_hash = $2, block = $3 WHERE id = $1 AND state = 'sold'`;

const transferOf = (row: Row): BookedTransfer => ({
  chain: String(row['chain']),
  payTo: String(row['pay_to']),
  block: BigInt(asNumber(row['block'])),
  logIndex: asNumber(row['log_index']),
  transaction: String(row['tx_hash']),
  payer: String(row['payer']),
  nonce: row['nonce'] === null ? null : String(row['nonce']),
  amount: BigInt(String(row['amount'])),
  kind: String(row['kind']) as TransferKind,
  purchaseId: row['purchase_id'] === null ? null : String(row['purchase_id']),
  resolution: row['resolution'] === null ? null : String(row['resolution']),
  bookedAtMs: asNumber(row['booked_at_ms']),
});

const auditState = (row: Row): AuditState => ({
  throughBlock: row['through_block'] === null ? null : BigInt(asNumber(row['through_block'])),
  throughSeconds: asNumber(row['through_seconds']),
  auditedAtMs: asNumber(row['audited_at_ms']),
});

async function bookTransfer(
  transaction: BookingTransaction,
  booking: Booking,
  transfer: IncomingTransfer,
): Promise<BookedTransfer> {
  const { query } = transaction;
  const { account, nowMs } = booking;
  const { chain, payTo } = account;
  const [known] = await query(BY_PLACE, chain, payTo, Number(transfer.block), transfer.logIndex);
  if (known) return transferOf(known);
  const { kind, purchaseId } = await matchTransfer(transaction, booking, transfer);
  await query(
    INSERT,
    chain,
    payTo,
    Number(transfer.block),
    transfer.logIndex,
    transfer.transaction,
    transfer.payer,
    transfer.nonce,
    String(transfer.amount),
    kind,
    purchaseId,
    nowMs,
  );
  return { ...transfer, ...account, kind, purchaseId, resolution: null, bookedAtMs: nowMs };
}

/** Match owed transfers again: a lead may be free by now, because the purchase that held it was released. */
async function retryOwed(transaction: BookingTransaction, booking: Booking): Promise<BookedTransfer[]> {
  const { query } = transaction;
  const { chain, payTo } = booking.account;
  const changed: BookedTransfer[] = [];
  for (const owed of (await query(OWED, chain, payTo)).map(transferOf)) {
    const { kind, purchaseId } = await matchTransfer(transaction, booking, owed);
    if (purchaseId === null) continue;
    await query(SET_MATCH, chain, payTo, Number(owed.block), owed.logIndex, kind, purchaseId);
    changed.push({ ...owed, kind, purchaseId });
  }
  return changed;
}

type AuditMethods = Pick<TransferBook, 'leaseAudit' | 'audits' | 'bookTransfers'>;

const auditMethods = (store: Store): AuditMethods => ({
  leaseAudit: ({ chain, payTo }, holder, nowMs, leaseMs) =>
    store.write(async (query) => {
      await query(ADD_AUDIT, chain, payTo, holder);
      const [row] = await query(LEASE, chain, payTo, holder, nowMs, nowMs + leaseMs);
      return row ? auditState(row) : null;
    }),

  audits: async () =>
    (await store.read(AUDITS)).map((row) => ({
      chain: String(row['chain']),
      payTo: String(row['pay_to']),
      ...auditState(row),
    })),

  bookTransfers: (booking) =>
    store.write(async (query) => {
      const { account, holder, transfers, through, nowMs } = booking;
      const { chain, payTo } = account;
      const [lease] = await query(ADVANCE, chain, payTo, holder, Number(through.block), through.seconds, nowMs);
      if (!lease) return [];
      const transaction: BookingTransaction = {
        query,
        lockRows: store.lockRows,
        restored: (await exclusivePause(query)) === 'restored_not_audited',
      };
      const booked = await retryOwed(transaction, booking);
      for (const transfer of transfers) booked.push(await bookTransfer(transaction, booking, transfer));
      return booked;
    }),
});

const OWED_SINCE = `SELECT 1 AS one FROM transfers
  WHERE kind = 'owed' AND resolution IS NULL AND booked_at_ms >= $1 LIMIT 1`;

/** Why exclusive sales are paused after a restore; null if they are not. */
export async function exclusivePause(query: Query): Promise<ExclusivePause | null> {
  const [identity] = await query('SELECT restored_at_ms FROM ledger_identity');
  const restoredAtMs = identity?.['restored_at_ms'] ?? null;
  if (restoredAtMs === null) return null;
  const [audited] = await query('SELECT max(through_seconds) AS seconds FROM audits WHERE through_block IS NOT NULL');
  if (asNumber(audited?.['seconds'] ?? 0) * 1000 < asNumber(restoredAtMs)) return 'restored_not_audited';
  const owed = await query(OWED_SINCE, asNumber(restoredAtMs));
  return owed.length > 0 ? 'restored_transfers_owed' : null;
}

export const transferBook = (store: Store): TransferBook => ({
  ...auditMethods(store),

  async *transfers(account, kinds) {
    const ofKinds = kinds ? ` AND kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})` : '';
    const ofAccount = account ? ' AND chain = $6 AND pay_to = $7' : '';
    const sql = `SELECT ${COLUMNS} FROM transfers
      WHERE (chain, pay_to, block, log_index) > ($1, $2, $3, $4)${ofKinds}${ofAccount}
      ORDER BY chain, pay_to, block, log_index LIMIT $5`;
    let last: BookedTransfer | undefined;
    for (;;) {
      const rows = await store.read(
        sql,
        last?.chain ?? '',
        last?.payTo ?? '',
        Number(last?.block ?? -1n),
        last?.logIndex ?? -1,
        PAGE_ROWS,
        ...(account ? [account.chain, account.payTo] : []),
      );
      const page = rows.map(transferOf);
      yield* page;
      last = page.at(-1);
      if (page.length < PAGE_ROWS) return;
    }
  },

  resolveOwed: async ({ chain, transaction, logIndex }, resolution) =>
    (await store.write((query) => query(RESOLVE, transaction, logIndex, resolution, chain))).length > 0,

  async soldWithoutTransfer({ chain, payTo }: AuditedAccount, throughBlock) {
    const rows = await store.read(SOLD_WITHOUT_TRANSFER, chain, payTo, Number(throughBlock));
    return rows.map(purchaseOf);
  },

  async movePayment(purchaseId, { transaction, block }) {
    await store.write((query) => query(MOVE_PAYMENT, purchaseId, transaction, Number(block)));
  },
});
