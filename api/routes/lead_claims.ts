/** Leads that may not be offered, because somebody is buying or has bought them for themselves alone. */
import { createHash } from 'node:crypto';
import { LedgerUnavailable, type Ledger, type PurchaseState } from '../../ledger/ledger.ts';
import type { Filters } from '../snapshot/filters.ts';
import { Problem } from '../http/problem.ts';

/** Ids of claimed leads, and how far the purchase of each is. */
export type Claimed = ReadonlyMap<string, Exclude<PurchaseState, 'released'>>;

/** What is claimed now. @throws Problem where the ledger cannot be asked: nothing is offered that may be taken */
export type Claims = () => Promise<Claimed>;

/** Requests that came in the same turn share one reading of the ledger, which begins after the last of them came. */
export function claimsOf(ledger: Pick<Ledger, 'claimedLeads'>, nowMs: () => number): Claims {
  const read = async (): Promise<Claimed> => {
    try {
      return await ledger.claimedLeads(nowMs());
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      throw new Problem(
        'payments_unavailable',
        'Which leads are sold cannot be read right now. Nothing was charged; try again.',
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

/** Leave out what is claimed. */
export const unclaimed = (filters: Filters, claimed: Claimed): Filters =>
  claimed.size === 0 ? filters : filters.either({ column: 'id', is: 'none of', values: [...claimed.keys()] });

const hashOf = (ids: readonly string[]): string => createHash('sha256').update(ids.join(' ')).digest('base64url');
const NAME_OF_NONE = hashOf([]);

/** The same for the same claims. */
export const nameOf = (claimed: Claimed): string =>
  claimed.size === 0 ? NAME_OF_NONE : hashOf([...claimed.keys()].sort());
