/**
 * Broker sites that publish their listings as schema.org JSON-LD.
 *
 * A site is a declaration: where its list starts, how the next page is found, whether the rows stand in the
 * list or on a page each, and where a field sits in the site's JSON-LD. Everything else is the same.
 */
import { load } from 'cheerio/slim';
import {
  defineSource,
  Quarantine,
  SourceUnavailable,
  type Candidate,
  type FetchContext,
  type Page,
  type SourceSpec,
} from '../contract.ts';
import { Listing } from '../rows/listing.ts';
import { candidate, optional, refuse, required } from '../values.ts';
import { firstAt, isNode, nodeOfType, readJsonLd, typesOf, type Node } from './jsonld.ts';
import { listingValues, ownUrl, type Availability } from './listing_values.ts';

/** Paths into the listing's node (see valueAt), the first that leads to a value counts. */
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
  readonly cap_rate: readonly string[];
  readonly noi: readonly string[];
  readonly year_built: readonly string[];
  readonly property_type: readonly string[];
  readonly listed_on: readonly string[];
}

/** A list of cards that link to a page for each listing; `<link rel="next">` leads on. */
export interface CardsWithDetails {
  readonly kind: 'cards';
  /** First page of the list, from the root of the site. */
  readonly start: string;
  /** Selector of the link to a listing's page. */
  readonly card: string;
  /** The listing's identifier in the path of its page: the first group. */
  readonly idInPath: RegExp;
  /** schema.org type of the listing on its page. */
  readonly type: string;
}

