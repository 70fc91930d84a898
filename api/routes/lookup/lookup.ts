/**
 * GET /api/lookup: the listings, signals of distress and sales of one address or parcel, by its likeliest reading. A
 * match is exact on the normalized address; a range, a missing unit or a record without a known place is named in
 * match_basis. Nothing weaker matches: one owner's debt never appears on another owner's house. A record that either
 * the parcel or the address matches is returned, with its own basis.
 */
import { z } from 'zod';
import { addressBasis, basisInCounty, placeAgreement, type PlaceAgreement } from '../../../lib/addresses/match.ts';
import { addressParts, type AddressParts } from '../../../lib/addresses/parts.ts';
import { PRICES } from '../../../lib/prices.ts';
import { Auction } from '../../../models/marts/auctions.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { Signal } from '../../../models/marts/signals.ts';
import { ADDRESSED_TABLES, type AddressedTable } from '../../../models/serving/lookup_tables.ts';
import { Problem, ProblemDocument } from '../../http/problem.ts';
import { JsonText, withField } from '../../serving/records.ts';
import type { Snapshot } from '../../serving/open.ts';
import type { Row } from '../../serving/tables.ts';
import { defineRoute, type RouteRequest } from '../define.ts';
import { noteOf, DATA, dataOf, NOTE, PUBLISHED, publishedOf } from '../envelope.ts';
import { stateParam, textParam } from '../params.ts';
import { countiesOf, knownName, knownPlaces, placeKey, type WantedPlace } from '../places.ts';
import { Coverage, coverageOf } from './coverage.ts';
import { parcelKeyOf, readAddress } from './typed_address.ts';

const lookupParams = {
  address: textParam(
    'Street address with its house number; unit, city, state, ZIP and country may follow, with or without commas.',
  ),
  apn: textParam(
    'Parcel number; spaces and dashes are ignored. Matches signals and auctions only: listings have no parcel number.',
  ),
  parcel: textParam('Alias for apn.'),
  city: textParam('City, full name, ignoring case; St and Saint are the same.'),
  state: stateParam('State.'),
};

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

const Conflict = z.strictObject({
  detail: z.string(),
  other_address: z.array(z.uuid()).meta({ description: 'Ids of records of the parcel that have another address.' }),
  other_parcel: z.array(z.uuid()).meta({ description: 'Ids of records at the address that have another parcel.' }),
});

const understoodAs = z
  .string()
  .nullable()
  .meta({ description: 'The street address in normalized form. Null when: only a parcel number is given.' });

const Lookup = z.strictObject({
  note: NOTE.optional(),
  query: z.record(z.string(), z.unknown()),
  understood_as: understoodAs,
  match_basis: MatchBasis,
  count: z.int().min(1),
  conflict: Conflict.nullable().meta({
    description:
      'Records that only one of apn and address matches, though they have both. Null when: there are none, or only ' +
      'one of the two is given.',
  }),
  listings: z.array(Deal.schema.extend({ match_basis: MatchBasis })),
  signals: z.array(Signal.schema.extend({ match_basis: MatchBasis })),
  auctions: z.array(Auction.schema.extend({ match_basis: MatchBasis })),
  coverage: Coverage,
  ...PUBLISHED,
});

const Miss = ProblemDocument.extend({
  reason: z.enum(['no_matches']),
  filters: z.record(z.string(), z.unknown()).meta({ description: 'The parameters of the request.' }),
  understood_as: understoodAs,
  coverage: Coverage,
  ...DATA,
});

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

/** A record that may match: a row of address_keys. */
interface Candidate {
  readonly table_name: AddressedTable;
  readonly row: number;
  readonly id: string;
  readonly address_key: string | null;
  readonly street_key: string | null;
  readonly house_low: number | null;
  readonly house_high: number | null;
  readonly unit_key: string | null;
  readonly city: string | null;
  readonly state: string;
  readonly zip: string | null;
  readonly city_basis: string | null;
  readonly county_fips: string | null;
  readonly parcel_key: string | null;
  /** 1 if the parcel finds it, else 0. */
  readonly is_parcel: number;
}

/** The statements that find the records that may match, each by an index. The rules are applied to its rows. */
export const CANDIDATES = {
  /**
   * On the street, with a number in the wanted range, a range that has it, or no number but the same key. Left to
   * itself, SQLite looks for the ranges among all records of the street with a smaller number.
   */
  street: `SELECT *, 0 AS is_parcel FROM address_keys WHERE street_key = ?1 AND house_low BETWEEN ?3 AND ?4
    UNION ALL SELECT *, 0 FROM address_keys INDEXED BY address_keys_1
      WHERE street_key = ?1 AND house_low < house_high AND house_low < ?3 AND house_high >= ?3
    UNION ALL SELECT *, 0 FROM address_keys WHERE street_key = ?1 AND house_low IS NULL AND address_key = ?2`,
  parcel_key: 'SELECT *, 1 AS is_parcel FROM address_keys WHERE parcel_key = ?1',
  parcel_letters: 'SELECT *, 1 AS is_parcel FROM address_keys WHERE parcel_letters = ?1',
};

