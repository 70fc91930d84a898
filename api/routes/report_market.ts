/** What else is for sale where a property is: medians of its city, and the listings most like it. */
import { z } from 'zod';
import { Deal } from '../../models/marts/deals.ts';
import type { Snapshot } from '../snapshot.ts';

const COMPARABLES = 5;

const Comparable = Deal.schema.pick({
  id: true, address: true, city: true, state: true, zip: true, list_price: true, units: true, price_per_unit: true, year_built: true,
  cap_rate: true, cap_rate_underwritten: true, underwrite_reliability: true, deal_score: true, listing_url: true,
});
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

/** The market of a deal, as a row of `deals`. */
export async function marketOf(snapshot: Snapshot, deal: Readonly<Record<string, unknown>>): Promise<z.input<typeof Market>> {
  const [id = null, city = null, state = null, zip = null, units = null, perUnit = null] = ['id', 'city', 'state', 'zip', 'units', 'price_per_unit'].map((name) => deal[name] as string | number | null);
  const there = "listing_status = 'active' AND lower(city) = lower($1) AND state = $2";
  const [counted = {}] = await snapshot.rows(`SELECT count(*) AS active, count(price_per_unit) AS priced, quantile_disc(price_per_unit, 0.5) AS per_unit, quantile_disc(cap_rate, 0.5) AS cap,
      quantile_disc(cap_rate_underwritten, 0.5) FILTER (WHERE underwrite_reliability = 'ok') AS underwritten, count(*) FILTER (WHERE price_per_unit < CAST($3 AS DECIMAL(14, 2))) AS cheaper
    FROM deals WHERE ${there}`, [city, state, perUnit]);
  const comparables = await snapshot.records('deals', `SELECT ${Object.keys(Comparable.shape).join(', ')} FROM deals WHERE ${there} AND id <> $3 AND price_per_unit IS NOT NULL
    ORDER BY zip <> $4, abs(units - CAST($5 AS INTEGER)) NULLS LAST, abs(price_per_unit - CAST($6 AS DECIMAL(14, 2))) NULLS LAST, id LIMIT ${COMPARABLES}`, [city, state, id, zip, units, perUnit]);
  const known = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));
  return {
    area: `${city}, ${state}`, active_deals: Number(counted['active']), priced_deals: Number(counted['priced']),
    median_price_per_unit: known(counted['per_unit']), median_cap_rate: known(counted['cap']), median_cap_rate_underwritten: known(counted['underwritten']),
    cheaper_deals: perUnit === null ? null : Number(counted['cheaper']), comparables: comparables as z.input<typeof Comparable>[],
  };
}
