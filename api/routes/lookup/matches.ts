/**
 * Reads a typed address or parcel and finds its records by the likeliest reading. A match is exact on the normalized
 * address; a range, a missing unit or a record without a known place is named in match_basis. Nothing weaker matches:
 * one owner's debt never appears on another owner's house. A record that either the parcel or the address matches is
 * returned, with its own basis.
 */
import { z } from 'zod';
import { addressBasis, basisInCounty, placeAgreement, type PlaceAgreement } from '../../../lib/addresses/match.ts';
import { addressParts, type AddressParts } from '../../../lib/addresses/parts.ts';
import { Auction } from '../../../models/marts/auctions.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { Signal } from '../../../models/marts/signals.ts';
import { ADDRESSED_TABLES, type AddressedTable } from '../../../models/serving/lookup_tables.ts';
import { withField } from '../../serving/json_text.ts';
import type { Snapshot } from '../../serving/open.ts';
import type { Row } from '../../serving/files.ts';
import { countiesOf, knownName, knownPlaces, placeKey, type WantedPlace } from '../places.ts';
import { parcelKeyOf, readAddress } from './typed_address.ts';

/** From the strongest to the weakest. */
export const BASES = [
  'apn_exact',
  'address_exact',
  'address_range',
  'address_without_unit',
  'address_exact_place_unknown',
  'address_range_place_unknown',
  'address_without_unit_place_unknown',
] as const;
type Basis = (typeof BASES)[number];

export const BASIS_NOTE =
  'From the strongest to the weakest. apn_exact: the same parcel number; address_exact: the same address, in the ' +
  'city or ZIP if one is given; address_range: a range of house numbers that overlaps; address_without_unit: the ' +
  'same house, the unit on one side only. With _place_unknown, nothing shows where in its county the record is: it ' +
  'may be of another town with the same street. Such a record matches only a city or ZIP known to be in its county, ' +
  'and counts as a match, which is charged.';

/** Schema of a basis. */
export const MatchBasis = z.enum(BASES).describe(BASIS_NOTE);

/** Most records of one table in a response. */
const MAX_MATCHES = 100;

/** The address, parcel and place to find. */
interface LookupKey {
  readonly parts: AddressParts | null;
  readonly parcel: string | null;
  /** The place of the address, and the counties in which it may be. */
  readonly place: WantedPlace & { readonly state: string | undefined; readonly counties: readonly string[] };
  /** City and state from their own parameters: every record must be there, also one that the parcel matches. */
  readonly only: { readonly city: string | undefined; readonly state: string | undefined };
}

const Candidate = z.object({
  table_name: z.enum(ADDRESSED_TABLES),
  row: z.int(),
  id: z.string(),
  address_key: z.string().nullable(),
  street_key: z.string().nullable(),
  house_low: z.int().nullable(),
  house_high: z.int().nullable(),
  unit_key: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string(),
  zip: z.string().nullable(),
  city_basis: z.string().nullable(),
  county_fips: z.string().nullable(),
  parcel_key: z.string().nullable(),
  is_parcel: z.boolean(),
});
type Candidate = z.infer<typeof Candidate>;

/** The statements that find the records that may match, each by an index. The rules are applied to its rows. */
export const CANDIDATES = {
  /** On the street, with a number in the wanted range, a range that has it, or no number but the same key. */
  street: `SELECT * FROM address_keys WHERE street_key = ?1 AND house_low BETWEEN ?3 AND ?4
    UNION ALL SELECT * FROM address_keys
      WHERE street_key = ?1 AND house_low < house_high AND house_low < ?3 AND house_high >= ?3
    UNION ALL SELECT * FROM address_keys WHERE street_key = ?1 AND house_low IS NULL AND address_key = ?2`,
  parcel_key: 'SELECT * FROM address_keys WHERE parcel_key = ?1',
  parcel_letters: 'SELECT * FROM address_keys WHERE parcel_letters = ?1',
};

function candidatesOf(snapshot: Snapshot, { parts, parcel, only }: LookupKey): Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (rows: readonly Row[], isParcel: boolean): void => {
    for (const row of rows) {
      const key = `${String(row['table_name'])} ${String(row['row'])}`;
      if (!found.has(key)) found.set(key, Candidate.parse({ ...row, is_parcel: isParcel }));
    }
  };
  if (parcel !== null)
    for (const sql of [CANDIDATES.parcel_key, CANDIDATES.parcel_letters]) add(snapshot.rows(sql, parcel), true);
  if (parts !== null) {
    const { street_key: street, address_key: address, house_low: low, house_high: high } = parts;
    add(snapshot.rows(CANDIDATES.street, street, address, low, high), false);
  }
  return [...found.values()]
    .filter(({ state }) => only.state === undefined || state === only.state)
    .filter(({ table_name: table, row }) => snapshot.isPresent(table, row));
}

/** The basis of a candidate, and how its place agrees with the wanted one. */
interface Comparison {
  readonly candidate: Candidate;
  /** Whether the record is in the wanted place, or in its county without a place of its own. */
  readonly isHere: boolean;
  /** Basis of the address. */
  readonly basis: Basis | null;
}

