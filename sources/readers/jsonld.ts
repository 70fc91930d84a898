/**
 * Broker sites with a page for each listing that states it as schema.org JSON-LD. A site is a declaration: where its
 * list starts, and the path of each field in a node of the JSON-LD.
 */
import { load } from 'cheerio/slim';
import { isObject, type JsonObject } from '../../lib/json.ts';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
} from '../contract.ts';
import { parseJson } from '../bodies.ts';
import { Listing } from '../rows/listing.ts';
import { candidate, optional, refuse, required } from '../values.ts';
import { checkPages, isSaved, onSite, resolveLink, savedPages, SkippedPages } from './list_pages.ts';
import { type Availability, listingValues, ownUrl, printedFields, type PrintedField } from './listing_values.ts';
import { agreedMix, bedroomsOfType, mixOfTypes, parseUnitMix, type UnitMix } from './unit_mix.ts';

/** Bedrooms of a plan: a number, or in words such as "Studio". */
function bedroomsOf(plan: Node): number | null {
  const stated = valueAt(plan, 'numberOfBedrooms') ?? valueAt(plan, 'name');
  if (typeof stated === 'number') return Number.isInteger(stated) && stated >= 0 && stated < 10 ? stated : null;
  return typeof stated === 'string' && /^\d$/u.test(stated.trim()) ? Number(stated) : bedroomsOfType(stated);
}

/**
 * The mix of the plans at the first path that has some; null unless each states its bedrooms and its number of units.
 */
function floorPlanMix(node: Node, paths: readonly string[]): UnitMix | null {
  const found = paths.map((path) => rawValueAt(node, path)).find((value) => value !== undefined && value !== null);
  const plans = Array.isArray(found) ? found : found === undefined ? [] : [found];
  if (plans.length === 0 || !plans.every(isObject)) return null;
  return mixOfTypes(
    plans.map((plan) => {
      const count = valueAt(plan, 'numberOfAccommodationUnits');
      return { bedrooms: count === undefined ? null : bedroomsOf(plan), count };
    }),
  );
}

/** One schema.org object. */
type Node = JsonObject;

/** Types of a node, without the vocabulary's address. */
function typesOf(node: Node): string[] {
  const type = node['@type'];
  return (Array.isArray(type) ? type : [type])
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/^https?:\/\/schema\.org\//u, ''));
}

/**
 * Top-level nodes of a page's `application/ld+json` blocks, with arrays and `@graph` flattened.
 * @throws Quarantine empty_body; template_changed if the page has no block; malformed_page if a block is not JSON
 */
function readJsonLd(html: string, pageUrl: string): Node[] {
  if (!html.trim()) throw new Quarantine('empty_body', 'the page is empty', pageUrl);
  const $ = load(html);
  const blocks = $('script[type="application/ld+json"]')
    .toArray()
    .map((script) => $(script).text());
  if (!blocks.length) throw new Quarantine('template_changed', 'the page has no application/ld+json block', pageUrl);
  return blocks.flatMap((block): Node[] => {
    const json = parseJson(block, 'an application/ld+json block', pageUrl);
    return (Array.isArray(json) ? json : [json])
      .filter(isObject)
      .flatMap((node) => (Array.isArray(node['@graph']) ? node['@graph'].filter(isObject) : [node]));
  });
}

/** The first node of a type. @throws Quarantine template_changed, naming the types found */
function nodeOfType(nodes: readonly Node[], type: string, pageUrl: string): Node {
  const node = nodes.find((each) => typesOf(each).includes(type));
  if (node) return node;
  const found = [...new Set(nodes.flatMap(typesOf))].join(', ') || 'none';
  throw new Quarantine('template_changed', `no ${type} in the page's JSON-LD; types found: ${found}`, pageUrl);
}

/** One step into a value. A property may be repeated: the first of an array counts. */
function step(value: unknown, name: string): unknown {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? first[name] : undefined;
}

/**
 * Value at a path such as "about.address.postalCode", or "about.additionalProperty[Cap Rate]" for the PropertyValue of
 * that name. A QuantitativeValue or PropertyValue at the end gives its `value`. Undefined if there is none.
 */
function valueAt(node: Node, path: string): unknown {
  const value = rawValueAt(node, path);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) && 'value' in first ? first.value : first;
}

/** The same as published: all values of a property that is repeated. */
function rawValueAt(node: Node, path: string): unknown {
  let value: unknown = node;
  for (const part of path.split('.')) {
    const [, name = part, property] = /^(.+?)\[(.+)\]$/u.exec(part) ?? [];
    value = step(value, name);
    if (property !== undefined) {
      const named = (Array.isArray(value) ? value : [value]).filter(isObject);
      value = named.find(
        (each) => typeof each.name === 'string' && each.name.trim().toLowerCase() === property.toLowerCase(),
      );
    }
  }
  return value;
}

