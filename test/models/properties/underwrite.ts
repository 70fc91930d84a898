/** Underwrites random deals with the models' own SQL. */
import assert from 'node:assert/strict';
import { words } from '../../../lib/record.ts';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { build, type InputRow, type Inputs } from '../build_models.ts';
import type { Deal } from './random_deals.ts';

export type Result = Record<string, unknown>;
const MODELS: readonly string[] = words(
  'int_properties int_market_rents int_expenses int_underwriting int_owner_incomes int_debt_coverage',
  'int_scores int_confidence int_paths int_offers',
);
/** What they read, and what the inputs do not state. */
const READ: readonly string[] = words(
  'int_buildings int_unit_mixes int_deal_census int_rents_in_place int_property_taxes int_vacancies',
  'int_hud_proxies int_loan_rates',
);
/** Without rows, so that figures come from the calibrated tables. */
const EMPTY = Object.fromEntries(
  words(
    'int_deal_places int_property_rolls stg_rents stg_area_census stg_area_vacancies stg_parcels stg_survey_rates',
  ).map((table) => [table, []]),
);

/** Hundredths as a decimal string. */
export function decimal(hundredths: number): string;
export function decimal(hundredths: number | null): string | null;
export function decimal(hundredths: number | null): string | null {
  if (hundredths === null) return null;
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A decimal string in hundredths; 0 for null. */
export const hundredths = (text: unknown): number => Math.round(Number(text ?? 0) * 100);
export const number = (row: Result, column: string): number => Number(row[column]);

const idOf = (i: number): string => String(i).padStart(6, '0');

/** Cleveland's rents of fiscal year 2026 by bedrooms: the area whose ratio to the census every deal has. */
const AREA_RENTS = [933, 1058, 1279, 1646, 1760];

/** Rents by bedrooms in the area's proportions to that of two. */
function rentsOf(rent: number | null): InputRow {
  if (rent === null) return {};
  const cells = AREA_RENTS.flatMap((area, b): [string, string][] => [
    [`market_rent_${b}br`, decimal(Math.round((rent * area * 100) / 1279))],
    [`area_rent_${b}br`, decimal(area * 100)],
  ]);
  return { ...Object.fromEntries(cells), rent_area_code: 'METRO17410M17410' };
}

const inputsOf = (deals: readonly Deal[]): Inputs => ({
  int_properties: deals.map((d, i): InputRow => ({
    id: idOf(i),
    list_price: decimal(d.price),
    units: d.units,
    cap_rate: decimal(d.cap),
    noi: decimal(d.noi),
    annual_taxes: decimal(d.taxes),
    year_built: d.year,
    is_income_property: true,
    state: 'OH',
    price_reduction_pct: d.price === null ? null : decimal(d.cut),
    days_on_feed: d.days,
    as_of: '2026-11-21',
    last_verified: '2026-11-20T12:00:00Z',
  })),
  int_market_rents: deals.map((d, i): InputRow => ({
    id: idOf(i),
    ...rentsOf(d.rent),
    rent_basis: d.rent === null ? 'unknown' : 'zip',
  })),
  int_distress: deals.map((d, i): InputRow => ({
    id: idOf(i),
    tax_amount: decimal(d.debt),
    tax_records: d.debt === null ? 0 : 1,
    sale_records: d.daysToSale === null ? 0 : 1,
    sale_in_days: d.daysToSale,
    condition_record: d.condition,
  })),
});

const reversed = (rows: readonly InputRow[]): InputRow[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).reverse())).reverse();

interface Options {
  readonly assumptions?: readonly InputRow[];
  /** Reverse rows and fields, in a session of another time zone. */
  readonly isReversed?: boolean;
}

/** @returns for each deal the columns of these models together */
export async function underwrite(
  deals: readonly Deal[],
  { assumptions = currentAssumptions().rows, isReversed = false }: Options = {},
): Promise<Result[]> {
  const inputs = { declared_assumptions: assumptions, ...EMPTY, ...inputsOf(deals) };
  using built = await build(
    Object.fromEntries(Object.entries(inputs).map(([table, rows]) => [table, isReversed ? reversed(rows) : rows])),
    ({ name }) => MODELS.includes(name) || READ.includes(name),
    isReversed ? ["SET TimeZone = 'Pacific/Auckland'"] : [],
  );
  assert.deepEqual(built.failed, []);
  const byId = new Map<unknown, Result>();
  for (const model of MODELS)
    for (const row of await built.rows(model)) byId.set(row['id'], { ...byId.get(row['id']), ...row });
  return deals.map((_, i) => byId.get(idOf(i)) ?? assert.fail(`deal ${i} is missing`));
}
