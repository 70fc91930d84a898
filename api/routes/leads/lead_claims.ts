/** Leads that may not be offered: sold exclusively, or held by an open purchase. */
import { createHash } from 'node:crypto';
import { LedgerUnavailable, type Ledger, type PurchaseState } from '../../../ledger/ledger.ts';
import type { Filters } from '../../snapshot/filters.ts';
import { Problem } from '../../http/problem.ts';

/** State of the purchase by id of the claimed lead. */
export type Claimed = ReadonlyMap<string, Exclude<PurchaseState, 'released'>>;

/** Reads the current claims. @throws Problem if the ledger is unavailable: no lead is offered without them */
export type Claims = () => Promise<Claimed>;

/** Calls of the same event-loop tick share one read of the ledger, which starts after the last of them. */
export function claimReader(ledger: Pick<Ledger, 'claimedLeads'>, nowMs: () => number): Claims {
  const read = async (): Promise<Claimed> => {
    try {
      return await ledger.claimedLeads(nowMs());
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      throw new Problem(
        'payments_unavailable',
        'The list of sold leads is unavailable right now. Nothing was charged; try again.',
        {},
        { 'Retry-After': '5' },
      );
    }
  };
  let next: Promise<Claimed> | undefined;
  return () =>
    (next ??= new Promise((resolve) => {
      setImmediate(() => {
        next = undefined;
        resolve(read());
      });
    }));
}

/** Exclude claimed leads. */
export const unclaimed = (filters: Filters, claimed: Claimed): Filters =>
  claimed.size === 0 ? filters : filters.either({ column: 'id', is: 'none of', values: [...claimed.keys()] });

const hashOf = (ids: readonly string[]): string => createHash('sha256').update(ids.join(' ')).digest('base64url');
const EMPTY_HASH = hashOf([]);

/** Equal for equal claims. */
export const claimsHash = (claimed: Claimed): string =>
  claimed.size === 0 ? EMPTY_HASH : hashOf([...claimed.keys()].sort());
