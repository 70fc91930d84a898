/** Yield and coverage are two numbers: a part that repeats the other one would only double its weight. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rowsOf } from '../../../lib/duck.ts';
import { rents } from '../../../sandbox/world/rents.ts';
import { makeWorld, worldOn } from '../../../sandbox/world/world.ts';
import { buildTables, type Built, type InputRow } from '../build_models.ts';
import { SEEDS } from '../../identity/worlds.ts';
import { thorough } from '../../thorough.ts';

const DAY = '2026-11-20';
const PAGE = { observed_at: `${DAY}T09:00:00Z` };

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
}));

/** Build the deals of these worlds. @param listings properties for sale in each */
const buildWorlds = (seeds: readonly number[], listings: number): Promise<Built> =>
  buildTables({ staged_listing: seeds.flatMap((seed) => listingsOf(seed, listings)), staged_fmr_area: areas }, [
    'deals',
  ]);

interface ScoreParts {
  readonly seed: string;
  /** Deals with both parts. */
  readonly deals: number;
  /** Correlation of deal_score_yield with deal_score_coverage. */
  readonly points: number;
  /** Correlation of yield_on_cost_pct with dscr_stressed. */
  readonly figures: number;
}

/** How alike the two parts are, by world. */
async function correlations({ connection }: Built): Promise<ScoreParts[]> {
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

const CHOSEN = SEEDS.slice(0, thorough(3, 20));

describe(`the parts of the score in ${CHOSEN.length} worlds, without pages`, () => {
  let built: Built;
  before(async () => {
    built = await buildWorlds(CHOSEN, 370);
  });
  after(() => built.close());

  it('pass every audit', () => assert.deepEqual(built.failed, []));

  it('from yield and from coverage correlate by less than 0.9, and so do their figures', async () => {
    const worlds = await correlations(built);
    assert.equal(worlds.length, CHOSEN.length);
    for (const world of worlds) {
      assert.ok(world.deals >= 300, JSON.stringify(world));
      assert.ok(Math.abs(world.points) < 0.9 && Math.abs(world.figures) < 0.9, JSON.stringify(world));
    }
  });
});
