/** Formats an explanation for people. */
import { noteOf } from '../../../lib/record.ts';
import { SettingError } from '../../../lib/settings.ts';
import { number, wrapLine } from '../../format.ts';
import type { Explanation } from './explain.ts';
import { evaluate } from './formula.ts';
import type { PageFound } from './pages.ts';
import type { Fields, Step } from './steps.ts';

/** Recompute a step. @returns null if the result is the same, else the recomputed value */
export function recomputedDifference(step: Step): string | null {
  if (step.checkable === false || step.result === null) return null;
  const decimals = step.result.split('.')[1]?.length ?? 0;
  const recomputed = evaluate(step.formula, step.inputs).rounded(decimals);
  return recomputed === step.result ? null : recomputed;
}

function formatCheck(step: Step): string {
  if (step.checkable === false) return '';
  const recomputed = recomputedDifference(step);
  return recomputed === null ? ' (recomputed: identical)' : ` (RECOMPUTED: ${recomputed})`;
}

/** A figure's formula and its inputs with their origins, down to published values. Each figure is expanded once. */
function formatTree(explanation: Explanation, figure: string, indent: string, expanded: Set<string>): string[] {
  const step = explanation.steps.find((each) => each.figure === figure);
  if (!step || expanded.has(figure)) return [];
  expanded.add(figure);
  const lines = [`${indent}= ${step.formula}${formatCheck(step)}`];
  if (step.why) lines.push(`${indent}  ${step.why}`);
  for (const [name, value] of Object.entries(step.inputs)) {
    const isFigure = explanation.steps.some(
      (each) => each.figure === name && each.result === value && each.figure !== figure,
    );
    const origin = !isFigure
      ? `  ${describeOrigin(explanation, figure, name)}`
      : expanded.has(name)
        ? '  (see above)'
        : '';
    lines.push(`${indent}  ${name} = ${value ?? 'absent'}${origin}`);
    if (isFigure) lines.push(...formatTree(explanation, name, `${indent}    `, expanded));
  }
  return lines;
}

const TITLES: Readonly<Record<string, (row: Fields) => string>> = {
  deals: (row) => {
    const place = `${row['city'] ?? ''}, ${row['state'] ?? ''} ${row['zip'] ?? ''}`;
    return `${row['address'] ?? 'street hidden by its source'}, ${place}`;
  },
  leads: (row) => `${row['lead_type'] ?? ''}, ${row['address'] ?? ''}, ${row['county'] ?? ''}`,
  signals: (row) => `${row['parcel_id'] ?? ''}, ${row['address'] ?? 'no address yet'}, ${row['county'] ?? ''}`,
  auctions: (row) => `${row['case_number'] ?? ''}, ${row['sale_date'] ?? ''}, ${row['county'] ?? ''}`,
  filings: (row) => `${row['business_name'] ?? ''}, ${row['document_number'] ?? ''}`,
};
const SINGULAR = { deals: 'deal', leads: 'lead', signals: 'signal', auctions: 'auction', filings: 'filing' } as const;

/** One field: its value, its description, where it comes from, and the model that computes or reads it. */
function formatField(explanation: Explanation, field: string, producer: string | undefined): string[] {
  const step = explanation.steps.find((each) => each.figure === field);
  if (!step && !(field in explanation.row)) {
    const names = [...new Set([...explanation.steps.map((each) => each.figure), ...Object.keys(explanation.row)])].join(
      ', ',
    );
    throw new SettingError(`FIELD is ${JSON.stringify(field)}, expected a field or figure of the row: ${names}`);
  }
  const value = step ? step.result : explanation.row[field];
  const column = explanation.columns.find((each) => each.name === field);
  return [
    `${field} = ${value ?? 'absent'}`,
    ...(column ? [`  ${noteOf(column)}`] : []),
    ...(step ? formatTree(explanation, field, '  ', new Set()) : [`  ${describeOrigin(explanation, field, field)}`]),
    ...(producer === undefined ? [] : [`  ${producer}`]),
  ];
}

