/** A building's unit mix in the words of each site. */
import type { UnitMix } from '../world/types.ts';

interface Group {
  readonly count: number;
  readonly bedrooms: number;
}

/** Types of unit that the building has. */
export const groupsOf = (mix: UnitMix): readonly Group[] =>
  mix.flatMap((count, bedrooms) => (count === 0 ? [] : [{ count, bedrooms }]));

const list = (mix: UnitMix, separator: string, print: (group: Group) => string): string =>
  groupsOf(mix).map(print).join(separator);

/** "2xStudio, 4x1BR, 1x4BR" */
export const timesText = (mix: UnitMix): string =>
  list(mix, ', ', ({ count, bedrooms }) => `${count}x${bedrooms === 0 ? 'Studio' : `${bedrooms}BR`}`);

/** "4-1/1, 4-2/1": units, bedrooms and baths. A single type has a cross, because "2-3/1" may be a range. */
export function bedsAndBathsText(mix: UnitMix): string {
  const joint = groupsOf(mix).length === 1 ? ' x ' : '-';
  return list(mix, ', ', ({ count, bedrooms }) => `${count}${joint}${bedrooms}/${bedrooms > 2 ? '1.5' : '1'}`);
}

/** schema.org floor plans. */
export const floorPlans = (mix: UnitMix): unknown[] =>
  groupsOf(mix).map(({ count, bedrooms }) => ({
    '@type': 'FloorPlan',
    name: bedrooms === 0 ? 'Studio' : `${bedrooms} Bedroom`,
    numberOfBedrooms: bedrooms,
    numberOfAccommodationUnits: { '@type': 'QuantitativeValue', value: count },
  }));

const TYPES = ['Studio', '1 Bedroom', '2 Bedroom', '3 Bedroom', '4 Bedroom Or More'];

/** Rows of the Data Dictionary's UnitTypes. */
export const unitTypes = (key: string, mix: UnitMix): Readonly<Record<string, string | number>>[] =>
  groupsOf(mix).map(({ count, bedrooms }, at) => ({
    UnitTypeKey: `${key}-${at + 1}`,
    UnitTypeType: TYPES[bedrooms] ?? '',
    UnitTypeBedsTotal: bedrooms,
    UnitTypeUnitsTotal: count,
  }));
