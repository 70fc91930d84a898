/**
 * What is known of one address or one parcel. Matching is exact on the normalised address; a range or a missing unit
 * is said in match_basis, and nothing weaker is returned: one owner's debt never hangs on another's house.
 */
import { z } from 'zod';
import { Auction } from '../../models/marts/auctions.ts';
import { Deal } from '../../models/marts/deals.ts';
import { Signal } from '../../models/marts/signals.ts';
import type { AddressParts } from '../addresses.ts';
import type { TableColumns } from '../columns.ts';
import { Filters, type Condition } from '../filters.ts';
import { noteOf } from '../list.ts';
import { oncePerSnapshot } from '../once.ts';
import { stateParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';
import { Problem } from '../problem.ts';
import { JsonText } from '../records.ts';
import { defineRoute, type Asked } from '../route.ts';
import { has } from '../row_sets.ts';
import { TABLES } from '../tables.ts';
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

/** What stands for a unit and not for a city, as models/macros/address.sql has it. "Upper Arlington" is a city, "Upper" is none. */
const UNIT = new RegExp(`^(?:#|(?:${['apartments?', 'apts?', 'units?', 'suite', 'ste', 'room', 'rm', 'building', 'bldg', 'lot', 'trailer', 'trlr', 'space', 'spc', 'dept', 'floor', 'flr', 'fl', 'penthouse', 'ph', 'no'].join('|')})\\b`
  + '|(?:\\d+(?:st|nd|rd|th)|first|second|third) (?:floor|flr|fl)\\b|(?:rear|upper|uppr|up|lower|lowr|down|dn|front|frnt|basement|bsmt)$)', 'iu');

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

/** Rows at these parts of an address, each with the basis it was matched on. */
async function atAddress(columns: TableColumns, parts: AddressParts): Promise<ReadonlyMap<number, Basis>> {
  const [keys, streets, units, lows, highs] = await Promise.all([
    columns.texts('address_key'), columns.texts('street_key'), columns.texts('unit_key'), columns.numbers('house_low'), columns.numbers('house_high'),
  ]);
  const found = new Map<number, Basis>(Array.from(keys.rowsWith(parts.address_key), (row) => [row, 'address_exact']));
  // Comparisons with a number that is none are false: the numbers of a grid, as W156N8480, are in no range.
  const [from, to] = [parts.house_low ?? Number.NaN, parts.house_high ?? Number.NaN];
  for (const row of streets.rowsWith(parts.street_key)) {
    if (found.has(row)) continue;
    const [unit, low, high] = [units.wordOf(row), lows[row] ?? Number.NaN, highs[row] ?? Number.NaN];
    const inRange = low <= to && high >= from && low % 2 === from % 2 && (high > low || to > from);
    if (unit === parts.unit_key && inRange) found.set(row, 'address_range');
    if (low === from && high === to && (unit === null) !== (parts.unit_key === null)) found.set(row, 'address_without_unit');
  }
  return found;
}

/** Rows of this parcel. */
async function ofParcel(columns: TableColumns, apn: string): Promise<ReadonlySet<number>> {
  const [byKey, byId] = [await columns.texts('parcel_key'), await columns.texts("regexp_replace(upper(parcel_id), '[^A-Z0-9]', '', 'g')")];
  return new Set([...byKey.rowsWith(apn), ...byId.rowsWith(apn)]);
}

/** Rows in this city or ZIP. Where both are asked for, a county that prints only one of them is told by that one. */
function inPlace(filters: Filters, city: string | undefined, zip: string | undefined): Filters {
  if (city === undefined || zip === undefined) return filters.like('city', city).and('zip', '=', zip);
  const inCity: Condition = { column: 'city', is: 'like', value: city };
  const inZip: Condition = { column: 'zip', is: '=', value: zip };
  return filters.either(inCity, { column: 'city', is: 'absent' }).either(inZip, { column: 'zip', is: 'absent' }).either(inCity, inZip);
}

const MOST_ROWS = 100;

/** A record and on what it was matched. */
interface Match { readonly basis: Basis; readonly text: Buffer }

const withBasis = (text: Buffer, matchedOn: Basis): Buffer => Buffer.concat([text.subarray(0, -1), Buffer.from(`,"match_basis":${JSON.stringify(matchedOn)}}`)]);

const Identified = z.object({ id: z.string() });

/** Those with the first ids, the surest first. */
function inOrder(matches: readonly Match[]): readonly Match[] {
  // To read a record's id is dearer than all else of a lookup, and most find one.
  if (matches.length < 2) return matches;
  const identified = matches.map((match) => ({ match, id: Identified.parse(JSON.parse(match.text.toString('utf8'))).id }));
  return identified.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MOST_ROWS).map(({ match }) => match).sort((a, b) => BASES.indexOf(a.basis) - BASES.indexOf(b.basis));
}

