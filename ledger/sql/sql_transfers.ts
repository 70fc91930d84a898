/** The book of incoming transfers in SQL: which transfer paid which purchase. */
import { asNumber, purchaseOf, PURCHASE_COLUMNS } from './rows.ts';
import type { Query, Row, Store } from './store.ts';
import type {
  AuditedAccount,
  AuditState,
  BookedTransfer,
  Booking,
  IncomingTransfer,
  TransferBook,
  TransferKind,
} from '../transfers.ts';
import type { Purchase } from '../ledger.ts';

const PAGE = 500;

const OF_PAYMENT = 'p.payer = $1 AND p.nonce = $2 AND p.pay_to = $3 AND (p.chain = $4 OR p.chain IS NULL)';
const BY_PAYMENT = `SELECT ${PURCHASE_COLUMNS}, p.kept_answer, p.returned_lead
  FROM purchases p LEFT JOIN claims c ON c.purchase_id = p.id
  WHERE ${OF_PAYMENT}
  ORDER BY CASE WHEN p.standing = 1 THEN 0 ELSE 1 END, p.ended_at_ms DESC, p.id`;
const COLUMNS =
  'chain, pay_to, block, log_index, tx_hash, payer, nonce, amount, kind, purchase_id, resolution, booked_at_ms';
const BOOK = `INSERT INTO transfers (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL, $11)`;
const IS_PAID = `SELECT 1 AS one FROM transfers WHERE purchase_id = $1 AND kind IN ('matched', 'made_good')`;
const SELL = `UPDATE purchases SET state = 'sold', standing = 1, ended_at_ms = $2, tx_hash = $3, block = $4, why = NULL WHERE id = $1`;
/** A transfer that was booked before its purchase was sold: a restored ledger, or a payer who sent it alone. */
export const MATCH_EARLIER_TRANSFER = `UPDATE transfers SET kind = 'matched', purchase_id = $1
  WHERE payer = $2 AND nonce = $3 AND chain = $4 AND pay_to = $5 AND amount = $6
    AND kind IN ('owed', 'no_purchase') AND resolution IS NULL`;

/** The transaction that books. */
interface Books {
  readonly query: Query;
  readonly lockRows: Store['lockRows'];
  /** Whether the ledger was restored, and the time until then is not audited yet. */
  readonly restored: boolean;
}

type Match = { readonly kind: TransferKind; readonly purchaseId: string | null };

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

const stateOf = (row: Row): AuditState => ({
  throughBlock: row['through_block'] === null ? null : BigInt(asNumber(row['through_block'])),
  throughSeconds: asNumber(row['through_seconds']),
  auditedAtMs: asNumber(row['audited_at_ms']),
});

/** Give a released purchase back to its buyer, whose money arrived. @returns false where the answer or the lead is gone */
async function makeGood(
  query: Query,
  purchase: Purchase,
  row: Row,
  transfer: IncomingTransfer,
  nowMs: number,
): Promise<boolean> {
  if (row['kept_answer'] === null) return false;
  const lead = row['returned_lead'];
  if (lead !== null) {
    // Who has paid comes before who has not been asked to pay: a reservation without its row sends nothing.
    await query(
      `DELETE FROM purchases WHERE state = 'reserved' AND id IN (SELECT purchase_id FROM claims WHERE lead_id = $1)`,
      String(lead),
    );
    const claim =
      'INSERT INTO claims (lead_id, purchase_id, claimed_at_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING lead_id';
    if ((await query(claim, String(lead), purchase.id, nowMs)).length === 0) return false;
  }
  // Another purchase may have the identifier by now; the wallet still collects this one.
  await query(
    `UPDATE purchases SET identifier_hash = NULL WHERE id = $1 AND identifier_hash IN
    (SELECT identifier_hash FROM purchases WHERE payer = $2 AND standing = 1 AND identifier_hash IS NOT NULL)`,
    purchase.id,
    purchase.payment.payer,
  );
  await query(SELL, purchase.id, nowMs, transfer.transaction, Number(transfer.block));
  return true;
}

