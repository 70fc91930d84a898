/**
 * Every figure of a deal by the formulas of docs/underwriting.md, in exact fractions, with code that shares nothing
 * with the models: each from the published columns, or all from the inputs alone.
 */
import {
  recomputeClaimIssue,
  recomputeConditionRecord,
  recomputeRepairs,
  recomputeShare,
  recomputeYieldOnCost,
} from './condition.ts';
import { recomputeConfidence } from './confidence.ts';
import {
  recomputeCoverage,
  recomputeDebtService,
  recomputeDscrStatus,
  recomputeLoan,
  recomputeNetCashFlow,
  recomputePayment,
  recomputeSizedLoan,
} from './debt.ts';
import {
  recomputeAgreement,
  recomputeCapGap,
  recomputeClaim,
  recomputeListing,
  recomputeReliability,
  recomputeYield,
} from './income.ts';
import { recomputeLine } from './line.ts';
import { recomputeIncome, recomputeNoi, recomputeReserves, recomputeTax } from './expenses.ts';
import { recomputeOffer } from './offer.ts';
import { recomputeOwners, recomputeScoringBasis, recomputeScoringIncome } from './owners.ts';
import { recomputePaths } from './paths.ts';
import { recomputeRents } from './rents.ts';
import { valuesOf, type AssumptionValue, type PublishedRecord, type Recomputed, type Values } from './record.ts';
import {
  recomputeDealScore,
  recomputeDealScoreParts,
  recomputeDistress,
  recomputeMotivation,
  recomputeMotivationParts,
} from './scores.ts';

/** In an order in which each step reads only inputs and the columns of steps before it. */
const STEPS: readonly ((values: Values) => Recomputed)[] = [
  recomputeListing,
  recomputeRents,
  recomputeIncome,
  recomputeTax,
  recomputeNoi,
  recomputeReserves,
  recomputeYield,
  recomputeClaim,
  recomputeCapGap,
  recomputeReliability,
  recomputeLoan,
  recomputePayment,
  recomputeDebtService,
  recomputeDscrStatus,
  recomputeCoverage,
  recomputeNetCashFlow,
  recomputeSizedLoan,
  recomputeOwners,
  recomputeScoringIncome,
  recomputeScoringBasis,
  recomputeClaimIssue,
  recomputeRepairs,
  recomputeYieldOnCost,
  recomputeConditionRecord,
  recomputeShare,
  recomputeMotivationParts,
  recomputeMotivation,
  recomputeDistress,
  recomputeDealScoreParts,
  recomputeDealScore,
  recomputeConfidence,
  recomputePaths,
  recomputeAgreement,
  recomputeOffer,
  recomputeLine,
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
