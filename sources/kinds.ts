/** Families of sources, and the kinds of distress records and sales with what each means. */

/** Families of sources: what their rows are. Shared readers of sites are in readers/. */
export const FAMILIES = [
  'listings',
  'fmr',
  'tax',
  'parcels',
  'auctions',
  'distress',
  'register',
  'benchmarks',
  'corrections',
] as const;
export type Family = (typeof FAMILIES)[number];

/** Kinds of signals other than a tax delinquency: those of the staged record `distress_record`. */
export const DISTRESS_TYPES = [
  'foreclosure_filing',
  'tax_lien',
  'code_violation',
  'vacant_building',
  'condemned',
  'blight_judgment',
] as const;

/** Kinds of signals, in the order in which answers and pages list them. */
export const SIGNAL_TYPES = ['tax_delinquent', ...DISTRESS_TYPES] as const;

/** Kinds of sales. */
export const AUCTION_TYPES = ['sheriff_sale', 'foreclosure_sale', 'tax_deed_sale', 'tax_sale'] as const;
export type AuctionType = (typeof AUCTION_TYPES)[number];

/** Kinds of public records of a property. */
export const RECORD_KINDS = [...SIGNAL_TYPES, ...AUCTION_TYPES] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** Whether a record of this kind is a row of auctions, not of signals. */
export const isSale = (kind: string): boolean => AUCTION_TYPES.some((type) => type === kind);

/** What a source can cover of a place. */
export const COVERED_KINDS = [...RECORD_KINDS, 'parcel_roll'] as const;
export type CoveredKind = (typeof COVERED_KINDS)[number];

/** The meaning of each kind, in one sentence. */
export const KIND_MEANINGS: Readonly<Record<CoveredKind, string>> = {
  tax_delinquent: 'Property tax of the parcel is unpaid after its due date.',
  foreclosure_filing: 'A lender or lien holder sues to foreclose on the property.',
  tax_lien: 'A lien for unpaid taxes or charges is recorded or offered for sale.',
  code_violation: 'The city has an open building, housing or nuisance case on the property.',
  vacant_building: 'The city has the building registered or reported as vacant.',
  condemned: 'The city has condemned the building or declared it dangerous.',
  blight_judgment: 'A hearing fined the owner for a blight violation.',
  sheriff_sale: 'A sheriff sells the property by order of a court.',
  foreclosure_sale: 'A clerk of court or a trustee sells the property in a mortgage foreclosure.',
  tax_deed_sale: 'A clerk of court sells the property for unpaid taxes, after a tax certificate.',
  tax_sale: 'The county, its constable or its trustee sells the property for unpaid taxes.',
  parcel_roll: "The assessor's roll of all parcels: last sale and assessed value.",
};

const AUCTION_MEANINGS = AUCTION_TYPES.map((type) => `${type}: ${KIND_MEANINGS[type]}`);
/** Meaning of the field auction_type. */
export const ABOUT_AUCTION_TYPE = `Kind of auction. ${AUCTION_MEANINGS.join(' ')}`;

/** What is derived from a source may be sold: its terms say so, say nothing that we know of, or say no. */
export const RESALE = ['allowed', 'unknown', 'forbidden'] as const;