/** Every computed figure with its formula, and whether all were recomputed with the same result. */
function formatFigures({ steps }: Explanation): string[] {
  if (steps.length === 0) return ['Every field is as published on its page.'];
  const widest = Math.max(...steps.map((step) => step.figure.length));
  const figures = steps.map((step) => {
    const why = step.why ? `  (${step.why})` : '';
    return `  ${step.figure.padEnd(widest)}  ${(step.result ?? 'absent').padStart(14)}  = ${step.formula}${why}`;
  });
  const different = steps.filter((step) => recomputedDifference(step) !== null).map((step) => step.figure);
  const recomputed = steps.filter((step) => step.checkable !== false).length;
  return [
    'Computed figures; FIELD=... traces one to its sources',
    ...figures,
    different.length === 0
      ? `  all ${recomputed} recomputed from their inputs: identical`
      : `  RECOMPUTED WITH ANOTHER RESULT: ${different.join(', ')}`,
  ];
}

function formatVersion(version: Fields): string {
  const [from, to] = [version['version_first_seen'], version['version_last_seen']].map(
    (instant) => instant?.slice(0, 10) ?? '',
  );
  const gone = version['gone_on'] === null ? '' : `, gone on ${version['gone_on'] ?? ''}`;
  return `  ${from} to ${to}  ${(version['change'] ?? '').padEnd(12)} ${version['list_price'] ?? 'no price'}${gone}`;
}

/**
 * @param field the only field to trace; without it all computed figures are listed
 * @param screen its width in characters, and where the field comes from in words
 * @throws SettingError listing the fields if `field` is not one
 */
export function formatExplanation(
  explanation: Explanation,
  field?: string,
  { width = Infinity, producer }: { readonly width?: number; readonly producer?: string | undefined } = {},
): string[] {
  const title = TITLES[explanation.table]?.(explanation.row) ?? '';
  const lines = [
    `${SINGULAR[explanation.table]} ${explanation.id} in snapshot ${explanation.snapshot}: ${title}`,
    '',
    ...(field === undefined ? formatFigures(explanation) : formatField(explanation, field, producer)),
  ];
  const dependsOnHistory = field === undefined || /price|days|motivation|seen|deal_score$/u.test(field);
  if (explanation.history.length > 0 && dependsOnHistory)
    lines.push('', 'Versions of the listing', ...explanation.history.map(formatVersion));
  if (explanation.links.length > 0)
    lines.push(
      '',
      'Related rows',
      ...explanation.links.map((link) => `  ${link.relation}: make explain TABLE=${link.table} ID=${link.id}`),
    );
  lines.push('', 'Pages', ...explanation.pages.flatMap((page, index) => formatPage(page, index + 1)));
  return lines.flatMap((line) => wrapLine(line, width));
}

function formatRequest(page: PageFound): string {
  if (page.fetched_at === null) return 'the archive no longer has a request for these bytes';
  const answer = `${page.method ?? ''} ${page.status ?? ''} ${page.content_type ?? ''}`;
  const confirmed = page.confirmed_at === null ? '' : `; unchanged on ${page.confirmed_at}`;
  const size = `${number(page.bytes ?? 0)} bytes as sent`;
  return `fetched ${page.fetched_at} by run ${page.run_id ?? ''}: ${answer}, ${size}${confirmed}`;
}

