/**
 * Broker sites that list every listing as an HTML card, without structured data.
 *
 * A site is a declaration of selectors: where the list starts, the cards, the link to the next page, and each field in
 * a card. A changed page gives no error of its own, so the declaration also names the fields that every card has: a
 * card without one is rejected, and a page on which no card has it is quarantined as a changed template.
 */
import { load, type CheerioAPI } from 'cheerio/slim';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
} from '../contract.ts';
import { Listing } from '../rows/listing.ts';
import { candidate, line, refuse, required } from '../values.ts';
import { requireWholeHtml } from '../bodies.ts';
import { checkCount, checkCounts, checkPages, resolveLink } from './list_pages.ts';
import { onSite, savedPages } from './list_pages.ts';
import { parseAvailability, listingValues, ownUrl, printedFields, type PrintedListing } from './listing_values.ts';
import { parseUnitMix } from './unit_mix.ts';

/** Where a card holds a field. */
export interface CardField {
  /** Selector within the card. Default: the card itself. */
  readonly at?: string;
  /** Attribute that holds the value. Default: the element's text. */
  readonly attribute?: string;
  /**
   * If the value is only part of the text: the first group of `match`. Messages show `example`, a text that matches.
   */
  readonly pattern?: { readonly match: RegExp; readonly example: string };
  /** Every card has this field. */
  readonly always?: true;
}

export type FieldName = keyof PrintedListing;

export interface CardSite extends Pick<SourceSpec, 'name' | 'title' | 'terms' | 'everyDays' | 'expect'> {
  readonly host: string;
  /** First page of the list, relative to the site. */
  readonly start: string;
  /** Selector of a card. */
  readonly card: string;
  /** If a script creates the cards: selector of an element that exists once it has. */
  readonly rendered?: string;
  /** Selector of the element that an empty list has instead of cards. */
  readonly nothing: string;
  /** Selector of the link to the next page. */
  readonly next: string;
  /** Element that states the number of listings: the first group of the pattern. */
  readonly count: { readonly at: string; readonly pattern: RegExp };
  readonly fields: { readonly listing_id: CardField } & Partial<Record<FieldName, CardField>>;
}

type Card = ReturnType<CheerioAPI>;

/** The element that holds a field; empty if the card does not have it. */
const elementOf = (card: Card, { at }: CardField): Card => (at === undefined ? card : card.find(at).first());

/** Text or attribute that holds a field, or null if the card does not have it. */
function textOf(card: Card, field: CardField): string | null {
  const element = elementOf(card, field);
  return line(field.attribute === undefined ? element.text() : element.attr(field.attribute));
}

/** Value of a field, or null if the card does not have it. Refuses the row if it must have it or has another text. */
function readValue(card: Card, name: FieldName, site: CardSite): string | null {
  const field = site.fields[name];
  if (field === undefined) return null;
  const text = textOf(card, field);
  if (text === null)
    return field.always ? refuse(`missing_${name}`, `the card has no ${name} at ${field.at ?? 'itself'}`) : null;
  if (field.pattern === undefined) return text;
  const { match, example } = field.pattern;
  return (
    match.exec(text)?.[1] ??
    refuse(`bad_${name}`, `${name} is ${JSON.stringify(text)}, expected text such as ${JSON.stringify(example)}`)
  );
}

