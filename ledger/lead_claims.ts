/** Claims of exclusive leads: a claim takes a lead and its property, so that no other lead of the property is sold. */
import { DAY_MS } from '../lib/time.ts';
import type { PurchaseState } from './ledger.ts';

/** How long a released purchase of a lead counts against its payer. */
export const RELEASED_MS = DAY_MS;

/** How many leads unsold purchases may hold. */
export interface LeadLimits {
  /** By one payer: those held now, and those whose purchases were sent for settlement and released within a day. */
  readonly perPayer: number;
  /** By all payers together who never completed a purchase. */
  readonly byNewPayers: number;
}

/** A lead on offer. */
export interface OfferedLead {
  readonly leadId: string;
  /** Keys of its property (models/marts/property_keys). Leads that share a key are of one property. */
  readonly properties: readonly string[];
}

export type Claimed =
  | { readonly kind: 'claimed'; readonly leadId: string }
  /** All of these leads are taken, or the purchase is no longer reserved. */
  | { readonly kind: 'none' }
  | { readonly kind: 'limited'; readonly by: 'payer' | 'new payers' }
  /** The payer's released purchases alone reach its limit, for this long. */
  | { readonly kind: 'limited'; readonly by: 'released'; readonly forMs: number };

/** State of a purchase that holds a lead. */
export type HeldState = Exclude<PurchaseState, 'released'>;

export interface LeadClaims {
  /**
   * Claim the first of these leads that nobody has, with its property, for a reserved purchase. A lead is taken if
   * another purchase has it or a key of its property. A purchase has at most one lead: a second call returns the same
   * lead. A lead of an expired reservation is free.
   */
  claim(purchaseId: string, leads: readonly OfferedLead[], limits: LeadLimits, nowMs: number): Promise<Claimed>;
  /** Leads that must not be offered, with the state of their purchase. */
  claimedLeads(nowMs: number): Promise<ReadonlyMap<string, HeldState>>;
  /** The same for keys of properties: no lead of them may be offered. */
  claimedProperties(nowMs: number): Promise<ReadonlyMap<string, HeldState>>;
  /** Ids of leads that are sold or settling. They return only if their purchase is released. */
  soldLeads(): Promise<readonly string[]>;
  /** Keys of properties that are sold or settling. */
  soldProperties(): Promise<readonly string[]>;
}
