/**
 * A tax debt as the counties' pages print it, in the words of each county. Shares nothing with the adapters: the texts
 * follow from the world.
 */
import { landUse, rollPlace } from '../../pages/montgomery.ts';
import { spellStreet } from '../../world/streets.ts';
import type { DelinquentParcel, Owner, Property } from '../../world/types.ts';
import { CUYAHOGA, HAMILTON, MONTGOMERY, STARK } from './parcels.ts';

/** A debt as its county's own pages print it. Null: not printed. */
export interface PrintedDebt {
  readonly street: string | null;
  readonly streetBasis: 'tax_list' | 'parcel_layer';
  readonly city: string | null;
  readonly cityBasis: 'published' | 'municipality';
  readonly zip: string | null;
  readonly owner: string | null;
  readonly mailing: Owner['mailing'] | null;
  readonly countyValue: string | null;
  readonly propertyClass: string | null;
  readonly propertyKind: string;
  readonly certifiedYear: number | null;
}

/** The kind that the class of a building means. "APARTMENTS 4-19 UNITS" does not tell 4 units from 5. */
export function kindOfClass(units: number): string {
  if (units === 0) return 'vacant_lot';
  if (units === 1) return 'one_family';
  return units > 3 ? 'five_up' : 'two_to_four';
}

/** Suffixes of Hamilton's layer that Publication 28 does not have, as published. */
const HAMILTON_SUFFIXES: Readonly<Record<string, string>> = { AVE: 'AV' };

/** Hamilton's layer has a number, a street and a suffix, and no unit. */
function hamiltonStreet({ address }: Property): string {
  const { low, high, pre, name, suffix } = address;
  const number = high === null ? String(low) : `${low}-${high}`;
  const ending = suffix === null ? null : (HAMILTON_SUFFIXES[suffix] ?? suffix);
  return [number, pre, name, ending].filter((part) => part !== null).join(' ');
}

const ownersName = ({ name, second }: Owner): string => (second === null ? name : `${name} & ${second}`);

/**
 * A debt as printed by a county with a list of its own.
 * @param isOnMap the county's parcel layer or tax roll has the parcel
 */
export function printedDebt(debt: DelinquentParcel, property: Property, isOnMap: boolean): PrintedDebt {
  const { countyFips, owner, city, zip, value, hasAddress } = property;
  const common = {
    streetBasis: 'tax_list',
    cityBasis: 'published',
    owner: ownersName(owner),
    mailing: owner.mailing,
    countyValue: `${value}.00`,
    propertyClass: debt.propertyClass,
    propertyKind: kindOfClass(property.units),
    certifiedYear: null,
  } as const;
  const street = hasAddress ? spellStreet(property.address, 'upper_abbreviated') : null;
  switch (countyFips) {
    case CUYAHOGA:
      return { ...common, street, city: city.toUpperCase(), zip };
    case STARK: {
      const propertyClass = `${property.units > 3 ? 'C' : 'R'} - ${debt.propertyClass}`;
      return { ...common, street, city: city.toUpperCase(), zip, propertyClass, certifiedYear: debt.certifiedYear };
    }
    case MONTGOMERY: {
      const place = rollPlace(property);
      return {
        ...common,
        street,
        // A township is not the city of an address.
        city: !isOnMap || place.city.endsWith(' TWP') ? null : place.city,
        cityBasis: 'municipality',
        zip: isOnMap && place.zip !== '' ? place.zip : null,
        propertyClass: landUse(property.units),
        certifiedYear: debt.certifiedYear,
      };
    }
    case HAMILTON:
      return {
        ...common,
        street: hasAddress && isOnMap ? hamiltonStreet(property) : null,
        streetBasis: 'parcel_layer',
        city: null,
        zip: null,
        countyValue: isOnMap ? common.countyValue : null,
      };
    default:
      throw new Error(`the pages of county ${countyFips} are not described here`);
  }
}

/** Summit's notice prints neither an address nor the owner apart from the legal description. */
export const NOTICE: PrintedDebt = {
  street: null,
  streetBasis: 'tax_list',
  city: null,
  cityBasis: 'published',
  zip: null,
  owner: null,
  mailing: null,
  countyValue: null,
  propertyClass: null,
  propertyKind: 'unknown',
  certifiedYear: null,
};
