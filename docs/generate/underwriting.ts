/** docs/underwriting.md: underwriting.md.template with the declared values filled in. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { currentAssumptions } from '../../models/assumptions.ts';
import { DRIFT } from '../../models/drift.ts';
import { PROPERTIES } from '../../models/properties.ts';
import { cell, table } from './markdown.ts';

/** A worked deal: the listing, and every figure that follows. A test underwrites it with the models and compares. */
export const WORKED = {
  listing: { list_price: '740000.00', units: 8, year_built: 1974, cap_rate: '7.40' },
  rent: '1250.00',
  first_price: '747474.75',
  steps: [
    ['gross_potential_rent', '105600.00', '8 x 1,250 x 0.88 x 12'],
    ['effective_gross_income', '98208.00', '105,600 x 0.93'],
    ['expense_ratio_pct', '45.00', '8 units, no age adjustment for 1974'],
    ['noi_underwritten', '54014.40', '98,208 x 0.55'],
    ['cap_rate_underwritten', '7.30', '54,014.40 / 740,000'],
    ['noi', '54760.00', '740,000 x 7.40 %, derived from the advertised cap rate'],
    ['cap_gap_pct', '0.10', '7.40 - 7.30'],
    ['loan_amount', '555000.00', '740,000 x 0.75'],
    ['monthly_payment', '3692.43', '555,000 x 0.006653024952'],
    ['annual_debt_service', '44309.16', '12 x 3,692.43'],
    ['dscr', '1.24', '54,760 / 44,309.16'],
    [
      'noi_scoring',
      '54014.40',
      'min(54,014.40, (54,760 + 54,014.40) / 2): the claim exceeds the underwriting and is ignored',
    ],
    ['cap_scoring_pct', '7.30', '54,014.40 / 740,000'],
    ['coverage_scoring', '1.16', '(54,014.40 - 300 x 8) / 44,309.16'],
    ['price_reduction_pct', '1.00', '(747,474.75 - 740,000) / 747,474.75'],
    ['motivation_score', '6', '6 x 1.00, no points for days'],
    ['deal_score_yield', '19', '35 x (7.30 - 4) / 6 = 19.25'],
    ['deal_score_coverage', '11', '30 x (1.16 - 0.90) / 0.70 = 11.14'],
    ['deal_score_motivation', '1', '20 x 6 / 100 = 1.2'],
    ['deal_score_distress', '0', 'no county record at this address'],
    ['deal_score', '31', '19 + 11 + 1 + 0'],
    ['rental_status', 'Warm', 'coverage 1.16 and cap rate 7.30 %'],
    ['confidence_score', '0.93', '0.15 + 0.15 + 0.20 + 0.08 + 0.15 + 0.15 + 0.05'],
    ['offer_high', '675000.00', '54,014.40 / 8 % = 675,180, rounded down to a multiple of 500'],
    ['offer_low', '598000.00', 'the same under stress'],
  ],
} as const;

/** Long factors are shown to twelve decimals. */
const shown = (value: string): string => value.replace(/(\.\d{12})\d+$/u, '$1');

/** Rows of a reference table. */
function referenceRows(name: string): Record<string, string>[] {
  const file = new URL(`../../models/reference/${name}.csv`, import.meta.url);
  return parse(readFileSync(file, 'utf8'), { columns: true }) as Record<string, string>[];
}

const propertyClassesTable = (): string =>
  table(
    ['rule', 'class, such as', '`property_kind`', 'meaning', 'source (day it was read)'],
    referenceRows('property_classes').map((rule) => [
      rule['rule_number'] ?? '',
      `\`${rule['example'] ?? ''}\``,
      `\`${rule['property_kind'] ?? ''}\``,
      cell(rule['meaning'] ?? ''),
      `${cell(rule['source'] ?? '')} (${rule['read_on'] ?? ''})`,
    ]),
  );

function saleRulesTable(): string {
  return table(
    ['sale', 'opening_bid_basis', 'law', 'rule (day it was read)'],
    referenceRows('ohio_sale_rules').map((rule) => [
      rule['sale_kind'] ?? '',
      `\`${rule['opening_bid_basis'] ?? ''}\``,
      rule['statute_ref'] ?? '',
      `${cell(rule['rule'] ?? '')} (${rule['checked_on'] ?? ''})`,
    ]),
  );
}

/** @throws Error naming a placeholder of the template that has no value */
export function underwritingPage(): string {
  const { id, rows } = currentAssumptions();
  const values = new Map<string, string>([
    ...rows.map(({ key, value }): [string, string] => [key, shown(value)]),
    ['set', id],
    ['sale_rules', saleRulesTable()],
    ['property_classes', propertyClassesTable()],
    ['worked_year', String(WORKED.listing.year_built)],
    ['worked_cap', WORKED.listing.cap_rate],
    [
      'worked_steps',
      table(
        ['figure', 'value', 'how'],
        WORKED.steps.map(([figure, value, how]) => [`\`${figure}\``, value, cell(how)]),
      ),
    ],
    ['properties', PROPERTIES.map((property, i) => `${i + 1}. ${property}`).join('\n')],
    ['drift_warn_below', String(DRIFT.warnBelowPct)],
    ['drift_warn_above', String(DRIFT.warnAbovePct)],
    ['drift_block_below', String(DRIFT.blockBelowPct)],
    [
      'values',
      table(
        ['key', 'value', 'unit', 'kind', 'basis'],
        rows.map((r) => [`\`${r.key}\``, shown(r.value), r.unit.replaceAll('_', ' '), r.kind, cell(r.basis)]),
      ),
    ],
  ]);
  const template = readFileSync(new URL('underwriting.md.template', import.meta.url), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/gu, (_, key: string) => {
    const value = values.get(key);
    if (value === undefined) throw new Error(`underwriting.md.template: no value is called ${key}`);
    return value;
  });
}
