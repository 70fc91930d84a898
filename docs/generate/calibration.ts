/** docs/calibration.md: calibration.md.template with the calibrated tables filled in. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { CALIBRATION_PARAMETERS, SURVEY_METROS } from '../../models/calibration/declared.ts';
import { CALIBRATION_FILES, COMPARISON_FILES } from '../../models/calibration/files.ts';
import { referenceNamed } from '../../models/calibration/calibrate.ts';
import { AIMS } from '../../models/reference/noi_comparisons.ts';
import { cell, table } from '../../lib/markdown.ts';

type Row = Readonly<Record<string, string>>;

const rowsOf = (name: string): readonly Row[] =>
  parse(readFileSync(referenceNamed(name).csvPath, 'utf8'), { columns: true });

/** The declared name of a size or vintage for people: 5_12 is "5-12", before_1960 "before 1960". */
const shown = (name: string): string =>
  name
    .replace(/^(\d+)_(\d+)$/u, '$1-$2')
    .replace('50_up', '50+')
    .replaceAll('_', ' ');

const columnsOf = (name: string, columns: readonly string[], rows = rowsOf(name)): string =>
  table(
    columns,
    rows.map((row) => columns.map((column) => cell(shown(row[column] ?? '')))),
  );

/** Quartiles in one cell: "0.90 / **1.05** / 1.30". */
const quartiles = (row: Row, prefix: string): string =>
  `${row[`${prefix}q1`] ?? ''} / **${row[`${prefix}median`] ?? ''}** / ${row[`${prefix}q3`] ?? ''}`;

const expenseCells = (): string =>
  table(
    ['units', 'vintage', 'n', 'n_eff', 'q1 / **median** / q3', 'shrunk', 'basis'],
    rowsOf('expense_cells').map((row) => [
      shown(row['size'] ?? ''),
      shown(row['vintage'] ?? ''),
      row['n'] ?? '',
      row['n_eff'] ?? '',
      quartiles(row, ''),
      row['shrunk'] ?? '',
      row['basis'] ?? '',
    ]),
  );

const comparisons = (): string =>
  table(
    [
      'source of NOI',
      'units',
      'vintage',
      'n',
      'ours: q1 / **median** / q3',
      'simple proxy: q1 / **median** / q3',
      'rent',
      'expenses',
      'aim',
    ],
    rowsOf('noi_comparisons').map((row) => [
      row['population'] ?? '',
      shown(row['size'] ?? ''),
      shown(row['vintage'] ?? ''),
      row['n'] ?? '',
      quartiles(row, 'underwriting_'),
      quartiles(row, 'proxy_'),
      row['rent_median'] ?? '',
      row['expenses_median'] ?? '',
      shown(row['aim'] ?? ''),
    ]),
  );

/** How many cells of enough properties reach the aim. */
function aimsText(): string {
  const judged = rowsOf('noi_comparisons').filter((row) => row['aim'] !== 'too_few');
  const counted = AIMS.filter((aim) => aim !== 'too_few').map((aim) => {
    const cells = judged.filter((row) => row['aim'] === aim);
    return `${shown(aim)} in ${cells.length}`;
  });
  return `Of ${judged.length} such cells: ${counted.join(', ')}.`;
}

const filesTable = (): string =>
  table(
    ['path in the folder', 'origin', 'read for'],
    [
      ...CALIBRATION_FILES.map(({ pattern, origin }) => [`\`${pattern}\``, cell(origin), 'tables']),
      ...COMPARISON_FILES.map(({ pattern, origin }) => [`\`${pattern}\``, cell(origin), 'comparison']),
    ],
  );

/** @throws Error naming a placeholder of the template that has no value */
export function calibrationPage(): string {
  const states = new Set(rowsOf('tax_rules').map((row) => row['state']));
  const surveyed = new Set<string>(SURVEY_METROS.map(([cbsa]) => cbsa));
  const census = rowsOf('census_metros');
  const values = new Map<string, string>([
    ...CALIBRATION_PARAMETERS.map(([key, value]): [string, string] => [key, value]),
    ['files', filesTable()],
    ['expense_cells', expenseCells()],
    [
      'bedroom_mixes',
      columnsOf('bedroom_mixes', [
        'size',
        'vintage',
        'share_0',
        'share_1',
        'share_2',
        'share_3',
        'share_4',
        'n',
        'n_eff',
        'basis',
      ]),
    ],
    [
      'expense_lines',
      columnsOf(
        'expense_lines',
        ['pooled_size', 'line', 'counted', 'n', 'q1', 'survey_amount', 'q3', 'amount'],
        rowsOf('expense_lines').filter((row) => row['size'] !== '13_24'),
      ),
    ],
    [
      'insurance_sizes',
      rowsOf('insurance_sizes')
        .map((row) => `${shown(row['size'] ?? '')} units ${(row['factor'] ?? '').slice(0, 3)} (n=${row['n'] ?? ''})`)
        .join(', '),
    ],
    [
      'insurance_states',
      rowsOf('insurance_states')
        .filter((row) => states.has(row['state'] ?? ''))
        .map((row) => `${row['state'] ?? ''} ${row['factor'] ?? ''}`)
        .join(', '),
    ],
    ['census_count', String(census.length)],
    [
      'census_metros',
      columnsOf(
        'census_metros',
        [
          'cbsa',
          'name',
          'gross_rent_0',
          'gross_rent_1',
          'gross_rent_2',
          'gross_rent_3',
          'gross_rent_4',
          'median_tax',
          'median_value',
          'tax_rate',
        ],
        census.filter((row) => surveyed.has(row['cbsa'] ?? '')),
      ),
    ],
    ['hvs_count', String(surveyed.size)],
    [
      'tax_rules',
      columnsOf('tax_rules', [
        'state',
        'reset_share',
        'class_factor',
        'class_factor_from_units',
        'rule',
        'statute',
        'confirmed',
      ]),
    ],
    ['noi_comparisons', comparisons()],
    ['aims', aimsText()],
  ]);
  const template = readFileSync(new URL('calibration.md.template', import.meta.url), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`docs/generate/calibration.md.template has no value for {{${name}}}`);
    return value;
  });
}
