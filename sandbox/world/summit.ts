/** Summit County's yearly notice of delinquent taxes, as its newspaper prints it: the same all through the world's time. */
import type { AuctionPlan } from './auction_cases.ts';
import { dollars } from './days.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import { Draw } from './random.ts';
import type { PrintedDebt, Property } from './types.ts';

export const SUMMIT = '39153';

const ALLOTMENTS = [
  'THE VANDALLIA HEIGHTS',
  'MAPLE HILL',
  'GOODYEAR HEIGHTS',
  'FIRESTONE PARK',
  'WOOSTER HEIGHTS',
  'PERKINS PARK',
] as const;

function printed(seed: number, property: Property): PrintedDebt {
  const { parcel } = property;
  if (parcel === null) throw new Error(`${property.id} is in the notice and has no parcel number`);
  const draw = new Draw(seed, 'notice', property.id);
  const lot = draw.int(1, 400);
  return {
    propertyId: property.id,
    countyFips: SUMMIT,
    parcel,
    section: property.city,
    owner: property.owner.name,
    amount: dollars(Math.max(2_500, Math.round(property.value * draw.int(1, 16)) + draw.int(0, 99))),
    legal: `${draw.pick(ALLOTMENTS)} ${draw.chance(0.5) ? 'ALLOTMENT ' : ''}LOT${draw.chance(0.2) ? `S ${lot}-${lot + 1}` : ` ${lot}`}${draw.chance(0.4) ? ' ALL' : ''}`,
  };
}

/** The notice: about `count` parcels, and most of those that the county then had sold for taxes. Sections in the order of their names. */
export function planNotice(
  seed: number,
  count: number,
  auctions: readonly AuctionPlan[],
  book: PropertyBook,
): PrintedDebt[] {
  const sued = new Set(
    auctions
      .filter((plan) => plan.case.county.fips === SUMMIT && plan.case.kind === 'tax_foreclosure')
      .map((plan) => plan.case.property),
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
