/** docs/underwriting.md: underwriting.md.template with the declared values filled in. */
import { readFileSync } from 'node:fs';
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
import { cell, table } from '../../lib/markdown.ts';
import { WORKED } from './worked_deals.ts';

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
