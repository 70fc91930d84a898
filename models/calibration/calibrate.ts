/** Recomputes the calibrated reference tables from raw public files, by the SQL beside this file. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { stringify } from 'csv-stringify/sync';
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { createTable, words } from '../../lib/record.ts';
import { literal } from '../../lib/sql.ts';
import { Assumption, currentAssumptions } from '../assumptions.ts';
import { macrosSql } from '../index.ts';
import { loadReferences, ORDERS, referenceSql } from '../references.ts';

/** Table of the rows, path in the folder (* stands for any part of a name), and where a person gets the file. */
const FILES = [
  [
    'survey_file',
    'underwriting/rhfs/*properties*.csv',
    'Census Bureau, Rental Housing Finance Survey 2012, public use',
  ],
  ['census_file', 'underwriting/acs/*metro*.json', 'api.census.gov, acs5 of 2024 by metropolitan area'],
  ['counties_file', 'underwriting/acs/*counties*.csv', 'the same tables by county'],
  ['state_premiums_file', 'underwriting/insurance/*ho3*by_state.csv', 'NAIC, homeowners by state, 2022'],
  ['apartment_insurance_file', 'underwriting/insurance/feds_notes*.csv', 'FEDS Notes of 2025-09-19, by year'],
  ['worksheets_file', 'underwriting/cook/cook_multifamily_*.csv', 'Cook County Assessor, multifamily worksheets'],
  ['loans_file', 'underwriting/ex102/mf_properties_distinct.csv', 'SEC EDGAR, EX-102: multifamily, a row each'],
  ['statements_file', 'underwriting/ex102/*property_rows_monthly*.csv', 'the same exhibits by month'],
  ['fair_market_rents_file', 'hud/FY25_FMRs_revised.csv', 'HUD, Fair Market Rents of 2025, revised, as CSV'],
] as const;

/** Reference tables that are computed, in order: insurance_sizes reads expense_lines. */
const CALIBRATED: readonly string[] = words(
  'bedroom_mixes expense_cells expense_lines insurance_sizes insurance_states census_metros',
);

/** Source of what the survey's owners stated, and the end of the year that they describe. */
export const SURVEY = { source: 'Rental Housing Finance Survey 2012, public-use file', as_of: '2011-12-31' } as const;

/** A SQL file of this folder. */
export const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.sql`), 'utf8');

/** A column for tables that hold no more than the calibration needs. */
export const nullable = <T extends { name: string; sql: string }>({ name, sql }: T) =>
  ({ name, sql, absent: 'not compared' }) as const;

/** A database with the files of a folder, and all reference tables and assumptions, fitted where the files fit them. */
export type Calibration = Awaited<ReturnType<typeof openSmall>>;

/** Load every file as a table; every column is text. @throws Error naming the first that is not there */
async function loadFiles(connection: DuckDBConnection, folder: string): Promise<void> {
  for (const [table, pattern, origin] of FILES) {
    const paths = globSync(join(folder, pattern)).sort();
    if (paths.length === 0)
      throw new Error(`${join(folder, pattern)} is missing. Put it there (${origin}), or set FOLDER.`);
    const list = `[${paths.map(literal).join(', ')}]`;
    const rows = pattern.endsWith('.json')
      ? `SELECT content FROM read_text(${list})`
      : `SELECT * FROM read_csv(${list}, header = true, all_varchar = true, nullstr = '', union_by_name = true)`;
    await connection.run(`CREATE TABLE ${table} AS ${rows}`);
  }
}

/**
 * Compute the calibrated tables from the files of a folder.
 * @param trained rent groups of the survey that count. Default: all
 * @throws Error naming a missing file
 */
export async function openCalibration(folder: string, trained?: readonly string[]): Promise<Calibration> {
  const calibration = await openSmall();
  const { connection } = calibration;
  await loadFiles(connection, folder);
  await connection.run(createTable('declared_assumptions', Assumption.columns.map(nullable)));
  const values = currentAssumptions().rows.map(({ key, value }) => `(${literal(key)}, ${literal(value)})`);
  await connection.run(`INSERT INTO declared_assumptions (key, value) VALUES ${values.join(', ')}`);
  await connection.run(`${macrosSql()}${sqlOf('macros')}
    CREATE MACRO survey_source() AS '${SURVEY.source}';
    CREATE MACRO survey_as_of() AS DATE '${SURVEY.as_of}'`);
  const references = loadReferences();
  for (const each of references.filter(({ name }) => !CALIBRATED.includes(name)))
    for (const sql of referenceSql(each)) await connection.run(sql);
  const isTrained = trained ? `rent_group IN (${trained.map(literal).join(', ')})` : 'true';
  await connection.run(`CREATE TABLE survey AS ${sqlOf('survey')}`);
  await connection.run(`CREATE TABLE trained AS FROM survey WHERE ${isTrained}`);
  await connection.run(`CREATE TABLE census_areas AS ${sqlOf('census_areas')}`);
  for (const name of CALIBRATED) {
    const columns = references.find((each) => each.name === name)?.columns ?? [];
    await connection.run(createTable(`ref_${name}`, columns.map(nullable)));
    await connection.run(`INSERT INTO ref_${name} BY NAME ${sqlOf(name)}`);
  }
  await connection.run(`UPDATE declared_assumptions SET value = fitted.value
    FROM (${sqlOf('fitted_assumptions')}) AS fitted WHERE fitted.key = declared_assumptions.key`);
  return calibration;
}

/** The CSV file of rows, with the columns of the first. */
export const csvText = (rows: readonly object[]): string => stringify([...rows], { header: true });

/** The text of each calibrated CSV file by its path, sorted by its key. @throws Error naming a missing file */
export async function calibratedTables(folder: string): Promise<Map<string, string>> {
  await using calibration = await openCalibration(folder);
  const texts = new Map<string, string>();
  for (const { name, key, csvPath } of loadReferences().filter((each) => CALIBRATED.includes(each.name))) {
    const order = key.map((column) => {
      const values = ORDERS[column];
      return values ? `list_position([${values.map(literal).join(', ')}], ${column})` : column;
    });
    texts.set(csvPath, csvText(await rowsOf(calibration.connection, `FROM ref_${name} ORDER BY ${order.join(', ')}`)));
  }
  return texts;
}
