/**
 * What is known of one address or one parcel. Matching is exact on the normalised address; a range or a missing unit
 * is said in match_basis, and nothing weaker is returned: one owner's debt never hangs on another's house.
 */
import type { DuckDBValue } from '@duckdb/node-api';
import { z } from 'zod';
import { Auction } from '../../models/marts/auctions.ts';
import { Deal } from '../../models/marts/deals.ts';
import { Signal } from '../../models/marts/signals.ts';
import { Filters, type Condition } from '../snapshot/filters.ts';
import { noteOf } from './list_route.ts';
import { oncePerSnapshot } from '../snapshot/memo.ts';
import { stateParam, textParam } from './params.ts';
import { PRICES } from './prices.ts';
import { Problem } from '../http/problem.ts';
import { JsonText } from '../snapshot/json_text.ts';
import { defineRoute, type Asked } from './define.ts';
import type { AddressParts } from '../snapshot/addresses.ts';
import type { Snapshot } from '../snapshot/load.ts';
import { standing } from './signals.ts';

/** From the surest to the weakest. */
const BASES = ['apn_exact', 'address_exact', 'address_range', 'address_without_unit'] as const;
type Basis = (typeof BASES)[number];
const basis = z.enum(BASES);

const params = {
  address: textParam('Street address with its house number; city, state and ZIP may follow after commas.'),
  apn: textParam(
    'Parcel number; spaces and dashes are ignored. Matches signals and auctions alone: listings carry no parcel number.',
  ),
  parcel: textParam('Another name of apn.'),
  city: textParam('City; the whole name, upper or lower case.'),
  state: stateParam('State.'),
};

const Coverage = z.strictObject({
  note: z.string(),
  listing_cities: z.int(),
  tax_delinquency: z.array(z.strictObject({ county: z.string(), last_good_at: z.iso.datetime() })),
  sheriff_sales: z.array(z.strictObject({ county: z.string(), last_good_at: z.iso.datetime() })),
});

const Lookup = z.strictObject({
  note: z.string().optional(),
  query: z.record(z.string(), z.unknown()),
  /** Normalised form the address was looked up in. */
  understood_as: z.string().nullable(),
  match_basis: basis,
  count: z.int().min(1),
  listings: z.array(Deal.schema.extend({ match_basis: basis })),
  signals: z.array(Signal.schema.extend({ match_basis: basis })),
  auctions: z.array(Auction.schema.extend({ match_basis: basis })),
  coverage: Coverage,
  generated_at: z.iso.datetime(),
  as_of: z.iso.date(),
  snapshot_id: z.string(),
});

/** An address as asked for, taken apart: what stands after the street narrows the search. */
interface Place {
  readonly street: string;
  readonly city?: string;
  readonly state?: string;
  readonly zip?: string;
}

/** A unit rather than a city, as in models/macros/address_parts.sql: "Upper Arlington" is a city, "Upper" is not. */
const UNIT = new RegExp(
  `^(?:#|(?:${['apartments?', 'apts?', 'units?', 'suite', 'ste', 'room', 'rm', 'building', 'bldg', 'lot', 'trailer', 'trlr', 'space', 'spc', 'dept', 'floor', 'flr', 'fl', 'penthouse', 'ph', 'no'].join('|')})\\b` +
    '|(?:\\d+(?:st|nd|rd|th)|first|second|third) (?:floor|flr|fl)\\b|(?:rear|upper|uppr|up|lower|lowr|down|dn|front|frnt|basement|bsmt)$)',
  'iu',
);

/** "12 Main St, Apt 4, Akron, OH 44301" as street "12 Main St Apt 4", city, state and ZIP. */
export function placeOf(address: string): Place {
  const [first = '', ...rest] = address
    .split(',')
    .map((s) => s.trim())
    .filter((s) => s !== '');
  const street = [first, ...(rest[0] !== undefined && UNIT.test(rest[0]) ? [rest.shift() ?? ''] : [])].join(' ');
  let tail = rest.join(' ');
  const zip = /(\d{5})(?:-\d{4})?$/u.exec(tail);
  if (zip) tail = tail.slice(0, zip.index).trim();
  const state = /(?:^|\s)([A-Za-z]{2})$/u.exec(tail);
  if (state) tail = tail.slice(0, state.index).trim();
  return {
    street,
    ...(tail === '' ? {} : { city: tail }),
    ...(state?.[1] === undefined ? {} : { state: state[1].toUpperCase() }),
    ...(zip?.[1] === undefined ? {} : { zip: zip[1] }),
  };
}

