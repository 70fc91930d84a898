/**
 * Multiple listing services (MLS) by the RESO Web API (OData 4, transport.reso.org). The API is open; the data need a
 * license from the MLS, which comes with a token or with a client id and secret.
 *
 * A feed is a declaration: its server (a preset of server.ts, changed where the MLS differs), its terms and what to
 * expect. A read asks for all listings on the market; deleted ones are absent. ListingURL does not exist in Data
 * Dictionary 1.7: the page of such a listing is its record's address in the feed.
 */
import { queryUrl, type ResoServer } from './server.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type GetOptions,
  type Page,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../../contract.ts';
import { parseJson } from '../../bodies.ts';
import { declaredType, hasDeclaredSubtype, isLeftOut, rowCandidate } from './rows.ts';
import { Listing } from '../../rows/listing.ts';

/** Maximum number of pages, because pages may link in a circle. */
const MAX_PAGES = 2000;
/** With fewer rows, a page may lack a field because all of them leave it blank. */
const ENOUGH_ROWS = 5;
/** Among this many rows of a type, at least one has a declared subtype, unless the feed uses other words. */
const ENOUGH_OF_A_TYPE = 100;

/** Fields of every listing; of each group, one field is enough. */
const EVERY_LISTING = [
  ['PropertyType'],
  ['ListPrice'],
  ['City'],
  ['StateOrProvince'],
  ['PostalCode'],
  ['UnparsedAddress', 'StreetName'],
] as const;

/** @throws Quarantine template_changed if no row has a field of every listing: the server renamed it */
function checkFields(rows: readonly unknown[], pageUrl: string): void {
  const hasAny = (fields: readonly string[]): boolean =>
    rows.some((row) => isObject(row) && fields.some((field) => field in row));
  const missing =
    rows.length > 0 && !rows.some((row) => isObject(row) && 'ListingKey' in row && 'StandardStatus' in row)
      ? ['ListingKey and StandardStatus']
      : rows.length >= ENOUGH_ROWS
        ? EVERY_LISTING.find((fields) => !hasAny(fields))
        : undefined;
  if (missing === undefined) return;
  throw new Quarantine('template_changed', `none of the ${rows.length} rows has ${missing.join(' or ')}`, pageUrl);
}

/** The rows, and of the whole query their number if the server states it. @throws Quarantine if it is no page of it */
function readPage(page: Page) {
  const text = page.text();
  if (!text.trim()) throw new Quarantine('empty_body', 'the response is empty', page.url);
  const body = parseJson(text, 'the response', page.url);
  if (!isObject(body) || !Array.isArray(body.value)) {
    const object = isObject(body) ? body : {};
    const found = 'error' in object ? JSON.stringify(object.error) : Object.keys(object).join(', ') || 'nothing';
    throw new Quarantine('template_changed', `the response has no array "value"; it has ${found}`, page.url);
  }
  const rows: readonly unknown[] = body.value;
  checkFields(rows, page.url);
  const { '@odata.count': total, '@odata.nextLink': next } = body;
  return { rows, total: typeof total === 'number' ? total : null, next: typeof next === 'string' ? next : null };
}

/** The next page's address. A server may add the token to it, which the archive must not hold. */
function parseNextLink(next: string, page: Page): string {
  if (!URL.canParse(next, page.url))
    throw new Quarantine(
      'template_changed',
      `@odata.nextLink is ${JSON.stringify(next)}, expected an address`,
      page.url,
    );
  const url = new URL(next, page.url);
  if (url.searchParams.has('access_token')) url.searchParams.delete('access_token');
  return url.href;
}

