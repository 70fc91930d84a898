/** Parses an address or a parcel number into its possible readings, and finds records by the likeliest one. */
import type { Snapshot } from '../../snapshot/load.ts';
import { findMatches, type LookupKey, type Match } from './matches.ts';
import { countiesOf, knownName, knownPlaces } from './places.ts';
import { parcelKeyOf, readAddress } from './typed_address.ts';

/** The parameters of a lookup as given. */
export interface Wanted {
  readonly address?: string | undefined;
  readonly apn?: string | undefined;
  readonly city?: string | undefined;
  readonly state?: string | undefined;
}

/** Possible readings, the likeliest first. None if the address has no house number with a street. */
export async function readingsOf(snapshot: Snapshot, wanted: Wanted): Promise<LookupKey[]> {
  const { address, apn, city, state } = wanted;
  const parcel = apn === undefined ? null : parcelKeyOf(apn);
  const known = await knownPlaces(snapshot);
  const only = { city, state };
  const readings: LookupKey[] = [];
  for (const typed of address === undefined ? [null] : readAddress(address, known)) {
    const parts = typed === null ? null : await snapshot.normalize(typed.street);
    if (typed !== null && parts === null) continue;
    const named = city ?? typed?.city;
    const place = { city: named === undefined ? undefined : knownName(known, named), zip: typed?.zip };
    readings.push({
      parts,
      parcel,
      place: { ...place, state: state ?? typed?.state, counties: countiesOf(known, place) },
      only,
    });
  }
  return readings;
}

export interface Found {
  /** Undefined if there is no reading. */
  readonly reading: LookupKey | undefined;
  readonly matches: Match[];
}

/** The first reading that finds the address, or agrees with the parcel; else the first reading with its matches. */
export async function findByReading(snapshot: Snapshot, readings: readonly LookupKey[]): Promise<Found> {
  let first: Found = { reading: undefined, matches: [] };
  for (const reading of readings) {
    const found = { reading, matches: await findMatches(snapshot, reading) };
    if (found.matches.some(({ conflict }) => conflict !== 'other_address')) return found;
    if (first.reading === undefined) first = found;
  }
  return first;
}
