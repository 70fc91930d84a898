/** Compares the underwriting of the project's own models with the published NOI of real properties. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { createTable } from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { Assumption, currentAssumptions } from '../assumptions.ts';
import { buildModels } from '../build.ts';
import { columnsOfModels } from '../columns.ts';
import { tablesRead } from '../graph.ts';
import { loadModels, type Model } from '../index.ts';
import { Run } from '../inputs.ts';
import { POPULATIONS } from '../references.ts';
import { csvText, prepareCalibration, stepSql, STEPS } from './calibrate.ts';
import { CALIBRATION_FILES, COMPARISON_FILES, loadFiles } from './files.ts';

export type Population = (typeof POPULATIONS)[number];

/** Results that are compared; the models that they read are built too. */
const TARGETS = ['int_building_cells', 'int_expenses', 'int_hud_proxies'];

/** Tables filled from the compared properties instead of by their models. A table without a query is empty. */
const FEEDS: ReadonlyMap<string, string> = new Map([
  [
    'int_properties',
    `SELECT id, list_price, units, units_0br, units_1br, units_2br, units_3br, units_4br, annual_taxes, year_built,
       state, true AS is_income_property, parameter('comparison_as_of')::DATE AS as_of
     FROM compared`,
  ],
  [
    'int_market_rents',
    `SELECT id, rent_area_code, 'metro' AS rent_basis,
       market_rent_0br, market_rent_1br, market_rent_2br, market_rent_3br, market_rent_4br,
       market_rent_0br AS area_rent_0br, market_rent_1br AS area_rent_1br,
       market_rent_2br AS area_rent_2br, market_rent_3br AS area_rent_3br, market_rent_4br AS area_rent_4br
     FROM compared`,
  ],
  ['stg_area_census', stepSql('fed_area_census')],
  ['stg_rents', stepSql('fed_rents')],
  ['int_deal_places', ''],
  ['int_property_rolls', ''],
  ['stg_parcels', ''],
  ['stg_area_vacancies', ''],
]);

type Nullable = Parameters<typeof createTable>[1][number];

const nullable = (columns: readonly Pick<Nullable, 'name' | 'sql'>[]): Nullable[] =>
  columns.map(({ name, sql }) => ({ name, sql, absent: 'not compared' }));

async function fill(connection: DuckDBConnection): Promise<void> {
  const byModel = await columnsOfModels();
  const { id, rows } = currentAssumptions();
  await connection.run(createTable('run', nullable(Run.columns)));
  await connection.run(
    `INSERT INTO run BY NAME SELECT parameter('comparison_as_of')::DATE AS as_of, ${literal(id)} AS assumption_set_id`,
  );
  await connection.run(createTable('declared_assumptions', nullable(Assumption.columns)));
  const values = rows.map(({ key, value }) => `(${literal(key)}, ${literal(value)})`).join(', ');
  await connection.run(`INSERT INTO declared_assumptions (key, value) VALUES ${values}`);
  for (const [table, sql] of FEEDS) {
    const columns = byModel.get(table);
    if (!columns) throw new Error(`${table} is no model any more: change FEEDS`);
    await connection.run(createTable(table, nullable(columns)));
    if (sql !== '') await connection.run(`INSERT INTO ${identifier(table)} BY NAME ${sql}`);
  }
}

/** The models between the fed tables and the results. */
async function modelsBetween(connection: DuckDBConnection, models: readonly Model[]): Promise<Model[]> {
  const found = new Map<string, Model>();
  const visit = async (name: string): Promise<void> => {
    const model = models.find((each) => each.name === name);
    if (!model || FEEDS.has(name) || found.has(name)) return;
    found.set(name, model);
    for (const read of await tablesRead(connection, model.sql)) await visit(read);
  };
  for (const target of TARGETS) await visit(target);
  return [...found.values()];
}

/** Rows of the comparison of one group of properties. @throws MissingFile */
export async function comparePopulation(population: Population, folder: string): Promise<Record<string, unknown>[]> {
  const duck = await openDuck();
  const { connection } = duck;
  try {
    const files = [...CALIBRATION_FILES, ...COMPARISON_FILES];
    await loadFiles(
      connection,
      folder,
      files.filter(({ only }) => only === undefined || only === population),
    );
    await prepareCalibration(connection);
    const steps = population === 'survey' ? STEPS : ['census_answers'];
    for (const step of steps) await connection.run(`CREATE TABLE ${step} AS ${stepSql(step)}`);
    await connection.run(`CREATE TABLE compared AS ${stepSql(`compared_${population}`)}`);
    const models = await loadModels();
    await fill(connection);
    await connection.run(readFileSync(join(import.meta.dirname, '..', 'macros', 'inputs', 'assumption.sql'), 'utf8'));
    if (population === 'survey') await connection.run(stepSql('survey_prices'));
    await buildModels(connection, await modelsBetween(connection, models));
    await connection.run(`CREATE TABLE compared_ratios AS ${stepSql('compared_ratios')}`);
    return await rowsOf(connection, stepSql('noi_comparisons'));
  } finally {
    duck.close();
  }
}

/**
 * The comparison with real NOI as its CSV file.
 * @param populations groups of properties. Default: all
 * @throws MissingFile
 */
export async function compareNoi(folder: string, populations: readonly Population[] = POPULATIONS): Promise<string> {
  const rows: Record<string, unknown>[] = [];
  for (const population of populations) rows.push(...(await comparePopulation(population, folder)));
  return csvText('noi_comparisons', rows);
}