function candidatesOf(snapshot: Snapshot, { parts, parcel, only }: LookupKey): Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (rows: readonly Row[]): void => {
    for (const row of rows as unknown as readonly Candidate[]) {
      const key = `${row.table_name} ${row.row}`;
      if (!found.has(key)) found.set(key, row);
    }
  };
  if (parcel !== null)
    for (const sql of [CANDIDATES.parcel_key, CANDIDATES.parcel_letters]) add(snapshot.rows(sql, parcel));
  if (parts !== null) {
    const { street_key: street, address_key: address, house_low: low, house_high: high } = parts;
    add(snapshot.rows(CANDIDATES.street, street, address, low, high));
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
interface Match {
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
  if (is_parcel === 1 && (isHere || only.city === undefined)) {
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
  const isParcelHere = compared.some(({ candidate, isHere }) => candidate.is_parcel === 1 && isHere);
  const matches = compared
    .filter(({ candidate, isHere }) => !(candidate.is_parcel === 1 && isParcelHere && !isHere))
    .flatMap((one) => matchOf(one, key) ?? [])
    .sort((a, b) => BASES.indexOf(a.basis) - BASES.indexOf(b.basis) || (a.id < b.id ? -1 : 1));
  return ADDRESSED_TABLES.flatMap((table) => matches.filter((match) => match.table === table).slice(0, MAX_MATCHES));
}

type LookupRequest = RouteRequest<typeof lookupParams>;

/** Possible readings, the likeliest first. None if the address has no house number with a street. */
async function read({ snapshot, params }: LookupRequest): Promise<readonly LookupKey[]> {
  const { address, parcel: alias, apn = alias, city, state } = params;
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

/** By the parameters of a request: the check reads them first, then the handler. */
const readingsByParams = new WeakMap<object, ReturnType<typeof read>>();

function readingsOf(request: LookupRequest): ReturnType<typeof read> {
  const known = readingsByParams.get(request.params) ?? read(request);
  readingsByParams.set(request.params, known);
  return known;
}

/** The first reading that finds the address, or agrees with the parcel; else the first one. With its matches. */
function findByReading(snapshot: Snapshot, readings: readonly LookupKey[]) {
  let first: { readonly reading: LookupKey; readonly matches: readonly Match[] } | undefined;
  for (const reading of readings) {
    const found = { reading, matches: findMatches(snapshot, reading) };
    if (found.matches.some(({ conflict }) => conflict !== 'other_address')) return found;
    first ??= found;
  }
  return first;
}

/** The records of the matches of a table as JSON texts, each with its basis. */
function textsOf(snapshot: Snapshot, table: AddressedTable, matches: readonly Match[]): JsonText {
  const own = matches.filter((match) => match.table === table);
  const texts = snapshot.openTexts(
    table,
    own.map(({ row }) => row),
  );
  return JsonText.array(texts.map((text, i) => withField(text, 'match_basis', own[i]?.basis)));
}

/** Which records have another address or another parcel than the ones given, or null if none has. */
function conflictOf(matches: readonly Match[]): z.input<typeof Conflict> | null {
  const idsOf = (kind: Match['conflict']): string[] =>
    matches.filter((match) => match.conflict === kind).map(({ id }) => id);
  const [other_address, other_parcel] = [idsOf('other_address'), idsOf('other_parcel')];
  if (other_address.length + other_parcel.length === 0) return null;
  return {
    detail:
      'The parcel number and the address do not name the same records. Each record is listed with the one that it ' +
      'matches: apn_exact for the parcel number, another match_basis for the address.',
    other_address,
    other_parcel,
  };
}

export const lookup = defineRoute({
  name: 'lookup',
  path: '/api/lookup',
  price: PRICES['/api/lookup'],
  about: 'Listings, signals of distress and sales of one street address or parcel.',
  params: lookupParams,
  response: Lookup,
  miss: Miss,
  async check(request) {
    const { params } = request;
    if (params.apn !== undefined && params.parcel !== undefined)
      throw new Problem('repeated_parameter', 'parcel is an alias for apn; give one of them.', { field: 'parcel' });
    const apn = params.apn ?? params.parcel;
    if (params.address === undefined && apn === undefined)
      throw new Problem('missing_parameter', 'Give address or apn.', {
        field: 'address',
        accepted: ['address', 'apn', 'parcel'],
      });
    if (apn !== undefined && parcelKeyOf(apn) === '') {
      throw new Problem('invalid_parameter', 'A parcel number has letters or digits.', {
        field: params.apn === undefined ? 'parcel' : 'apn',
        value: apn,
        accepted: ['a parcel number such as 101-22-045'],
      });
    }
    if (params.address !== undefined && (await readingsOf(request)).length === 0) {
      throw new Problem('invalid_parameter', 'This address has no house number with a street.', {
        field: 'address',
        value: params.address,
        accepted: ['a street address such as 912 Main St, Akron, OH 44301'],
      });
    }
  },
  async handle(request) {
    const { snapshot, manifest, params } = request;
    const found = findByReading(snapshot, await readingsOf(request));
    if (!found) throw new Error('an address without a street passed the check');
    const { matches } = found;
    const { place, parts } = found.reading;
    const coverage = await coverageOf(snapshot, place);
    const query = { ...params };
    if (matches.length === 0) {
      throw new Problem(
        'no_matches',
        'No listing, signal or auction is known at this address or parcel. Nothing was charged.',
        {
          filters: query,
          understood_as: parts?.address_key ?? null,
          coverage,
          ...dataOf(manifest),
        },
      );
    }
    return JsonText.of({
      ...noteOf(manifest),
      query,
      understood_as: parts?.address_key ?? null,
      match_basis: BASES.find((basis) => matches.some((match) => match.basis === basis)),
      count: matches.length,
      conflict: conflictOf(matches),
      listings: textsOf(snapshot, 'deals', matches),
      signals: textsOf(snapshot, 'signals', matches),
      auctions: textsOf(snapshot, 'auctions', matches),
      coverage,
      ...publishedOf(manifest),
    });
  },
});
