/**
 * The book of incoming transfers: each is matched with the purchase that it pays, whoever sent its transaction. The
 * holder of the auditor's lease writes it. After a restore, exclusive sales are paused until every transfer of the lost
 * time is booked, and none of them is owed.
 */
import type {
  AuditedAccount,
  AuditState,
  BookedTransfer,
  Booking,
  IncomingTransfer,
  TransferBook,
  TransferKind,
  Purchase,
  BlockTime,
  ExclusivePause,
} from '../ledger.ts';
import { DAY_MS } from '../../lib/time.ts';
import { change, recordEvent, type JournalLine, drop } from './journal.ts';
import { rowsInOrder, type Query, type Row, type Store } from './store.ts';
import { asNumber, FACTS, purchaseOf, TRANSACTION } from './rows.ts';
import { insertHold } from './holds.ts';

/** Owed transfers of an account that are matched again in one booking, if they have a purchase at all. */
const MAX_OWED = 1000;

const COLUMNS =
  'chain, pay_to, block, log_index, tx_hash, payer, nonce, amount, kind, purchase_id, resolution, booked_at_ms';
const INSERT = `INSERT INTO transfers (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
const BY_PLACE = `SELECT ${COLUMNS} FROM transfers
  WHERE chain = $1 AND pay_to = $2 AND block = $3 AND log_index = $4`;
const OWED = `SELECT ${COLUMNS} FROM transfers
  WHERE kind = 'owed' AND chain = $1 AND pay_to = $2
    AND EXISTS (SELECT 1 FROM purchases WHERE ${paidWith('transfers.payer', 'transfers.nonce')})
  ORDER BY booked_at_ms LIMIT ${MAX_OWED}`;
const SET_MATCH = `UPDATE transfers SET kind = 'matched', purchase_id = $5
  WHERE chain = $1 AND pay_to = $2 AND block = $3 AND log_index = $4`;
/** Chains that ignore the chain id of a transaction can share its hash. */
const RESOLVE = `UPDATE transfers SET kind = 'resolved', resolution = $3
  WHERE tx_hash = $1 AND log_index = $2 AND chain = $4 AND kind = 'owed' RETURNING tx_hash`;
/** A transaction pays back one debt; a note may be that of several. */
const IS_RESOLUTION = `SELECT 1 AS one FROM transfers WHERE resolution = $1
  UNION ALL SELECT 1 AS one FROM purchases WHERE refund_due IS NOT NULL AND refunded = $1 LIMIT 1`;
const BOOK_REFUND = {
  set: 'refund_due = $2, refund_proof = $3',
  where: `id = $1 AND state = 'sold' AND refund_due IS NULL`,
};
const SETTLE_REFUND = { set: 'refunded = $2', where: 'id = $1 AND refund_due IS NOT NULL AND refunded IS NULL' };
/** The transfer of a purchase that is not sold is owed as a whole. */
const WITH_REFUND = `refund_due IS NOT NULL AND (state = 'sold' OR refunded IS NOT NULL)`;
/** Purchases by id, whose first digits are the time of their reservation. */
const SOLD = { select: `SELECT ${FACTS} FROM purchases`, key: 'id' };

const RESOLUTIONS = `SELECT line FROM journal WHERE subject = '' AND line LIKE '%"event":"resolved"%' AND line LIKE $1`;

const AUDIT_COLUMNS = 'first_block, through_block, through_seconds, audited_at_ms';
const ADD_AUDIT = `INSERT INTO audits (chain, pay_to, ${AUDIT_COLUMNS}, lease_holder, lease_until_ms)
  VALUES ($1, $2, NULL, NULL, 0, 0, $3, 0) ON CONFLICT DO NOTHING`;
/** A lease from far in the future was written by a clock that was wrong. */
const LEASE = `UPDATE audits SET lease_holder = $3, lease_until_ms = $5
  WHERE chain = $1 AND pay_to = $2
    AND (lease_holder = $3 OR lease_until_ms <= $4 OR lease_until_ms > $4 + 2 * ($5 - $4))
  RETURNING ${AUDIT_COLUMNS}`;
const BEGIN = `UPDATE audits SET first_block = $4, through_block = $4
  WHERE chain = $1 AND pay_to = $2 AND lease_holder = $3 AND first_block IS NULL RETURNING chain`;
const ADVANCE = `UPDATE audits SET through_block = $4, through_seconds = $5, audited_at_ms = $6
  WHERE chain = $1 AND pay_to = $2 AND lease_holder = $3 RETURNING chain`;
const AUDITS = `SELECT chain, pay_to, ${AUDIT_COLUMNS} FROM audits ORDER BY audited_at_ms DESC, chain, pay_to`;

const SOLD_WITHOUT_TRANSFER = `SELECT ${FACTS} FROM purchases
  WHERE state = 'sold' AND chain = $1 AND pay_to = $2 AND block <= $3
    AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.purchase_id = purchases.id)
  ORDER BY id LIMIT 500`;

/** The least id of a purchase that is reserved at this time or later: a UUID of version 7 starts with its time. */
function firstIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

const textOf = (value: unknown): string | null => (value === null ? null : String(value));
const blockOf = (value: unknown): bigint | null => (value === null ? null : BigInt(asNumber(value)));
const accountOf = (row: Row): AuditedAccount => ({ chain: String(row['chain']), payTo: String(row['pay_to']) });

const transferOf = (row: Row): BookedTransfer => ({
  ...accountOf(row),
  block: BigInt(asNumber(row['block'])),
  logIndex: asNumber(row['log_index']),
  transaction: String(row['tx_hash']),
  payer: String(row['payer']),
  nonce: textOf(row['nonce']),
  amount: BigInt(String(row['amount'])),
  kind: String(row['kind']) as TransferKind,
  purchaseId: textOf(row['purchase_id']),
  resolution: textOf(row['resolution']),
  bookedAtMs: asNumber(row['booked_at_ms']),
});

const auditState = (row: Row): AuditState => ({
  firstBlock: blockOf(row['first_block']),
  throughBlock: blockOf(row['through_block']),
  throughSeconds: asNumber(row['through_seconds']),
  auditedAtMs: asNumber(row['audited_at_ms']),
});

/** How the transfer was settled before a restore lost its row, by the journal. */
async function earlierResolution(query: Query, chain: string, transfer: IncomingTransfer): Promise<string | null> {
  const { transaction, logIndex } = transfer;
  const place = JSON.stringify({ chain, transaction, log_index: logIndex }).slice(1, -1);
  const [row] = await query(RESOLUTIONS, `%${place}%`);
  return row ? String((JSON.parse(String(row['line'])) as JournalLine)['resolution']) : null;
}

async function bookTransfer(
  transaction: BookingTransaction,
  booking: Booking,
  transfer: IncomingTransfer,
): Promise<BookedTransfer> {
  const { query } = transaction;
  const { account, nowMs } = booking;
  const { chain, payTo } = account;
  const { block, logIndex, payer, nonce, amount } = transfer;
  const [known] = await query(BY_PLACE, chain, payTo, Number(block), logIndex);
  if (known) return transferOf(known);
  const isDust = nonce === null || amount === 0n;
  const purchaseId = isDust ? null : await matchTransfer(transaction, booking, { ...transfer, nonce });
  const isOwed = !isDust && purchaseId === null;
  const resolution = isOwed ? await earlierResolution(query, chain, transfer) : null;
  const kind = isDust ? 'dust' : purchaseId !== null ? 'matched' : resolution === null ? 'owed' : 'resolved';
  const place = [chain, payTo, Number(block), logIndex, transfer.transaction] as const;
  await query(INSERT, ...place, payer, nonce, String(amount), kind, purchaseId, resolution, nowMs);
  return { ...transfer, ...account, kind, purchaseId, resolution, bookedAtMs: nowMs };
}

/** Match owed transfers again: the purchase may be sold by now, or its lead free. */
async function retryOwed(transaction: BookingTransaction, booking: Booking): Promise<BookedTransfer[]> {
  const { query } = transaction;
  const { chain, payTo } = booking.account;
  const changed: BookedTransfer[] = [];
  for (const owed of (await query(OWED, chain, payTo)).map(transferOf)) {
    const { nonce, block, logIndex } = owed;
    const purchaseId = nonce === null ? null : await matchTransfer(transaction, booking, { ...owed, nonce });
    if (purchaseId === null) continue;
    await query(SET_MATCH, chain, payTo, Number(block), logIndex, purchaseId);
    changed.push({ ...owed, kind: 'matched', purchaseId });
  }
  return changed;
}

export const transferBook = (store: Store): TransferBook => ({
  leaseAudit: ({ chain, payTo }, holder, nowMs, leaseMs) =>
    store.write(async (query) => {
      await query(ADD_AUDIT, chain, payTo, holder);
      const [row] = await query(LEASE, chain, payTo, holder, nowMs, nowMs + leaseMs);
      return row ? auditState(row) : null;
    }),

  audits: async () => (await store.read(AUDITS)).map((row) => ({ ...accountOf(row), ...auditState(row) })),

  bookTransfers: (booking) =>
    store.write(async (query) => {
      const { account, holder, transfers, from, through, latest, nowMs } = booking;
      const { chain, payTo } = account;
      const isFirst = (await query(BEGIN, chain, payTo, holder, Number(from))).length > 0;
      if (isFirst) await recordEvent(query, 'began', { chain, pay_to: payTo, first_block: Number(from) });
      const position = [Number(through.block), through.seconds, nowMs] as const;
      if ((await query(ADVANCE, chain, payTo, holder, ...position)).length === 0) return [];
      const transaction: BookingTransaction = { query, lockRows: store.lockRows };
      const booked = await retryOwed(transaction, booking);
      for (const transfer of transfers) booked.push(await bookTransfer(transaction, booking, transfer));
      await liftMark(query, latest);
      return booked;
    }),

  async *transfers(account, kinds) {
    const conditions = [
      ...(kinds ? [`kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`] : []),
      ...(account ? ['chain = $1 AND pay_to = $2'] : []),
    ];
    const booked = {
      select: `SELECT ${COLUMNS} FROM transfers`,
      where: conditions.join(' AND ') || '1 = 1',
      key: 'chain, pay_to, block, log_index',
    };
    const parameters = account ? [account.chain, account.payTo] : [];
    for await (const row of rowsInOrder(store.read, booked, ...parameters)) yield transferOf(row);
  },

  async owedFor(payer, nonce) {
    const sql = `SELECT amount FROM transfers WHERE kind = 'owed' AND payer = $1 AND nonce = $2`;
    const [row] = await store.read(sql, payer, nonce);
    return row ? BigInt(String(row['amount'])) : null;
  },

  async *refundable(routes, sinceMs) {
    const names = routes.map((_, i) => `$${i + 3}`).join(', ');
    const where = `id > $1 AND ended_at_ms > $2 AND state = 'sold' AND refund_due IS NULL AND route IN (${names})`;
    const rows = rowsInOrder(store.read, { ...SOLD, where }, firstIdAt(sinceMs - DAY_MS), sinceMs, ...routes);
    for await (const row of rows) yield purchaseOf(row);
  },

  bookRefund: (purchaseId, { amount, proof }) =>
    store.write(
      async (query) => (await change(query, 'refund_due', BOOK_REFUND, purchaseId, String(amount), proof)).length === 1,
    ),

  async *refunds() {
    for await (const row of rowsInOrder(store.read, { ...SOLD, where: WITH_REFUND })) {
      const { refund, ...purchase } = purchaseOf(row);
      if (refund) yield { ...purchase, refund };
    }
  },

  settleDebt: (debt, resolution) =>
    store.write(async (query) => {
      await store.lock(query, 'resolutions');
      if (TRANSACTION.test(resolution) && (await query(IS_RESOLUTION, resolution)).length > 0) return false;
      if (!('transaction' in debt))
        return (await change(query, 'refunded', SETTLE_REFUND, debt.purchaseId, resolution)).length === 1;
      const { chain, transaction, logIndex } = debt;
      if ((await query(RESOLVE, transaction, logIndex, resolution, chain)).length === 0) return false;
      await recordEvent(query, 'resolved', { chain, transaction, log_index: logIndex, resolution });
      return true;
    }),

  soldWithoutTransfer: async ({ chain, payTo }, throughBlock) =>
    (await store.read(SOLD_WITHOUT_TRANSFER, chain, payTo, Number(throughBlock))).map(purchaseOf),

  async movePayment(purchaseId, { transaction, block }) {
    const moved = { set: 'tx_hash = $2, block = $3', where: `id = $1 AND state = 'sold'` };
    await store.write((query) => change(query, 'moved', moved, purchaseId, transaction, Number(block)));
  },
});

/** Purchases with this payer and nonce, each by its index. */
function paidWith(payer: string, nonce: string): string {
  const isPaid = `payer = ${payer} AND nonce = ${nonce}`;
  return `(standing = 1 AND ${isPaid} OR state = 'released' AND ${isPaid})`;
}
const OF_PAYMENT = `${paidWith('$1', '$2')} AND pay_to = $3 AND chain = $4`;
/** Purchases of a payment: first the one that is not released, then the released ones, latest first. */
const BY_PAYMENT = `SELECT ${FACTS} FROM purchases WHERE ${OF_PAYMENT}
  ORDER BY CASE WHEN standing = 1 THEN 0 ELSE 1 END, ended_at_ms DESC, id`;
const IS_PAID = `SELECT 1 AS one FROM transfers WHERE purchase_id = $1`;
const SELL = `state = 'sold', standing = 1, ended_at_ms = $2, tx_hash = $3, block = $4, why = NULL,
  returned_lead = NULL`;
/** Other purchases that hold a key of the property of a purchase. */
const HOLDERS_OF_PROPERTY = `SELECT other.purchase_id FROM held_properties own
  JOIN held_properties other ON other.property_key = own.property_key AND other.purchase_id <> own.purchase_id
  WHERE own.purchase_id = $1 AND other.standing = 1`;
const RIVALS = `(id IN (SELECT purchase_id FROM holds WHERE lead_id = $2) OR id IN (${HOLDERS_OF_PROPERTY}))`;
const TAKE_PROPERTY = 'UPDATE held_properties SET standing = 1 WHERE purchase_id = $1';
const DROP_REUSED_IDENTIFIER = `UPDATE purchases SET identifier_hash = NULL WHERE id = $1 AND identifier_hash IN
  (SELECT identifier_hash FROM purchases WHERE payer = $2 AND standing = 1 AND identifier_hash IS NOT NULL)`;

/** The transaction that books transfers. */
interface BookingTransaction {
  readonly query: Query;
  readonly lockRows: Store['lockRows'];
}

/** A transfer, and one purchase of its payment. */
interface Candidate {
  readonly query: Query;
  readonly nowMs: number;
  readonly row: Row;
  readonly transfer: IncomingTransfer;
}

const sell = ({ query, nowMs, transfer }: Candidate, { id }: Purchase): Promise<unknown> =>
  change(query, 'sold', { set: SELL, where: 'id = $1' }, id, nowMs, transfer.transaction, Number(transfer.block));

/** Sell a released purchase whose money arrived. @returns false if its answer, its lead or its property is gone */
async function sellReleased(candidate: Candidate, purchase: Purchase): Promise<boolean> {
  const { query, row } = candidate;
  if (Number(row['has_answer']) === 0) return false;
  const lead = row['returned_lead'];
  if (lead !== null) {
    // A paid purchase takes precedence over a reservation, for which no settlement was requested yet.
    await drop(query, RIVALS, purchase.id, String(lead));
    if ((await query(HOLDERS_OF_PROPERTY, purchase.id)).length > 0) return false;
    if (!(await insertHold(query, String(lead), purchase.id))) return false;
    await query(TAKE_PROPERTY, purchase.id);
  }
  // Another purchase may use the identifier by now; the wallet can still collect this one.
  await query(DROP_REUSED_IDENTIFIER, purchase.id, purchase.payment.payer);
  await sell(candidate, purchase);
  return true;
}

/** Let a transfer pay for one purchase, if it can. */
async function pays(candidate: Candidate): Promise<boolean> {
  const { query, row, transfer } = candidate;
  const purchase = purchaseOf(row);
  const { id, payment, transaction, block } = purchase;
  if (payment.amount !== transfer.amount || (await query(IS_PAID, id)).length > 0) return false;
  switch (purchase.state) {
    case 'sold':
      if (transaction !== transfer.transaction || block !== transfer.block) {
        const moved = { set: 'tx_hash = $2, block = $3', where: 'id = $1' };
        await change(query, 'moved', moved, id, transfer.transaction, Number(transfer.block));
      }
      return true;
    case 'settling':
      await sell(candidate, purchase);
      return true;
    case 'released':
      return sellReleased(candidate, purchase);
    case 'reserved':
      return false;
  }
}

/**
 * Find the purchase that a transfer paid, and bring it to the state that the chain shows.
 * @returns null if it pays none that can still be delivered
 */
async function matchTransfer(
  { query, lockRows }: BookingTransaction,
  { account, nowMs }: Booking,
  transfer: IncomingTransfer & { readonly nonce: string },
): Promise<string | null> {
  const payment = [transfer.payer, transfer.nonce, account.payTo, account.chain] as const;
  // Lock the purchases first, so that none is sold, released or forgotten meanwhile.
  if (lockRows !== '') await query(`SELECT id FROM purchases WHERE ${OF_PAYMENT} ORDER BY id ${lockRows}`, ...payment);
  // Several purchases may be released: the payment was sent again after each.
  for (const row of await query(BY_PAYMENT, ...payment)) {
    // It takes the transfer when it is sold.
    if (row['state'] === 'reserved') return null;
    if (await pays({ query, nowMs, row, transfer })) return String(row['id']);
  }
  return null;
}

const MARK = `SELECT restored_at_ms, restored_after, restored_through,
    (SELECT max(through_block) FROM audits) AS audited
  FROM ledger_identity WHERE restored_at_ms IS NOT NULL`;
/** A restore in the window of an earlier one continues it. */
const SET_MARK = `UPDATE ledger_identity SET restored_at_ms = $1, restored_through = NULL, restored_after = COALESCE(
    restored_after, (SELECT through_block FROM audits ORDER BY audited_at_ms DESC, chain, pay_to LIMIT 1), -1)
  RETURNING restored_after`;
const OWED_IN_WINDOW = `SELECT 1 AS one FROM transfers WHERE kind = 'owed' AND block > $1 AND block <= $2 LIMIT 1`;

/** Mark the ledger as restored, in the transaction that copies the backup, before anything is booked. */
export async function markRestored(query: Query, nowMs: number): Promise<void> {
  const [row] = await query(SET_MARK, nowMs);
  await recordEvent(query, 'restored', { at_ms: nowMs, after_block: asNumber(row?.['restored_after']) });
}

/** Why exclusive sales are paused; null if they are not. */
export async function exclusivePause(query: Query): Promise<ExclusivePause | null> {
  const [mark] = await query(MARK);
  if (!mark) return null;
  const [after, through] = [asNumber(mark['restored_after']), Number(mark['restored_through'] ?? Infinity)];
  if (through > Number(mark['audited'] ?? -1)) return 'restored_not_audited';
  return (await query(OWED_IN_WINDOW, after, through)).length > 0 ? 'restored_transfers_owed' : null;
}

/**
 * End the window, and lift the mark when all of it is audited and nothing of it is owed.
 * @param latest the latest block when the audit began. A node that lags behind the restore does not end the window
 */
async function liftMark(query: Query, latest: BlockTime): Promise<void> {
  const [mark] = await query(MARK);
  if (!mark) return;
  if (mark['restored_through'] === null && latest.seconds * 1000 >= asNumber(mark['restored_at_ms']))
    await query('UPDATE ledger_identity SET restored_through = $1', Number(latest.block));
  if ((await exclusivePause(query)) !== null) return;
  await query('UPDATE ledger_identity SET restored_at_ms = NULL, restored_after = NULL, restored_through = NULL');
}
