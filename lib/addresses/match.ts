/** When two addresses are the same property, and two places the same place. */
import type { AddressParts } from './parts.ts';

export type AddressBasis = 'address_exact' | 'address_range' | 'address_without_unit';
export type PlaceAgreement = 'same' | 'other' | 'unknown';

/** The parts of an address; all null for a row without one. */
type MaybeAddress = { readonly [Part in keyof AddressParts]: AddressParts[Part] | null };

interface Place {
  readonly city: string | null;
  readonly zip: string | null;
}

/** Whether ranges of house numbers overlap on the same side of the street. At least one must be a range. */
function overlap(one: MaybeAddress, other: MaybeAddress): boolean {
  const [low, high, from, to] = [one.house_low, one.house_high, other.house_low, other.house_high];
  if (low === null || high === null || from === null || to === null) return false;
  return low <= to && high >= from && low % 2 === from % 2 && (high > low || to > from);
}

/** The key without its unit, which tells grid numbers apart. */
const buildingOf = ({ address_key, unit_key }: MaybeAddress): string | undefined =>
  unit_key === null ? (address_key ?? undefined) : address_key?.slice(0, -unit_key.length - 1);

/** The basis on which two addresses match; null if they are two properties. The caller compares the places. */
export function addressBasis(one: MaybeAddress, other: MaybeAddress): AddressBasis | null {
  if (one.address_key === null || other.address_key === null) return null;
  if (one.address_key === other.address_key) return 'address_exact';
  if (one.street_key !== other.street_key) return null;
  // Two apartments of one building are two properties.
  if (one.unit_key === other.unit_key) return overlap(one, other) ? 'address_range' : null;
  const isSameHouse =
    one.house_low === null
      ? buildingOf(one) === buildingOf(other)
      : one.house_low === other.house_low && one.house_high === other.house_high;
  return (one.unit_key === null || other.unit_key === null) && isSameHouse ? 'address_without_unit' : null;
}

/**
 * Whether a record is in the wanted place: 'unknown' if they have neither city nor ZIP in common to compare. A
 * municipality rules out no other city, because its mail may use a neighbor's name.
 */
export function placeAgreement(record: Place & { readonly city_basis: string | null }, wanted: Place): PlaceAgreement {
  const [zips, cities] = [record.zip !== null && wanted.zip !== null, record.city !== null && wanted.city !== null];
  if (zips && record.zip !== wanted.zip) return 'other';
  if (cities && record.city?.toLowerCase() === wanted.city?.toLowerCase()) return 'same';
  if (cities && record.city_basis !== 'municipality') return 'other';
  return zips ? 'same' : 'unknown';
}

/**
 * The basis of a match within the county of the wanted place. A county has several streets of one name, so a record
 * without a place may be of another town, and its basis says so; a record of another place never matches.
 */
export function basisInCounty<B extends string>(basis: B, agreement: PlaceAgreement): B | `${B}_place_unknown` | null {
  if (agreement === 'other') return null;
  return agreement === 'same' ? basis : `${basis}_place_unknown`;
}
