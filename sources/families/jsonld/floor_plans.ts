/** The unit mix of a building in schema.org's words: a FloorPlan for each type of unit. */
import { isObject } from '../../../lib/json.ts';
import { bedroomsOfType, mixOfTypes, type UnitMix } from '../unit_mix.ts';
import { rawValueAt, valueAt, type Node } from './nodes.ts';

/** Bedrooms of a plan: a number, or in words such as "Studio". */
function bedroomsOf(plan: Node): number | null {
  const stated = valueAt(plan, 'numberOfBedrooms') ?? valueAt(plan, 'name');
  if (typeof stated === 'number') return Number.isInteger(stated) && stated >= 0 && stated < 10 ? stated : null;
  return typeof stated === 'string' && /^\d$/u.test(stated.trim()) ? Number(stated) : bedroomsOfType(stated);
}

/**
 * The mix of the plans at the first path that has some; null unless each states its bedrooms and its number of units.
 */
export function floorPlanMix(node: Node, paths: readonly string[]): UnitMix | null {
  const found = paths.map((path) => rawValueAt(node, path)).find((value) => value !== undefined && value !== null);
  const plans = Array.isArray(found) ? found : found === undefined ? [] : [found];
  if (plans.length === 0 || !plans.every(isObject)) return null;
  return mixOfTypes(
    plans.map((plan) => {
      const count = valueAt(plan, 'numberOfAccommodationUnits');
      return { bedrooms: count === undefined ? null : bedroomsOf(plan), count };
    }),
  );
}
