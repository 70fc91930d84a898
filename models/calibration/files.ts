/** The raw public files of `make calibrate`, each loaded as one table of text. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../../lib/sql.ts';
import type { POPULATIONS } from '../references.ts';

export interface RawFile {
  /** Table of its rows. */
  readonly table: string;
  /** Path in the folder; * stands for any part of a name. */
  readonly pattern: string;
  /** Where a person gets it. */
  readonly origin: string;
  /** The only group of compared properties that reads it. Default: each does. */
  readonly only?: (typeof POPULATIONS)[number];
}

export const CALIBRATION_FILES: readonly RawFile[] = [
  {
    table: 'survey_file',
    pattern: 'underwriting/rhfs/*properties*.csv',
    origin: 'Census Bureau, Rental Housing Finance Survey, public-use file of properties',
  },
  {
    table: 'survey_labels',
    pattern: 'underwriting/rhfs/*value_labels*.csv',
    origin: 'the code book of the same survey: Variable, Value, Value_Label',
  },
  {
    table: 'census_file',
    pattern: 'underwriting/acs/*metro*.json',
    origin: 'api.census.gov/data/2024/acs/acs5, for metropolitan areas: B25064, B25077, B25103, B25031_002 to 006',
  },
  {
    table: 'state_premiums_file',
    pattern: 'underwriting/insurance/*ho3*by_state.csv',
    origin: 'NAIC average premium of homeowners by state: state, ho3_average_premium_2022_usd',
  },
  {
    table: 'statutes_file',
    pattern: 'underwriting/tax/state_reassessment_rules.csv',
    origin: 'notes on statutes: state, rule, cite, mark (E: the text was read)',
  },
];

/** Files that only the comparison with real NOI reads. */
export const COMPARISON_FILES: readonly RawFile[] = [
  {
    table: 'counties_file',
    pattern: 'underwriting/acs/*counties*.csv',
    origin: 'the same census tables by county: fips, county, B25064, B25103, B25077',
  },
  {
    table: 'apartment_insurance_file',
    pattern: 'underwriting/insurance/feds_notes*.csv',
    origin: 'FEDS Notes of 2025-09-19: insurance of apartments a unit and month by year, in dollars of 2024',
  },
  {
    table: 'worksheets_file',
    pattern: 'underwriting/cook/cook_multifamily_*.csv',
    origin: 'Cook County Assessor, worksheets of multifamily properties',
    only: 'assessor',
  },
  {
    table: 'loans_file',
    pattern: 'underwriting/ex102/mf_properties_distinct.csv',
    origin: 'SEC EDGAR, exhibits EX-102 of CMBS trusts: multifamily properties, one row each',
    only: 'loans',
  },
  {
    table: 'statements_file',
    pattern: 'underwriting/ex102/*property_rows_monthly*.csv',
    origin: 'the same exhibits by month: all elements of a property',
    only: 'loans',
  },
  {
    table: 'fair_market_rents_file',
    pattern: 'hud/FY25_FMRs_revised.csv',
    origin: 'HUD, Fair Market Rents of fiscal year 2025, revised, as CSV',
  },
];

/** A file of the folder is missing, or has none of its rows. */
export class MissingFile extends Error {
  override readonly name = 'MissingFile';
}

/** Whether a folder has all these files. */
export const hasFiles = (folder: string, files: readonly RawFile[]): boolean =>
  files.every(({ pattern }) => globSync(join(folder, pattern)).length > 0);

/** Load files as tables; every column is text. @throws MissingFile naming the first that is not there */
export async function loadFiles(connection: DuckDBConnection, folder: string, files: readonly RawFile[]) {
  for (const { table, pattern, origin } of files) {
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
