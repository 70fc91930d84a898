/**
 * What is known of one address or one parcel. Matching is exact on the normalised address; a range or a missing unit
 * is said in match_basis, and nothing weaker is returned: one owner's debt never hangs on another's house.
 */
import { z } from 'zod';
import { Auction } from '../../models/marts/auctions.ts';
import { Deal } from '../../models/marts/deals.ts';
import { Signal } from '../../models/marts/signals.ts';
import type { AddressParts } from '../addresses.ts';
import { noteOf, Where } from '../list.ts';
import { stateParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';
import { Problem } from '../problem.ts';
import { defineRoute, type Asked } from '../route.ts';
import type { Snapshot } from '../snapshot.ts';
import type { TableName } from '../tables.ts';
import { standing } from './signals.ts';

/** From the surest to the weakest. */
const BASES = ['apn_exact', 'address_exact', 'address_range', 'address_without_unit'] as const;
type Basis = (typeof BASES)[number];
const basis = z.enum(BASES);

const params = {
  address: textParam('Street address with its house number; city, state and ZIP may follow after commas.'),
  apn: textParam('Parcel number; spaces and dashes are ignored. Matches signals and auctions alone: listings carry no parcel number.'),
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
  generated_at: z.iso.datetime(), as_of: z.iso.date(), snapshot_id: z.string(),
});

/** An address as asked for, taken apart: what stands after the street narrows the search. */
interface Place { readonly street: string; readonly city?: string; readonly state?: string; readonly zip?: string }