async function find(asked: Asked<typeof params>, place: Place | null, parts: AddressParts | null) {
  const { snapshot, params: p } = asked;
  const apn = p.apn ?? p.parcel;
  const [city, state] = [p.city ?? place?.city, p.state ?? place?.state];
  const search = async (base: Filters, withParcel: boolean): Promise<readonly Match[]> => {
    const parcel = withParcel && apn !== undefined ? parcelOf(apn) : null;
    const { table } = base;
    const columns = snapshot.columns(table);
    const [address, parcelRows] = [parts && await atAddress(columns, parts), parcel === null ? null : await ofParcel(columns, parcel)];
    if (address === null && parcelRows === null) return [];
    const candidates = [...address?.keys() ?? parcelRows ?? []].filter((row) => parcelRows?.has(row) ?? true);
    if (candidates.length === 0) return [];
    const there = await columns.meeting(inPlace(base, city, place?.zip).and('state', '=', state));
    const rows = candidates.filter((row) => has(there, row));
    const texts = snapshot.texts(table, TABLES[table].columns.map((c) => c.name), rows);
    return inOrder(Array.from(texts, (text, i): Match => {
      const matchedOn = parcelRows ? 'apn_exact' : address?.get(rows[i] ?? -1) ?? 'apn_exact';
      return { basis: matchedOn, text: withBasis(text, matchedOn) };
    }));
  };
  return { listings: await search(new Filters('deals'), false), signals: await search(standing(), true), auctions: await search(new Filters('auctions'), true) };
}

const coverageOf = oncePerSnapshot(async (snapshot): Promise<z.input<typeof Coverage>> => {
  const counties = async (family: string) => (await snapshot.records('sources',
    'SELECT * FROM sources WHERE family = $1 AND county IS NOT NULL AND last_good_at IS NOT NULL ORDER BY county', [family]))
    .map((r) => ({ county: String(r['county']), last_good_at: String(r['last_good_at']) }));
  const cities = (await snapshot.rows('SELECT count(DISTINCT (lower(city), state)) AS n FROM deals'))[0]?.['n'];
  return {
    note: 'Tax delinquency and sheriff sales are known for these counties alone. That nothing is found elsewhere says nothing of the property. Some counties print no city and some no ZIP: give both and their rows are found too.',
    listing_cities: Number(cities), tax_delinquency: await counties('tax'), sheriff_sales: await counties('sheriff'),
  };
});

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
    const matches = [...found.listings, ...found.signals, ...found.auctions];
    const coverage = await coverageOf(snapshot);
    const query = { ...p };
    if (matches.length === 0) {
      throw new Problem('no_matches', 'No listing, signal or auction is known at this address or parcel. Nothing was charged.',
        { filters: query, understood_as: parts?.address_key ?? null, coverage, as_of: manifest.as_of, snapshot_id: snapshot.id });
    }
    const textsOf = (some: readonly Match[]): readonly Buffer[] => some.map(({ text }) => text);
    return JsonText.of({
      ...noteOf(manifest), query, understood_as: parts?.address_key ?? null,
      match_basis: BASES.find((b) => matches.some((m) => m.basis === b)),
      count: matches.length, listings: textsOf(found.listings), signals: textsOf(found.signals), auctions: textsOf(found.auctions), coverage,
      generated_at: manifest.generated_at, as_of: manifest.as_of, snapshot_id: snapshot.id,
    });
  },
});
