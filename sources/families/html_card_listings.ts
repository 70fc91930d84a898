/**
 * Broker sites whose list shows every listing as a card, with nothing structured behind it.
 *
 * A site is a declaration: where its list starts, what a card and the link to the next page are, and where a field
 * stands in a card. Markup says nothing of itself when it changes, so what a card always has is declared too: a card
 * that lacks it is refused, and a page where no card has it is a changed template, never a page of unknowns.
 */
import { load, type CheerioAPI } from 'cheerio/slim';
import {
  defineSource,
  Quarantine,
  type Candidate,
  type FetchContext,
  type Page,
  type SourceSpec,
} from '../contract.ts';
import { Listing } from '../rows/listing.ts';
import { candidate, line, refuse, required } from '../values.ts';
import { listingValues, ownUrl, standing, type ShownListing } from './listing_values.ts';

/** Where a field stands in a card. */
export interface InCard {
  /** Selector within the card; without one the card itself. */
  readonly at?: string;
  /** Attribute that holds the value, where it is not the text. */
  readonly attribute?: string;
  /** The value within that: its first group. */
  readonly pattern?: RegExp;
  /** Every card has it. */
  readonly always?: true;
}

export type CardField = keyof ShownListing;

export interface CardSite extends Pick<SourceSpec, 'name' | 'title' | 'terms' | 'everyDays' | 'politeness' | 'expect'> {
  readonly host: string;
  /** First page of the list, from the root of the site. */
  readonly start: string;
  readonly card: string;
  /** Where a script makes the cards: selector of what is there once they are. */
  readonly rendered?: string;
  /** Element that is there in place of cards where nothing is listed. */
  readonly nothing: string;
  /** Link to the next page. */
  readonly next: string;
  /** Element whose text states how many listings there are, in the first group of the pattern. */
  readonly count: { readonly at: string; readonly pattern: RegExp };
  readonly fields: { readonly listing_id: InCard } & Partial<Record<CardField, InCard>>;
}

/** A site that links pages in a circle must not be followed for ever. */
const MOST_PAGES = 2000;

type Card = ReturnType<CheerioAPI>;

/** The element that holds a field; empty where the card does not have it. */
const elementOf = (card: Card, { at }: InCard): Card => (at === undefined ? card : card.find(at).first());

/** Text or attribute that holds a field, or null where the card does not have it. */
function textOf(card: Card, where: InCard): string | null {
  const element = elementOf(card, where);
  return line(where.attribute === undefined ? element.text() : element.attr(where.attribute));
}

/** Text of a field, or null where the card does not show it. Refuses the row where it always should or reads otherwise. */
function shownIn(card: Card, field: CardField, site: CardSite): string | null {
  const where = site.fields[field];
  if (where === undefined) return null;
  const text = textOf(card, where);
  if (text === null)
    return where.always ? refuse(`missing_${field}`, `the card has no ${field} at ${where.at ?? 'itself'}`) : null;
  if (where.pattern === undefined) return text;
  return (
    where.pattern.exec(text)?.[1] ??
    refuse(`bad_${field}`, `${field} reads ${JSON.stringify(text)}, expected ${where.pattern.source}`)
  );
}

function rowOf($: CheerioAPI, card: Card, site: CardSite, page: Page): Candidate {
  const { pattern } = site.fields.listing_id;
  const idText = textOf(card, site.fields.listing_id) ?? '';
  const id = pattern === undefined ? idText : (pattern.exec(idText)?.[1] ?? '');
  return candidate(
    () => line($.html(card)) ?? '(an empty card)',
    () => {
      const at = (field: CardField): string | null => shownIn(card, field, site);
      const listing_url = ownUrl(at('listing_url'), page);
      return {
        values: listingValues({
          listing_id: required('listing_id', at('listing_id')),
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
          // A card without a badge is for sale: sites mark only what is not.
          availability: at('availability') === null ? 'for_sale' : standing(at('availability')),
        }),
        sourceUrl: listing_url,
      };
    },
    id === '' ? undefined : { listing_id: id },
  );
}

