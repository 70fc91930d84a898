/**
 * Unit mixes and taxes of the made-up buildings, and which listings state them. They use their own random streams, so
 * that they change nothing else of a world.
 */
import { Draw } from './random.ts';
import { dollars } from './days.ts';
import type { ListingOnDay, Property, Site, UnitMix } from './types.ts';

/** The bedrooms of each unit of a building. Small buildings have larger units. */
export function drawUnitMix(draw: Draw, units: number): UnitMix {
  const weights = units > 4 ? [1, 6, 7, 1.5, 0.2] : [0.2, 3, 8, 4, 0.6];
  const mix: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  const pairs = weights.map((weight, bedrooms) => [bedrooms, weight] as const);
  // Floors repeat: most units have the bedrooms of the one before.
  let bedrooms = draw.weighted(pairs);
  for (let unit = 0; unit < units; unit += 1) {
    if (!draw.chance(0.6)) bedrooms = draw.weighted(pairs);
    mix[bedrooms] = (mix[bedrooms] ?? 0) + 1;
  }
  return mix;
}

/** Tax of a year on a market value, whole dollars: between 1 and 2.6 % of it. */
export const drawTaxes = (draw: Draw, value: number): number =>
  Math.round(value * draw.bell(0.018, 0.003, 0.01, 0.026));

/** Shares of a site's listings that state the mix and the taxes. */
const SHARES: Readonly<Record<Site, readonly [mix: number, taxes: number]>> = {
  heartland_multifamily: [0.45, 0.3],
  buckeye_income_property: [0.5, 0.35],
  reso_sandbox_mls: [0.6, 0.7],
  crescent_brokerage: [0.25, 0.2],
};
/** Share of stated mixes that leave out a unit, such as the manager's. */
const INCOMPLETE = 0.05;

/** Facts that a listing states in addition to its price and claims. */
export type Stated = Pick<ListingOnDay, 'unitMix' | 'annualTaxes'>;

/** The mix without one unit of its largest group. */
function incomplete(mix: UnitMix): UnitMix {
  const at = mix.indexOf(Math.max(...mix));
  const [studios, one, two, three, four] = mix.map((count, bedrooms) => (bedrooms === at ? count - 1 : count));
  return [studios ?? 0, one ?? 0, two ?? 0, three ?? 0, four ?? 0];
}

/** The mix and tax that a site's listing of a property states. */
export function drawStated(seed: number, site: Site, listingId: string, property: Property): Stated {
  const draw = new Draw(seed, 'stated', site, listingId);
  const [mixShare, taxShare] = SHARES[site];
  const states = { mix: draw.chance(mixShare), taxes: draw.chance(taxShare), isIncomplete: draw.chance(INCOMPLETE) };
  const { unitMix, annualTaxes, units } = property;
  return {
    unitMix: states.mix ? (states.isIncomplete && units > 1 ? incomplete(unitMix) : unitMix) : null,
    annualTaxes: states.taxes ? dollars(annualTaxes * 100) : null,
  };
}
