/**
 * GET /api/lookup/batch: up to 50 addresses, matched before they are priced. Each address that matches costs the price
 * of one lookup; addresses with the same records cost it once.
 */
import { z } from 'zod';
import { Problem, ProblemDocument } from '../../http/problem.ts';
import { JsonText } from '../../snapshot/json_text.ts';
import type { Snapshot } from '../../snapshot/load.ts';
import { defineRoute, type RouteRequest } from '../define.ts';
import { noteOf, DATA, dataOf, NOTE, PUBLISHED, publishedOf } from '../envelope.ts';
import { linesParam, stateParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';
import { Coverage, coverageOf } from './coverage.ts';
import { findByReading, MatchBasis, readingsOf, RECORDS, recordsOf, strongestOf, type Found } from './matches.ts';

/** Most addresses of a request. */
const MAX_ADDRESSES = 50;
/** Longest path and query: 50 addresses in full. The Signed-Receipt states a long query by its hash. */
const MAX_URL_LENGTH = 6_000;
/** An address, as the parameter of /api/lookup takes it. */
const READABLE = /^\P{Cc}{1,200}$/u;

const params = {
  addresses: linesParam(
    'Street addresses, each as in /api/lookup, separated by | or line breaks. Different forms of one address ' +
      'cost once.',
    MAX_ADDRESSES,
  ),
  city: textParam('City of every address.'),
  state: stateParam('State of every address.'),
};
type BatchRequest = RouteRequest<typeof params>;

const { place, ...general } = Coverage.shape;
const GeneralCoverage = z.strictObject(general);

const addressFields = {
  address: z.string().meta({ description: 'The address as given.' }),
  understood_as: z
    .string()
    .nullable()
    .meta({ description: 'The street address in normalized form. Null when: no house number with a street is read.' }),
};
const reason = z.enum(['no_matches', 'unreadable_address']).meta({
  description: 'unreadable_address: no house number with a street, or more than 200 characters.',
});

const Entry = z.strictObject({
  ...addressFields,
  miss: reason.nullable().meta({ description: 'Reason why nothing matches. Null when: something matches.' }),
  same_as: z
    .int()
    .nullable()
    .meta({
      description:
        'Position, from 0, of the earlier address with the same records: this one is not billed. Null when: it has ' +
        'records of its own, or none.',
    }),
  match_basis: MatchBasis.nullable().meta({
    description: 'The strongest basis of its records. Null when: nothing matches.',
  }),
  count: z.int().min(0),
  ...RECORDS,
  coverage: place,
});

const Batch = z.strictObject({
  note: NOTE.optional(),
  asked: z.int().min(1).meta({ description: 'Number of addresses in the request.' }),
  matched: z.int().min(1).meta({ description: 'Number of addresses that match.' }),
  billed: z.int().min(1).meta({ description: 'Number of addresses that match, without repeats.' }),
  results: z.array(Entry).meta({ description: 'One for each address, in the order of the request.' }),
  coverage: GeneralCoverage,
  ...PUBLISHED,
});

const Miss = ProblemDocument.extend({
  reason: z.enum(['no_matches']),
  results: z.array(z.strictObject({ ...addressFields, miss: reason, coverage: place })),
  coverage: GeneralCoverage,
  ...DATA,
});

/** An address of the request with what it finds. */
interface Result extends Found {
  readonly address: string;
  /** Position of the earlier address with the same records. */
  readonly sameAs: number | null;
}

async function findAll({ snapshot, params: { addresses = [], city, state } }: BatchRequest): Promise<Result[]> {
  const firstWith = new Map<string, number>();
  const results: Result[] = [];
  // Sequential: a batch uses no more connections than one lookup.
  for (const [i, address] of addresses.entries()) {
    const readings = READABLE.test(address) ? await readingsOf(snapshot, { address, city, state }) : [];
    const found = await findByReading(snapshot, readings);
    const records = found.matches
      .map(({ section, id }) => `${section} ${id}`)
      .toSorted()
      .join();
    const first = firstWith.get(records);
    if (first === undefined && records !== '') firstWith.set(records, i);
    results.push({ ...found, address, sameAs: first ?? null });
  }
  return results;
}

/** Results by the parameters of a request, so that its price and its answer use the same matches. */
const found = new WeakMap<BatchRequest['params'], Promise<Result[]>>();
function resultsOf(request: BatchRequest): Promise<Result[]> {
  const results = found.get(request.params) ?? findAll(request);
  found.set(request.params, results);
  return results;
}

const matchedOf = (results: readonly Result[]): Result[] => results.filter(({ matches }) => matches.length > 0);
const billedOf = (results: readonly Result[]): number =>
  matchedOf(results).filter(({ sameAs }) => sameAs === null).length;

/** Fields of every entry about its address. */
const addressFieldsOf = ({ address, reading, matches }: Result) => ({
  address,
  understood_as: reading?.parts?.address_key ?? null,
  miss: reading === undefined ? ('unreadable_address' as const) : matches.length > 0 ? null : ('no_matches' as const),
});

const NOWHERE = { city: undefined, state: undefined, zip: undefined };

async function placeCoverageOf(snapshot: Snapshot, { reading }: Result) {
  return reading === undefined ? null : (await coverageOf(snapshot, reading.place)).place;
}

async function generalCoverageOf(snapshot: Snapshot): Promise<z.input<typeof GeneralCoverage>> {
  const { place: _, ...coverage } = await coverageOf(snapshot, NOWHERE);
  return coverage;
}

async function entryOf(snapshot: Snapshot, result: Result): Promise<Buffer> {
  const { matches, sameAs } = result;
  return JsonText.of({
    ...addressFieldsOf(result),
    same_as: sameAs,
    match_basis: strongestOf(matches),
    count: matches.length,
    ...(await recordsOf(snapshot, matches)),
    coverage: await placeCoverageOf(snapshot, result),
  }).bytes;
}

async function nothingFound({ snapshot, manifest }: BatchRequest, results: readonly Result[]): Promise<Problem> {
  const misses = results.map(async (result) => ({
    ...addressFieldsOf(result),
    coverage: await placeCoverageOf(snapshot, result),
  }));
  return new Problem('no_matches', 'No listing, signal or auction is known at these addresses. Nothing was charged.', {
    results: await Promise.all(misses),
    coverage: await generalCoverageOf(snapshot),
    ...dataOf(manifest),
  });
}

export const lookupBatch = defineRoute({
  name: 'lookup_batch',
  path: '/api/lookup/batch',
  price: PRICES['/api/lookup'],
  units: {
    of: 'address that matches',
    max: MAX_ADDRESSES,
    async count(request) {
      const results = await resultsOf(request);
      const units = billedOf(results);
      if (units === 0) throw await nothingFound(request, results);
      return units;
    },
    unpaidResponses: ({ addresses = [] }) => addresses.length,
  },
  about: `Lookup of up to ${MAX_ADDRESSES} addresses. You pay for the addresses that match; the 402 states the total.`,
  params,
  maxUrlLength: MAX_URL_LENGTH,
  response: Batch,
  miss: Miss,
  check({ params: { addresses } }) {
    if (addresses !== undefined) return;
    throw new Problem('missing_parameter', 'Give addresses.', { field: 'addresses', accepted: ['addresses'] });
  },
  async handle(request) {
    const { snapshot, manifest } = request;
    const results = await resultsOf(request);
    return JsonText.of({
      ...noteOf(manifest),
      asked: results.length,
      matched: matchedOf(results).length,
      billed: billedOf(results),
      results: await Promise.all(results.map((result) => entryOf(snapshot, result))),
      coverage: await generalCoverageOf(snapshot),
      ...publishedOf(manifest),
    });
  },
});
