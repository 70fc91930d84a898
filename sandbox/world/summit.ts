/** Summit County's yearly notice of delinquent taxes in its newspaper. It never changes. */
import type { SalePlan } from './auctions.ts';
import { dollars } from './days.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import { Draw } from './random.ts';
import type { Property } from './types.ts';

export const SUMMIT = '39153';

const ALLOTMENTS = [
  'THE VANDALLIA HEIGHTS',
  'MAPLE HILL',
  'GOODYEAR HEIGHTS',
  'FIRESTONE PARK',
  'WOOSTER HEIGHTS',
  'PERKINS PARK',
] as const;

export type PrintedDebt = ReturnType<typeof printed>;

/** An entry, under its city. Nothing separates the owner from the legal description. */
function printed(seed: number, property: Property) {
  const { parcel } = property;
  if (parcel === null) throw new Error(`${property.id} is in the notice and has no parcel number`);
  const draw = new Draw(seed, 'notice', property.id);
  const lot = draw.int(1, 400);
  /** "THE VANDALLIA HEIGHTS ALLOTMENT LOTS 12-13 ALL" */
  const legalDescription = (): string => {
    const allotment = `${draw.pick(ALLOTMENTS)} ${draw.chance(0.5) ? 'ALLOTMENT ' : ''}`;
    const lots = draw.chance(0.2) ? `LOTS ${lot}-${lot + 1}` : `LOT ${lot}`;
    return `${allotment}${lots}${draw.chance(0.4) ? ' ALL' : ''}`;
  };
  return {
    propertyId: property.id,
    countyFips: SUMMIT,
    parcel,
    section: property.city,
    owner: property.owner.name,
    amount: dollars(Math.max(2_500, Math.round(property.value * draw.int(1, 16)) + draw.int(0, 99))),
    legal: legalDescription(),
  };
}

/** The notice: about `count` parcels, and most of those that were later sold for taxes. Sorted by section. */
export function planNotice(
  seed: number,
  count: number,
  auctions: readonly SalePlan[],
  book: PropertyBook,
): PrintedDebt[] {
  const sued = new Set(
    auctions
      .filter(({ fixed }) => fixed.countyFips === SUMMIT && fixed.kind === 'tax_foreclosure')
      .map(({ property }) => property),
  );
  const properties = [...sued].filter(({ id }) => new Draw(seed, 'noticed', id).chance(0.8));
  for (let made = 0; made < count; made += 1) {
    properties.push(
      book.make(`N${made}`, {
        place: new Draw(seed, 'notice place', made).weighted(placesOfCounty(SUMMIT)),
        multifamily: false,
      }),
    );
  }
  return properties
    .map((property) => printed(seed, property))
    .sort((a, b) => (`${a.section} ${a.owner} ${a.parcel}` < `${b.section} ${b.owner} ${b.parcel}` ? -1 : 1));
}
