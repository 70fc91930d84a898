/**
 * Multiple listing services (MLS) by the RESO Web API (OData 4, transport.reso.org). The API is open; the data need a
 * license from the MLS, which comes with a client id and secret.
 *
 * A read replicates all listings on the market in the order of ModificationTimestamp: a listing that changes during the
 * read comes again at the end, and the later version counts. Pages are followed by `@odata.nextLink`, or from the last
 * timestamp if a server sends no link with rows left. The rows read must reach the count that the server states.
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
import { isObject, parseJson, type JsonObject } from '../json.ts';
import { candidate, optional, refuse, required } from '../values.ts';
import { availabilityOf, listingValues, webUrl } from './listing_values.ts';

export interface ResoFeed extends Pick<
  SourceSpec,
  'name' | 'title' | 'home' | 'terms' | 'everyDays' | 'politeness' | 'expect'
> {
  /** Root of the OData service, without a slash at its end. */
  readonly service: string;
  /** OAuth 2.0 token endpoint. */
  readonly tokenUrl: string;
  readonly scope?: string;
  /** Names of the settings that hold the client id and the client secret. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The feed's StandardStatus values of listings on the market. */
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

const PAGE_SIZE = 200;
/** Ends a read whose pages link in a circle. */
const MAX_PAGES = 2000;

interface FeedPage {
  readonly rows: readonly unknown[];
  /** Number of rows of the whole query, if the server states it. */
  readonly total: number | null;
  readonly next: string | null;
}

/** @throws Quarantine if the page is not one of the feed */
function readPage(page: Page): FeedPage {
  const text = page.text();
  if (!text.trim()) throw new Quarantine('empty_body', 'the response is empty', page.url);
  const body = parseJson(text, 'the response', page.url);
  if (!isObject(body) || !Array.isArray(body.value)) {
    const object = isObject(body) ? body : {};
    const found = 'error' in object ? JSON.stringify(object.error) : Object.keys(object).join(', ') || 'nothing';
    throw new Quarantine('template_changed', `the response has no array "value"; it has ${found}`, page.url);
  }
  const rows: readonly unknown[] = body.value;
  if (rows.length > 0 && !rows.some((row) => isObject(row) && 'ListingKey' in row && 'StandardStatus' in row))
    throw new Quarantine(
      'template_changed',
      `none of the ${rows.length} rows has ListingKey and StandardStatus`,
      page.url,
    );
  const { '@odata.count': total, '@odata.nextLink': next } = body;
  return { rows, total: typeof total === 'number' ? total : null, next: typeof next === 'string' ? next : null };
}

/** Address of the query, optionally from a timestamp on. */
function queryUrl(feed: ResoFeed, from: string | null): string {
  const statuses = feed.onMarket.map((word) => `StandardStatus eq '${word}'`).join(' or ');
  const since = from === null ? '' : ` and ModificationTimestamp ge ${from}`;
  const query = new URLSearchParams({
    $filter: `PropertyType eq 'Residential Income' and (${statuses})${since}`,
    $select: FIELDS.join(','),
    $orderby: 'ModificationTimestamp,ListingKey',
    $top: String(PAGE_SIZE),
    $count: 'true',
  });
  return `${feed.service}/Property?${query.toString().replaceAll('+', '%20')}`;
}

/** Client credentials for the feed. @throws SourceUnavailable naming a setting that is not set */
function grantOf(ctx: FetchContext, feed: ResoFeed): NonNullable<GetOptions['grant']> {
  const setting = (name: string): string => {
    const value = ctx.secret(name);
    if (value !== undefined) return value;
    throw new SourceUnavailable(
      'refused',
      `${name} is not set. The feed needs a client id and secret, which come with the license from the MLS`,
      feed.home,
    );
  };
  return {
    tokenUrl: feed.tokenUrl,
    id: setting(feed.clientId),
    secret: setting(feed.clientSecret),
    ...(feed.scope === undefined ? {} : { scope: feed.scope }),
  };
}

/** Pages of the feed. @throws Quarantine count_mismatch if they hold fewer listings than the server states */
async function* replicate(ctx: FetchContext, feed: ResoFeed): AsyncGenerator<Page> {
  const grant = grantOf(ctx, feed);
  const keys = new Set<string>();
  const visited = new Set<string>();
  let total: number | null = null;
  let url: string | null = queryUrl(feed, null);
  while (url !== null) {
    if (visited.has(url) || visited.size >= MAX_PAGES)
      throw new Quarantine('count_mismatch', `the feed links in a circle or has more than ${MAX_PAGES} pages`, url);
    visited.add(url);
    const page: Page = await ctx.get(url, { kind: 'property', accept: 'application/json', grant });
    const read = readPage(page);
    total ??= read.total;
    const before = keys.size;
    for (const row of read.rows) {
      if (isObject(row)) keys.add(String(row.ListingKey));
    }
    yield page;
    if (read.next !== null) url = new URL(read.next, page.url).href;
    else {
      const last: unknown = read.rows.at(-1);
      const stamp: unknown = isObject(last) ? last.ModificationTimestamp : undefined;
      // A server may limit the result and send no link to the rest.
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
      `the feed states ${total} listings, its pages hold ${keys.size}`,
      queryUrl(feed, null),
    );
}

function rowCandidate(row: JsonObject, page: Page, feed: ResoFeed): Candidate {
  const id = typeof row.ListingKey === 'string' || typeof row.ListingKey === 'number' ? optional(row.ListingKey) : null;
  return candidate(
    JSON.stringify(row),
    () => {
      // A server may omit blank fields. A missing field and an unknown one in the same row mean a renamed field.
      const missing = FIELDS.find((field) => !(field in row));
      const unknown = Object.keys(row).find(
        (field) => !field.startsWith('@') && !(FIELDS as readonly string[]).includes(field),
      );
      if (missing !== undefined && unknown !== undefined)
        refuse('renamed_field', `the row has no ${missing} and has ${unknown}, which is not in the query`);
      const listing_id = required('ListingKey', row.ListingKey);
      const availability = availabilityOf(row.StandardStatus);
      if (availability === 'unknown' || !feed.onMarket.some((word) => availabilityOf(word) === availability))
        refuse(
          'unexpected_standing',
          `StandardStatus is ${JSON.stringify(row.StandardStatus)}, expected one of ${feed.onMarket.join(', ')}`,
        );
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
        isObject(row)
          ? rowCandidate(row, page, feed)
          : {
              reject: { reason: 'not_an_object', detail: `a row is ${JSON.stringify(row)}, expected an object` },
              raw: JSON.stringify(row) ?? 'undefined',
            },
      ),
  });
}
