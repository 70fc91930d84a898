/** GET /api/lookup: the listings, tax signals and sheriff sales of one address or parcel. */
import { z } from 'zod';
import { Auction } from '../../../models/marts/auctions.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { Signal } from '../../../models/marts/signals.ts';
import { Problem } from '../../http/problem.ts';
import type { AddressParts } from '../../snapshot/addresses.ts';
import { Filters } from '../../snapshot/filters.ts';
import { JsonText } from '../../snapshot/json_text.ts';
import { cachePerSnapshot } from '../../snapshot/memo.ts';
import { defineRoute, type RouteRequest } from '../define.ts';
import { noteOf } from '../list_route.ts';
import { stateParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';
import { currentSignals } from '../signals.ts';
import { countiesOf } from './counties.ts';
import { BASES, BASIS_NOTE, findMatches, type Match } from './matches.ts';
import { parcelKeyOf, placeOf } from './place.ts';

const params = {
  address: textParam('Street address with its house number; city, state and ZIP may follow after commas.'),
  apn: textParam(
    'Parcel number; spaces and dashes are ignored. Matches signals and auctions only: listings have no parcel number.',
  ),
  parcel: textParam('Alias for apn.'),
  city: textParam('City, full name, ignoring case.'),
  state: stateParam('State.'),
};

const basis = z.enum(BASES).describe(BASIS_NOTE);

const Coverage = z.strictObject({
  note: z.string(),
  listing_cities: z.int(),
  tax_delinquency: z.array(z.strictObject({ county: z.string(), last_good_at: z.iso.datetime() })),
  sheriff_sales: z.array(z.strictObject({ county: z.string(), last_good_at: z.iso.datetime() })),
});

const Lookup = z.strictObject({
  note: z.string().optional(),
  query: z.record(z.string(), z.unknown()),
  /** The address in normalized form. */
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

type LookupRequest = RouteRequest<typeof params>;

async function findRecords({ snapshot, params: p }: LookupRequest, parts: AddressParts | null) {
  const place = p.address === undefined ? null : placeOf(p.address);
  const apn = p.apn ?? p.parcel;
  const parcel = apn === undefined ? null : parcelKeyOf(apn);
  const [city, state] = [p.city ?? place?.city, p.state ?? place?.state];
  const here = (filters: Filters): Filters => filters.and('state', '=', state);
  const wanted = { city, zip: place?.zip };
  const key = { parts, place: { ...wanted, counties: await countiesOf(snapshot, wanted) } };
  const [listings, signals, auctions] = await Promise.all([
    // Listings have no parcel number.
    findMatches(snapshot, here(new Filters('deals')), { ...key, parcel: null }),
    findMatches(snapshot, here(currentSignals()), { ...key, parcel }),
    findMatches(snapshot, here(new Filters('auctions')), { ...key, parcel }),
  ]);
  return { listings, signals, auctions };
}

const coverageOf = cachePerSnapshot(async (snapshot): Promise<z.input<typeof Coverage>> => {
  const counties = async (family: string) => {
    const rows = await snapshot.records(
      'sources',
      'WHERE family = $1 AND county IS NOT NULL AND last_good_at IS NOT NULL ORDER BY county',
      [family],
    );
    return rows.map((r) => ({ county: String(r['county']), last_good_at: String(r['last_good_at']) }));
  };
  const [cities] = await snapshot.rows('SELECT count(DISTINCT (lower(city), state)) AS n FROM deals');
  return {
    note:
      'Tax delinquency and sheriff sales are read for these counties only; for any other county, no match says ' +
      'nothing about the property. Some counties publish no city, some no ZIP and some neither: give both. A match ' +
      'basis with _place_unknown is a record of which only the county is known; it may be of another town.',
    listing_cities: Number(cities?.['n']),
    tax_delinquency: await counties('tax'),
    sheriff_sales: await counties('sheriff'),
  };
});

export const lookup = defineRoute({
  path: '/api/lookup',
  price: PRICES['/api/lookup'],
  about: 'Listings, tax-delinquency signals and sheriff sales of one street address or parcel.',
  params,
  response: Lookup,
  async check({ params: p, snapshot }) {
    if (p.apn !== undefined && p.parcel !== undefined)
      throw new Problem('repeated_parameter', 'parcel is an alias for apn; give one of them.', { field: 'parcel' });
    const apn = p.apn ?? p.parcel;
    if (p.address === undefined && apn === undefined)
      throw new Problem('missing_parameter', 'Give address or apn.', {
        field: 'address',
        accepted: ['address', 'apn', 'parcel'],
      });
    if (apn !== undefined && parcelKeyOf(apn) === '') {
      throw new Problem('invalid_parameter', 'A parcel number has letters or digits.', {
        field: p.apn === undefined ? 'parcel' : 'apn',
        value: apn,
        accepted: ['a parcel number such as 101-22-045'],
      });
    }
    if (p.address !== undefined && (await snapshot.normalize(placeOf(p.address).street)) === null) {
      throw new Problem('invalid_parameter', 'This address has no house number with a street.', {
        field: 'address',
        value: p.address,
        accepted: ['a street address such as 912 Main St, Akron, OH 44301'],
      });
    }
  },
  async handle(request) {
    const { snapshot, manifest, params: p } = request;
    const parts = p.address === undefined ? null : await snapshot.normalize(placeOf(p.address).street);
    const found = await findRecords(request, parts);
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
