/** Assessment rolls of the made-up world: the last transfer and the assessed value of each parcel. */
import { dayText, DEFAULT_DAY, dollars } from './days.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import { Draw } from './random.ts';
import type { Property } from './types.ts';

/** County with a roll but without debts or cases: only a few of its properties are for sale. */
const MARION = '18097';

/** Counties whose roll is public, with the only city that it covers. */
const ROLLS: Readonly<Record<string, string | null>> = {
  '55079': 'Milwaukee',
  '29510': null,
  '26163': 'Detroit',
  '39035': 'Cleveland',
  '39061': null,
  '42003': null,
  [MARION]: null,
  '17031': null,
};

/** Counties whose roll has values and no sales. */
const WITHOUT_SALES: ReadonlySet<string> = new Set([MARION]);

/** Add `size` properties that only the roll of Marion County, Indiana, shows. */
export function addRollParcels(seed: number, size: number, book: PropertyBook): void {
  for (let at = 0; at < size; at += 1) {
    const id = `R${MARION}-${at}`;
    const draw = new Draw(seed, 'roll only', id);
    book.make(id, { place: draw.weighted(placesOfCounty(MARION)), multifamily: draw.chance(0.2) });
  }
}

export type RollEntry = ReturnType<typeof entry>;

/** The last transfer of a parcel and its value; a transfer that was no sale has no price. */
function entry(seed: number, property: Property, parcel: string) {
  const draw = new Draw(seed, 'roll', property.id);
  const hasSale = !WITHOUT_SALES.has(property.countyFips) && draw.chance(0.92);
  // More often in the last years.
  const soldOn = DEFAULT_DAY - 20 - Math.round(draw.int(4, 120) ** 2);
  const isMarketSale = hasSale && draw.chance(0.75);
  const price = Math.round((property.value * draw.int(35, 110)) / 10_000) * 100;
  return {
    propertyId: property.id,
    countyFips: property.countyFips,
    parcel,
    lastSaleDate: hasSale ? dayText(soldOn) : null,
    lastSalePrice: isMarketSale ? dollars(Math.max(500, price) * 100) : null,
    isMarketSale,
    assessedValue: Math.round((property.value * draw.int(70, 105)) / 10_000) * 100,
  };
}

/** The roll of a county: all parcels of the world in it, the same every day. Empty for a county without one. */
export function rollOf(seed: number, properties: Iterable<Property>, countyFips: string): RollEntry[] {
  const city = ROLLS[countyFips];
  if (city === undefined) return [];
  return [...properties]
    .filter((property) => property.countyFips === countyFips && (city === null || property.city === city))
    .flatMap((property) => (property.parcel === null ? [] : [entry(seed, property, property.parcel)]));
}
