/** GET /api/count/{list}: how many records of a paid list match coarse filters. Free. */
import { z } from 'zod';
import { Problem } from '../../http/problem.ts';
import { auctions } from '../auctions.ts';
import { deals } from '../deals.ts';
import { defineRoute, type Route, type RouteRequest } from '../define.ts';
import { filings } from '../filings/filings.ts';
import { leads } from '../leads/leads.ts';
import type { ListRoute } from '../list/route.ts';
import { noteOf, PUBLISHED, publishedOf } from '../envelope.ts';
import { owners } from '../owners.ts';
import { choiceParam, readParams, readValue, type Params } from '../params.ts';
import { signals } from '../signals.ts';
import { COARSE, coarseCount, coarseFiltersOf, MIN_SCORE, RangeSchema, SCORE_STEPS } from './coarse.ts';

/** Lists that are counted. The description of a filter is that of the first list that takes it. */
export const LISTS = { signals, auctions, leads, deals, owners, filings } as const satisfies Record<string, ListRoute>;
export type ListName = keyof typeof LISTS;
const LIST_NAMES = Object.keys(LISTS) as [ListName, ...ListName[]];

export const coarseParams: Params = Object.fromEntries(
  COARSE.flatMap((name) => {
    const schema = LIST_NAMES.map((list) => LISTS[list].params[name]).find((found) => found !== undefined);
    return schema ? [[name, schema]] : [];
  }),
);

const listParam = choiceParam(
  LIST_NAMES,
  `Name of a list, with the filters that it takes: ${LIST_NAMES.map(
    (name) => `${name} (${coarseFiltersOf(LISTS[name]).join(', ')})`,
  ).join(', ')}.`,
);

/** The query of the paid call with the same filters. @throws Problem unknown_parameter if one is not known */
export function paidQuery(
  params: Readonly<Record<string, unknown>>,
  known: readonly string[],
  subject: string,
): string {
  const unknown = Object.keys(params).find((given) => !known.includes(given));
  if (unknown !== undefined)
    throw new Problem('unknown_parameter', `${subject} takes no ${unknown}. Known: ${known.join(', ')}.`, {
      field: unknown,
      accepted: known,
    });
  const given = known.flatMap((filter) => (params[filter] === undefined ? [] : [[filter, String(params[filter])]]));
  return new URLSearchParams(given).toString();
}

/**
 * The list of a request, and the request with the parameters of the paid call.
 * @throws Problem if the list or one of its filters is invalid
 */
function readPaidQuery(request: RouteRequest<Params>) {
  const name = readValue('list', listParam, request.path['list'] ?? '');
  const route: ListRoute = LISTS[name];
  const query = paidQuery(request.params, coarseFiltersOf(route), `A count of ${name}`);
  return { name, route, query, paid: { ...request, params: readParams(route.params, query) } };
}

const NOTE =
  'A range with fixed bounds, over the records of the snapshot. The paid call has the exact total; without a match ' +
  'it is 404 and free.';
const LEADS_NOTE =
  'A lead that was sold after generated_at is counted until the next snapshot, so that no count shows a sale.';

const Count = z.strictObject({
  note: z.string(),
  list: z.enum(LIST_NAMES),
  matches: RangeSchema.meta({ description: 'Range of the number of matching records. 0 to 0: none matches.' }),
  paid_call: z
    .strictObject({ url: z.url(), price: z.string() })
    .meta({ description: 'The list with the same filters, and its price.' }),
  ...PUBLISHED,
  filters: z.record(z.string(), z.unknown()),
});

/** Counts of every list that is sold. */
export const count = ({ publicUrl }: { readonly publicUrl: string }): Route =>
  defineRoute({
    name: 'count',
    path: '/api/count/:list',
    price: null,
    about:
      'Free count of the records of a list that match coarse filters: a range with fixed bounds, and the ' +
      'price and URL of the paid call with the same filters.',
    params: { ...coarseParams, [MIN_SCORE]: choiceParam(SCORE_STEPS, 'Minimum deal_score or lead_score.') },
    pathParams: { list: listParam },
    response: Count,
    async check(request) {
      const { route, paid } = readPaidQuery(request);
      await route.check?.(paid);
    },
    async handle(request): Promise<z.input<typeof Count>> {
      const { manifest, params } = request;
      const { name, route, query, paid } = readPaidQuery(request);
      const counted = await coarseCount(route, paid);
      if (!counted) throw new Error(`${query} has a filter that is not coarse`);
      return {
        note: noteOf(manifest, name === 'leads' ? `${NOTE} ${LEADS_NOTE}` : NOTE).note ?? '',
        list: name,
        matches: counted,
        paid_call: { url: `${publicUrl}${route.path}${query && `?${query}`}`, price: `$${route.price}` },
        ...publishedOf(manifest),
        filters: { ...params },
      };
    },
  });