function rowCandidate($: CheerioAPI, card: Card, site: CardSite, page: Page): Candidate {
  const { pattern } = site.fields.listing_id;
  const idText = textOf(card, site.fields.listing_id) ?? '';
  const id = pattern === undefined ? idText : (pattern.match.exec(idText)?.[1] ?? '');
  return candidate(
    () => line($.html(card)) ?? '(an empty card)',
    () => {
      const value = (name: FieldName): string | null => readValue(card, name, site);
      const listing_url = ownUrl(value('listing_url'), page);
      return {
        values: listingValues({
          listing_id: required('listing_id', value('listing_id')),
          listing_url,
          ...printedFields(value),
          unit_mix: parseUnitMix(value('unit_mix')),
          // A card without a badge is for sale: sites mark only the others.
          availability: value('availability') === null ? 'for_sale' : parseAvailability(value('availability')),
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
  /** Number of listings that the site states. */
  readonly total: number;
  /** The link to the next page, as written. */
  readonly next: string | undefined;
}

/** Throws unless at least one card has each field that every card must have. */
function checkTemplate(cards: readonly Card[], site: CardSite, pageUrl: string): void {
  for (const [name, field] of Object.entries(site.fields)) {
    if (!field.always || cards.length === 0) continue;
    const hasField = (card: Card): boolean => {
      const element = elementOf(card, field);
      return element.length > 0 && (field.attribute === undefined || element.attr(field.attribute) !== undefined);
    };
    if (!cards.some(hasField))
      throw new Quarantine(
        'template_changed',
        `none of the ${cards.length} cards has ${name} at ${field.at ?? 'itself'}`,
        pageUrl,
      );
  }
}

/** The cards of a page. @throws Quarantine if the page is not the list, or its template changed */
function readCards(site: CardSite, page: Page): CardPage {
  const html = page.text();
  if (!html.trim()) throw new Quarantine('empty_body', 'the page is empty', page.url);
  requireWholeHtml(html, page.url);
  const $ = load(html);
  const cards = $(site.card)
    .toArray()
    .map((card) => $(card));
  if (cards.length === 0 && $(site.nothing).length === 0)
    throw new Quarantine(
      'template_changed',
      `the page has neither a card (${site.card}) nor the sign of an empty list (${site.nothing})`,
      page.url,
    );
  const countText = line($(site.count.at).first().text()) ?? '';
  const count = site.count.pattern.exec(countText)?.[1]?.replaceAll(',', '');
  if (cards.length > 0 && count === undefined)
    throw new Quarantine('template_changed', `the page states no number of listings at ${site.count.at}`, page.url);
  checkTemplate(cards, site, page.url);
  return { $, cards, total: Number(count ?? 0), next: $(site.next).first().attr('href') };
}

/** Pages of the list. @throws Quarantine count_mismatch if they hold fewer cards than the site states */
async function* fetchList(ctx: FetchContext, site: CardSite, base: string): AsyncGenerator<Page> {
  const visited = new Set<string>();
  let cards = 0;
  let total = 0;
  let url: string | null = new URL(site.start, base).href;
  while (url !== null && !visited.has(url)) {
    checkPages(visited.size, url);
    visited.add(url);
    const page: Page = await ctx.get(url, {
      kind: 'cards',
      accept: 'text/html',
      ...(site.rendered === undefined ? {} : { rendered: site.rendered }),
    });
    const read = readCards(site, page);
    cards += read.cards.length;
    total = Math.max(total, read.total);
    yield page;
    if (read.next === undefined) break;
    url = resolveLink(read.next, 'the link to the next page', page, base).href;
  }
  checkCount(cards, total, new URL(site.start, base).href);
  if (total > 0) ctx.states(total);
}

/** An adapter for one broker site. */
export function htmlCardListings(site: CardSite): SourceSpec {
  const base = `https://${site.host}`;
  return defineSource({
    ...site,
    family: 'listings',
    home: new URL(site.start, base).href,
    hosts: [site.host],
    row: Listing,
    drop: savedPages('cards', 'a page of the list'),
    checkDrop: (pages) =>
      checkCounts(
        pages.map((page) => readCards(site, page)).map(({ cards, total }) => ({ listed: cards.length, total })),
        pages[0]?.url,
      ),
    fetch: (ctx) => fetchList(ctx, site, base),
    parse: (page) => {
      const { $, cards } = readCards(site, page);
      return cards.map((card) => rowCandidate($, card, site, onSite(page, base)));
    },
  });
}
