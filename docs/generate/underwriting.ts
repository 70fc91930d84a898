/** docs/underwriting.md: underwriting.md.template with the declared values filled in. */
import { readFileSync } from 'node:fs';
import { cell, table } from '../../lib/markdown.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import {
  AIM_WORDS,
  aimsBySize,
  comparedSizes,
  errorRanges,
  unitsText,
  WHOSE_NOI,
} from '../../models/calibration/comparison_by_size.ts';
import { CALIBRATION_PARAMETERS } from '../../models/calibration/declared.ts';
import { DRIFT } from '../../models/drift.ts';
import { PROPERTIES } from '../../models/properties.ts';

type Step = readonly [figure: string, value: string, how: string];

/** A deal with a page of each kind that its figures follow from. */
export const WORKED = {
  listing: {
    list_price: '460000.00',
    units: 8,
    year_built: 1974,
    cap_rate: '8.40',
    units_1br: 4,
    units_2br: 4,
    annual_taxes: '9000.00',
  },
  /** HUD's rents by bedrooms: of the ZIP, and of the area. */
  rents: ['900.00', '1000.00', '1200.00', '1550.00', '1700.00'],
  areaRents: ['933.00', '1058.00', '1279.00', '1646.00', '1760.00'],
  metro: {
    gross_rent_0: '760.00',
    gross_rent_1: '852.00',
    gross_rent_2: '1088.00',
    gross_rent_3: '1256.00',
    gross_rent_4: '1376.00',
    median_tax: '3590.00',
    median_value: '215400.00',
  },
  county: {
    median_contract_rent: '810.00',
    median_gross_rent: '950.00',
    median_tax: '4200.00',
    median_value: '205000.00',
  },
  vacancy_pct: '5.00',
  survey_rate_pct: '6.75',
  steps: [
    ['market_rent_mix', '1100.00', '(4 x 1,000 + 4 x 1,200) / 8'],
    [
      'rent_in_place',
      '913.07',
      '(4 x 1,000 x 0.8053 + 4 x 1,200 x 0.8507, each rounded) / 8; 852 / 1,058 and 1,088 / 1,279',
    ],
    ['contract_rent', '778.48', '913.07 x (1 - 0.1474); 0.1474 = 1 - 810 / 950'],
    ['gross_potential_rent', '74734.08', '8 x 778.48 x 12'],
    ['vacancy_pct', '6.50', 'the only area of its region at 5.00, and 1.5 for credit loss'],
    ['effective_gross_income', '69876.36', '74,734.08 x (1 - 0.065)'],
    ['tax_after_reset', '9215.00', 'half of 9,430.00 (2.05 % of 460,000) and half of the bill of 9,000'],
    [
      'operating_expenses',
      '34606.68',
      '9,215.00 tax + 6,411.81 insurance (8 x 671 x 1.5 x 0.7963) + 5,590.11 management (8 %) + 5,560.00 repairs ' +
        '(8 x 695) + 6,629.76 utilities (8 x 828.72) + 1,200.00 other',
    ],
    ['expense_ratio_pct', '49.53', '34,606.68 / 69,876.36'],
    ['expense_check', 'within_quartiles', '33.00 to 53.75 % for 5 to 12 units of 1960 to 1999'],
    ['noi_underwritten', '35269.68', '69,876.36 - 34,606.68'],
    ['noi_at_current_tax', '35484.68', 'with 9,000.00 of tax'],
    ['noi_hud_2br', '51853.82', '8 x 1,200 x 0.88 x 12 x 0.93 x 0.55'],
    ['cap_rate_underwritten', '7.67', '35,269.68 / 460,000'],
    ['cap_rate_hud_2br', '11.27', '51,853.82 / 460,000'],
    ['cap_gap_pct', '0.73', '8.40 - 7.67'],
    ['loan_rate_pct', '7.00', '6.75 of the survey week and 0.25'],
    ['loan_amount', '345000.00', '460,000 x 0.75'],
    ['annual_debt_service', '27543.48', '12 x 2,295.29; 345,000 x 0.006653024952'],
    ['dscr', '1.40', '38,640 / 27,543.48; the claim is 460,000 x 8.40 %'],
    ['dscr_underwritten', '1.28', '35,269.68 / 27,543.48'],
    ['reserves', '3200.00', '8 x 400'],
    ['loan_sized', '321354.00', '(35,269.68 - 3,200) / (1.25 x 0.079836299422), below 345,000'],
    ['loan_binding', 'debt_coverage', 'the coverage of 1.25 binds before the price'],
    ['cash_needed', '152446.00', '460,000 - 321,354 + 3 % of 460,000'],
    ['cash_on_cash_pct', '4.21', '(32,069.68 - 25,655.76) / 152,446; 12 x 2,137.98'],
    ['noi_scoring', '35269.68', 'the claim exceeds the underwriting and is ignored'],
    ['yield_on_cost_pct', '6.73', '35,269.68 / (460,000 + 8 x 8,000 of upfront repairs)'],
    ['noi_stressed', '28841.06', '35,269.68 - 0.10 x (69,876.36 - 5,590.11): fixed expenses stay, management falls'],
    ['dscr_stressed', '0.91', '(28,841.06 - 3,200) / (12 x 2,357.98); 321,354 at 8.00 %'],
    ['deal_score_yield', '22', '35 x (6.73 - 3) / 6 = 21.76'],
    ['deal_score_coverage', '19', '30 x (0.91 - 0.75) / 0.25 = 19.2'],
    ['deal_score_motivation', '0', 'no price cut, first day'],
    ['deal_score_distress', '0', 'no county record at this address'],
    ['deal_score', '41', '22 + 19 + 0 + 0'],
    ['confidence_score', '0.93', '0.15 + 0.15 + 0.20 + 0.08 + 0.15 + 0.15 + 0.05'],
    ['offer_high', '376500.00', '35,269.68 / 8 %, less 64,000 of repairs, down to a multiple of 500'],
    ['offer_low', '312000.00', 'the same under stress'],
  ] satisfies readonly Step[],
} as const;

