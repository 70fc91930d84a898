/**
 * The computed fields of a row as formulas over named inputs. The report of a deal publishes its own; those of the
 * other tables are here.
 */
import type { INDEPENDENT_KINDS } from '../../../models/fields.ts';
import { isSale } from '../../../sources/kinds.ts';
import { daysBetween } from '../../clock.ts';

export interface Step {
  readonly figure: string;
  readonly formula: string;
  /** Values by name, as text. A name is a field of the row, a figure of another step, or an assumption. */
  readonly inputs: Readonly<Record<string, string | null>>;
  readonly result: string | null;
  /** Reason for this formula. */
  readonly why?: string;
  /** False if `evaluate` cannot compute the formula: it rounds in another way, or has words. */
  readonly checkable?: boolean;
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

interface Inputs {
  readonly row: Fields;
  readonly assumption: AssumptionValue;
}

/** A step whose inputs are the fields of the row and the assumptions that the formula names. */
function step(
  { row, assumption }: Inputs,
  figure: string,
  formula: string,
  facts: Pick<Step, 'result' | 'why' | 'checkable'>,
): Step {
  const names = [...new Set(formula.match(/[a-z_][a-z_0-9]*/gu) ?? [])].filter(
    (name) => !/^(?:min|max|clamp|round0|round2|rounded|up|to|the|cent)$/u.test(name),
  );
  const inputs = Object.fromEntries(names.map((name) => [name, name in row ? (row[name] ?? null) : assumption(name)]));
  return { figure, formula, inputs, ...facts };
}

/** Ending of the assumption's key, by freshness. */
const FRESHNESS_KEYS: Readonly<Record<string, string>> = {
  within_1_day: 'fresh',
  within_3_days: 'recent',
  within_7_days: 'old',
};
const freshnessOf = ({ freshness }: Fields): string => FRESHNESS_KEYS[freshness ?? ''] ?? 'old';

const partsOf = (row: Fields): Readonly<Record<string, number>> =>
  JSON.parse(row['score_parts'] ?? '{}') as Record<string, number>;
const reasonsOf = (row: Fields): Readonly<Record<string, string>> =>
  JSON.parse(row['score_rationale'] ?? '{}') as Record<string, string>;

const citedOf = (row: Fields): CitedRecord[] => JSON.parse(row['corroboration'] ?? '[]') as CitedRecord[];

/** Points for further kinds of distress, up to a score of 100. */
function stackedFormula(row: Fields): string {
  const kinds = stackedKinds(row, citedOf(row));
  if (kinds.length === 0) return '0';
  const { stacked_distress: _, ...others } = partsOf(row);
  const room = 100 - Object.values(others).reduce((sum, points) => sum + points, 0);
  return `max(0, min(${room}, ${kinds.map((kind) => `stacked_${kind}`).join(' + ')}))`;
}

function equityGapFormula(row: Fields): string {
  if (row['opening_bid_basis'] === 'no_minimum_second_sale') return 'auction_gap_no_minimum';
  if (row['appraisal_discount_pct'] === null) return '0';
  const most = Number(row['sale_round'] ?? 1) > 1 ? 'auction_gap_second_max' : 'auction_gap_max';
  const limit = row['opening_bid_mismatch'] === 'true' ? 'auction_gap_mismatch_max' : most;
  return `max(0, min(${limit}, round0(auction_gap_points_per_pct * appraisal_discount_pct)))`;
}

function auctionFormulas({ row, assumption }: Inputs, asOf: string): Record<string, string> {
  const days = daysBetween(asOf, row['sale_date'] ?? asOf);
  const urgency = ['1', '2', '3', '4'].find((number) => days <= Number(assumption(`auction_days_${number}`))) ?? '5';
  return {
    base: 'auction_base',
    equity_gap: equityGapFormula(row),
    urgency: `auction_urgency_${urgency}`,
    corroboration: citedOf(row).some(({ kind }) => kind === 'tax_delinquent') ? 'auction_corroboration' : '0',
    absentee: ['in_state', 'out_of_state'].includes(row['owner_location'] ?? '') ? 'auction_absentee' : '0',
    freshness: `auction_${freshnessOf(row)}`,
    property_kind: `lead_kind_${row['property_kind'] ?? 'unknown'}`,
    stacked_distress: stackedFormula(row),
  };
}

const ABSENTEE_KEYS: Readonly<Record<string, string>> = {
  out_of_state: 'tax_absentee_out_of_state',
  in_state: 'tax_absentee_in_state',
};

function taxCorroborationFormula(row: Fields): string {
  const kinds = citedOf(row).map(({ kind }) => kind);
  if (kinds.some(isSale)) return 'tax_corroboration_sale';
  return kinds.includes('listing') ? 'tax_corroboration_listing' : '0';
}

function taxFormulas(row: Fields): Record<string, string> {
  return {
    base: 'tax_base',
    amount_to_value:
      row['county_value'] === null
        ? 'min(tax_amount_max, round0(amount / tax_amount_per_point))'
        : 'round0(tax_value_max * clamp((amount_to_value_pct - tax_value_from_pct) / tax_value_span_pct))',
    years_delinquent:
      row['months_delinquent'] === null
        ? '0'
        : 'min(tax_years_max, round0(tax_points_per_year * months_delinquent / months_per_year))',
    absentee_owner: ABSENTEE_KEYS[row['owner_location'] ?? ''] ?? '0',
    corroboration: taxCorroborationFormula(row),
    freshness: `tax_${freshnessOf(row)}`,
    property_kind: `lead_kind_${row['property_kind'] ?? 'unknown'}`,
    stacked_distress: stackedFormula(row),
  };
}

/** Steps of a lead: the score as the sum of its parts, and each part. */
export function leadSteps(row: Fields, asOf: string, assumption: AssumptionValue): Step[] {
  const inputs: Inputs = { row, assumption };
  const [parts, reasons] = [partsOf(row), reasonsOf(row)];
  const formulas = row['lead_type'] === 'tax_delinquent' ? taxFormulas(row) : auctionFormulas(inputs, asOf);
  const score: Step = {
    figure: 'lead_score',
    formula: Object.keys(parts)
      .map((part) => `part_${part}`)
      .join(' + '),
    inputs: Object.fromEntries(Object.entries(parts).map(([part, n]) => [`part_${part}`, String(n)])),
    result: row['lead_score'] ?? null,
  };
  const partSteps = Object.entries(parts).map(([part, n]) =>
    step(inputs, `part_${part}`, formulas[part] ?? '0', { result: String(n), why: reasons[part] ?? '' }),
  );
  return [score, ...partSteps, ...recordSteps(row, assumption)];
}

/** Steps of a signal or an auction, which a lead shares. */
export function recordSteps(row: Fields, assumption: AssumptionValue): Step[] {
  const inputs: Inputs = { row, assumption };
  const [ratio, discount] = [row['amount_to_value_pct'] ?? null, row['appraisal_discount_pct'] ?? null];
  const steps: Step[] = [];
  if (ratio !== null)
    steps.push(step(inputs, 'amount_to_value_pct', 'round2(amount / county_value * 100)', { result: ratio }));
  if (discount !== null)
    steps.push(
      step(inputs, 'appraisal_discount_pct', 'round2((appraised_value - opening_bid) / appraised_value * 100)', {
        result: discount,
      }),
    );
  if (row['opening_bid_derived'] === 'true')
    steps.push(
      step(
        inputs,
        'opening_bid',
        'appraised_value * opening_bid_numerator / opening_bid_denominator, rounded up to the cent',
        {
          result: row['opening_bid'] ?? null,
          checkable: false,
          why: `not published: two thirds of the appraisal, under ${row['statute_ref'] ?? 'the law'}`,
        },
      ),
    );
  return steps;
}

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
function stackedKinds(lead: Lead, cited: readonly CitedRecord[]): IndependentKind[] {
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
