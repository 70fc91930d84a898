/** What else is for sale where a property is: medians of its city, and the listings most like it. */
import { z } from 'zod';
import { Deal } from '../../models/marts/deals.ts';
import type { Numbers } from '../columns.ts';
import { Filters } from '../filters.ts';
import { parsed } from '../json.ts';
import { membersOf } from '../row_sets.ts';
import type { Snapshot } from '../snapshot.ts';

const COMPARABLES = 5;

const Comparable = Deal.schema.pick({
  id: true, address: true, city: true, state: true, zip: true, list_price: true, units: true, price_per_unit: true, year_built: true,
  cap_rate: true, cap_rate_underwritten: true, underwrite_reliability: true, deal_score: true, listing_url: true,
});
/** Their columns in the record's order. */
const COMPARED = Deal.columns.map((c) => c.name).filter((name) => name in Comparable.shape);
const decimal = Deal.schema.shape.price_per_unit;

export const Market = z.strictObject({
  area: z.string().meta({ description: 'City and state whose active deals are counted.' }),
  active_deals: z.int(),
  priced_deals: z.int().meta({ description: 'Active deals with a price per unit.' }),
  median_price_per_unit: decimal.meta({ description: 'Lower median of price_per_unit. Null when: no active deal there has one.' }),
  median_cap_rate: decimal.meta({ description: 'Lower median of cap_rate, percent. Null when: no active deal there has one.' }),
  median_cap_rate_underwritten: decimal.meta({ description: 'Lower median of cap_rate_underwritten where the HUD proxy fits, percent. Null when: it fits no active deal there.' }),
  cheaper_deals: z.int().nullable().meta({ description: 'Active deals there with a lower price per unit. Null when: this one has none.' }),
  comparables: z.array(Comparable).meta({ description: `Up to ${COMPARABLES} other active deals there with a price: the same ZIP first, then the nearest number of units, then the nearest price per unit.` }),
});

type Figures = Readonly<Record<'price_per_unit' | 'cap_rate' | 'cap_rate_underwritten' | 'units', Numbers>>;

/** A number of the rows that have one, the lowest first. */
const sorted = (numbers: Numbers, rows: readonly number[]): Float64Array => Float64Array.from(rows, (row) => numbers[row] ?? Number.NaN).filter((n) => !Number.isNaN(n)).sort();

/** Lower median of whole cents, in digits. */
function medianOf(cents: Float64Array): string | null {
  const middle = cents[(cents.length - 1) >> 1];
  return middle === undefined ? null : (middle / 100).toFixed(2);
}

/** Which of two comes first; two that are not known are alike. */
const compared = (a: number, b: number): number => (a === b ? 0 : a - b);

/** How far two numbers lie apart; what is not known comes last. */
const apart = (a: number, b: number): number => (Number.isNaN(a) || Number.isNaN(b) ? Number.POSITIVE_INFINITY : Math.abs(a - b));

/** The market of a deal, as a row of `deals`. */
export async function marketOf(snapshot: Snapshot, { id, city, state }: Readonly<Record<string, unknown>>): Promise<z.input<typeof Market>> {
  const columns = snapshot.columns('deals');
  const there = new Filters('deals').and('listing_status', '=', 'active').like('city', String(city)).and('state', '=', String(state));
  const [found, ids, zips, reliability, ...numbers] = await Promise.all([
    columns.meeting(there), columns.texts('id'), columns.texts('zip'), columns.texts('underwrite_reliability'),
    columns.numbers('price_per_unit'), columns.numbers('cap_rate'), columns.numbers('cap_rate_underwritten'), columns.numbers('units'),
  ]);
  const [price_per_unit, cap_rate, cap_rate_underwritten, units] = numbers;
  const of: Figures = { price_per_unit, cap_rate, cap_rate_underwritten, units };
  const [own = -1] = ids.rowsWith(String(id));
  const figure = (name: keyof Figures, row: number): number => of[name][row] ?? Number.NaN;
  const active = membersOf(found);
  const prices = sorted(of.price_per_unit, active);
  const ownPrice = figure('price_per_unit', own);
  const distances = active.filter((row) => row !== own && !Number.isNaN(figure('price_per_unit', row))).map((row) => ({
    row, id: ids.wordOf(row) ?? '', elsewhere: zips.wordOf(row) === zips.wordOf(own) ? 0 : 1,
    units: apart(figure('units', row), figure('units', own)), price: apart(figure('price_per_unit', row), ownPrice),
  }));
  const nearest = distances.sort((a, b) => a.elsewhere - b.elsewhere || compared(a.units, b.units) || compared(a.price, b.price) || (a.id < b.id ? -1 : 1)).slice(0, COMPARABLES);
  return {
    area: `${String(city)}, ${String(state)}`, active_deals: active.length, priced_deals: prices.length,
    median_price_per_unit: medianOf(prices), median_cap_rate: medianOf(sorted(of.cap_rate, active)),
    median_cap_rate_underwritten: medianOf(sorted(of.cap_rate_underwritten, active.filter((row) => reliability.wordOf(row) === 'ok'))),
    cheaper_deals: Number.isNaN(ownPrice) ? null : prices.filter((price) => price < ownPrice).length,
    comparables: snapshot.texts('deals', COMPARED, nearest.map(({ row }) => row)).map(parsed) as z.input<typeof Comparable>[],
  };
}
