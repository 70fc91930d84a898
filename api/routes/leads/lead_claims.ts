/**
 * Leads that may not be offered: their property is sold exclusively, or held by an open purchase. The ledger claims a
 * lead (ledger/sql/lead_claims.ts).
 */
import { createHash } from 'node:crypto';
import { LedgerUnavailable, type HeldState, type LeadClaims } from '../../../ledger/ledger.ts';
import type { Filters } from '../../serving/filters.ts';
import { Problem } from '../../http/problem.ts';

/** State of the purchase by id of the claimed lead, and by key of its property. */
export type Claimed = ReadonlyMap<string, HeldState>;

/** Reads the current claims. @throws Problem if the ledger is unavailable: no lead is offered without them */
export type Claims = () => Promise<Claimed>;

/** Calls of the same event-loop tick share one read of the ledger, which starts after the last of them. */
export function claimReader(
  ledger: Pick<LeadClaims, 'claimedLeads' | 'claimedProperties'>,
  nowMs: () => number,
): Claims {
  const read = async (): Promise<Claimed> => {
    try {
      return new Map([...(await ledger.claimedLeads(nowMs())), ...(await ledger.claimedProperties(nowMs()))]);
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

/** Exclude records of these properties. */
const ofOtherProperties = (filters: Filters, names: readonly string[]): Filters =>
  names.length === 0 ? filters : filters.either({ column: 'id', is: 'of no property', values: names });

/** Exclude claimed leads, and every other lead of their properties. */
export function unclaimed(filters: Filters, claimed: Claimed): Filters {
  const names = [...claimed.keys()];
  const others = ofOtherProperties(filters, names);
  return names.length === 0 ? others : others.either({ column: 'id', is: 'none of', values: names });
}

/** The claims of sold leads only: free pages change when a lead is sold, not when a buyer reserves it. */
const soldOf = (claimed: Claimed): Claimed => new Map([...claimed].filter(([, state]) => state === 'sold'));

/** Exclude deals, signals or auctions of sold properties from free samples and examples. */
export const unsold = (filters: Filters, claimed: Claimed): Filters =>
  ofOtherProperties(filters, [...soldOf(claimed).keys()]);

const hashOf = (ids: readonly string[]): string => createHash('sha256').update(ids.join(' ')).digest('base64url');
const EMPTY_HASH = hashOf([]);

/** Hash of claims, for cache keys. */
export const claimsHash = (claimed: Claimed): string =>
  claimed.size === 0 ? EMPTY_HASH : hashOf([...claimed.keys()].sort());

/** Hash of the sold leads, for free pages that leave sold properties out. */
export const soldState = async ({ claims }: { readonly claims: Claims }): Promise<string> =>
  claimsHash(soldOf(await claims()));
