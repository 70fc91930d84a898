/** Scores of the listings of made-up worlds, without pages: how alike the two parts from income are. */
import { rowsOf } from '../../../lib/duck.ts';
import { rents } from '../../../sandbox/world/rents.ts';
import { makeWorld, worldOn } from '../../../sandbox/world/world.ts';
import { buildTables, type Built, type InputRow } from '../build_models.ts';

const DAY = '2026-11-20';
const PAGE = { page_sha256: 'a'.repeat(64), observed_at: `${DAY}T09:00:00Z`, source_url: 'https://site.example/' };

/** One listing of each property for sale. Streets are left out, because worlds share them. */
function listingsOf(seed: number, listings: number): InputRow[] {
  const world = worldOn(makeWorld({ seed, listings, parcels: 0, auctions: 0, filings: 0 }), DAY);
  const ofProperties = Map.groupBy(world.listings, ({ propertyId }) => propertyId).values();
  return [...ofProperties].flatMap(([listing]) => {
    if (listing === undefined) return [];
    return [
      {
        ...PAGE,
        source: `seed_${seed}`,
        listing_id: listing.listingId,
        listing_url: listing.path,
        city: listing.city,
        state: listing.state,
        zip: listing.zip,
        availability: listing.availability,
        list_price: listing.price,
        units: listing.units,
        year_built: listing.yearBuilt,
        cap_rate: listing.capRate,
        noi: listing.noi,
      },
    ];
  });
}

const areas: readonly InputRow[] = rents.map((county) => ({
  ...PAGE,
  source: 'hud_fmr',
  fips: county.fips,
  county_fips: county.fips.slice(0, 5),
  hud_area_code: county.hudAreaCode,
  hud_area_name: county.hudAreaName,
  ...Object.fromEntries(county.fmr.map((rent, bedrooms) => [`fmr_${bedrooms}`, `${rent}.00`])),
  fiscal_year: 2026,
  effective_on: '2025-10-01',
  revision: 'original',
}));

/** Build the deals of these worlds. @param listings properties for sale in each */
export const buildWorlds = (seeds: readonly number[], listings: number): Promise<Built> =>
  buildTables({ staged_listing: seeds.flatMap((seed) => listingsOf(seed, listings)), staged_fmr_area: areas }, [
    'deals',
  ]);

export interface ScoreParts {
  readonly seed: string;
  /** Deals with both parts. */
  readonly deals: number;
  /** Correlation of deal_score_yield with deal_score_coverage. */
  readonly points: number;
  /** Correlation of yield_on_cost_pct with dscr_stressed. */
  readonly figures: number;
}

/** How alike the two parts are, by world. */
export async function correlations({ connection }: Built): Promise<ScoreParts[]> {
  const rows = await rowsOf(
    connection,
    `
    SELECT
      source AS seed,
      count(*)::INTEGER AS deals,
      corr(deal_score_yield, deal_score_coverage) AS points,
      corr(yield_on_cost_pct::DOUBLE, dscr_stressed::DOUBLE) AS figures
    FROM deals
    WHERE yield_on_cost_pct IS NOT NULL AND dscr_stressed IS NOT NULL
    GROUP BY ALL ORDER BY seed`,
  );
  return rows.map((row) => ({
    seed: String(row['seed']),
    deals: Number(row['deals']),
    points: Number(row['points']),
    figures: Number(row['figures']),
  }));
}

/** Least, quantiles and greatest of the score and its parts from income. */
export const distribution = ({ connection }: Built): Promise<Record<string, unknown>[]> =>
  rowsOf(
    connection,
    `
    SELECT part, count(*)::INTEGER AS deals, min(points)::INTEGER AS least,
      quantile_disc(points, [0.05, 0.25, 0.5, 0.75, 0.95, 0.99])::VARCHAR AS quantiles, max(points)::INTEGER AS most
    FROM (
      UNPIVOT (SELECT deal_score, deal_score_yield, deal_score_coverage FROM deals) ON * INTO NAME part VALUE points)
    GROUP BY ALL ORDER BY part`,
  );