/** Find what a transfer paid for, and bring that purchase to the state which the chain shows. */
async function matchTransfer(
  { query, lockRows, restored }: Books,
  { account, nowMs }: Booking,
  transfer: IncomingTransfer,
): Promise<Match> {
  const payment =
    transfer.nonce === null ? null : ([transfer.payer, transfer.nonce, account.payTo, account.chain] as const);
  // Locked before they are read, so that none is sold, released or forgotten meanwhile.
  if (payment && lockRows !== '')
    await query(`SELECT p.id FROM purchases p WHERE ${OF_PAYMENT} ORDER BY p.id ${lockRows}`, ...payment);
  const rows = payment ? await query(BY_PAYMENT, ...payment) : [];
  // After a restore, a payment that nobody knows was for a sale the backup does not hold.
  if (rows.length === 0)
    return { kind: restored && transfer.nonce !== null ? 'owed' : 'no_purchase', purchaseId: null };
  // The standing purchase comes first. Without one, several may be released: the payment was sent again after each.
  for (const row of rows) {
    const kind = await payFor({ query, nowMs, row }, transfer);
    if (kind === 'reserved') return { kind: 'no_purchase', purchaseId: null };
    if (kind !== 'cannot') return { kind, purchaseId: String(row['id']) };
  }
  return { kind: 'owed', purchaseId: null };
}

interface Candidate {
  readonly query: Query;
  readonly nowMs: number;
  /** A purchase that the payment was for. */
  readonly row: Row;
}

/** Let a transfer pay for one purchase, if it can. A reserved purchase takes the transfer when its request goes on. */
async function payFor(
  { query, nowMs, row }: Candidate,
  transfer: IncomingTransfer,
): Promise<'matched' | 'made_good' | 'reserved' | 'cannot'> {
  const purchase = purchaseOf(row);
  if (purchase.payment.amount !== transfer.amount || (await query(IS_PAID, purchase.id)).length > 0) return 'cannot';
  switch (purchase.state) {
    case 'sold':
      if (purchase.transaction !== transfer.transaction || purchase.block !== transfer.block) {
        await query(
          'UPDATE purchases SET tx_hash = $2, block = $3 WHERE id = $1',
          purchase.id,
          transfer.transaction,
          Number(transfer.block),
        );
      }
      return 'matched';
    case 'settling':
      await query(SELL, purchase.id, nowMs, transfer.transaction, Number(transfer.block));
      return 'matched';
    case 'released':
      return (await makeGood(query, purchase, row, transfer, nowMs)) ? 'made_good' : 'cannot';
    case 'reserved':
      return 'reserved';
  }
}

