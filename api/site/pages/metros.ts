/**
 * /metros: the United States as the entry to the metros, and a table of them. /metros/<slug>: map and list of one
 * metro, its numbers by county, its trend, and its sources with their age.
 */
import { cardTable, link, num, above, h2 } from '../components.ts';
import { freeDeals, DEALS_PRICE, dealList, filtered, mapDealOf, type FreeDeal } from '../deal_cards.ts';
import { percentText, rangeText, day } from '../format.ts';
import { html, type Html, element, type Piece } from '../html.ts';
import { METROS_PATH, pathOf, METROS, type Metro } from '../map/metros.ts';
import { usMap } from '../map/us_map.ts';
import type { Page, PageContext } from '../page.ts';
import { countOf, metrosOf, MIN_DEALS, byCounty, figuresOf, inSteps, type GapFigures } from '../place_figures.ts';
import type { z } from 'zod';
import type { MetroDay } from '../../../models/marts/metro_days.ts';
import { rangeOf, type Range } from '../../routes/count/coarse.ts';
import { placesOf } from '../../routes/places.ts';
import { gapChart } from '../charts.ts';
import { metroMap, type MapZip } from '../map/metro_map.ts';
import { coverageOf, sourcesOf } from './coverage.ts';

/** The metros with a deal or a record, each with its range of deals. */
async function entriesOf(context: PageContext) {
  const entries = (await metrosOf(context.request.snapshot)).map(async (entry) => {
    const range = await countOf(context, 'Deals', { metro: entry.metro.name });
    return { ...entry, range, about: range.at_most === 0 ? 'public records only' : rangeText(range) };
  });
  return Promise.all(entries);
}

/** The map of the United States, with a circle per metro that links to its page. */
export const entryMap = async (context: PageContext): Promise<Html> =>
  usMap(
    (await entriesOf(context)).map(({ metro, range, about }) => ({
      metro,
      size: range.at_least,
      title: `${metro.name}: ${about}${range.at_most === 0 ? '' : ' deals'}`,
    })),
  );

export const metros: Page = {
  path: METROS_PATH,
  label: 'Metros',
  title: 'Metros with small apartment buildings for sale',
  cache: 'snapshot',
  about: 'Each metro on its map: deals for sale, advertised and underwritten cap rates, and the records we read there.',
  async content(context) {
    const entries = await entriesOf(context);
    const free = await freeDeals(context);
    return html`<h1>Choose a metro</h1>
      <p class="lead">A larger circle has more small apartment buildings for sale.</p>
      ${await entryMap(context)}
      ${cardTable(
        `Median cap rates of deals with a broker’s claim and a rent that fits, if there are ${MIN_DEALS} of them`,
        ['Metro', ...['Deals', 'Free today', 'Advertised cap', 'Supported by rents'].map(num)],
        entries.map(({ metro, figures: { claimed, underwritten }, about }) => [
          link(pathOf(metro), `${metro.name}, ${metro.state}`),
          about,
          free.filter((deal) => deal.metro === metro).length || '',
          claimed !== null && percentText(claimed),
          underwritten !== null && percentText(underwritten),
        ]),
      )}`;
  },
};

type Day = z.infer<typeof MetroDay.schema>;

const nameOf = ({ name, state }: Metro): string => `${name}, ${state}`;
const buyPath = (filters: Readonly<Record<string, string>>, more = ''): string =>
  `/build?${new URLSearchParams({ call: '/api/deals', ...filters }).toString()}${more}`;

interface Zip extends MapZip {
  readonly range: Range;
}

/** The ZIPs with deals. */
async function zipsOf(context: PageContext, { name }: Metro): Promise<Zip[]> {
  const places = (await placesOf(context.request.snapshot)).filter(
    ({ metro, zip, has_listings: isListed }) => metro === name && isListed && zip !== null,
  );
  const cities = new Map(places.map(({ zip, city }) => [String(zip), String(city)]));
  const counted = [...cities].map(async ([zip, city]) => {
    const range = await countOf(context, 'Deals', { zip });
    return { zip, city, range, least: range.at_least, about: `${rangeText(range)} deals` };
  });
  return Promise.all(counted);
}

const BUTTONS = [
  ['in', '+', 'Zoom in'],
  ['out', '−', 'Zoom out'],
  ['all', 'All', 'All of the metro'],
] as const;

