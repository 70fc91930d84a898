/** Recomputes the calibrated reference tables from raw public files, by the SQL beside this file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { createTable } from '../../lib/record.ts';
import { literal } from '../../lib/sql.ts';
import { Assumption, currentAssumptions } from '../assumptions.ts';
import { loadReferences, macrosSql, referenceSql } from '../index.ts';
import { loadFiles } from './files.ts';

/** Reference tables that are computed from the survey, in order: insurance_sizes reads expense_lines. */
export const SURVEY_TABLES = ['bedroom_mixes', 'expense_cells', 'expense_lines', 'insurance_sizes'] as const;

/** All reference tables that are computed. */
const CALIBRATED = [...SURVEY_TABLES, 'insurance_states', 'census_metros'] as const;

/** Source of what the survey's owners stated, and the end of the year that they describe. */
export const SURVEY = { source: 'Rental Housing Finance Survey 2012, public-use file', as_of: '2011-12-31' } as const;

/** A SQL file of this folder. */
export const sqlOf = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.sql`), 'utf8');

/** A column for tables that hold no more than the calibration needs. */
export const nullable = <T extends { name: string; sql: string }>({ name, sql }: T) =>
  ({ name, sql, absent: 'not compared' }) as const;

/** A database with the files of a folder, and the calibrated tables computed from them. */
export type Calibration = Awaited<ReturnType<typeof openSmall>>;

/**
 * Compute the calibrated tables from the files of a folder.
 * @param trained rent groups of the survey that count. Default: all
 * @throws MissingFile
 */
export async function openCalibration(folder: string, trained?: readonly string[]): Promise<Calibration> {
  const calibration = await openSmall();
  const { connection } = calibration;
  await loadFiles(connection, folder);
  for (const sql of loadReferences().flatMap(referenceSql)) await connection.run(sql);
  await connection.run(createTable('declared_assumptions', Assumption.columns.map(nullable)));
  const values = currentAssumptions().rows.map(({ key, value }) => `(${literal(key)}, ${literal(value)})`);
  await connection.run(`INSERT INTO declared_assumptions (key, value) VALUES ${values.join(', ')}`);
  await connection.run(macrosSql() + sqlOf('macros'));
  await connection.run(`CREATE MACRO survey_source() AS '${SURVEY.source}'`);
  await connection.run(`CREATE MACRO survey_as_of() AS DATE '${SURVEY.as_of}'`);
  const isTrained = trained ? `rent_group IN (${trained.map(literal).join(', ')})` : 'true';
  await connection.run(`CREATE TABLE survey AS ${sqlOf('survey')}`);
  await connection.run(`CREATE TABLE trained AS FROM survey WHERE ${isTrained}`);
  await connection.run(`CREATE TABLE census_areas AS ${sqlOf('census_areas')}`);
  for (const table of CALIBRATED) await connection.run(`CREATE TABLE ${table} AS ${sqlOf(table)}`);
  return calibration;
}

const cell = (value: unknown): string => {
  const text = value === null ? '' : String(value);
  return /[",\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The CSV file of rows, with the columns of the first. */
export const csvText = (rows: readonly Readonly<Record<string, unknown>>[]): string =>
  [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map((row) => `${row.map(cell).join(',')}\n`).join('');

/** The text of each calibrated CSV file by its path, sorted by its key. @throws MissingFile */
export async function calibratedTables(folder: string): Promise<Map<string, string>> {
  const { connection, close } = await openCalibration(folder);
  try {
    const texts = new Map<string, string>();
    for (const { name, record, csvPath } of loadReferences()) {
      if (!CALIBRATED.some((each) => each === name)) continue;
      const columns = record.columns.map((column) => `${column.name}::${column.sql} AS ${column.name}`);
      const order = record.key.map((key) => {
        const values = record.columns.find((column) => column.name === key)?.values;
        return values ? `list_position([${values.map(literal).join(', ')}], ${key})` : key;
      });
      const query = `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order.join(', ')}`;
      texts.set(csvPath, csvText(await rowsOf(connection, query)));
    }
    return texts;
  } finally {
    await close();
  }
}
