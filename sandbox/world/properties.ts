/** Real estate of the made-up world: unique addresses and parcels, owners, buildings, values. */
import { drawCompany, drawPerson } from './names.ts';
import { condominiumOn, drawParcel } from './parcels.ts';
import { places, type Place } from './places.ts';
import { Draw } from './random.ts';
import { rentsOf } from './rents.ts';
import { canonicalStreet, drawAddress, numbersOf, spellStreet, streetKey } from './streets.ts';
import type { Owner, Property, StreetAddress } from './types.ts';
import { drawTaxes, drawUnitMix } from './unit_mixes.ts';

/**
 * Net operating income as a share of gross rent at HUD's rent. A rule of thumb of the world, not the product's
 * underwriting.
 */
const NET_SHARE = 0.45;

/** Yearly net operating income of a building, whole dollars. */
export const yearlyNet = (units: number, rent2br: number): number => Math.round(units * rent2br * 12 * NET_SHARE);

/** Round as asking prices are rounded. */
export const roundPrice = (price: number): number => {
  const step = price >= 400_000 ? 5_000 : price >= 100_000 ? 1_000 : 500;
  return Math.max(step, Math.round(price / step) * step);
};

const OUT_OF_STATE = [
  ['Brooklyn', 'NY', '11211'],
  ['Los Angeles', 'CA', '90027'],
  ['Oakland', 'CA', '94609'],
  ['Boca Raton', 'FL', '33432'],
  ['Austin', 'TX', '78704'],
  ['Jersey City', 'NJ', '07302'],
  ['Las Vegas', 'NV', '89117'],
  ['Salt Lake City', 'UT', '84105'],
] as const;

function drawOwner(draw: Draw, home: { place: Place; zip: string; line: string }, investor: boolean): Owner {
  const kind = investor
    ? draw.among(['company', 'person', 'estate'], [6, 3, 1])
    : draw.among(['person', 'company', 'estate'], [8, 2, 1]);
  const person = drawPerson(draw);
  const surnameFirst = [person.last, person.first, person.middle, person.suffix]
    .filter((part) => part !== null)
    .join(' ')
    .toUpperCase();
  const name =
    kind === 'company'
      ? `${drawCompany(draw, true).toUpperCase()} ${draw.pick(['LLC', 'LLC', 'LLC', 'INC', 'LTD'] as const)}`
      : kind === 'estate'
        ? `EST OF ${surnameFirst}`
        : surnameFirst;
  const second =
    kind === 'person' && draw.chance(0.25)
      ? `${drawPerson(draw).first.toUpperCase()} ${person.last.toUpperCase()}`
      : null;
  const owner = { kind, name, second };
  const where = draw.among(['here', 'county', 'state', 'away'], investor ? [3, 4, 1, 2] : [7, 2, 0.5, 1]);
  if (where === 'here') {
    const { place, zip, line: street } = home;
    return { ...owner, mailing: { street, city: place.city.toUpperCase(), state: place.state, zip }, occupies: true };
  }
  const street = draw.chance(0.25)
    ? `PO BOX ${draw.int(10, 9999)}`
    : spellStreet(drawAddress(draw, '', false), 'upper_abbreviated');
  if (where === 'away') {
    const [city, state, zip] = draw.pick(OUT_OF_STATE);
    return { ...owner, mailing: { street, city: city.toUpperCase(), state, zip }, occupies: false };
  }
  const near = places.filter((candidate) =>
    where === 'county' ? candidate.countyFips === home.place.countyFips : candidate.state === home.place.state,
  );
  const { city, state, zips } = near.length === 0 ? home.place : draw.pick(near);
  return { ...owner, mailing: { street, city: city.toUpperCase(), state, zip: draw.pick(zips) }, occupies: false };
}

export interface PropertyOptions {
  readonly place: Place;
  /** A building of at least two units; otherwise any taxed property. */
  readonly multifamily: boolean;
}

