/**
 * The mark of a restore: exclusive sales are paused until every transfer of the lost time is booked, and none of them
 * is owed. The window begins after the last block that the backup has audited, and ends with the latest block
 * that the first audit after the restore sees: a transfer that a stranger makes later does not stop the shop. Its end
 * is a block, because the clocks of server and chain differ.
 */
import type { BlockTime, ExclusivePause } from '../ledger.ts';
import { recordEvent } from './journal.ts';
import { asNumber } from './rows.ts';
import type { Query } from './store.ts';

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
export async function liftMark(query: Query, latest: BlockTime): Promise<void> {
  const [mark] = await query(MARK);
  if (!mark) return;
  if (mark['restored_through'] === null && latest.seconds * 1000 >= asNumber(mark['restored_at_ms']))
    await query('UPDATE ledger_identity SET restored_through = $1', Number(latest.block));
  if ((await exclusivePause(query)) !== null) return;
  await query('UPDATE ledger_identity SET restored_at_ms = NULL, restored_after = NULL, restored_through = NULL');
}