/** Value at the first of several paths that has one. */
function firstValueAt(node: Node, paths: readonly string[]): unknown {
  for (const path of paths) {
    const value = valueAt(node, path);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Paths into the listing's node (see valueAt); the first with a value counts. */
type ListingPaths = Readonly<
  Record<Exclude<PrintedField, 'annual_taxes'> | 'listing_id' | 'listing_url' | 'currency' | 'availability', Paths> & {
    annual_taxes?: Paths;
    /** A text such as "4x1BR, 4x2BR". */
    unit_mix?: Paths;
    /** A schema.org FloorPlan for each type of unit. */
    floor_plans?: Paths;
  }
>;
type Paths = readonly string[];

/** A list of cards that link to one page per listing; `<link rel="next">` links to the next page of the list. */
interface CardsWithDetails {
  /** First page of the list, relative to the site. */
  readonly start: string;
  /** Selector of the link to a listing's page. */
  readonly card: string;
  /** The listing id in the path of its page: the first group. */
  readonly idInPath: RegExp;
  /** schema.org type of the listing on its page. */
  readonly type: string;
}

interface ListingSite extends Pick<SourceSpec, 'name' | 'title' | 'terms' | 'everyDays' | 'expect'> {
  readonly host: string;
  readonly list: CardsWithDetails;
  readonly paths: ListingPaths;
}

/** Availability by the last word of schema.org's value; any other word is unknown. */
const AVAILABILITY: ReadonlyMap<string, Availability> = new Map([
  ...['InStock', 'OnlineOnly', 'InStoreOnly', 'PreSale', 'PreOrder'].map((word) => [word, 'for_sale'] as const),
  ...['LimitedAvailability', 'Reserved', 'BackOrder'].map((word) => [word, 'under_contract'] as const),
  ['SoldOut', 'sold'],
]);

/** @param isDetail the node is from the listing's own page on the site, not from a saved page */
function rowCandidate(node: Node, site: ListingSite, page: Page, isDetail: boolean): Candidate {
  const value = (field: keyof ListingPaths): unknown => firstValueAt(node, site.paths[field] ?? []);
  const stated = value('listing_id');
  const requested = page.context.listing_id;
  // The key of the listing that was requested, whichever listing its page shows.
  const id = requested ?? (typeof stated === 'string' || typeof stated === 'number' ? optional(stated) : null);
  return candidate(
    JSON.stringify(node),
    () => {
      const listing_id = required('listing_id', stated);
      if (isDetail && requested !== undefined && requested !== listing_id)
        refuse('wrong_listing', `the page of listing ${requested} shows listing ${listing_id}`);
      const currency = optional(value('currency'));
      if (currency !== null && currency !== 'USD') refuse('not_usd', `currency is ${currency}, expected USD`);
      const listing_url = ownUrl(value('listing_url'), page);
      return {
        values: listingValues({
          listing_id,
          listing_url,
          ...printedFields(value),
          unit_mix: agreedMix(parseUnitMix(value('unit_mix')), floorPlanMix(node, site.paths.floor_plans ?? [])),
          availability: AVAILABILITY.get((optional(value('availability')) ?? '').split('/').at(-1) ?? '') ?? 'unknown',
        }),
        ...(isDetail ? {} : { sourceUrl: listing_url }),
      };
    },
    id === null ? undefined : { listing_id: id },
  );
}

/** Addresses of the listings' pages by listing id, in the order of the list. */
async function fetchIndex(
  ctx: FetchContext,
  base: string,
  list: CardsWithDetails,
): Promise<ReadonlyMap<string, string>> {
  const details = new Map<string, string>();
  const visited = new Set<string>();
  let next: string | null = new URL(list.start, base).href;
  while (next !== null && !visited.has(next)) {
    checkPages(visited.size, next);
    visited.add(next);
    const page: Page = await ctx.get(next, { kind: 'index', accept: 'text/html' });
    const $ = load(page.text());
    const resolve = (href: string | undefined): URL => resolveLink(href, 'a link of the list', page, base);
    const links = $(list.card)
      .toArray()
      .map((card) => resolve($(card).attr('href')));
    if (!links.length) throw new Quarantine('template_changed', `the list has no card (${list.card})`, page.url);
    for (const link of links) {
      const id = list.idInPath.exec(link.pathname)?.[1];
      if (id === undefined)
        throw new Quarantine('template_changed', `a card links to ${link.href}, which has no listing id`, page.url);
      if (!details.has(id)) details.set(id, link.href);
    }
    const href = $('link[rel="next"]').attr('href');
    next = href === undefined || ctx.sampleRows !== null ? null : resolve(href).href;
  }
  return details;
}

/** Pages of the listings. One unreadable page is reported and skipped; a refusal or repeated failure ends the read. */
async function* fetchDetails(ctx: FetchContext, base: string, list: CardsWithDetails): AsyncGenerator<Page> {
  const details = await fetchIndex(ctx, base, list);
  const skipped = new SkippedPages(ctx, details.size);
  for (const [listing_id, url] of details) {
    let page: Page;
    try {
      page = await ctx.get(url, { kind: 'detail', context: { listing_id }, accept: 'text/html' });
      nodeOfType(readJsonLd(page.text(), page.url), list.type, page.url);
    } catch (error) {
      skipped.skip({ listing_id }, error);
      continue;
    }
    skipped.read();
    yield page;
  }
}

/** An adapter for one broker site. */
export function jsonLdListings(site: ListingSite): SourceSpec {
  const { list } = site;
  const base = `https://${site.host}`;
  return defineSource({
    ...site,
    family: 'listings',
    home: new URL(list.start, base).href,
    hosts: [site.host],
    row: Listing,
    drop: savedPages('saved', "a listing's own page"),
    fetch: (ctx) => fetchDetails(ctx, base, list),
    parse: (page) => [
      rowCandidate(
        nodeOfType(readJsonLd(page.text(), page.url), list.type, page.url),
        site,
        onSite(page, base),
        !isSaved(page),
      ),
    ],
  });
}
