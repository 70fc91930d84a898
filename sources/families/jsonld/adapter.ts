/**
 * Broker sites that publish their listings as schema.org JSON-LD. A site is a declaration: where its list starts,
 * whether the listings are in the list or on a page each, and the path of each field in the JSON-LD.
 */
import { load } from 'cheerio/slim';
import { isObject } from '../../../lib/json.ts';
import {
  defineSource,
  Quarantine,
  type Candidate,
  type FetchContext,
  type Page,
  type SourceSpec,
} from '../../contract.ts';
import { Listing } from '../../rows/listing.ts';
import { candidate, optional, refuse, required } from '../../values.ts';
import { checkCount, checkCounts, checkPages, resolveLink } from '../list_pages.ts';
import { isSaved, onSite, savedPages } from '../list_pages.ts';
import { SkippedPages } from '../skipped_pages.ts';
import { listingValues, ownUrl, type Availability } from '../listing_values.ts';
import { agreedMix, parseUnitMix } from '../unit_mix.ts';
import { floorPlanMix } from './nodes.ts';
import { firstValueAt, nodeOfType, readJsonLd, typesOf, type Node } from './nodes.ts';

/** Paths into the listing's node (see valueAt); the first with a value counts. */
export interface ListingPaths {
  readonly listing_id: readonly string[];
  readonly listing_url: readonly string[];
  readonly street: readonly string[];
  readonly city: readonly string[];
  readonly state: readonly string[];
  readonly zip: readonly string[];
  readonly list_price: readonly string[];
  readonly currency: readonly string[];
  readonly availability: readonly string[];
  readonly units: readonly string[];
  /** A text such as "4x1BR, 4x2BR". */
  readonly unit_mix?: readonly string[];
  /** A schema.org FloorPlan for each type of unit. */
  readonly floor_plans?: readonly string[];
  readonly cap_rate: readonly string[];
  readonly noi: readonly string[];
  readonly annual_taxes?: readonly string[];
  readonly year_built: readonly string[];
  readonly property_type: readonly string[];
  readonly listed_on: readonly string[];
}

/** A list of cards that link to one page per listing; `<link rel="next">` links to the next page of the list. */
export interface CardsWithDetails {
  readonly kind: 'cards';
  /** First page of the list, relative to the site. */
  readonly start: string;
  /** Selector of the link to a listing's page. */
  readonly card: string;
  /** The listing id in the path of its page: the first group. */
  readonly idInPath: RegExp;
  /** schema.org type of the listing on its page. */
  readonly type: string;
}

/** Pages of one ItemList whose items are the listings; `start` advances by `count` up to `numberOfItems`. */
export interface ItemListByOffset {
  readonly kind: 'item_list';
  readonly start: string;
  /** Query parameters for the offset and the page size. */
  readonly offset: string;
  readonly count: string;
  /** A schema.org type that every item must have. */
  readonly type: string;
}

export interface ListingSite extends Pick<
  SourceSpec,
  'name' | 'title' | 'terms' | 'everyDays' | 'politeness' | 'expect'
> {
  readonly host: string;
  readonly list: CardsWithDetails | ItemListByOffset;
  readonly paths: ListingPaths;
}

/** Availability by the last word of schema.org's value; any other word is unknown. */
const AVAILABILITY: ReadonlyMap<string, Availability> = new Map([
  ...['InStock', 'OnlineOnly', 'InStoreOnly', 'PreSale', 'PreOrder'].map((word) => [word, 'for_sale'] as const),
  ...['LimitedAvailability', 'Reserved', 'BackOrder'].map((word) => [word, 'under_contract'] as const),
  ['SoldOut', 'sold'],
]);

