/**
 * Finds the records of an address or a parcel. A match is exact on the normalized address; a range or a missing unit
 * is named in match_basis. Nothing weaker matches: one owner's debt never appears on another owner's house.
 */
import type { DuckDBValue } from '@duckdb/node-api';
import { z } from 'zod';
import type { AddressParts } from '../../snapshot/addresses.ts';
import type { Condition, Filters } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';

/** From the strongest to the weakest. */
export const BASES = ['apn_exact', 'address_exact', 'address_range', 'address_without_unit'] as const;
type Basis = (typeof BASES)[number];

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

/** The basis on which a row matches an address, by the rule of the models (models/macros/address_match.sql). */
function addressBasis(parts: AddressParts, firstParameter: number): { sql: string; values: DuckDBValue[] } {
  const wanted = PART_NAMES.map((name, i) => `'${name}': CAST($${firstParameter + i} AS ${PART_TYPES[name]})`);
  return {
    sql: `address_basis(struct_pack(${PART_NAMES.join(', ')}), {${wanted.join(', ')}})`,
    values: PART_NAMES.map((name) => parts[name]),
  };
}

/** Rows in this city or ZIP. With both given, a row that lacks one of them is matched by the other. */
export function inPlace(filters: Filters, city: string | undefined, zip: string | undefined): Filters {
  if (city === undefined || zip === undefined) return filters.like('city', city).and('zip', '=', zip);
  const inCity: Condition = { column: 'city', is: 'like', value: city };
  const inZip: Condition = { column: 'zip', is: '=', value: zip };
  return filters
    .either(inCity, { column: 'city', is: 'absent' })
    .either(inZip, { column: 'zip', is: 'absent' })
    .either(inCity, inZip);
}

/** The text of a record with the basis it matched on. */
export interface Match {
  readonly basis: Basis;
  readonly text: Buffer;
}

const withBasis = (text: Buffer, basis: Basis): Buffer =>
  Buffer.concat([text.subarray(0, -1), Buffer.from(`,"match_basis":${JSON.stringify(basis)}}`)]);

/** An address, a parcel, or a parcel at an address. */
export interface LookupKey {
  readonly parts: AddressParts | null;
  readonly parcel: string | null;
}

/** Matching records of one table, at most MAX_MATCHES, the strongest basis first, then by id. */
export async function findMatches(
  snapshot: Snapshot,
  filters: Filters,
  { parts, parcel }: LookupKey,
): Promise<Match[]> {
  if (parts === null && parcel === null) return [];
  const where = filters.sql();
  if (parts !== null) where.add('address_key = ? OR street_key = ?', parts.address_key, parts.street_key);
  if (parcel !== null) where.add('parcel_key = ? OR letters_and_digits(parcel_id) = ?', parcel, parcel);
  const address = parts === null ? { sql: 'NULL', values: [] } : addressBasis(parts, where.values.length + 1);
  const rows = await snapshot.rows(
    `SELECT row, ${parcel === null ? 'address_basis' : "'apn_exact'"} AS basis
     FROM (SELECT rowid AS row, id, ${address.sql} AS address_basis FROM ${filters.table}${where})
     ${parts === null ? '' : 'WHERE address_basis IS NOT NULL'} ORDER BY id LIMIT ${MAX_MATCHES}`,
    [...where.values, ...address.values],
  );
  const best = z
    .array(Candidate)
    .parse(rows)
    .sort((a, b) => BASES.indexOf(a.basis) - BASES.indexOf(b.basis));
  const texts = await snapshot.texts(
    filters.table,
    best.map(({ row }) => row),
  );
  return best.map(({ basis }, i) => ({ basis, text: withBasis(texts[i] ?? Buffer.from('{}'), basis) }));
}