interface CardPage {
  readonly $: CheerioAPI;
  readonly cards: readonly Card[];
  /** Listings that the site says there are. */
  readonly total: number;
  /** Where the link to the next page leads. */
  readonly next: string | undefined;
}

/** The cards of a page. Throws Quarantine where the page is not the list, or no card has what all of them have. */
function readCards(site: CardSite, page: Page): CardPage {
  const html = page.text();
  if (!html.trim()) throw new Quarantine('empty_body', 'the page is empty', page.url);
  // A page whose end is missing lost cards, or the link to the rest.
  if (!/<\/html>\s*$/iu.test(html))
    throw new Quarantine('truncated_download', 'the page stops before its end', page.url);
  const $ = load(html);
  const cards = $(site.card)
    .toArray()
    .map((card) => $(card));
  if (cards.length === 0 && $(site.nothing).length === 0) {
    throw new Quarantine(
      'template_changed',
      `the page has no ${site.card}, and no ${site.nothing} that says there is none`,
      page.url,
    );
  }
  const countText = line($(site.count.at).first().text()) ?? '';
  const counted = site.count.pattern.exec(countText)?.[1]?.replaceAll(',', '');
  if (cards.length > 0 && counted === undefined)
    throw new Quarantine('template_changed', `the page states no count of listings at ${site.count.at}`, page.url);
  for (const [field, where] of Object.entries(site.fields) as [CardField, InCard][]) {
    const has = (card: Card): boolean => {
      const element = elementOf(card, where);
      return element.length > 0 && (where.attribute === undefined || element.attr(where.attribute) !== undefined);
    };
    if (where.always && cards.length > 0 && !cards.some(has))
      throw new Quarantine(
        'template_changed',
        `none of ${cards.length} cards has ${field} at ${where.at ?? 'itself'}`,
        page.url,
      );
  }
  return { $, cards, total: Number(counted ?? 0), next: $(site.next).first().attr('href') };
}

async function* readList(ctx: FetchContext, site: CardSite, base: string): AsyncGenerator<Page> {
  const visited = new Set<string>();
  let seen = 0;
  let total = 0;
  let url: string | null = new URL(site.start, base).href;
  while (url !== null && !visited.has(url)) {
    if (visited.size >= MOST_PAGES)
      throw new Quarantine('count_mismatch', `the list is longer than ${MOST_PAGES} pages`, url);
    visited.add(url);
    const page: Page = await ctx.get(url, {
      kind: 'cards',
      accept: 'text/html',
      ...(site.rendered === undefined ? {} : { rendered: site.rendered }),
    });
    const read = readCards(site, page);
    seen += read.cards.length;
    total = Math.max(total, read.total);
    yield page;
    if (read.next === undefined) break;
    if (!URL.canParse(read.next, page.url))
      throw new Quarantine('template_changed', `the next page is said to be ${JSON.stringify(read.next)}`, page.url);
    const { pathname, search }: URL = new URL(read.next, page.url);
    url = new URL(pathname + search, base).href;
  }
  if (seen < total)
    throw new Quarantine(
      'count_mismatch',
      `the site counts ${total} listings, its pages hold ${seen}`,
      new URL(site.start, base).href,
    );
}

/** An adapter for one broker site. */
export function htmlCardListings(site: CardSite): SourceSpec {
  const base = `https://${site.host}`;
  return defineSource({
    name: site.name,
    family: 'listings',
    title: site.title,
    home: new URL(site.start, base).href,
    terms: site.terms,
    everyDays: site.everyDays,
    hosts: [site.host],
    politeness: site.politeness,
    row: Listing,
    expect: site.expect,
    fetch: (ctx) => readList(ctx, site, base),
    parse: (page) => {
      const { $, cards } = readCards(site, page);
      return cards.map((card) => rowOf($, card, site, page));
    },
  });
}