/** All properties of a world. */
export class PropertyBook {
  readonly #seed: number;
  readonly #properties = new Map<string, Property>();
  readonly #numbers = new Set<string>();
  readonly #parcels = new Set<string>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  get all(): ReadonlyMap<string, Property> {
    return this.#properties;
  }

  get(id: string): Property {
    const property = this.#properties.get(id);
    if (!property) throw new Error(`the world has no property ${id}`);
    return property;
  }

  /** Create the property with this id. */
  make(id: string, { place, multifamily }: PropertyOptions): Property {
    const draw = new Draw(this.#seed, 'property', id);
    const zip = draw.pick(place.zips);
    const rent2br = rentsOf(place.countyFips).fmr[2];
    const units = multifamily
      ? draw.among([2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, draw.int(26, 60)], [26, 12, 20, 3, 9, 9, 4, 6, 3, 2, 2, 3])
      : draw.among([1, 2, 3, 4, 6, 8, 0], [70, 18, 3, 4, 1, 1, 3]);
    const { address, street } = this.#address(draw, place, zip, units > 1);
    const worth = yearlyNet(Math.max(units, 0.25), rent2br) / draw.bell(0.085, 0.02, 0.05, 0.15);
    const value = Math.round(worth / 100) * 100;
    const hasAddress = multifamily || !draw.chance(units === 0 ? 0.6 : 0.03);
    const property: Property = {
      id,
      building: id,
      metro: place.metro,
      address,
      street,
      city: place.city,
      state: place.state,
      zip,
      countyFips: place.countyFips,
      countyName: rentsOf(place.countyFips).countyName,
      parcel: drawParcel(this.#parcelDraw(draw, id, place), place.countyFips, this.#parcels, units === 1),
      owner: drawOwner(draw, { place, zip, line: street }, multifamily),
      yearBuilt: Math.round(draw.bell(1948, 26, 1885, 2023)),
      units,
      unitMix: drawUnitMix(new Draw(this.#seed, 'unit mix', id), units),
      rent2br,
      value,
      ...this.#taxes(id, value),
      hasAddress,
    };
    return this.#add(property);
  }

  /** Create a second parcel of a building, such as its parking lot. The county prints the building's address for it. */
  makeSecondParcel(building: Property): Property {
    const id = `P${building.id}`;
    const parcel = drawParcel(new Draw(this.#seed, 'second parcel', id), building.countyFips, this.#parcels, false);
    const value = Math.round(building.value / 600) * 100;
    return this.#add({ ...building, id, parcel, units: 0, unitMix: [0, 0, 0, 0, 0], value, ...this.#taxes(id, value) });
  }

  /** Create one home of a building, for which the county prints the building's address. Null in most counties. */
  makeCondominium(building: Property): Property | null {
    const id = `C${building.id}`;
    const parcel = condominiumOn(building);
    if (parcel === null) return null;
    const value = Math.round(building.value / building.units / 100) * 100;
    const unitMix = drawUnitMix(new Draw(this.#seed, 'unit mix', id), 1);
    return this.#add({ ...building, id, building: id, parcel, units: 1, unitMix, value, ...this.#taxes(id, value) });
  }

  #taxes(id: string, value: number): Pick<Property, 'annualTaxes'> {
    return { annualTaxes: drawTaxes(new Draw(this.#seed, 'taxes', id), value) };
  }

  /** Ohio's numbers are drawn with the property, others from a stream of their own: they change no other draw. */
  #parcelDraw(draw: Draw, id: string, place: Place): Draw {
    return place.state === 'OH' ? draw : new Draw(this.#seed, 'parcel number', id);
  }

  #add(property: Property): Property {
    this.#properties.set(property.id, property);
    return property;
  }

  /** An address whose numbers are free on its street. */
  #address(draw: Draw, place: Place, zip: string, multifamily: boolean): { address: StreetAddress; street: string } {
    for (;;) {
      const address = drawAddress(draw, place.countyFips, multifamily);
      const taken = numbersOf(address).map((number) => `${zip}/${streetKey(address)}/${number}`);
      if (taken.some((key) => this.#numbers.has(key))) continue;
      for (const key of taken) this.#numbers.add(key);
      return { address, street: canonicalStreet(address) };
    }
  }
}
