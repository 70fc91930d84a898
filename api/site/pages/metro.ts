/** /metros/<slug>: map and list of one metro, its numbers by county, its trend, and its sources with their age. */
import type { z } from 'zod';
import type { Coverage } from '../../../models/marts/coverage.ts';
import type { MetroDay } from '../../../models/marts/metro_days.ts';
import { auctions } from '../../routes/auctions.ts';
import { coarseRange, rangeOf, type Range } from '../../routes/count/coarse.ts';
import { deals } from '../../routes/deals.ts';
import { leads } from '../../routes/leads/leads.ts';
import { placesOf } from '../../routes/places.ts';
import { signals } from '../../routes/signals.ts';
import { barChart } from '../charts.ts';
import {
  DEALS_PRICE,
  dealList,
  dealPath,
  filtered,
  freeDeals,
  shortPrice,
  streetOf,
  type FreeDeal,
} from '../deal_cards.ts';
import { day, percentText, rangeText, sentence } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';
import { cardTable, externalLink, fold, num, sub, terms } from '../layout.ts';
import { metroMap, type MapZip } from '../map/metro_map.ts';
import { METROS, METROS_PATH, pathOf, type Metro } from '../map/metros.ts';
import { figuresOf, inSteps, MIN_DEALS, type GapFigures } from '../metro_figures.ts';
import type { Page, PageContext } from '../page.ts';

type Row = z.infer<typeof Coverage.schema>;
type Day = z.infer<typeof MetroDay.schema>;

const nameOf = ({ name, state }: Metro): string => `${name}, ${state}`;
const buyPath = (filters: Readonly<Record<string, string>>, more = ''): string =>
  `/build?${new URLSearchParams({ call: '/api/deals', ...filters }).toString()}${more}`;

const LISTS = { Deals: deals, Signals: signals, 'Auctions ahead': auctions, Leads: leads } as const;

/** The range of a list that /api/count gives. */
const countOf = (
  { request }: PageContext,
  list: keyof typeof LISTS,
  filters: Readonly<Record<string, string>>,
): Promise<Range> => coarseRange(LISTS[list], { ...request, params: filters });

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

/** The map, and the list of its ZIPs with their free deals. */
function explorer(metro: Metro, zips: readonly Zip[], found: readonly FreeDeal[]): Html {
  const map = metroMap(
    metro.name,
    zips,
    found.map((deal) => ({
      href: dealPath(deal.record.id),
      price: shortPrice(deal.record.list_price),
      title: `${streetOf(deal)}, ${deal.record.city ?? ''}`,
      zip: deal.zip,
      point: deal.point,
    })),
  );
  const byZip = Map.groupBy(found, ({ zip }) => zip);
  const first = (zip: string): number => found.findIndex((deal) => deal.zip === zip) >>> 0;
  const section = ({ zip, city, range }: Zip): Html => {
    const at = map?.at.get(zip);
    return html`<section id="z${zip}" data-zip="${zip}" ${at && html` data-at="${at.map(Math.round).join(' ')}"`}>
      <h2>
        ${city} <small>${zip}</small>
        <a href="${buyPath({ zip })}" rel="nofollow"
          >${range.at_least > 1 ? `All ${rangeText(range)}` : 'All'}<span class="sr"> deals in ${zip}</span></a
        >
      </h2>
      ${byZip.has(zip) && dealList(byZip.get(zip) ?? [])}
    </section>`;
  };
  const sorted = zips.toSorted(
    (a, b) => first(a.zip) - first(b.zip) || b.least - a.least || (a.city + a.zip < b.city + b.zip ? -1 : 1),
  );
  return html`<div class="explore">
    ${
      map &&
      html`<div class="where">
        <p class="zoom" hidden>
          ${BUTTONS.map(
            ([zoom, text, label]) =>
              html`<button type="button" data-zoom="${zoom}" aria-label="${label}">${text}</button>`,
          )}
        </p>
        ${map.svg}
        <p class="small">
          A circle is a ZIP with deals for sale, a price is a deal that you can read for free. Most addresses are known
          to their ZIP only; zoomed in, a diamond is a parcel’s own point.
        </p>
      </div>`
    }
    <div class="list" role="region" aria-label="Deals by ZIP" tabindex="0">
      <p role="status" class="small" data-of="${found.length} ${zips.length}">
        ${found.length} free ${found.length === 1 ? 'deal' : 'deals'}, ${zips.length} ZIPs. A ZIP without a number has 1
        to 9 deals.
      </p>
      ${sorted.map(section)}
    </div>
  </div>`;
}

/** What the deals of a metro say together. */
function gap({ claimed, underwritten }: GapFigures): Html {
  if (claimed === null || underwritten === null)
    return html`<p>
      Fewer than ${MIN_DEALS} deals here have a broker’s cap rate beside a rent that fits, too few for a median that
      gives none of them away.
    </p>`;
  return barChart({
    caption: 'Median cap rate of the deals with a broker’s claim and a HUD rent that fits',
    head: ['Source', 'Cap rate'],
    bars: [
      { label: 'Advertised by brokers', figure: percentText(claimed), to: claimed, tone: 'claimed' },
      { label: 'Supported by rents', figure: percentText(underwritten), to: underwritten, tone: 'hud' },
    ],
  });
}

/** Snapshots that the trend shows. */
const MAX_DAYS = 14;

