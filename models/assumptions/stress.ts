/** The stressed coverage: the loan that the income supports, with less rent and the rate loan_rate_stress higher. */
import type { DeclaredAssumption } from './declare.ts';

export const STRESS: readonly DeclaredAssumption[] = [
  ['stress_coverage_rent', '-0.10', 'share', 'proposal', 'Change of rent in the stressed coverage.'],
];
