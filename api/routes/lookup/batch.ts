/**
 * GET /api/lookup/batch: up to 50 addresses for the price of one lookup. The answer ends with the first address that
 * matches. Its price depends on no match, so nobody learns of a match without paying for it.
 */
import { z } from 'zod';
import { Problem, ProblemDocument } from '../../http/problem.ts';
import { JsonText } from '../../serving/json_text.ts';
import type { Snapshot } from '../../serving/open.ts';
import { defineRoute, type RouteRequest } from '../define.ts';
import { noteOf, DATA, dataOf, NOTE, PUBLISHED, publishedOf } from '../envelope.ts';
import { linesParam, stateParam, textParam } from '../params.ts';
import { PRICES } from '../../../lib/prices.ts';
import { Coverage, coverageOf } from './coverage.ts';
import {
  findByReading,
  MatchBasis,
  readingsOf,
  RECORDS,
  recordsOf,
  strongestOf,
  type Found,
  type LookupKey,
} from './matches.ts';
import { placeKey } from '../places.ts';

/** Most addresses of a request. */
const MAX_ADDRESSES = 50;
/** Longest path and query: 50 addresses in full. The Signed-Receipt states a long query by its hash. */
const MAX_URL_LENGTH = 6_000;
/** An address, as the parameter of /api/lookup takes it. */
const READABLE = /^\P{Cc}{1,200}$/u;

const params = {
  addresses: linesParam('Street addresses, each as in /api/lookup, separated by | or line breaks.', MAX_ADDRESSES),
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
  results: z.array(Entry).meta({
    description: 'The addresses up to the first that matches, in the order of the request. Only the last one matches.',
  }),
  remaining: z.array(z.string()).meta({
    description:
      'The addresses after it, which were not looked up, without other forms of the one that matches. Send them in ' +
      'the next call.',
  }),
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
}

const readingsIn = async (
  { snapshot, params: { city, state } }: BatchRequest,
  address: string,
): Promise<LookupKey[]> => (READABLE.test(address) ? readingsOf(snapshot, { address, city, state }) : []);

/** The addresses up to the first that matches. */
async function lookUp(request: BatchRequest): Promise<Result[]> {
  const results: Result[] = [];
  for (const address of request.params.addresses ?? []) {
    const found = findByReading(request.snapshot, await readingsIn(request, address));
    results.push({ ...found, address });
    if (found.matches.length > 0) break;
  }
  return results;
}

/** One text for all forms of an address. */
const formOf = (reading: LookupKey | undefined): string => {
  const { city, zip, state } = reading?.place ?? {};
  return JSON.stringify([reading?.parts?.address_key, city === undefined ? null : placeKey(city), zip, state]);
};

/** The addresses after the one that matches, without its other forms. */
async function remainingOf(request: BatchRequest, results: readonly Result[]): Promise<string[]> {
  const rest = request.params.addresses?.slice(results.length) ?? [];
  const forms = await Promise.all(rest.map(async (address) => formOf((await readingsIn(request, address))[0])));
  return rest.filter((_, i) => forms[i] !== formOf(results.at(-1)?.reading));
}

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
  const { matches } = result;
  return JsonText.of({
    ...addressFieldsOf(result),
    match_basis: strongestOf(matches),
    count: matches.length,
    ...recordsOf(snapshot, matches),
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
  about:
    `Lookup of up to ${MAX_ADDRESSES} addresses for the price of one. It answers with the records of the first that ` +
    'matches, and the addresses that remain.',
  params,
  maxUrlLength: MAX_URL_LENGTH,
  response: Batch,
  miss: Miss,
  questions: ({ addresses = [] }) => addresses.length,
  check({ params: { addresses } }) {
    if (addresses !== undefined) return;
    throw new Problem('missing_parameter', 'Give addresses.', { field: 'addresses', accepted: ['addresses'] });
  },
  async handle(request) {
    const {
      snapshot,
      manifest,
      params: { addresses = [] },
    } = request;
    const results = await lookUp(request);
    if (results.at(-1)?.matches.length === 0) throw await nothingFound(request, results);
    return JsonText.of({
      ...noteOf(manifest),
      asked: addresses.length,
      results: await Promise.all(results.map((result) => entryOf(snapshot, result))),
      remaining: await remainingOf(request, results),
      coverage: await generalCoverageOf(snapshot),
      ...publishedOf(manifest),
    });
  },
});