const parcelOf = (apn: string): string => apn.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** A row of the wanted address or parcel. */
const Candidate = z.object({ row: z.coerce.number(), basis });

/** The basis on which a row matches an address, by the rule of the models (models/macros/address_match.sql). */
function addressBasis(parts: AddressParts, firstParameter: number): { sql: string; values: DuckDBValue[] } {
  const types = {
    address_key: 'VARCHAR',
    street_key: 'VARCHAR',
    house_low: 'INTEGER',
    house_high: 'INTEGER',
    unit_key: 'VARCHAR',
  };
  const names = Object.keys(types) as (keyof typeof types)[];
  const wanted = names.map((name, i) => `'${name}': CAST($${firstParameter + i} AS ${types[name]})`);
  return {
    sql: `address_basis(struct_pack(${names.join(', ')}), {${wanted.join(', ')}})`,
    values: names.map((name) => parts[name]),
  };
}

/** Rows in this city or ZIP. Where both are asked for, a county that prints only one of them is told by that one. */
function inPlace(filters: Filters, city: string | undefined, zip: string | undefined): Filters {
  if (city === undefined || zip === undefined) return filters.like('city', city).and('zip', '=', zip);
  const inCity: Condition = { column: 'city', is: 'like', value: city };
  const inZip: Condition = { column: 'zip', is: '=', value: zip };
  return filters
    .either(inCity, { column: 'city', is: 'absent' })
    .either(inZip, { column: 'zip', is: 'absent' })
    .either(inCity, inZip);
}

const MOST_ROWS = 100;

/** The text of a record with the basis it matched on. */
interface Match {
  readonly basis: Basis;
  readonly text: Buffer;
}

const withBasis = (text: Buffer, matchedOn: Basis): Buffer =>
  Buffer.concat([text.subarray(0, -1), Buffer.from(`,"match_basis":${JSON.stringify(matchedOn)}}`)]);

/** What is looked up: an address, a parcel, or a parcel at an address. */
interface Wanted {
  readonly parts: AddressParts | null;
  readonly parcel: string | null;
}

/** Records of one feed that match, at most MOST_ROWS, the surest first, then by id. */
async function matchesIn(snapshot: Snapshot, filters: Filters, { parts, parcel }: Wanted): Promise<Match[]> {
  if (parts === null && parcel === null) return [];
  const where = filters.sql();
  if (parts !== null) where.add('address_key = ? OR street_key = ?', parts.address_key, parts.street_key);
  if (parcel !== null) where.add('parcel_key = ? OR letters_and_digits(parcel_id) = ?', parcel, parcel);
  const address = parts === null ? { sql: 'NULL', values: [] } : addressBasis(parts, where.values.length + 1);
  const candidates = z.array(Candidate).parse(
    await snapshot.rows(
      `SELECT row, ${parcel === null ? 'address_basis' : "'apn_exact'"} AS basis
       FROM (SELECT rowid AS row, id, ${address.sql} AS address_basis FROM ${filters.table}${where})
       ${parts === null ? '' : 'WHERE address_basis IS NOT NULL'} ORDER BY id LIMIT ${MOST_ROWS}`,
      [...where.values, ...address.values],
    ),
  );
  const served = candidates.sort((a, b) => BASES.indexOf(a.basis) - BASES.indexOf(b.basis));
  const texts = await snapshot.texts(
    filters.table,
    served.map(({ row }) => row),
  );
  return served.map((match, i) => ({
    basis: match.basis,
    text: withBasis(texts[i] ?? Buffer.from('{}'), match.basis),
  }));
}