const UNIT = /^(?:#|(?:apartment|apt|unit|suite|ste|room|rm|no|floor|fl|building|bldg|lot)\b)/iu;

/** "12 Main St, Apt 4, Akron, OH 44301" as street "12 Main St Apt 4", city, state and ZIP. */
export function placeOf(address: string): Place {
  const [first = '', ...rest] = address.split(',').map((s) => s.trim()).filter((s) => s !== '');
  const street = [first, ...(rest[0] !== undefined && UNIT.test(rest[0]) ? [rest.shift() ?? ''] : [])].join(' ');
  let tail = rest.join(' ');
  const zip = /(\d{5})(?:-\d{4})?$/u.exec(tail);
  if (zip) tail = tail.slice(0, zip.index).trim();
  const state = /(?:^|\s)([A-Za-z]{2})$/u.exec(tail);
  if (state) tail = tail.slice(0, state.index).trim();
  return {
    street, ...(tail === '' ? {} : { city: tail }), ...(state?.[1] === undefined ? {} : { state: state[1].toUpperCase() }), ...(zip?.[1] === undefined ? {} : { zip: zip[1] }),
  };
}

const parcelOf = (apn: string): string => apn.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** Rows of a table at these parts of an address, each with the basis it was matched on. */
function atAddress(where: Where, { address_key, street_key, house_low, house_high, unit_key }: AddressParts): Where {
  where.values.push(address_key, street_key, house_low, house_high, unit_key);
  const n = where.values.length - 4;
  const [key, street, low, high, unit] = [`$${n}`, `$${n + 1}`, `CAST($${n + 2} AS INTEGER)`, `CAST($${n + 3} AS INTEGER)`, `CAST($${n + 4} AS VARCHAR)`];
  return where.only(`address_key = ${key}
    OR street_key = ${street} AND unit_key IS NOT DISTINCT FROM ${unit} AND house_low <= ${high} AND house_high >= ${low}
      AND house_low % 2 = ${low} % 2 AND (house_high > house_low OR ${high} > ${low})
    OR street_key = ${street} AND house_low = ${low} AND house_high = ${high} AND (unit_key IS NULL) <> (${unit} IS NULL)`);
}

/** Rows in this city or ZIP. Where both are asked for, a county that prints only one of them is told by that one. */
function inPlace(where: Where, city: string | undefined, zip: string | undefined): Where {
  if (city === undefined || zip === undefined) return where.when('lower(city) = lower(?)', city).when('zip = ?', zip);
  where.values.push(city, zip);
  const [asCity, asZip] = [`lower($${where.values.length - 1})`, `$${where.values.length}`];
  return where.only(`zip = ${asZip} AND (city IS NULL OR lower(city) = ${asCity}) OR zip IS NULL AND lower(city) = ${asCity}`);
}

const basisOf = (row: Readonly<Record<string, unknown>>, parts: AddressParts): Basis => {
  if (row['address_key'] === parts.address_key) return 'address_exact';
  return row['unit_key'] === parts.unit_key ? 'address_range' : 'address_without_unit';
};

const MOST_ROWS = 100;

async function find(asked: Asked<typeof params>, place: Place | null, parts: AddressParts | null) {
  const { snapshot, params: p } = asked;
  const apn = p.apn ?? p.parcel;
  const [city, state] = [p.city ?? place?.city, p.state ?? place?.state];
  const search = async (table: TableName, base: Where, withParcel: boolean): Promise<Record<string, unknown>[]> => {
    if (parts === null && !withParcel) return [];
    const where = inPlace(base, city, place?.zip).when('state = ?', state);
    if (parts) atAddress(where, parts);
    if (withParcel && apn !== undefined) where.add("? IN (parcel_key, regexp_replace(upper(parcel_id), '[^A-Z0-9]', '', 'g'))", parcelOf(apn));
    const rows = await snapshot.records(table, `SELECT * FROM ${table}${where} ORDER BY id LIMIT ${MOST_ROWS}`, where.values);
    return rows.map((row) => ({ ...row, match_basis: withParcel && apn !== undefined ? 'apn_exact' : parts ? basisOf(row, parts) : 'apn_exact' }))
      .sort((a, b) => BASES.indexOf(a.match_basis as Basis) - BASES.indexOf(b.match_basis as Basis));
  };
  return { listings: await search('deals', new Where(), false), signals: await search('signals', standing(), true), auctions: await search('auctions', new Where(), true) };
}

async function coverageOf(snapshot: Snapshot): Promise<z.input<typeof Coverage>> {
  const counties = async (family: string) => (await snapshot.records('sources',
    'SELECT * FROM sources WHERE family = $1 AND county IS NOT NULL AND last_good_at IS NOT NULL ORDER BY county', [family]))
    .map((r) => ({ county: String(r['county']), last_good_at: String(r['last_good_at']) }));
  const cities = (await snapshot.rows('SELECT count(DISTINCT (lower(city), state)) AS n FROM deals'))[0]?.['n'];
  return {
    note: 'Tax delinquency and sheriff sales are known for these counties alone. That nothing is found elsewhere says nothing of the property. Some counties print no city and some no ZIP: give both and their rows are found too.',
    listing_cities: Number(cities), tax_delinquency: await counties('tax'), sheriff_sales: await counties('sheriff'),
  };
}

export const lookup = defineRoute({
  path: '/api/lookup', price: PRICES['/api/lookup'],
  about: 'Listings, tax-delinquency signals and sheriff sales of one street address or parcel.',
  params, reply: Lookup,
  async check({ params: p, snapshot }) {
    if (p.apn !== undefined && p.parcel !== undefined) throw new Problem('repeated_parameter', 'parcel is another name of apn; give one of them.', { field: 'parcel' });
    const apn = p.apn ?? p.parcel;
    if (p.address === undefined && apn === undefined) throw new Problem('missing_parameter', 'Give address or apn.', { field: 'address', accepted: ['address', 'apn', 'parcel'] });
    if (apn !== undefined && parcelOf(apn) === '') {
      throw new Problem('invalid_parameter', 'A parcel number has letters or digits.', { field: p.apn === undefined ? 'parcel' : 'apn', value: apn, accepted: ['a parcel number such as 101-22-045'] });
    }
    if (p.address !== undefined && (await snapshot.normalise(placeOf(p.address).street)) === null) {
      throw new Problem('invalid_parameter', 'No house number and street can be told from this address.', { field: 'address', value: p.address, accepted: ['a street address such as 912 Main St, Akron, OH 44301'] });
    }
  },
  async handle(asked) {
    const { snapshot, manifest, params: p } = asked;
    const place = p.address === undefined ? null : placeOf(p.address);
    const parts = place === null ? null : await snapshot.normalise(place.street);
    const found = await find(asked, place, parts);
    const rows = [...found.listings, ...found.signals, ...found.auctions];
    const coverage = await coverageOf(snapshot);
    const query = { ...p };
    if (rows.length === 0) {
      throw new Problem('no_matches', 'No listing, signal or auction is known at this address or parcel. Nothing was charged.',
        { filters: query, understood_as: parts?.address_key ?? null, coverage, as_of: manifest.as_of, snapshot_id: snapshot.id });
    }
    return {
      ...noteOf(manifest), query, understood_as: parts?.address_key ?? null,
      match_basis: BASES.find((b) => rows.some((r) => r['match_basis'] === b)),
      count: rows.length, ...found, coverage,
      generated_at: manifest.generated_at, as_of: manifest.as_of, snapshot_id: snapshot.id,
    };
  },
});