function formatValues(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

function formatPage(page: PageFound, position: number): string[] {
  const note = page.note === undefined ? '' : ` ${page.note}`;
  const lines = [
    `[${position}] ${page.role}${note}: ${page.url ?? ''}`,
    ...(page.file === null ? [] : [`    dropped file ${page.file}`]),
    `    ${formatRequest(page)}`,
    `    archived ${page.path}`,
    `    SHA-256 ${page.hash === 'verified' ? 'verified' : `NOT VERIFIED: ${page.hash}`}`,
  ];
  if (page.excerpt !== null) {
    lines.push(`    row ${page.row ?? ''} of the page, as published:`);
    lines.push(...page.excerpt.split('\n').map((part) => `      ${part}`));
  }
  if (page.values !== null) lines.push(`    parsed as: ${formatValues(page.values)}`);
  return lines;
}

/** Group of a deal's provenance, by field. All other fields are of the listing. */
const GROUPS: Readonly<Record<string, string>> = {
  market_rent_0br: 'rent',
  market_rent_1br: 'rent',
  market_rent_2br: 'rent',
  market_rent_3br: 'rent',
  market_rent_4br: 'rent',
  rent_area_code: 'rent',
  rent_area_name: 'rent',
  rent_fiscal_year: 'rent',
  rent_outdated_reason: 'rent',
  cap_rate: 'claim',
  cap_rate_derived: 'claim',
  noi: 'claim',
  days_on_feed: 'history',
  first_price: 'history',
  first_seen: 'history',
};

const CONFIDENCE_PART = 'a part of confidence_parts';
const MIX = 'rent_steps.mix: the listing, or the reference table bedroom_mixes';
const IN_PLACE = "rent_steps.in_place: the census's rent over HUD's in the metropolitan area";
const EXPENSE_CELL = 'the reference table expense_cells, for its size and vintage';

/** Inputs that come from no page of the row, and the field or the table that has them. */
const PARTS_OF_FIELDS: Readonly<Record<string, string>> = {
  expense_ratio_of_size_pct: 'the assumption expense_ratio_* for its number of units, in percent',
  expense_adjustment_pct: 'the assumption expense_*_adjustment for its year of construction, in percent',
  mix_0br: MIX,
  mix_1br: MIX,
  mix_2br: MIX,
  mix_3br: MIX,
  mix_4br: MIX,
  mix_sum: MIX,
  in_place_ratio_0br: IN_PLACE,
  in_place_ratio_1br: IN_PLACE,
  in_place_ratio_2br: IN_PLACE,
  in_place_ratio_3br: IN_PLACE,
  in_place_ratio_4br: IN_PLACE,
  utility_share_used: "rent_steps.contract: the county's contract rent over its gross rent",
  vacancy_pct: 'the vacancy survey of the metropolitan area, or an assumption, as vacancy_basis says',
  tax_rate_pct: 'property_tax.rate_pct: the census, as rate_basis says',
  tax_class_factor: 'property_tax.class_factor: the reference table tax_rules',
  tax_reset_share: 'property_tax.reset_share: the reference table tax_rules',
  tax_bill: 'property_tax.bill: of the county or the listing, as current_basis says',
  tax_current: 'property_tax.current: the tax at the price, as no bill is known',
  insurance_size_factor: 'the reference table insurance_sizes',
  insurance_state_factor: 'the reference table insurance_states',
  management_share: 'the assumption management_share_* for its size',
  reserves_per_unit: 'the assumption reserves_per_unit_* for its size',
  repairs_per_unit: 'the reference table expense_lines',
  utilities_per_unit: 'the reference table expense_lines',
  expense_q1_pct: EXPENSE_CELL,
  expense_q3_pct: EXPENSE_CELL,
  expense_typical_pct: EXPENSE_CELL,
  declared_loan_rate_pct: 'the assumption loan_rate_pct',
  survey_rate_pct: 'the survey week loan_rate_on of loan_rate_source_url',
  monthly_factor: 'the reference table loan_factors, at loan_rate_pct over loan_years',
  annual_constant: 'the reference table loan_factors, at loan_rate_pct over loan_years',
  tax_amount: 'the debts in distress_matches',
  sale_in_days: 'days from the data clock to the sale in distress_matches',
  offer_noi: 'noi_scoring, or the claim if offer_status says so',
  upfront_repairs: 'upfront_repairs_per_unit x units',
  condition_risk: CONFIDENCE_PART,
  claim_contradicted: CONFIDENCE_PART,
  loan_rate: CONFIDENCE_PART,
  price_verified: CONFIDENCE_PART,
  units_known: CONFIDENCE_PART,
  rent_proxy: CONFIDENCE_PART,
  noi_source: CONFIDENCE_PART,
  agreement: CONFIDENCE_PART,
  reliability: CONFIDENCE_PART,
  year_built: CONFIDENCE_PART,
};

/** Origin of the input `name` of a figure's formula. */
function describeOrigin(explanation: Explanation, figure: string, name: string): string {
  const assumption = explanation.assumptions.get(name);
  if (assumption) return `assumption of ${assumption.set}, ${assumption.unit}, ${assumption.kind}: ${assumption.basis}`;
  const part = PARTS_OF_FIELDS[name];
  if (part !== undefined && (figure === 'confidence_score' || part !== CONFIDENCE_PART)) return part;
  const group = GROUPS[name] ?? (explanation.table === 'deals' ? 'listing' : null);
  if (group === 'history') return 'from the versions of the listing, below';
  const page = explanation.pages.findIndex((each) => each.role === group);
  if (page >= 0) return `from page ${page + 1}`;
  return explanation.pages.length > 0 ? 'from page 1' : '';
}