/** Pages of one ItemList whose items are the listings; `start` advances by `count` up to `numberOfItems`. */
export interface ItemListByOffset {
  readonly kind: 'item_list';
  readonly start: string;
  /** Query parameters that hold the offset and the page size. */
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

/** A site that links pages in a circle must not be followed for ever. */
const MOST_PAGES = 2000;

/** Failures in a row that mean a site that is down or changed, rather than one broken page. */
const FAILURES_IN_A_ROW = 5;

/** Answers after which a polite reader stops at once. */
const STOP: readonly SourceUnavailable['reason'][] = ['refused', 'rate_limited', 'challenge', 'host_not_allowed'];

/** schema.org availability by its last word. What is not here is unknown. */
const AVAILABILITY: ReadonlyMap<string, Availability> = new Map([
  ...['InStock', 'OnlineOnly', 'InStoreOnly', 'PreSale', 'PreOrder'].map((word) => [word, 'for_sale'] as const),
  ...['LimitedAvailability', 'Reserved', 'BackOrder'].map((word) => [word, 'under_contract'] as const),
  ['SoldOut', 'sold'],
]);

function rowOf(node: Node, site: ListingSite, page: Page, detail: boolean): Candidate {
  const at = (field: keyof ListingPaths): unknown => firstAt(node, site.paths[field]);
  const shown = at('listing_id');
  // A listing asked for by its id is that listing, whatever its page shows.
  const id =
    page.context.listing_id ?? (typeof shown === 'string' || typeof shown === 'number' ? optional(shown) : null);
  return candidate(
    JSON.stringify(node),
    () => {
      const listing_id = required('listing_id', shown);
      if (detail && page.context.listing_id !== undefined && page.context.listing_id !== listing_id) {
        refuse('wrong_listing', `the page of listing ${page.context.listing_id} shows listing ${listing_id}`);
      }
      if (!typesOf(node).includes(site.list.type))
        refuse('wrong_type', `the item is ${typesOf(node).join(', ') || 'of no type'}, expected ${site.list.type}`);
      const currency = optional(at('currency'));
      if (currency !== null && currency !== 'USD') refuse('not_usd', `currency is ${currency}, expected USD`);
      const listing_url = ownUrl(at('listing_url'), page);
      return {
        values: listingValues({
          listing_id,
          listing_url,
          street: at('street'),
          city: at('city'),
          state: at('state'),
          zip: at('zip'),
          list_price: at('list_price'),
          units: at('units'),
          cap_rate: at('cap_rate'),
          noi: at('noi'),
          year_built: at('year_built'),
          property_type: at('property_type'),
          listed_on: at('listed_on'),
          availability: AVAILABILITY.get((optional(at('availability')) ?? '').split('/').at(-1) ?? '') ?? 'unknown',
        }),
        ...(detail ? {} : { sourceUrl: listing_url }),
      };
    },
    id === null ? undefined : { listing_id: id },
  );
}

/** The items of a list page, each where it stands as a node. Throws Quarantine where the page is not the list. */
function itemsOf(page: Page, list: ItemListByOffset): { total: number; items: readonly unknown[] } {
  const node = nodeOfType(readJsonLd(page.text(), page.url), 'ItemList', page.url);
  const elements = node.itemListElement;
  const total = Number(node.numberOfItems);
  if (!Array.isArray(elements) || !Number.isInteger(total)) {
    throw new Quarantine('template_changed', 'the ItemList has no itemListElement array or no numberOfItems', page.url);
  }
  const items = elements.map((element: unknown) => (isNode(element) && 'item' in element ? element.item : element));
  if (items.length > 0 && !items.some((item) => isNode(item) && typesOf(item).includes(list.type))) {
    throw new Quarantine('template_changed', `none of the ${items.length} items is of type ${list.type}`, page.url);
  }
  return { total, items };
}

async function* readItemList(ctx: FetchContext, base: string, list: ItemListByOffset): AsyncGenerator<Page> {
  let url: URL | null = new URL(list.start, base);
  let seen = 0;
  for (let pages = 0; url; pages += 1) {
    if (pages >= MOST_PAGES)
      throw new Quarantine('count_mismatch', `the list is longer than ${MOST_PAGES} pages`, url.href);
    const page: Page = await ctx.get(url.href, { kind: 'list', accept: 'text/html' });
    const { total, items } = itemsOf(page, list);
    seen += items.length;
    yield page;
    const offset: number = Number(url.searchParams.get(list.offset)) + Number(url.searchParams.get(list.count));
    if (offset < total && items.length > 0) {
      url = new URL(url);
      url.searchParams.set(list.offset, String(offset));
    } else {
      if (seen < total)
        throw new Quarantine('count_mismatch', `the site counts ${total} listings, its pages hold ${seen}`, page.url);
      url = null;
    }
  }
}

/** Addresses of the listings' pages by listing id, in the order of the list. */
async function readIndex(
  ctx: FetchContext,
  base: string,
  list: CardsWithDetails,
): Promise<ReadonlyMap<string, string>> {
  const details = new Map<string, string>();
  const visited = new Set<string>();
  let next: string | null = new URL(list.start, base).href;
  while (next !== null && !visited.has(next)) {
    if (visited.size >= MOST_PAGES)
      throw new Quarantine('count_mismatch', `the list is longer than ${MOST_PAGES} pages`, next);
    visited.add(next);
    const page: Page = await ctx.get(next, { kind: 'index', accept: 'text/html' });
    const $ = load(page.text());
    /** A link as asked for: the page may name its host otherwise, the path is what counts. */
    const follow = (href: string | undefined): URL => {
      if (href === undefined || !URL.canParse(href, page.url))
        throw new Quarantine('template_changed', `a link of the list leads to ${JSON.stringify(href)}`, page.url);
      const { pathname, search } = new URL(href, page.url);
      return new URL(pathname + search, base);
    };
    const links = $(list.card)
      .toArray()
      .map((card) => follow($(card).attr('href')));
    if (!links.length) throw new Quarantine('template_changed', `the list has no ${list.card}`, page.url);
    for (const link of links) {
      const id = list.idInPath.exec(link.pathname)?.[1];
      if (id === undefined)
        throw new Quarantine('template_changed', `a card links to ${link.href}, which names no listing`, page.url);
      if (!details.has(id)) details.set(id, link.href);
    }
    const href = $('link[rel="next"]').attr('href');
    next = href === undefined ? null : follow(href).href;
  }
  return details;
}

/**
 * Pages of the listings that the cards link to. One page that cannot be read is reported and the rest goes on;
 * a refusal, or failure upon failure, ends the read.
 */
async function* readCards(ctx: FetchContext, base: string, list: CardsWithDetails): AsyncGenerator<Page> {
  const details = await readIndex(ctx, base, list);
  let failures = 0;
  for (const [listing_id, url] of details) {
    let page: Page;
    try {
      page = await ctx.get(url, { kind: 'detail', context: { listing_id }, accept: 'text/html' });
      nodeOfType(readJsonLd(page.text(), page.url), list.type, page.url);
    } catch (error) {
      failures += 1;
      if (error instanceof SourceUnavailable && STOP.includes(error.reason)) throw error;
      if (failures >= Math.min(FAILURES_IN_A_ROW, details.size)) throw error;
      ctx.unreadable({ listing_id }, error);
      continue;
    }
    failures = 0;
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
    fetch: (ctx) => (list.kind === 'cards' ? readCards(ctx, base, list) : readItemList(ctx, base, list)),
    parse: (page) => {
      if (list.kind === 'cards')
        return [rowOf(nodeOfType(readJsonLd(page.text(), page.url), list.type, page.url), site, page, true)];
      return itemsOf(page, list).items.map((item) =>
        isNode(item)
          ? rowOf(item, site, page, false)
          : {
              reject: {
                reason: 'not_an_item',
                detail: `a list element holds ${JSON.stringify(item)}, expected a ${list.type}`,
              },
              raw: JSON.stringify(item) ?? '',
            },
      );
    },
  });
}
