/** What a run of a tiny world finds wrong with itself. */
export interface Findings {
  readonly degraded: string[];
  readonly quarantined: string[];
  readonly audits: string[];
  readonly lines: string[];
}
