/**
 * Multiple listing services by the RESO Web API (OData 4, transport.reso.org). The contract is open; the data of an MLS
 * need a licence signed with it, and come with the client id and secret that this adapter asks the operator for.
 *
 * A read replicates every listing that is on the market, in the order of ModificationTimestamp: what changes while the
 * pages are read comes again at their end, and the later version stands. `@odata.nextLink` leads on; where a server
 * stops giving one with rows left, the read goes on from the last timestamp. What has left the market (withdrawn,
 * expired, closed) is missing from the next whole read, as on any other site. The count that the server states is held
 * against the rows read, so that a page lost on the way is not taken for listings gone.
 *
 * Many feeds write 0 for what nobody entered: zero is read as unknown.
 */
import {
  defineSource,
  Quarantine,
  SourceUnavailable,
  type Candidate,
  type FetchContext,
  type GetOptions,
  type Page,
  type SourceSpec,
} from '../contract.ts';
import { Listing } from '../rows/listing.ts';
import { candidate, optional, refuse, required } from '../values.ts';
import { isNode, type Node } from './jsonld.ts';
import { listingValues, standing, webUrl } from './listing_values.ts';

export interface ResoFeed extends Pick<
  SourceSpec,
  'name' | 'title' | 'home' | 'terms' | 'everyDays' | 'politeness' | 'expect'
> {
  /** Root of the OData service, without a slash at its end. */
  readonly service: string;
  /** Where the token is asked for. */
  readonly tokenUrl: string;
  readonly scope?: string;
  /** Settings that hold the client id and the client secret. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The feed's words for standings of listings that are on the market. */
  readonly onMarket: readonly string[];
}

const FIELDS = [
  'ListingKey',
  'ListingId',
  'ListingURL',
  'StandardStatus',
  'PropertyType',
  'PropertySubType',
  'ListPrice',
  'NumberOfUnitsTotal',
  'CapRate',
  'NetOperatingIncome',
  'YearBuilt',
  'UnparsedAddress',
  'City',
  'StateOrProvince',
  'PostalCode',
  'ListingContractDate',
  'ModificationTimestamp',
] as const;

const PER_PAGE = 200;
/** A feed whose links lead in a circle must not be followed for ever. */
const MOST_PAGES = 2000;

interface FeedPage {
  readonly rows: readonly unknown[];
  /** Rows that the whole query has, where the server states it. */
  readonly total: number | null;
  readonly next: string | null;
}