async function find({ snapshot, params: p }: Asked<typeof params>, place: Place | null, parts: AddressParts | null) {
  const apn = p.apn ?? p.parcel;
  const parcel = apn === undefined ? null : parcelOf(apn);
  const [city, state] = [p.city ?? place?.city, p.state ?? place?.state];
  const there = (filters: Filters): Filters => inPlace(filters, city, place?.zip).and('state', '=', state);
  const [listings, signals, auctions] = await Promise.all([
    // Listings carry no parcel number.
    matchesIn(snapshot, there(new Filters('deals')), { parts, parcel: null }),
    matchesIn(snapshot, there(standing()), { parts, parcel }),
    matchesIn(snapshot, there(new Filters('auctions')), { parts, parcel }),
  ]);
  return { listings, signals, auctions };
}

const coverageOf = oncePerSnapshot(async (snapshot): Promise<z.input<typeof Coverage>> => {
  const counties = async (family: string) =>
    (
      await snapshot.whole(
        'sources',
        'WHERE family = $1 AND county IS NOT NULL AND last_good_at IS NOT NULL ORDER BY county',
        [family],
      )
    ).map((r) => ({ county: String(r['county']), last_good_at: String(r['last_good_at']) }));
  const cities = (await snapshot.rows('SELECT count(DISTINCT (lower(city), state)) AS n FROM deals'))[0]?.['n'];
  return {
    note: 'Tax delinquency and sheriff sales are known for these counties alone. That nothing is found elsewhere says nothing of the property. Some counties print no city and some no ZIP: give both and their rows are found too.',
    listing_cities: Number(cities),
    tax_delinquency: await counties('tax'),
    sheriff_sales: await counties('sheriff'),
  };
});

export const lookup = defineRoute({
  path: '/api/lookup',
  price: PRICES['/api/lookup'],
  about: 'Listings, tax-delinquency signals and sheriff sales of one street address or parcel.',
  params,
  reply: Lookup,
  async check({ params: p, snapshot }) {
    if (p.apn !== undefined && p.parcel !== undefined)
      throw new Problem('repeated_parameter', 'parcel is another name of apn; give one of them.', { field: 'parcel' });
    const apn = p.apn ?? p.parcel;
    if (p.address === undefined && apn === undefined)
      throw new Problem('missing_parameter', 'Give address or apn.', {
        field: 'address',
        accepted: ['address', 'apn', 'parcel'],
      });
    if (apn !== undefined && parcelOf(apn) === '') {
      throw new Problem('invalid_parameter', 'A parcel number has letters or digits.', {
        field: p.apn === undefined ? 'parcel' : 'apn',
        value: apn,
        accepted: ['a parcel number such as 101-22-045'],
      });
    }
    if (p.address !== undefined && (await snapshot.normalise(placeOf(p.address).street)) === null) {
      throw new Problem('invalid_parameter', 'No house number and street can be told from this address.', {
        field: 'address',
        value: p.address,
        accepted: ['a street address such as 912 Main St, Akron, OH 44301'],
      });
    }
  },
  async handle(asked) {
    const { snapshot, manifest, params: p } = asked;
    const place = p.address === undefined ? null : placeOf(p.address);
    const parts = place === null ? null : await snapshot.normalise(place.street);
    const found = await find(asked, place, parts);
    const matches = [...found.listings, ...found.signals, ...found.auctions];
    const coverage = await coverageOf(snapshot);
    const query = { ...p };
    if (matches.length === 0) {
      throw new Problem(
        'no_matches',
        'No listing, signal or auction is known at this address or parcel. Nothing was charged.',
        {
          filters: query,
          understood_as: parts?.address_key ?? null,
          coverage,
          as_of: manifest.as_of,
          snapshot_id: snapshot.id,
        },
      );
    }
    const textsOf = (some: readonly Match[]): readonly Buffer[] => some.map(({ text }) => text);
    return JsonText.of({
      ...noteOf(manifest),
      query,
      understood_as: parts?.address_key ?? null,
      match_basis: BASES.find((b) => matches.some((m) => m.basis === b)),
      count: matches.length,
      listings: textsOf(found.listings),
      signals: textsOf(found.signals),
      auctions: textsOf(found.auctions),
      coverage,
      generated_at: manifest.generated_at,
      as_of: manifest.as_of,
      snapshot_id: snapshot.id,
    });
  },
});
