/**
 * Finds the records of an address or a parcel. A match is exact on the normalized address; a range or a missing unit
 * is named in match_basis. Nothing weaker matches: one owner's debt never appears on another owner's house.
 */
import { z } from 'zod';
import type { AddressParts } from '../../snapshot/addresses.ts';
import type { Condition, Filters } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';

/** From the strongest to the weakest. */
export const BASES = ['apn_exact', 'address_exact', 'address_range', 'address_without_unit'] as const;
type Basis = (typeof BASES)[number];

/** Most records of one table in a response. */
const MAX_MATCHES = 100;

/** A row of the same street or parcel. */
const Candidate = z.object({
  row: z.coerce.number(),
  id: z.string(),
  address_key: z.string().nullable(),
  street_key: z.string().nullable(),
  house_low: z.int().nullable(),
  house_high: z.int().nullable(),
  unit_key: z.string().nullable(),
});
type Candidate = z.infer<typeof Candidate>;

/** The basis on which a row matches an address, or null if it is another property. */
function addressBasis(row: Candidate, parts: AddressParts): Basis | null {
  if (row.address_key === parts.address_key) return 'address_exact';
  if (row.street_key !== parts.street_key) return null;
  // Grid numbers such as W156N8480 are in no range: comparisons with NaN are false.
  const [from, to] = [parts.house_low ?? Number.NaN, parts.house_high ?? Number.NaN];
  const [low, high] = [row.house_low ?? Number.NaN, row.house_high ?? Number.NaN];
  const isInRange = low <= to && high >= from && low % 2 === from % 2 && (high > low || to > from);
  if (row.unit_key === parts.unit_key && isInRange) return 'address_range';
  if (low === from && high === to && (row.unit_key === null) !== (parts.unit_key === null))
    return 'address_without_unit';
  return null;
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
  if (parcel !== null)
    where.add("parcel_key = ? OR regexp_replace(upper(parcel_id), '[^A-Z0-9]', '', 'g') = ?", parcel, parcel);
  const rows = await snapshot.rows(
    `SELECT rowid AS row, id, address_key, street_key, house_low, house_high, unit_key
     FROM ${filters.table}${where} ORDER BY id`,
    where.values,
  );
  const matches = z
    .array(Candidate)
    .parse(rows)
    .flatMap((row) => {
      const basis = parts === null ? 'apn_exact' : addressBasis(row, parts);
      return basis === null ? [] : [{ row: row.row, basis: parcel === null ? basis : ('apn_exact' as const) }];
    });
  const best = matches.slice(0, MAX_MATCHES).sort((a, b) => BASES.indexOf(a.basis) - BASES.indexOf(b.basis));
  const texts = await snapshot.texts(
    filters.table,
    best.map(({ row }) => row),
  );
  return best.map(({ basis }, i) => ({ basis, text: withBasis(texts[i] ?? Buffer.from('{}'), basis) }));
}