/** A page of the feed. Throws Quarantine where it is none. */
function readPage(page: Page): FeedPage {
  const text = page.text();
  if (!text.trim()) throw new Quarantine('empty_body', 'the answer is empty', page.url);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new Quarantine(
      'malformed_page',
      `the answer is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      page.url,
    );
  }
  if (!isNode(body) || !Array.isArray(body.value)) {
    const said =
      isNode(body) && 'error' in body
        ? JSON.stringify(body.error)
        : Object.keys(isNode(body) ? body : {}).join(', ') || 'nothing';
    throw new Quarantine('template_changed', `the answer has no array named value; it has ${said}`, page.url);
  }
  const rows: readonly unknown[] = body.value;
  if (rows.length > 0 && !rows.some((row) => isNode(row) && 'ListingKey' in row && 'StandardStatus' in row)) {
    throw new Quarantine('template_changed', `none of ${rows.length} rows has ListingKey and StandardStatus`, page.url);
  }
  const { '@odata.count': total, '@odata.nextLink': next } = body;
  return { rows, total: typeof total === 'number' ? total : null, next: typeof next === 'string' ? next : null };
}

/** Address of the query, from a timestamp on where one is given. */
function queryUrl(feed: ResoFeed, from: string | null): string {
  const standings = feed.onMarket.map((word) => `StandardStatus eq '${word}'`).join(' or ');
  const filter = `PropertyType eq 'Residential Income' and (${standings})${from === null ? '' : ` and ModificationTimestamp ge ${from}`}`;
  return `${feed.service}/Property?${new URLSearchParams({
    $filter: filter,
    $select: FIELDS.join(','),
    $orderby: 'ModificationTimestamp,ListingKey',
    $top: String(PER_PAGE),
    $count: 'true',
  })
    .toString()
    .replaceAll('+', '%20')}`;
}

/** What opens the feed. Throws SourceUnavailable, naming the setting that is missing. */
function grantOf(ctx: FetchContext, feed: ResoFeed): NonNullable<GetOptions['grant']> {
  const [id, secret] = [feed.clientId, feed.clientSecret].map(
    (name) =>
      ctx.secret(name) ??
      (() => {
        throw new SourceUnavailable(
          'refused',
          `${name} is not set: the feed opens to a client of the MLS only, by the id and secret that come with its licence`,
          feed.home,
        );
      })(),
  );
  return {
    tokenUrl: feed.tokenUrl,
    id: id ?? '',
    secret: secret ?? '',
    ...(feed.scope === undefined ? {} : { scope: feed.scope }),
  };
}

async function* replicate(ctx: FetchContext, feed: ResoFeed): AsyncGenerator<Page> {
  const grant = grantOf(ctx, feed);
  const keys = new Set<string>();
  const visited = new Set<string>();
  let total: number | null = null;
  let url: string | null = queryUrl(feed, null);
  while (url !== null) {
    if (visited.has(url) || visited.size >= MOST_PAGES)
      throw new Quarantine('count_mismatch', `the feed leads in a circle or beyond ${MOST_PAGES} pages`, url);
    visited.add(url);
    const page: Page = await ctx.get(url, { kind: 'property', accept: 'application/json', grant });
    const read = readPage(page);
    total ??= read.total;
    const before = keys.size;
    for (const row of read.rows) if (isNode(row)) keys.add(String(row.ListingKey));
    yield page;
    if (read.next !== null) url = new URL(read.next, page.url).href;
    else {
      const last: unknown = read.rows.at(-1);
      const stamp: unknown = isNode(last) ? last.ModificationTimestamp : undefined;
      // Without a link a full page may have been cut by the server's own limit.
      url =
        total !== null &&
        keys.size < total &&
        keys.size > before &&
        typeof stamp === 'string' &&
        !Number.isNaN(Date.parse(stamp))
          ? queryUrl(feed, stamp)
          : null;
    }
  }
  if (total !== null && keys.size < total)
    throw new Quarantine(
      'count_mismatch',
      `the feed counts ${total} listings, its pages hold ${keys.size}`,
      queryUrl(feed, null),
    );
}

function rowOf(row: Node, page: Page, feed: ResoFeed): Candidate {
  const id = typeof row.ListingKey === 'string' || typeof row.ListingKey === 'number' ? optional(row.ListingKey) : null;
  return candidate(
    JSON.stringify(row),
    () => {
      // A server may leave out what is blank; another name beside the one that is not there is a renamed field.
      const missing = FIELDS.find((field) => !(field in row));
      const stray = Object.keys(row).find(
        (field) => !field.startsWith('@') && !(FIELDS as readonly string[]).includes(field),
      );
      if (missing !== undefined && stray !== undefined)
        refuse('renamed_field', `the row has no ${missing} and has ${stray}, which was not asked for`);
      const listing_id = required('ListingKey', row.ListingKey);
      const availability = standing(row.StandardStatus);
      if (availability === 'unknown' || !feed.onMarket.some((word) => standing(word) === availability)) {
        refuse(
          'unexpected_standing',
          `StandardStatus is ${JSON.stringify(row.StandardStatus)}, expected one that was asked for: ${feed.onMarket.join(', ')}`,
        );
      }
      const listing_url = webUrl(row.ListingURL, page.url);
      return {
        values: listingValues({
          listing_id,
          listing_url,
          street: row.UnparsedAddress,
          city: row.City,
          state: row.StateOrProvince,
          zip: row.PostalCode,
          list_price: row.ListPrice,
          units: row.NumberOfUnitsTotal,
          cap_rate: row.CapRate,
          noi: row.NetOperatingIncome,
          year_built: row.YearBuilt,
          property_type: optional(row.PropertySubType) ?? row.PropertyType,
          listed_on: row.ListingContractDate,
          availability,
        }),
        sourceUrl: listing_url,
      };
    },
    id === null ? undefined : { listing_id: id },
  );
}

/** An adapter for one MLS. */
export function resoWebApi(feed: ResoFeed): SourceSpec {
  return defineSource({
    name: feed.name,
    family: 'listings',
    title: feed.title,
    home: feed.home,
    terms: feed.terms,
    everyDays: feed.everyDays,
    hosts: [...new Set([new URL(feed.service).host, new URL(feed.tokenUrl).host])],
    politeness: feed.politeness,
    row: Listing,
    expect: feed.expect,
    secrets: [feed.clientId, feed.clientSecret],
    fetch: (ctx) => replicate(ctx, feed),
    parse: (page) =>
      readPage(page).rows.map((row): Candidate =>
        isNode(row)
          ? rowOf(row, page, feed)
          : {
              reject: { reason: 'not_an_object', detail: `a row is ${JSON.stringify(row)}, expected an object` },
              raw: JSON.stringify(row) ?? 'undefined',
            },
      ),
  });
}
