/** Which kinds of distress earn a lead points of their own, by its published row. */
import type { INDEPENDENT_KINDS } from '../../../models/fields.ts';
import { isSale } from '../../../sources/kinds.ts';

type IndependentKind = (typeof INDEPENDENT_KINDS)[number];

/** A record in `corroboration` of a lead. */
export interface CitedRecord {
  readonly kind: string;
  readonly id: string;
  readonly counts_as: IndependentKind | null;
}

type Lead = Readonly<Record<string, unknown>>;

/** Kind of the lead itself: its debt, or its sale. */
export function ownKind({ lead_type: type, auction_type: auction, sale_kind: sale }: Lead): IndependentKind {
  const isForTaxes = sale === 'tax_foreclosure' || auction === 'tax_deed_sale' || auction === 'tax_sale';
  return type === 'tax_delinquent' || isForTaxes ? 'unpaid_tax' : 'foreclosure';
}

/**
 * Further kinds without points elsewhere in the score, sorted. The part "corroboration" already scores the sale of a
 * debt and the debt of a sale; of two sales of a debt, it scores the one that collects the debt.
 */
export function stackedKinds(lead: Lead, cited: readonly CitedRecord[]): IndependentKind[] {
  const own = ownKind(lead);
  const sales = cited.filter(({ kind }) => isSale(kind));
  const isTaxLead = lead['lead_type'] === 'tax_delinquent';
  const corroborating = isTaxLead ? sales : cited.filter(({ kind }) => kind === 'tax_delinquent');
  const isPaidByOwnSale = isTaxLead && sales.some(({ counts_as: kind }) => kind === own);
  const paid = new Set(isPaidByOwnSale ? [] : corroborating.map(({ counts_as: kind }) => kind));
  const further = cited.flatMap(({ counts_as: kind }) =>
    kind === null || kind === own || paid.has(kind) ? [] : [kind],
  );
  return [...new Set(further)].sort();
}
