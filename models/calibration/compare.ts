/** Underwrites buildings whose own NOI is known, by the project's own models. */
import { rowsOf } from '../../lib/duck.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createTable } from '../../lib/record.ts';
import { literal } from '../../lib/sql.ts';
import { currentAssumptions } from '../assumptions.ts';
import { buildModels } from '../build.ts';
import { columnsOfModels } from '../columns.ts';
import { tablesRead } from '../graph.ts';
import { loadModels, type Model } from '../index.ts';
import { Run } from '../inputs.ts';
import { nullable, openCalibration, sqlOf } from './calibrate.ts';

/** A building with our figures and its own. Amounts are a year's dollars. */
export interface Building {
  /** owners: statements of the national survey; assessor: his model; loans: statements and lenders' figures. */
  readonly population: 'owners' | 'assessor' | 'loans';
  /** Rent group, township or trust: trained or tested on as a whole. */
  readonly place: string;
  readonly weight: number;
  readonly units: number;
  readonly year: number | null;
  /** Our NOI over the price, in percent. */
  readonly cap: number;
  readonly price: number;
  readonly ours: number;
  readonly proxy: number;
  readonly real: number;
  /** Whether the price a unit is within the limits of the rent. */
  readonly isInLimits: boolean;
}

/** Tables filled from the compared buildings instead of by their models. A table without a query is empty. */
const FEEDS: readonly (readonly [table: string, sql?: string])[] = [
  [
    'int_properties',
    `SELECT id, list_price, units, units_0br, units_1br, units_2br, units_3br, units_4br, annual_taxes, year_built,
       state, true AS is_income_property, DATE '2026-03-31' AS as_of FROM compared`,
  ],
  [
    'int_market_rents',
    `SELECT id, rent_area_code, 'metro' AS rent_basis, COLUMNS('market_rent_.br'),
       COLUMNS('market_rent_(.)br') AS 'area_rent_\\1br' FROM compared`,
  ],
  [
    'stg_area_census',
    `SELECT 'metro' AS geography, cbsa AS area_code, 2024 AS vintage, 'census' AS source, COLUMNS('gross|median')
     FROM census_areas
     UNION ALL BY NAME
     SELECT 'county' AS geography, fips AS area_code, 2024 AS vintage, 'census' AS source,
       census_figure("B25064_median_gross_rent", '3501') AS median_gross_rent,
       census_figure("B25103_median_real_estate_taxes", '10001') AS median_tax,
       census_figure("B25077_median_home_value", '2000001') AS median_value
     FROM counties_file`,
  ],
  [
    'stg_rents',
    'SELECT fips[:5] AS county_fips, hud_area_code, pop2022::INT AS population FROM fair_market_rents_file',
  ],
  ['int_deal_places'],
  ['int_property_rolls'],
  ['stg_parcels'],
  ['stg_area_vacancies'],
];

/** The models between the fed tables and the results. */
async function modelsBetween(connection: DuckDBConnection): Promise<Model[]> {
  const models = new Map((await loadModels()).map((model) => [model.name, model]));
  for (const [table] of FEEDS) models.delete(table);
  const found = new Set<Model>();
  const visit = async (name: string): Promise<void> => {
    const model = models.get(name);
    if (!model || found.has(model)) return;
    found.add(model);
    for (const read of await tablesRead(connection, model.sql)) await visit(read);
  };
  for (const target of ['int_expenses', 'int_hud_proxies']) await visit(target);
  return [...found];
}

/**
 * Underwrite the owners' buildings in dollars of their year, or the others in today's.
 * @param trained rent groups of the survey from which tables and assumptions are fitted. Default: all
 * @throws Error naming a missing file
 */
export async function underwrite(
  folder: string,
  isOwners: boolean,
  trained?: readonly string[],
): Promise<readonly Building[]> {
  await using calibration = await openCalibration(folder, trained);
  const { connection } = calibration;
  const population = isOwners ? "population = 'owners'" : "population <> 'owners' AND units > 1";
  await connection.run(`CREATE TABLE compared AS FROM (${sqlOf('compared')}) WHERE ${population}`);
  if (isOwners) await connection.run(sqlOf('survey_prices'));
  await connection.run(createTable('run', Run.columns.map(nullable)));
  await connection.run(
    `INSERT INTO run (as_of, assumption_set_id) VALUES (DATE '2026-03-31', ${literal(currentAssumptions().id)})`,
  );
  const columns = await columnsOfModels();
  for (const [table, sql] of FEEDS) {
    await connection.run(createTable(table, (columns.get(table) ?? []).map(nullable)));
    if (sql !== undefined) await connection.run(`INSERT INTO ${table} BY NAME ${sql}`);
  }
  await buildModels(connection, await modelsBetween(connection));
  const rows = await rowsOf(
    connection,
    `SELECT population, place, weight::DOUBLE AS weight, units, year_built AS year, noi::DOUBLE AS real,
       noi_at_current_tax::DOUBLE / list_price * 100 AS cap, list_price::DOUBLE AS price,
       noi_at_current_tax::DOUBLE AS ours, noi_hud_2br::DOUBLE AS proxy,
       list_price::DOUBLE / units / market_rent_2br BETWEEN proxy_low_multiple AND proxy_high_multiple AS "isInLimits"
     FROM compared JOIN int_expenses USING (id) JOIN int_hud_proxies USING (id), terms
     WHERE noi_at_current_tax IS NOT NULL ORDER BY population, id`,
  );
  return rows as unknown as readonly Building[];
}
