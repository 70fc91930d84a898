/** GET /api/lookup: the listings, signals of distress and sales of one address or parcel. */
import { z } from 'zod';
import { Problem, ProblemDocument } from '../../http/problem.ts';
import { JsonText } from '../../serving/json_text.ts';
import { defineRoute, type RouteRequest } from '../define.ts';
import { noteOf, DATA, dataOf, NOTE, PUBLISHED, publishedOf } from '../envelope.ts';
import { stateParam, textParam } from '../params.ts';
import { PRICES } from '../../../lib/prices.ts';
import { Coverage, coverageOf } from './coverage.ts';
import { findByReading, MatchBasis, readingsOf, RECORDS, recordsOf, strongestOf, type Match } from './matches.ts';
import { parcelKeyOf } from './typed_address.ts';

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
  ...RECORDS,
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

/** The possible readings of a request. */
const readingsFor = ({ params: { parcel, ...params }, snapshot }: RouteRequest<typeof lookupParams>) =>
  readingsOf(snapshot, { ...params, apn: params.apn ?? parcel });

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
    if (params.address !== undefined && (await readingsFor(request)).length === 0) {
      throw new Problem('invalid_parameter', 'This address has no house number with a street.', {
        field: 'address',
        value: params.address,
        accepted: ['a street address such as 912 Main St, Akron, OH 44301'],
      });
    }
  },
  async handle(request) {
    const { snapshot, manifest, params } = request;
    const found = findByReading(snapshot, await readingsFor(request));
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
      match_basis: strongestOf(matches),
      count: matches.length,
      conflict: conflictOf(matches),
      ...recordsOf(snapshot, matches),
      coverage,
      ...publishedOf(manifest),
    });
  },
});
