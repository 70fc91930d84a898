/** Recomputes the calibrated reference tables from raw public files, by the SQL beside this file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import type { RecordDefinition } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { currentAssumptions } from '../assumptions.ts';
import { loadReferences, macrosSql, referenceSql, type Reference } from '../index.ts';
import { CALIBRATION_PARAMETERS, SURVEY_METROS } from './declared.ts';
import { CALIBRATION_FILES, loadFiles } from './files.ts';

/** Tables between the files and the results, in order. */
export const STEPS = [
  'survey_properties',
  'expense_ratios',
  'expense_ratio_values',
  'expense_line_values',
  'census_answers',
] as const;

/** Reference tables that the calibration computes, in order: insurance_sizes reads expense_lines. */
export const CALIBRATED = [
  'bedroom_mixes',
  'expense_cells',
  'expense_lines',
  'insurance_sizes',
  'insurance_states',
  'census_metros',
  'hvs_areas',
  'tax_rules',
] as const;

export type CalibratedTable = (typeof CALIBRATED)[number];

type Row = Readonly<Record<string, unknown>>;

/** A SQL file of this folder. */
export const stepSql = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.sql`), 'utf8');

const valuesOf = (rows: readonly (readonly (string | null)[])[]): string =>
  rows.map((row) => `(${row.map((cell) => (cell === null ? 'NULL' : literal(cell))).join(', ')})`).join(', ');

const MANAGEMENT_SHARE = 'management_share_';

/** Management fees by size, as the underwriting declares them. */
const managementFees = (): string[][] =>
  currentAssumptions()
    .rows.filter(({ key }) => key.startsWith(MANAGEMENT_SHARE))
    .map(({ key, value }) => [key.slice(MANAGEMENT_SHARE.length), value]);

/** Macros, declared inputs and reference tables; the tables of the files must be loaded. */
export async function prepareCalibration(connection: DuckDBConnection): Promise<void> {
  const metros = SURVEY_METROS.map(([cbsa, region, earlierName]) => [cbsa, region, earlierName ?? null]);
  await connection.run(`
    CREATE TABLE calibration_parameters AS
      SELECT * FROM (VALUES ${valuesOf(CALIBRATION_PARAMETERS)}) AS t(key, value, basis);
    CREATE TABLE management_fees AS
      SELECT size, CAST(share AS DECIMAL(6, 4)) AS share FROM (VALUES ${valuesOf(managementFees())}) AS t(size, share);
    CREATE TABLE declared_survey_metros AS
      SELECT * FROM (VALUES ${valuesOf(metros)}) AS t(cbsa, region, earlier_name)`);
  for (const sql of loadReferences().flatMap(referenceSql)) await connection.run(sql);
  await connection.run(macrosSql());
  await connection.run(stepSql('macros'));
}

/** Compute all steps and tables. The tables of the files and those of prepareCalibration must exist. */
async function computeTables(connection: DuckDBConnection): Promise<void> {
  for (const name of [...STEPS, ...CALIBRATED])
    await connection.run(`CREATE TABLE ${identifier(name)} AS ${stepSql(name)}`);
}

/** A reference table. */
export function referenceNamed(name: string): Reference {
  const found = loadReferences().find((reference) => reference.name === name);
  if (!found) throw new Error(`${name} is not a reference table`);
  return found;
}

const cell = (value: unknown): string => {
  const text = value === null ? '' : String(value);
  return /[",\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Compare rows by key; enums have the order of their values. */
function compareRows({ key, columns }: RecordDefinition, a: Row, b: Row): number {
  for (const name of key) {
    const values = columns.find((column) => column.name === name)?.values;
    const [one, other] = [String(a[name]), String(b[name])];
    if (one === other) continue;
    if (values) return values.indexOf(one) - values.indexOf(other);
    return one < other ? -1 : 1;
  }
  return 0;
}

/** Rows of a reference table as its CSV file, sorted by key. */
export function csvText(name: string, rows: readonly Row[]): string {
  const { record } = referenceNamed(name);
  const names = record.columns.map((column) => column.name);
  const sorted = [...rows].sort((a, b) => compareRows(record, a, b));
  const lines = sorted.map((row) => names.map((column) => cell(row[column])).join(','));
  return `${[names.join(','), ...lines].join('\n')}\n`;
}

/** A computed table as its CSV file. */
async function formatCsv(connection: DuckDBConnection, name: CalibratedTable): Promise<string> {
  const columns = referenceNamed(name).record.columns.map(
    (column) => `CAST(${column.name} AS ${column.sql}) AS ${column.name}`,
  );
  return csvText(name, await rowsOf(connection, `SELECT ${columns.join(', ')} FROM ${identifier(name)}`));
}

/** Recompute every calibrated table from a folder. @returns the text of each CSV file @throws MissingFile */
export async function calibrate(
  connection: DuckDBConnection,
  folder: string,
): Promise<ReadonlyMap<CalibratedTable, string>> {
  await loadFiles(connection, folder, CALIBRATION_FILES);
  await prepareCalibration(connection);
  await computeTables(connection);
  const texts = new Map<CalibratedTable, string>();
  for (const name of CALIBRATED) texts.set(name, await formatCsv(connection, name));
  return texts;
}
