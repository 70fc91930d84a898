/**
 * Leads that may not be offered: their property is sold exclusively, or held by an open purchase. The ledger holds a
 * lead (ledger/sql/holds.ts).
 */
import { createHash } from 'node:crypto';
import { LedgerUnavailable, type HeldState, type LeadHolds } from '../../../ledger/ledger.ts';
import type { Filters } from '../../serving/filters.ts';
import { Problem } from '../../http/problem.ts';

/** State of the purchase by id of the held lead, and by key of its property. */
export type Held = ReadonlyMap<string, HeldState>;

/** Reads the current holds. @throws Problem if the ledger is unavailable: no lead is offered without them */
export type Holds = () => Promise<Held>;

/** Calls of the same event-loop tick share one read of the ledger, which starts after the last of them. */
export function holdReader(ledger: Pick<LeadHolds, 'heldLeads' | 'heldProperties'>, nowMs: () => number): Holds {
  const read = async (): Promise<Held> => {
    try {
      return new Map([...(await ledger.heldLeads(nowMs())), ...(await ledger.heldProperties(nowMs()))]);
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
  let next: Promise<Held> | undefined;
  return () =>
    (next ??= new Promise((resolve) => {
      setImmediate(() => {
        next = undefined;
        resolve(read());
      });
    }));
}

/** Exclude records of these properties. */
const ofOtherProperties = (filters: Filters, names: readonly string[]): Filters =>
  names.length === 0 ? filters : filters.either({ column: 'id', is: 'of no property', values: names });

/** Exclude held leads, and every other lead of their properties. */
export function notHeld(filters: Filters, held: Held): Filters {
  const names = [...held.keys()];
  const others = ofOtherProperties(filters, names);
  return names.length === 0 ? others : others.either({ column: 'id', is: 'none of', values: names });
}

/** The holds of sold leads only: free pages change when a lead is sold, not when a buyer reserves it. */
const soldOf = (held: Held): Held => new Map([...held].filter(([, state]) => state === 'sold'));

/** Exclude deals, signals or auctions of sold properties from free samples and examples. */
export const unsold = (filters: Filters, held: Held): Filters => ofOtherProperties(filters, [...soldOf(held).keys()]);

const hashOf = (ids: readonly string[]): string => createHash('sha256').update(ids.join(' ')).digest('base64url');
const EMPTY_HASH = hashOf([]);

/** Hash of holds, for cache keys. */
export const holdsHash = (held: Held): string => (held.size === 0 ? EMPTY_HASH : hashOf([...held.keys()].sort()));

/** Hash of the sold leads, for free pages that leave sold properties out. */
export const soldState = async ({ holds }: { readonly holds: Holds }): Promise<string> =>
  holdsHash(soldOf(await holds()));
