/** /search: places and free deals by a part of their name. */
import { placeKey, placesOf, type Place } from '../../routes/places.ts';
import { dealList, freeDeals } from '../deal_cards.ts';
import { html } from '../html.ts';
import { metroNamed, METROS, pathOf } from '../map/metros.ts';
import type { Page } from '../page.ts';

/** Most places that are shown. */
const MOST = 20;

interface Found {
  readonly name: string;
  readonly about: string;
  readonly href: string;
}

/** A place that is searched by one of its names. */
function entryOf(place: Place, isNamed: (name: string) => boolean): Found[] {
  const { state, county, metro, city, zip } = place;
  const own = metroNamed(metro ?? '');
  const hrefOf = (filters: Readonly<Record<string, string>>, at = ''): string =>
    own ? `${pathOf(own)}${at}` : `/build?${new URLSearchParams({ call: '/api/signals', ...filters }).toString()}`;
  const section = place.has_listings && zip !== null ? `#z${zip}` : '';
  const about = own?.name ?? 'outside the metros';
  if (city !== null && zip !== null && isNamed(zip))
    return [{ name: `${city}, ${state} ${zip}`, about, href: hrefOf({ zip }, section) }];
  if (city !== null && isNamed(city))
    return [{ name: `${city}, ${state}`, about, href: hrefOf({ city, state }, section) }];
  if (county !== null && isNamed(county)) return [{ name: county, about, href: hrefOf({ county }) }];
  return [];
}

export const search: Page = {
  path: '/search',
  title: 'Search',
  cache: 'none',
  about: 'Find a metro, a county, a city, a ZIP or a free deal.',
  async content(context) {
    const asked = (context.query.get('q') ?? '').trim().slice(0, 100);
    const key = placeKey(asked);
    const isNamed = (name: string): boolean => key !== '' && ` ${placeKey(name)}`.includes(` ${key}`);
    const metros = METROS.filter(({ name, state }) => isNamed(`${name} ${state}`)).map((metro) => ({
      name: `${metro.name}, ${metro.state}`,
      about: 'metro, with its map',
      href: pathOf(metro),
    }));
    const places = (await placesOf(context.request.snapshot))
      .filter(({ has_listings: listed, has_records: recorded }) => listed || recorded)
      .toSorted((a, b) => Number(b.has_listings) - Number(a.has_listings))
      .flatMap((place) => entryOf(place, isNamed));
    const found = [
      ...new Map([...places.toReversed(), ...metros.toReversed()].map((one) => [one.name, one])).values(),
    ].toReversed();
    const deals = (await freeDeals(context)).filter(({ record: { address, city, state } }) =>
      isNamed([address, city, state].filter((part) => part !== null).join(' ')),
    );
    return html`<h1>${asked === '' ? 'Search' : html`“${asked}”`}</h1>
      ${
        found.length + deals.length === 0
          ? html`<p class="lead">
                ${
                  asked === ''
                    ? 'Type a city, a county, a ZIP or a street.'
                    : 'We know no such place, and none of the free deals has this address.'
                }
              </p>
              <p>
                <a href="/build?call=/api/lookup">Look up the records of any address</a>, or
                <a href="/metros">choose a metro</a>.
              </p>`
          : html`<ul class="found">
                ${found
                  .slice(0, MOST)
                  .map(({ name, about, href }) => html`<li><a href="${href}">${name}</a> <small>${about}</small></li>`)}
              </ul>
              ${found.length > MOST && html`<p>${found.length - MOST} more places have this in their name.</p>`}
              ${
                deals.length > 0 &&
                html`<h2>Free deals</h2>
                  ${dealList(deals)}`
              }`
      }`;
  },
};