async function bookOne(books: Books, booking: Booking, transfer: IncomingTransfer): Promise<BookedTransfer> {
  const { query } = books;
  const { account, nowMs } = booking;
  const [known] = await query(
    `SELECT ${COLUMNS} FROM transfers WHERE chain = $1 AND pay_to = $2 AND block = $3 AND log_index = $4`,
    account.chain,
    account.payTo,
    Number(transfer.block),
    transfer.logIndex,
  );
  if (known) return transferOf(known);
  const { kind, purchaseId } = await matchTransfer(books, booking, transfer);
  await query(
    BOOK,
    account.chain,
    account.payTo,
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

/** Owed transfers of an account that are looked at again in one booking. */
const MOST_OWED = 100;
const OWED = `SELECT ${COLUMNS} FROM transfers WHERE kind = 'owed' AND resolution IS NULL AND nonce IS NOT NULL AND chain = $1 AND pay_to = $2
  ORDER BY booked_at_ms LIMIT ${MOST_OWED}`;

/** Match owed transfers again: the lead of one may be free by now, because the purchase that held it came to nothing. */
async function retryOwed(books: Books, booking: Booking): Promise<BookedTransfer[]> {
  const { query } = books;
  const { chain, payTo } = booking.account;
  const changed: BookedTransfer[] = [];
  for (const owed of (await query(OWED, chain, payTo)).map(transferOf)) {
    const { kind, purchaseId } = await matchTransfer(books, booking, owed);
    if (purchaseId === null) continue;
    await query(
      'UPDATE transfers SET kind = $5, purchase_id = $6 WHERE chain = $1 AND pay_to = $2 AND block = $3 AND log_index = $4',
      chain,
      payTo,
      Number(owed.block),
      owed.logIndex,
      kind,
      purchaseId,
    );
    changed.push({ ...owed, kind, purchaseId });
  }
  return changed;
}

/** Why exclusive sales are paused after a restore; null where they are not. */
export async function exclusivePause(query: Query): Promise<'restored_not_audited' | 'restored_transfers_owed' | null> {
  const [identity] = await query('SELECT restored_at_ms FROM ledger_identity');
  const restoredAtMs = identity?.['restored_at_ms'] ?? null;
  if (restoredAtMs === null) return null;
  const [audited] = await query('SELECT max(through_seconds) AS seconds FROM audits WHERE through_block IS NOT NULL');
  if (asNumber(audited?.['seconds'] ?? 0) * 1000 < asNumber(restoredAtMs)) return 'restored_not_audited';
  const owed = await query(
    `SELECT 1 AS one FROM transfers WHERE kind = 'owed' AND resolution IS NULL AND booked_at_ms >= $1 LIMIT 1`,
    asNumber(restoredAtMs),
  );
  return owed.length > 0 ? 'restored_transfers_owed' : null;
}

/** The book on `store`, whose tables exist. */
export const transferBook = (store: Store): TransferBook => ({
  leaseAudit: ({ chain, payTo }, holder, nowMs, leaseMs) =>
    store.write(async (query) => {
      await query(
        `INSERT INTO audits (chain, pay_to, through_block, through_seconds, audited_at_ms, lease_holder, lease_until_ms)
      VALUES ($1, $2, NULL, 0, 0, $3, 0) ON CONFLICT DO NOTHING`,
        chain,
        payTo,
        holder,
      );
      // A lease from far ahead was written by a clock that was wrong.
      const [row] = await query(
        `UPDATE audits SET lease_holder = $3, lease_until_ms = $5
      WHERE chain = $1 AND pay_to = $2 AND (lease_holder = $3 OR lease_until_ms <= $4 OR lease_until_ms > $4 + 2 * ($5 - $4))
      RETURNING through_block, through_seconds, audited_at_ms`,
        chain,
        payTo,
        holder,
        nowMs,
        nowMs + leaseMs,
      );
      return row ? stateOf(row) : null;
    }),

  audits: async () =>
    (
      await store.read(
        'SELECT chain, pay_to, through_block, through_seconds, audited_at_ms FROM audits ORDER BY audited_at_ms DESC, chain, pay_to',
      )
    ).map((row) => ({ chain: String(row['chain']), payTo: String(row['pay_to']), ...stateOf(row) })),

  bookTransfers: (booking) =>
    store.write(async (query) => {
      const {
        account: { chain, payTo },
        holder,
        transfers,
        through,
        nowMs,
      } = booking;
      const [lease] = await query(
        `UPDATE audits SET through_block = $4, through_seconds = $5, audited_at_ms = $6
      WHERE chain = $1 AND pay_to = $2 AND lease_holder = $3 RETURNING chain`,
        chain,
        payTo,
        holder,
        Number(through.block),
        through.seconds,
        nowMs,
      );
      if (!lease) return [];
      const books: Books = {
        query,
        lockRows: store.lockRows,
        restored: (await exclusivePause(query)) === 'restored_not_audited',
      };
      const booked: BookedTransfer[] = [];
      const retried = await retryOwed(books, booking);
      for (const transfer of transfers) booked.push(await bookOne(books, booking, transfer));
      return [...retried, ...booked];
    }),

  async *transfers(account, kinds) {
    const chosen = kinds ? ` AND kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})` : '';
    const own = account ? ' AND chain = $6 AND pay_to = $7' : '';
    let last: BookedTransfer | undefined;
    for (;;) {
      const rows = await store.read(
        `SELECT ${COLUMNS} FROM transfers WHERE (chain, pay_to, block, log_index) > ($1, $2, $3, $4)${chosen}${own}
        ORDER BY chain, pay_to, block, log_index LIMIT $5`,
        last?.chain ?? '',
        last?.payTo ?? '',
        Number(last?.block ?? -1n),
        last?.logIndex ?? -1,
        PAGE,
        ...(account ? [account.chain, account.payTo] : []),
      );
      const page = rows.map(transferOf);
      yield* page;
      last = page.at(-1);
      if (page.length < PAGE) return;
    }
  },

  resolveOwed: async (transaction, logIndex, resolution) =>
    (
      await store.write((query) =>
        query(
          `UPDATE transfers SET resolution = $3 WHERE tx_hash = $1 AND log_index = $2 AND kind = 'owed' AND resolution IS NULL RETURNING tx_hash`,
          transaction,
          logIndex,
          resolution,
        ),
      )
    ).length > 0,

  soldWithoutTransfer: async ({ chain, payTo }: AuditedAccount, through) =>
    (
      await store.read(
        `SELECT ${PURCHASE_COLUMNS} FROM purchases p LEFT JOIN claims c ON c.purchase_id = p.id
     WHERE p.state = 'sold' AND p.chain = $1 AND p.pay_to = $2 AND (p.block <= $3 OR (p.block IS NULL AND p.ended_at_ms < $4))
       AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.purchase_id = p.id AND t.kind IN ('matched', 'made_good'))
     ORDER BY p.id LIMIT ${PAGE}`,
        chain,
        payTo,
        Number(through.block),
        through.seconds * 1000,
      )
    ).map(purchaseOf),

  async moved(purchaseId, { transaction, block }) {
    await store.write((query) =>
      query(
        `UPDATE purchases SET tx_hash = $2, block = $3 WHERE id = $1 AND state = 'sold'`,
        purchaseId,
        transaction,
        Number(block),
      ),
    );
  },
});
