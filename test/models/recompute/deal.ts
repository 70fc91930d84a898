/**
 * Every figure of a deal by the formulas of docs/underwriting.md, in exact fractions, with code that shares nothing
 * with the models: each from the published columns, or all from the inputs alone.
 */
import * as income from './income.ts';
import * as line from './line.ts';
import * as offer from './offer.ts';
import * as scores from './scores.ts';
import { valuesOf, type AssumptionValue, type PublishedRecord, type Recomputed, type Values } from './values.ts';

/** In an order in which each step reads only inputs and the columns of steps before it. */
const STEPS: readonly ((values: Values) => Recomputed)[] = [
  income.recomputeListing,
  income.recomputeRents,
  income.recomputeIncome,
  income.recomputeTax,
  income.recomputeNoi,
  income.recomputeReserves,
  income.recomputeYield,
  income.recomputeClaim,
  income.recomputeCapGap,
  income.recomputeReliability,
  income.recomputeLoan,
  income.recomputePayment,
  income.recomputeDebtService,
  income.recomputeDscrStatus,
  income.recomputeCoverage,
  income.recomputeNetCashFlow,
  income.recomputeSizedLoan,
  scores.recomputeOwners,
  scores.recomputeScoringIncome,
  scores.recomputeScoringBasis,
  scores.recomputeClaimIssue,
  scores.recomputeRepairs,
  scores.recomputeYieldOnCost,
  scores.recomputeConditionRecord,
  scores.recomputeShare,
  scores.recomputeMotivationParts,
  scores.recomputeMotivation,
  scores.recomputeDistress,
  scores.recomputeDealScoreParts,
  scores.recomputeDealScore,
  offer.recomputeConfidence,
  offer.recomputePaths,
  income.recomputeAgreement,
  offer.recomputeOffer,
  line.recomputeLine,
];

/** Each figure of a published deal from the deal's other columns. */
export function recomputeDeal(deal: PublishedRecord, assumptions: AssumptionValue, asOf: string): Recomputed {
  const values = valuesOf(deal, assumptions, asOf);
  return Object.assign({}, ...STEPS.map((step) => step(values))) as Recomputed;
}

/** All figures of a deal from its inputs: each from the figures before it, never from a published one. */
export const computeDeal = (inputs: PublishedRecord, assumptions: AssumptionValue, asOf: string): PublishedRecord =>
  STEPS.reduce<PublishedRecord>(
    (record, step) => ({ ...record, ...step(valuesOf(record, assumptions, asOf)) }),
    inputs,
  );