/** @param isDetail the node is from the listing's own page on the site, not from a list or a saved page */
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
      if (!typesOf(node).includes(site.list.type))
        refuse('wrong_type', `the item's type is ${typesOf(node).join(', ') || 'missing'}, expected ${site.list.type}`);
      const currency = optional(value('currency'));
      if (currency !== null && currency !== 'USD') refuse('not_usd', `currency is ${currency}, expected USD`);
      const listing_url = ownUrl(value('listing_url'), page);
      return {
        values: listingValues({
          listing_id,
          listing_url,
          street: value('street'),
          city: value('city'),
          state: value('state'),
          zip: value('zip'),
          list_price: value('list_price'),
          units: value('units'),
          unit_mix: agreedMix(parseUnitMix(value('unit_mix')), floorPlanMix(node, site.paths.floor_plans ?? [])),
          cap_rate: value('cap_rate'),
          noi: value('noi'),
          annual_taxes: value('annual_taxes'),
          year_built: value('year_built'),
          property_type: value('property_type'),
          listed_on: value('listed_on'),
          availability: AVAILABILITY.get((optional(value('availability')) ?? '').split('/').at(-1) ?? '') ?? 'unknown',
        }),
        ...(isDetail ? {} : { sourceUrl: listing_url }),
      };
    },
    id === null ? undefined : { listing_id: id },
  );
}

/** The items of a list page. @throws Quarantine template_changed if the page is not the list */
function parseItems(page: Page, list: ItemListByOffset): { total: number; items: readonly unknown[] } {
  const node = nodeOfType(readJsonLd(page.text(), page.url), 'ItemList', page.url);
  const elements = node.itemListElement;
  const total = Number(node.numberOfItems);
  if (!Array.isArray(elements) || !Number.isInteger(total))
    throw new Quarantine('template_changed', 'the ItemList has no itemListElement array or no numberOfItems', page.url);
  const items = elements.map((element: unknown) => (isObject(element) && 'item' in element ? element.item : element));
  if (items.length > 0 && !items.some((item) => isObject(item) && typesOf(item).includes(list.type)))
    throw new Quarantine('template_changed', `none of the ${items.length} items is of type ${list.type}`, page.url);
  return { total, items };
}

/** Pages of an ItemList. @throws Quarantine count_mismatch if they hold fewer items than the site states */
async function* fetchItemList(ctx: FetchContext, base: string, list: ItemListByOffset): AsyncGenerator<Page> {
  let url: URL | null = new URL(list.start, base);
  let items = 0;
  for (let pages = 0; url; pages += 1) {
    checkPages(pages, url.href);
    const page: Page = await ctx.get(url.href, { kind: 'list', accept: 'text/html' });
    const read = parseItems(page, list);
    items += read.items.length;
    yield page;
    const offset: number = Number(url.searchParams.get(list.offset)) + Number(url.searchParams.get(list.count));
    if (offset < read.total && read.items.length > 0) {
      url = new URL(url);
      url.searchParams.set(list.offset, String(offset));
      continue;
    }
    checkCount(items, read.total, page.url);
    url = null;
  }
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
    name: site.name,
    family: 'listings',
    title: site.title,
    home: new URL(list.start, base).href,
    terms: site.terms,
    everyDays: site.everyDays,
    hosts: [site.host],
    politeness: site.politeness,
    row: Listing,
    expect: site.expect,
    drop: savedPages('saved', list.kind === 'cards' ? "a listing's own page" : 'a page of the list'),
    checkDrop: (pages) => {
      if (list.kind === 'cards') return;
      const lists = pages.map((page) => parseItems(page, list));
      checkCounts(
        lists.map(({ items, total }) => ({ listed: items.length, total })),
        pages[0]?.url,
      );
    },
    fetch: (ctx) => (list.kind === 'cards' ? fetchDetails(ctx, base, list) : fetchItemList(ctx, base, list)),
    parse: (page) => {
      const own = onSite(page, base);
      if (list.kind === 'cards') {
        const node = nodeOfType(readJsonLd(page.text(), page.url), list.type, page.url);
        return [rowCandidate(node, site, own, !isSaved(page))];
      }
      return parseItems(page, list).items.map((item) => {
        if (isObject(item)) return rowCandidate(item, site, own, false);
        const raw = JSON.stringify(item) ?? '';
        return {
          reject: { reason: 'not_an_item', detail: `a list element is ${raw}, expected a ${list.type}` },
          raw,
        };
      });
    },
  });
}
