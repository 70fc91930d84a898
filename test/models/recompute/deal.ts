/** Recomputes every figure of a published deal from its other columns, by the formulas of docs/underwriting.md. */
import { recomputeDebt, recomputeScoringBasis } from './debt.ts';
import { recomputeClaim, recomputeIncome, recomputeListing, recomputeReliability } from './income.ts';
import { recomputeOffer, recomputePaths } from './paths.ts';
import { valuesOf, type AssumptionValue, type PublishedRecord, type Recomputed, type Values } from './record.ts';
import { recomputeConfidence, recomputeDealScore, recomputeDistress, recomputeMotivation } from './scores.ts';

const PARTS: readonly ((values: Values) => Recomputed)[] = [
  recomputeListing,
  recomputeIncome,
  recomputeClaim,
  recomputeReliability,
  recomputeDebt,
  recomputeScoringBasis,
  recomputeMotivation,
  recomputeDistress,
  recomputeDealScore,
  recomputeConfidence,
  recomputePaths,
  recomputeOffer,
];

export function recomputeDeal(deal: PublishedRecord, assumptions: AssumptionValue, asOf: string): Recomputed {
  const values = valuesOf(deal, assumptions, asOf);
  return Object.assign({}, ...PARTS.map((part) => part(values))) as Recomputed;
}
