/** The pause of exclusive sales after a restore. */
import type { ExclusivePause } from '../ledger.ts';
import { asNumber } from './rows.ts';
import type { Query } from './store.ts';

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