const keyOf = (city: string | null | undefined): string | null =>
  city === null || city === undefined ? null : placeKey(city);

/** How a record agrees with the wanted place; null if it is elsewhere, or known neither there nor in its county. */
function agreementHere(record: Candidate, place: LookupKey['place']): PlaceAgreement | null {
  const { city, zip, city_basis, county_fips } = record;
  if (place.state !== undefined && place.state !== record.state) return null;
  const wanted = { city: keyOf(place.city), zip: place.zip ?? null };
  if (wanted.city === null && wanted.zip === null) return 'same';
  const agreement = placeAgreement({ city: keyOf(city), zip, city_basis }, wanted);
  const isInCounty = county_fips !== null && place.counties.includes(county_fips);
  return agreement === 'same' || (agreement === 'unknown' && isInCounty) ? agreement : null;
}

function compare(candidate: Candidate, { parts, place }: LookupKey): Comparison {
  const agreement = agreementHere(candidate, place);
  const basis = agreement && parts && addressBasis(candidate, parts);
  return { candidate, isHere: agreement !== null, basis: agreement && basis && basisInCounty(basis, agreement) };
}

/** A record that matches. */
export interface Match {
  readonly table: AddressedTable;
  readonly id: string;
  readonly row: number;
  readonly basis: Basis;
  /** For a parcel and an address: whether the record is of the one and has another of the other. */
  readonly conflict: 'other_address' | 'other_parcel' | null;
}

/** The basis of a record by parcel or address, and whether the other of the two differs; null if it does not match. */
function matchOf({ candidate, isHere, basis }: Comparison, { parts, parcel, only }: LookupKey): Match | null {
  const { table_name: table, id, row, address_key, parcel_key, is_parcel } = candidate;
  if (is_parcel && (isHere || only.city === undefined)) {
    const differs = parts !== null && address_key !== null && basis === null;
    return { table, id, row, basis: 'apn_exact', conflict: differs ? 'other_address' : null };
  }
  if (basis === null) return null;
  return { table, id, row, basis, conflict: parcel !== null && parcel_key !== null ? 'other_parcel' : null };
}

/** Records of the parcel or the address, the strongest basis first, then by id; of each table at most MAX_MATCHES. */
function findMatches(snapshot: Snapshot, key: LookupKey): Match[] {
  const compared = candidatesOf(snapshot, key).map((candidate) => compare(candidate, key));
  // A number that several counties have means the parcel in the place of the address, if there is one.
  const isParcelHere = compared.some(({ candidate, isHere }) => candidate.is_parcel && isHere);
  const matches = compared
    .filter(({ candidate, isHere }) => !(candidate.is_parcel && isParcelHere && !isHere))
    .flatMap((one) => matchOf(one, key) ?? [])
    .sort((a, b) => BASES.indexOf(a.basis) - BASES.indexOf(b.basis) || (a.id < b.id ? -1 : 1));
  return ADDRESSED_TABLES.flatMap((table) => matches.filter((match) => match.table === table).slice(0, MAX_MATCHES));
}

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
  return (address === undefined ? [null] : readAddress(address, known)).flatMap((typed) => {
    const parts = typed === null ? null : addressParts(typed.street);
    if (typed !== null && parts === null) return [];
    const named = city ?? typed?.city;
    const place = { city: named === undefined ? undefined : knownName(known, named), zip: typed?.zip };
    const counties = countiesOf(known, place);
    return [{ parts, parcel, place: { ...place, state: state ?? typed?.state, counties }, only: { city, state } }];
  });
}

/** The first reading that finds the address, or agrees with the parcel; else the first one. With its matches. */
export function findByReading(snapshot: Snapshot, readings: readonly LookupKey[]) {
  let first: { readonly reading: LookupKey; readonly matches: readonly Match[] } | undefined;
  for (const reading of readings) {
    const found = { reading, matches: findMatches(snapshot, reading) };
    if (found.matches.some(({ conflict }) => conflict !== 'other_address')) return found;
    first ??= found;
  }
  return first;
}

/** Schemas of the records of each section. */
export const RECORDS = {
  listings: z.array(Deal.schema.extend({ match_basis: MatchBasis })),
  signals: z.array(Signal.schema.extend({ match_basis: MatchBasis })),
  auctions: z.array(Auction.schema.extend({ match_basis: MatchBasis })),
};

/** The records of the matches as JSON texts, each with its basis. */
export function recordsOf(snapshot: Snapshot, matches: readonly Match[]): Record<keyof typeof RECORDS, Buffer[]> {
  const [listings = [], signals = [], auctions = []] = ADDRESSED_TABLES.map((table) => {
    const own = matches.filter((match) => match.table === table);
    const rows = own.map(({ row }) => row);
    return snapshot.texts(table, rows).map((text, i) => withField(text, 'match_basis', own[i]?.basis));
  });
  return { listings, signals, auctions };
}

/** The strongest basis of the matches; null without one. */
export const strongestOf = (matches: readonly Match[]): Basis | null =>
  BASES.find((basis) => matches.some((match) => match.basis === basis)) ?? null;
