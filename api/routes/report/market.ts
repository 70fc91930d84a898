/** The market of a deal: medians of its city, and the most similar listings. */
import { z } from 'zod';
import { absentOf } from '../../../lib/record.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { Filters } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';

const COMPARABLES = 5;

const COMPARED = {
  id: true,
  address: true,
  city: true,
  state: true,
  zip: true,
  list_price: true,
  units: true,
  price_per_unit: true,
  year_built: true,
  cap_rate: true,
  cap_rate_underwritten: true,
  underwrite_reliability: true,
  deal_score: true,
  listing_url: true,
} as const;
const Comparable = Deal.schema.pick(COMPARED).extend(absentOf(Deal, COMPARED));
const decimal = Deal.schema.shape.price_per_unit;

export const Market = z.strictObject({
  area: z.string().meta({ description: 'City and state of the counted active deals.' }),
  active_deals: z.int(),
  priced_deals: z.int().meta({ description: 'Active deals with a price per unit.' }),
  median_price_per_unit: decimal.meta({
    description: 'Lower median of price_per_unit. Null when: no active deal in the city has one.',
  }),
  median_cap_rate: decimal.meta({
    description: 'Lower median of cap_rate, percent. Null when: no active deal in the city has one.',
  }),
  median_cap_rate_underwritten: decimal.meta({
    description:
      'Lower median of cap_rate_underwritten over deals that the HUD proxy fits, percent. Null when: it fits no ' +
      'active deal in the city.',
  }),
  cheaper_deals: z.int().nullable().meta({
    description: 'Active deals in the city with a lower price per unit. Null when: this deal has none.',
  }),
  comparables: z.array(Comparable).meta({
    description:
      `Up to ${COMPARABLES} other active deals in the city with a price: the same ZIP first, then the nearest number ` +
      'of units, then the nearest price per unit.',
  }),
});

type Row = Readonly<Record<string, unknown>>;

/** Figures of the city. The median of an even number of values is the lower of the middle two. */
const FIGURES_SQL = `SELECT count(*) AS active_deals, count(price_per_unit) AS priced_deals,
  quantile_disc(price_per_unit, 0.5) AS median_price_per_unit,
  quantile_disc(cap_rate, 0.5) AS median_cap_rate,
  quantile_disc(cap_rate_underwritten, 0.5) FILTER (WHERE underwrite_reliability = 'ok')
    AS median_cap_rate_underwritten`;

/** Orders deals by similarity to a ZIP, a number of units and a price per unit. */
const NEAREST_SQL = `ORDER BY zip IS NOT DISTINCT FROM ? DESC, abs(units - ?) NULLS LAST,
  abs(price_per_unit - CAST(? AS DECIMAL(14,2))) NULLS LAST, id LIMIT ${COMPARABLES}`;

const decimalOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));

/** The market of a deal. */
export async function marketOf(snapshot: Snapshot, deal: Row): Promise<z.input<typeof Market>> {
  const { id, city, state } = deal;
  const [zip, units, price] = [
    decimalOrNull(deal['zip']),
    deal['units'] === null ? null : Number(deal['units']),
    decimalOrNull(deal['price_per_unit']),
  ];
  const inCity = new Filters('deals')
    .and('listing_status', '=', 'active')
    .like('city', String(city))
    .and('state', '=', String(state))
    .sql();
  const others = inCity.copy().add('id <> ?', String(id)).add('price_per_unit IS NOT NULL');
  const cheaper = inCity.copy().add('price_per_unit < CAST(? AS DECIMAL(14,2))', price);
  const nearest = others.copy().order(NEAREST_SQL, zip, units, price);
  const [[figures = {}], [counted = {}], comparables] = await Promise.all([
    snapshot.rows(`${FIGURES_SQL} FROM deals${inCity}`, inCity.values),
    snapshot.rows(`SELECT count(*) AS n FROM deals${cheaper}`, cheaper.values),
    snapshot.recordFields('deals', Object.keys(Comparable.shape), nearest.toString(), nearest.values),
  ]);
  return {
    area: `${String(city)}, ${String(state)}`,
    active_deals: Number(figures['active_deals']),
    priced_deals: Number(figures['priced_deals']),
    median_price_per_unit: decimalOrNull(figures['median_price_per_unit']),
    median_cap_rate: decimalOrNull(figures['median_cap_rate']),
    median_cap_rate_underwritten: decimalOrNull(figures['median_cap_rate_underwritten']),
    cheaper_deals: price === null ? null : Number(counted['n']),
    comparables: comparables as z.input<typeof Comparable>[],
  };
}