/** Long factors are shown to twelve decimals. */
const shown = (value: string): string => value.replace(/(\.\d{12})\d+$/u, '$1');

/** NOI of ours and of the simple proxy over real NOI, by size. */
const comparisonTable = (): string =>
  table(
    ['source of NOI', 'units', 'n', 'our NOI over theirs: q1 / **median** / q3', 'simple proxy over theirs', 'aim'],
    comparedSizes().map((row) => [
      WHOSE_NOI[row.population],
      unitsText(row.size),
      String(row.n),
      `${row.underwriting_q1} / **${row.underwriting_median}** / ${row.underwriting_q3}`,
      `${row.proxy_q1} / **${row.proxy_median}** / ${row.proxy_q3}`,
      AIM_WORDS[row.aim],
    ]),
  );

const stepsTable = (): string =>
  table(
    ['figure', 'value', 'how'],
    WORKED.steps.map(([figure, value, how]) => [`\`${figure}\``, value, cell(how)]),
  );

/** @throws Error naming a placeholder of the template that has no value */
export function underwritingPage(): string {
  const { id, rows } = currentAssumptions();
  const ranges = errorRanges();
  const values = new Map<string, string>([
    ...CALIBRATION_PARAMETERS.map(([key, value]): [string, string] => [key, value]),
    ...rows.map(({ key, value }): [string, string] => [key, shown(value)]),
    ['set', id],
    ['noi_comparison', comparisonTable()],
    ['aims_by_size', aimsBySize()],
    ['ratio_small', ranges.small],
    ['ratio_large', ranges.large],
    ['ratio_recent', ranges.recent],
    ['worked_steps', stepsTable()],
    ['properties', PROPERTIES.map((property, i) => `${i + 1}. ${property}`).join('\n')],
    ['drift_warn_below', String(DRIFT.warnBelowPct)],
    ['drift_warn_above', String(DRIFT.warnAbovePct)],
    ['drift_block_below', String(DRIFT.blockBelowPct)],
  ]);
  const template = readFileSync(new URL('underwriting.md.template', import.meta.url), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/gu, (_, key: string) => {
    const value = values.get(key);
    if (value === undefined) throw new Error(`underwriting.md.template: no value is called ${key}`);
    return value;
  });
}