/** The last row's ModificationTimestamp in UTC, or null if it has none. */
function lastInstant(rows: readonly unknown[]): string | null {
  const last = rows.at(-1);
  const at = isObject(last) ? Date.parse(String(last.ModificationTimestamp)) : NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** Counts rows by property type, to find a feed whose words for a subtype are not the declared ones. */
class SubtypeCount {
  readonly #server: ResoServer;
  readonly #counts = new Map<
    string,
    {
      rows: number;
      declared: number;
      words: Set<string>;
    }
  >();

  constructor(server: ResoServer) {
    this.#server = server;
  }

  add(row: JsonObject): void {
    const type = declaredType(row, this.#server);
    if (type?.subtypes === undefined) return;
    const count = this.#counts.get(type.type) ?? { rows: 0, declared: 0, words: new Set() };
    count.rows += 1;
    if (hasDeclaredSubtype(row, type)) count.declared += 1;
    else count.words.add(String(row.PropertySubType));
    this.#counts.set(type.type, count);
  }

  /** @throws Quarantine template_changed if a type has many rows and none of a declared subtype */
  check(pageUrl: string): void {
    for (const [type, { rows, declared, words }] of this.#counts) {
      if (rows < ENOUGH_OF_A_TYPE || declared > 0) continue;
      throw new Quarantine(
        'template_changed',
        `none of the ${rows} listings of type ${type} has a declared subtype; they have ` +
          `${[...words].slice(0, 12).join(', ')}. Declare the feed's word for buildings of five and more units, ` +
          `or remove the type`,
        pageUrl,
      );
    }
  }
}

/** The page, with advice if the server does not understand the query. */
async function getPage(ctx: FetchContext, url: string, auth: Pick<GetOptions, 'grant' | 'headers'>): Promise<Page> {
  try {
    return await ctx.get(url, { kind: 'property', accept: 'application/json', ...auth });
  } catch (error) {
    if (!(error instanceof SourceUnavailable) || error.status !== 400) throw error;
    throw new SourceUnavailable(
      error.reason,
      'the server responded with 400: it does not understand the query. If it lacks a field, add it to `lacks` in ' +
        "the feed's source.ts; if it spells a type or status otherwise, change `types` or `onMarket`",
      error.pageUrl,
      error.status,
    );
  }
}

/**
 * Pages of the feed. Follows `@odata.nextLink`; without one, or beyond the rows that a query can page through, the read
 * continues from the last timestamp if the rows are in that order.
 * @throws Quarantine count_mismatch if they hold fewer listings than the server states
 */
async function* replicate(
  ctx: FetchContext,
  declared: ResoServer,
  auth: Pick<GetOptions, 'grant' | 'headers'>,
): AsyncGenerator<Page> {
  const server = { ...declared, pageSize: ctx.sampleRows ?? declared.pageSize };
  const keys = new Set<string>();
  const visited = new Set<string>();
  const subtypes = new SubtypeCount(server);
  const first = queryUrl(server, null);
  let total: number | null = null;
  let rowsOfQuery = 0;
  let url: string | null = first;
  while (url !== null) {
    if (visited.has(url) || visited.size >= MAX_PAGES)
      throw new Quarantine('count_mismatch', `the feed links in a circle or has more than ${MAX_PAGES} pages`, url);
    visited.add(url);
    const page: Page = await getPage(ctx, url, auth);
    const read = readPage(page);
    total ??= read.total;
    const before = keys.size;
    for (const row of read.rows.filter(isObject)) {
      if (!keys.has(String(row.ListingKey))) subtypes.add(row);
      keys.add(String(row.ListingKey));
    }
    yield page;
    rowsOfQuery += read.rows.length;
    const isAtLimit = server.maxRows !== undefined && rowsOfQuery + server.pageSize > server.maxRows;
    const hasMore = read.next !== null || (total !== null && keys.size < total);
    const since: string | null = server.order === 'unknown' || !hasMore ? null : lastInstant(read.rows);
    if (read.next !== null && !(isAtLimit && since !== null)) url = parseNextLink(read.next, page);
    else if (since !== null && keys.size > before) {
      url = queryUrl(server, since);
      rowsOfQuery = 0;
    } else url = null;
  }
  if (total !== null && keys.size < total)
    throw new Quarantine('count_mismatch', `the feed states ${total} listings, its pages hold ${keys.size}`, first);
  if (total !== null) ctx.states(total);
  subtypes.check(first);
}

interface ResoFeed extends Pick<SourceSpec, 'name' | 'title' | 'home' | 'terms' | 'everyDays' | 'expect'> {
  readonly server: ResoServer;
}

/** Settings that hold the feed's secrets: <NAME>_TOKEN, or <NAME>_CLIENT_ID and <NAME>_CLIENT_SECRET. */
const secretsOf = ({ name, server }: ResoFeed): readonly string[] =>
  (server.auth === 'token' ? ['TOKEN'] : ['CLIENT_ID', 'CLIENT_SECRET']).map(
    (secret) => `${name.toUpperCase()}_${secret}`,
  );

/** How requests are authorized. @throws SourceUnavailable naming a setting that is not set */
function requireCredentials(ctx: FetchContext, feed: ResoFeed): Pick<GetOptions, 'grant' | 'headers'> {
  const { auth } = feed.server;
  const values = secretsOf(feed).map((name) => {
    const value = ctx.secret(name);
    if (value !== undefined) return value;
    const comesWith = auth === 'token' ? 'an access token' : 'a client id and secret';
    throw new SourceUnavailable(
      'refused',
      `${name} is not set. The feed needs ${comesWith}, which comes with the license from the MLS`,
      feed.home,
    );
  });
  const [first = '', second = ''] = values;
  return auth === 'token'
    ? { headers: { authorization: `Bearer ${first}` } }
    : { grant: { ...auth, id: first, secret: second } };
}

/** An adapter for one MLS. */
export function resoWebApi(feed: ResoFeed): SourceSpec {
  const { server } = feed;
  const addresses = server.auth === 'token' ? [server.service] : [server.service, server.auth.tokenUrl];
  return defineSource({
    ...feed,
    family: 'listings',
    hosts: [...new Set(addresses.map((address) => new URL(address).host))],
    row: Listing,
    secrets: secretsOf(feed),
    fetch: (ctx) => replicate(ctx, server, requireCredentials(ctx, feed)),
    parse: (page) =>
      readPage(page).rows.flatMap((row): Candidate[] => {
        if (isObject(row)) return isLeftOut(row, server) ? [] : [rowCandidate(row, server)];
        const raw = JSON.stringify(row) ?? 'undefined';
        return [{ reject: { reason: 'not_an_object', detail: `a row is ${raw}, expected an object` }, raw }];
      }),
  });
}
