/** The computed fields of a row as formulas over named inputs, read from the models. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';
import { formulaIn } from '../../../models/figures/steps.ts';
import { loadModels, selectMacros } from '../../../models/index.ts';

export interface Step {
  readonly figure: string;
  readonly formula: string;
  /** Comparison that chose the formula, of several. */
  readonly when?: string;
  /** Values by name, as text. A name is a field of the row, a figure of another step, or an assumption. */
  readonly inputs: Readonly<Record<string, string | null>>;
  readonly result: string;
  /** Reason for this formula. */
  readonly why?: string;
}

/** Fields of a row as text; null where absent. */
export type Fields = Readonly<Record<string, string | null>>;
const asText = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** A row with every value as text. */
export const fieldsOf = (row: Record<string, unknown>): Fields =>
  Object.fromEntries(Object.entries(row).map(([k, v]) => [k, asText(v)]));

/** Value of an assumption by its key. */
export type AssumptionValue = (key: string) => string;

/** Steps that a snapshot has: those of a deal's report, or of a lead. */
async function publishedSteps(connection: DuckDBConnection, sql: string, row: Fields): Promise<Step[]> {
  const [found] = await rowsOf(connection, sql, [row['id'] ?? '']);
  return JSON.parse(String(found?.['steps'] ?? '[]')) as Step[];
}

export const dealSteps = (connection: DuckDBConnection, row: Fields): Promise<Step[]> =>
  publishedSteps(connection, 'SELECT recompute AS steps FROM reports WHERE id = $1', row);

/** Steps of a lead: the score as the sum of its parts, each part with its reason. */
export async function leadSteps(connection: DuckDBConnection, row: Fields): Promise<Step[]> {
  const reasons = JSON.parse(row['score_rationale'] ?? '{}') as Record<string, string>;
  const steps = await publishedSteps(connection, 'SELECT steps FROM lead_steps WHERE id = $1', row);
  return steps.map((step) => {
    const why = reasons[step.figure.replace(/^part_/u, '')];
    return why === undefined ? step : { ...step, why };
  });
}

/** Figures of a signal or an auction, which its lead has too: the model, and the name in its SQL. */
const OF_RECORDS = [
  { figure: 'amount_to_value_pct', model: 'signals', computed: 'amount_to_value_pct' },
  { figure: 'appraisal_discount_pct', model: 'auctions', computed: 'appraisal_discount_pct' },
  { figure: 'opening_bid', model: 'auctions', computed: 'two_thirds' },
] as const;

/** Steps of a signal or an auction. Each of its figures has one formula. */
export async function recordSteps(
  connection: DuckDBConnection,
  row: Fields,
  assumption: AssumptionValue,
): Promise<Step[]> {
  const models = await loadModels();
  const steps: Step[] = [];
  for (const { figure, model, computed } of OF_RECORDS) {
    const result = row[figure] ?? null;
    const found = models.find(({ name }) => name === model);
    // An opening bid is computed only where the page prints none.
    if (result === null || !found || (figure === 'opening_bid' && row['opening_bid_derived'] !== 'true')) continue;
    const { formula, names } = await formulaIn(connection, found, computed, selectMacros);
    const inputs = Object.fromEntries(
      names.map((name) => [name, name in row ? (row[name] ?? null) : assumption(name)]),
    );
    const why = figure === 'opening_bid' ? { why: `not published: set under ${row['statute_ref'] ?? 'the law'}` } : {};
    steps.push({ figure, formula, inputs, result, ...why });
  }
  return steps;
}
