/** The raw public files of `make calibrate`, each loaded as one table of text. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../../lib/sql.ts';

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
  [
    'apartment_insurance_file',
    'underwriting/insurance/feds_notes*.csv',
    'FEDS Notes of 2025-09-19, apartments by year',
  ],
  ['worksheets_file', 'underwriting/cook/cook_multifamily_*.csv', 'Cook County Assessor, multifamily worksheets'],
  ['loans_file', 'underwriting/ex102/mf_properties_distinct.csv', 'SEC EDGAR, EX-102: multifamily, a row each'],
  ['statements_file', 'underwriting/ex102/*property_rows_monthly*.csv', 'the same exhibits by month'],
  ['fair_market_rents_file', 'hud/FY25_FMRs_revised.csv', 'HUD, Fair Market Rents of 2025, revised, as CSV'],
] as const;

/** A file is missing from the folder. */
export class MissingFile extends Error {
  override readonly name = 'MissingFile';
}

/** Whether a folder has all files. */
export const hasFiles = (folder: string): boolean =>
  FILES.every(([, pattern]) => globSync(join(folder, pattern)).length > 0);

/** Load every file as a table; every column is text. @throws MissingFile naming the first that is not there */
export async function loadFiles(connection: DuckDBConnection, folder: string): Promise<void> {
  for (const [table, pattern, origin] of FILES) {
    const paths = globSync(join(folder, pattern)).sort();
    if (paths.length === 0)
      throw new MissingFile(`${join(folder, pattern)} is missing. Put it there (${origin}), or set FOLDER.`);
    const list = `[${paths.map(literal).join(', ')}]`;
    const rows = pattern.endsWith('.json')
      ? `SELECT content FROM read_text(${list})`
      : `SELECT * FROM read_csv(${list}, header = true, all_varchar = true, nullstr = '', union_by_name = true)`;
    await connection.run(`CREATE TABLE ${table} AS ${rows}`);
  }
}
