/** Addresses and parcel numbers of a property in the forms in which pages may print them. */
import { onForeclosureSite, onLienHub } from '../../world/parcels.ts';
import { canonicalStreet, spellStreet, type Spelling } from '../../world/streets.ts';
import type { Property, StreetAddress, World } from '../../world/types.ts';
import { anyOf, type AnyOf } from '../compare.ts';
import { parcelKey } from './parcels.ts';

const SPELLINGS: readonly Spelling[] = ['abbreviated', 'dotted', 'words', 'upper_abbreviated', 'upper_words'];

const lines = (address: StreetAddress): string[] => [
  canonicalStreet(address),
  ...SPELLINGS.map((spelling) => spellStreet(address, spelling)),
];

/** The street line in every spelling, with its unit and without, as a layer of numbers and streets has it. */
const streetLines = ({ address }: Property): string[] => [
  ...new Set([...lines(address), ...lines({ ...address, unit: null })]),
];

/** City in the forms of pages. */
const cityForms = ({ city }: Property): string[] => [city, city.toUpperCase()];

/** A place that the page prints in one of its forms. */
export const printedPlace = (property: Property): Readonly<Record<'address' | 'city' | 'zip', AnyOf>> => ({
  address: anyOf(...streetLines(property)),
  city: anyOf(null, ...cityForms(property)),
  zip: anyOf(null, property.zip),
});

/** A place that the record's own page does not print, and another page of the county may. */
export const placeFromOthers = (property: Property): Readonly<Record<'address' | 'city' | 'zip', AnyOf>> => ({
  ...printedPlace(property),
  address: anyOf(null, ...streetLines(property)),
});

/** Finds the property of a parcel number in any form in which the county's pages print it. */
export function propertiesByParcel({
  properties,
}: World): (countyFips: unknown, printed: unknown) => string | undefined {
  const known = new Map<string, string>();
  for (const property of properties.values()) {
    const { id, countyFips, parcel } = property;
    if (parcel === null) continue;
    for (const form of [parcel, onForeclosureSite(property), onLienHub(property)])
      known.set(`${countyFips} ${parcelKey(countyFips, form)}`, id);
  }
  return (countyFips, printed) =>
    known.get(`${String(countyFips)} ${parcelKey(String(countyFips), String(printed ?? ''))}`);
}