/** The map, and next to it or below it the filters and the ZIPs with their free deals. */
function explorer(metro: Metro, zips: readonly Zip[], found: readonly FreeDeal[], form: Piece): Html {
  const map = metroMap(metro.name, zips, found.map(mapDealOf));
  const byZip = Map.groupBy(found, ({ zip }) => zip);
  const section = ({ zip, city, range }: Zip): Html => {
    const attributes = { id: `z${zip}`, 'data-zip': zip, 'data-at': map?.at.get(zip)?.map(Math.round).join(' ') };
    const all = range.at_least > 1 ? `All ${rangeText(range)}` : 'All';
    return element(
      'section',
      attributes,
      html`<h2>
        ${city} <small>${zip}</small>
        <a href="${buyPath({ zip })}" rel="nofollow">${all}<span class="sr"> deals in ${zip}</span></a>
      </h2>`,
      byZip.has(zip) && dealList(byZip.get(zip) ?? []),
    );
  };
  const first = (zip: string): number => found.findIndex((deal) => deal.zip === zip) >>> 0;
  const sorted = zips.toSorted(
    (a, b) => first(a.zip) - first(b.zip) || b.least - a.least || (a.city + a.zip < b.city + b.zip ? -1 : 1),
  );
  const buttons = BUTTONS.map(([zoom, text, label]) =>
    element('button', { type: 'button', 'data-zoom': zoom, 'aria-label': label }, text),
  );
  return html`<div class="explore">
    ${
      map &&
      html`<div class="where">
        <p class="zoom" hidden>${buttons}</p>
        ${map.svg}
        <p class="small">
          A circle is a ZIP with deals for sale, a price is a deal you can read for free. Most deals are drawn at their
          ZIP; zoomed in, a diamond is the parcel itself.
        </p>
      </div>`
    }
    <div>
      ${form}
      <div class="list" role="region" aria-label="Deals by ZIP" tabindex="0">
        <p role="status" class="small">
          ${found.length} free ${found.length === 1 ? 'deal' : 'deals'}, ${zips.length} ZIPs. A ZIP without a number has
          1 to 9 deals.
        </p>
        ${sorted.map(section)}
      </div>
    </div>
  </div>`;
}

/** What the deals of a metro say together. */
function gap({ claimed, underwritten }: GapFigures): Html {
  if (claimed === null || underwritten === null)
    return html`<p>
      Fewer than ${MIN_DEALS} deals here have both a broker’s cap rate and a rent that fits: too few for a median.
    </p>`;
  const caption = 'Median cap rate of the deals with a broker’s claim and a HUD rent that fits';
  return gapChart(caption, claimed, underwritten);
}

/** Snapshots that the trend shows. */
const MAX_DAYS = 14;

/** How the metro moved. Counts are ranges and medians in steps, so that no two days give a deal away. */
function trend({ request: { snapshot } }: PageContext, { name }: Metro): Piece {
  const days = (snapshot.all('metro_days') as unknown as readonly Day[]).filter(({ metro }) => metro === name);
  const range = (count: number | null): Piece => count !== null && rangeText(rangeOf(count, false));
  const cap = (rate: string | null, compared: number): Piece =>
    rate !== null && compared >= MIN_DEALS && percentText(inSteps(Number(rate)));
  if (days.length === 0) return '';
  return html`<h2>Trend</h2>
    ${cardTable(
      `Newest day first: ranges, and medians of at least ${MIN_DEALS} deals in steps of a quarter point`,
      ['Day', ...['Advertised cap', 'Supported by rents', 'Price cuts', 'New', 'Gone', 'Auctions ahead'].map(num)],
      days
        .slice(-MAX_DAYS)
        .toReversed()
        .map((one) => [
          day(one.as_of),
          cap(one.cap_rate_asked, one.compared),
          cap(one.cap_rate_underwritten, one.compared),
          ...[one.price_cuts, one.new_deals, one.gone_deals, one.auctions_ahead].map(range),
        ]),
    )}`;
}

async function content(context: PageContext, metro: Metro): Promise<Html> {
  const { snapshot } = context.request;
  const own = (await freeDeals(context)).filter((deal) => deal.metro === metro);
  const { form, found, query } = await filtered(pathOf(metro), own, context);
  const rows = coverageOf(context, metro.name);
  const range = await countOf(context, 'Deals', { metro: metro.name });
  const counties = [h2('By county'), await byCounty(context, metro.counties)];
  if (range.at_most === 0)
    return html`${above(METROS_PATH, 'Metros')}
      <h1>${nameOf(metro)}</h1>
      <p class="lead">We read no listings in this metro yet.</p>
      ${counties} ${h2('Sources', 'sources')} ${sourcesOf(rows)}`;
  const label = `${query === '' ? 'All deals here' : 'All deals like these'}, ${DEALS_PRICE}`;
  return html`${above(METROS_PATH, 'Metros')}
    <div class="head">
      <h1>${nameOf(metro)}</h1>
      <p class="actions">${link(buyPath({ metro: metro.name }, query), label, { class: 'button' })}</p>
    </div>
    <p class="lead">${rangeText(range)} small apartment buildings for sale.</p>
    ${explorer(metro, await zipsOf(context, metro), found, own.length > 0 && form)}
    ${gap(await figuresOf(snapshot, metro))} ${counties} ${trend(context, metro)} ${h2('Sources', 'sources')}
    ${sourcesOf(rows)}`;
}

/** A page for each metro. */
export const METRO_PAGES: readonly Page[] = METROS.map((metro) => ({
  path: pathOf(metro),
  title: `${nameOf(metro)}: small apartment buildings for sale`,
  cache: 'none',
  about:
    `Small multifamily deals in ${nameOf(metro)} on a map, advertised cap rates beside those that rents support, and ` +
    'the public records of distress that we read there.',
  content: (context) => content(context, metro),
}));
