/**
 * Finds the records of an address or a parcel. A match is exact on the normalized address; a range, a missing unit or a
 * record without a known place is named in match_basis. Nothing weaker matches: one owner's debt never appears on
 * another owner's house.
 */
import type { DuckDBValue } from '@duckdb/node-api';
import { z } from 'zod';
import type { AddressParts } from '../../snapshot/addresses.ts';
import type { Filters } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';
import { TABLES } from '../../snapshot/tables.ts';
import type { WantedPlace } from './counties.ts';

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

/** Most records of one table in a response. */
const MAX_MATCHES = 100;

/** A row of the wanted address or parcel. */
const Candidate = z.object({ row: z.coerce.number(), basis: z.enum(BASES) });

const PART_TYPES = {
  address_key: 'VARCHAR',
  street_key: 'VARCHAR',
  house_low: 'INTEGER',
  house_high: 'INTEGER',
  unit_key: 'VARCHAR',
} as const;
const PART_NAMES = Object.keys(PART_TYPES) as (keyof typeof PART_TYPES)[];

/** SQL with its parameters, of which the first has a given number. */
interface Expression {
  readonly sql: string;
  readonly values: readonly DuckDBValue[];
}

/** The basis on which a row matches an address, by the rule of the models (models/macros/address_match.sql). */
function addressBasis(parts: AddressParts, firstParameter: number): Expression {
  const wanted = PART_NAMES.map((name, i) => `'${name}': CAST($${firstParameter + i} AS ${PART_TYPES[name]})`);
  return {
    sql: `address_basis(struct_pack(${PART_NAMES.join(', ')}), {${wanted.join(', ')}})`,
    values: PART_NAMES.map((name) => parts[name]),
  };
}

/** A place that records must be in, and the counties in which it may be. */
export interface SearchedPlace extends WantedPlace {
  readonly counties: readonly string[];
}

/** Whether a row is in the place: 'same', 'unknown' or 'other', by the rule of the models. */
function placeAgreement(filters: Filters, place: SearchedPlace, firstParameter: number): Expression {
  const { city, zip, counties } = place;
  if (city === undefined && zip === undefined) return { sql: "'same'", values: [] };
  const columns = TABLES[filters.table].columns.map(({ name }) => name);
  const columnOr = (name: string, otherwise: string): string => (columns.includes(name) ? name : otherwise);
  const parameter = (offset: number): string => `CAST($${firstParameter + offset} AS VARCHAR)`;
  const record = `{'city': city, 'zip': zip, 'city_basis': ${columnOr('city_basis', 'CAST(NULL AS VARCHAR)')}}`;
  const agreement = `place_agreement(${record}, {'city': ${parameter(0)}, 'zip': ${parameter(1)}})`;
  const inCounty = `list_contains(from_json(${parameter(2)}, '["VARCHAR"]'), ${columnOr('county_fips', "''")})`;
  return {
    sql: `CASE WHEN ${agreement} <> 'unknown' OR ${inCounty} THEN ${agreement} ELSE 'other' END`,
    values: [city ?? null, zip ?? null, JSON.stringify(counties)],
  };
}

/** The text of a record with the basis it matched on. */
export interface Match {
  readonly basis: Basis;
  readonly text: Buffer;
}

const withBasis = (text: Buffer, basis: Basis): Buffer =>
  Buffer.concat([text.subarray(0, -1), Buffer.from(`,"match_basis":${JSON.stringify(basis)}}`)]);

/** An address, a parcel, or a parcel at an address, and where it is. */
export interface LookupKey {
  readonly parts: AddressParts | null;
  readonly parcel: string | null;
  readonly place: SearchedPlace;
}

/** Matching records of one table, at most MAX_MATCHES, the strongest basis first, then by id. */
export async function findMatches(
  snapshot: Snapshot,
  filters: Filters,
  { parts, parcel, place }: LookupKey,
): Promise<Match[]> {
  if (parts === null && parcel === null) return [];
  const where = filters.sql();
  if (parts !== null) where.add('address_key = ? OR street_key = ?', parts.address_key, parts.street_key);
  if (parcel !== null) where.add('parcel_key = ? OR letters_and_digits(parcel_id) = ?', parcel, parcel);
  const address = parts === null ? { sql: 'NULL', values: [] } : addressBasis(parts, where.values.length + 1);
  const agreement = placeAgreement(filters, place, where.values.length + address.values.length + 1);
  const basis = parcel === null ? 'basis_in_county(address_basis, agreement)' : "'apn_exact'";
  const rows = await snapshot.rows(
    `SELECT row, ${basis} AS basis
     FROM (
       SELECT rowid AS row, id, ${address.sql} AS address_basis, ${agreement.sql} AS agreement
       FROM ${filters.table}${where}
     )
     WHERE agreement <> 'other'${parts === null ? '' : ' AND address_basis IS NOT NULL'}
     ORDER BY list_position([${BASES.map((name) => `'${name}'`).join(', ')}], basis), id
     LIMIT ${MAX_MATCHES}`,
    [...where.values, ...address.values, ...agreement.values],
  );
  const best = z.array(Candidate).parse(rows);
  const texts = await snapshot.texts(
    filters.table,
    best.map(({ row }) => row),
  );
  return best.map((match, i) => ({
    basis: match.basis,
    text: withBasis(texts[i] ?? Buffer.from('{}'), match.basis),
  }));
}
