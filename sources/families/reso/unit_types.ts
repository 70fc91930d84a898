/** The unit mix of a listing in an MLS: its rows of the resource UnitTypes, one for each type of unit. */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { bedroomsOfType, mixOfTypes, type UnitMix } from '../unit_mix.ts';

/**
 * Bedrooms of a type. UnitTypeType states them for "Studio", "Efficiency" and "1 Bedroom" to "4 Bedroom Or More"; for
 * "Loft", "Apartments" and others UnitTypeBedsTotal does.
 */
function bedroomsOf({ UnitTypeType: type, UnitTypeBedsTotal: beds }: JsonObject): number | null {
  const stated = bedroomsOfType(type);
  if (stated !== null) return stated;
  return typeof beds === 'number' && Number.isInteger(beds) && beds >= 0 && beds < 10 ? beds : null;
}

/** The mix; null unless each type states its bedrooms and its number of units. */
export function unitTypeMix({ UnitTypes: types }: JsonObject): UnitMix | null {
  if (!Array.isArray(types) || types.length === 0 || !types.every(isObject)) return null;
  return mixOfTypes(
    types.map((type) => {
      const count = type.UnitTypeUnitsTotal;
      return { bedrooms: typeof count === 'number' ? bedroomsOf(type) : null, count };
    }),
  );
}