/** How the metro moved. Counts are ranges and medians in steps, so that no two days give a deal away. */
function trend({ request: { snapshot } }: PageContext, { name }: Metro): Html | false {
  const days = (snapshot.all('metro_days') as unknown as readonly Day[]).filter(({ metro }) => metro === name);
  const range = (count: number | null): Piece => (count === null ? '' : rangeText(rangeOf(count, false)));
  const cap = (rate: string | null, compared: number): Piece =>
    rate === null || compared < MIN_DEALS ? '' : percentText(inSteps(Number(rate)));
  return (
    days.length > 0 &&
    html`<h2>Trend</h2>
      ${cardTable(
        `The latest ${days.length === 1 ? 'snapshot' : 'snapshots'}, newest first: ranges, and medians of ${MIN_DEALS}
        deals at least in steps of a quarter point.`,
        ['Day', ...['Asked cap', 'Supported by rents', 'Price cuts', 'New', 'Gone', 'Auctions ahead'].map(num)],
        days
          .slice(-MAX_DAYS)
          .toReversed()
          .map((one) => [
            day(one.as_of),
            cap(one.cap_rate_asked, one.compared),
            cap(one.cap_rate_underwritten, one.compared),
            range(one.price_cuts),
            range(one.new_deals),
            range(one.gone_deals),
            range(one.auctions_ahead),
          ]),
      )}`
  );
}

/** The ranges of each county, and the counties without any. */
async function byCounty(context: PageContext, { counties }: Metro): Promise<Html> {
  const names = Object.keys(LISTS) as (keyof typeof LISTS)[];
  const rows = await Promise.all(
    counties.map(async (county) => ({
      county,
      ranges: await Promise.all(names.map((list) => countOf(context, list, { county }))),
    })),
  );
  const isEmpty = ({ ranges }: (typeof rows)[number]): boolean => ranges.every(({ at_least: least }) => least === 0);
  const empty = rows.filter(isEmpty);
  return html`<h2>By county</h2>
    ${
      empty.length < rows.length &&
      cardTable(
        'Ranges, as the free count gives them. Exact numbers come with the records.',
        ['County', ...names.map(num)],
        rows.filter((row) => !isEmpty(row)).map(({ county, ranges }) => [county, ...ranges.map(rangeText)]),
      )
    }
    ${
      empty.length > 0 &&
      html`<p class="small">Fewer than ten of anything: ${empty.map(({ county }) => county).join(', ')}.</p>`
    }`;
}

const ageText = (days: number | null): string =>
  days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days ?? '?'} days ago`;

/** The sources that are read here, with their age, and the kinds that are not. */
function sources(rows: readonly Row[]): Html {
  const read = rows.flatMap((row) => row.sources.map((source) => ({ row, source })));
  const bySource = [...Map.groupBy(read, ({ source }) => source.source).values()];
  const notRead = rows.filter(({ status }) => status === 'not_covered');
  return html`<h2 id="sources">Sources</h2>
    ${
      bySource.length === 0
        ? html`<p>We read no public records here yet.</p>`
        : cardTable(
            'A missing record means that there is none only where its kind is read in the whole county.',
            ['Source', 'What it has', 'Where', 'Read'],
            bySource.map((ofSource) => {
              const [{ source }] = ofSource as [(typeof read)[number]];
              const { title, home, county, covered_city: city, age_days: age, every_days: every } = source;
              return [
                externalLink(home, title),
                sentence(ofSource.map(({ row }) => row.kind.replaceAll('_', ' ')).join(', ')),
                html`${county ?? 'The whole metro'}${city !== null && html`, ${city} only`}`,
                [day(source.last_good_at), sub(`${ageText(age)}, every ${every === 1 ? 'day' : `${every} days`}`)],
              ];
            }),
          )
    }
    ${
      notRead.length > 0 &&
      fold(
        `${notRead.length} ${notRead.length === 1 ? 'kind' : 'kinds'} we do not read, and why`,
        terms(
          'page-facts',
          notRead.map(({ kind, why }) => [sentence(kind), why]),
        ),
      )
    }`;
}

async function content(context: PageContext, metro: Metro): Promise<Html> {
  const { snapshot } = context.request;
  const ofMetro = await figuresOf(snapshot, metro);
  const zips = await zipsOf(context, metro);
  const own = (await freeDeals(context)).filter((deal) => deal.metro === metro);
  const { form, found, query } = filtered(pathOf(metro), own, context.query);
  const rows = snapshot.all('coverage').filter(({ metro: name }) => name === metro.name) as unknown as readonly Row[];
  const range = await countOf(context, 'Deals', { metro: metro.name });
  return html`<p class="eyebrow"><a href="${METROS_PATH}">Metros</a></p>
    <div class="head">
      <h1>${nameOf(metro)}</h1>
      ${
        range.at_most > 0 &&
        html`<p class="actions">
          <a class="button" href="${buyPath({ metro: metro.name }, query)}"
            >${query === '' ? 'All deals here' : 'All deals like these'}, ${DEALS_PRICE}</a
          >
        </p>`
      }
    </div>
    <p class="lead">
      ${
        range.at_most === 0
          ? 'No listings are read in this metro.'
          : `${rangeText(range)} small apartment buildings for sale.`
      }
    </p>
    ${range.at_most > 0 && html`${own.length > 0 && form} ${explorer(metro, zips, found)} ${gap(ofMetro)}`}
    ${await byCounty(context, metro)} ${range.at_most > 0 && trend(context, metro)} ${sources(rows)}`;
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
