/** /search: places and free deals by a part of their name. */
import { placeKey, placesOf, type Place } from '../../routes/places.ts';
import { h2, link, list } from '../components.ts';
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
  const entry = (name: string, filters: Readonly<Record<string, string>>): Found[] => {
    const section = filters['county'] === undefined && place.has_listings && zip !== null ? `#z${zip}` : '';
    const query = new URLSearchParams({ call: '/api/signals', ...filters });
    const href = own ? `${pathOf(own)}${section}` : `/build?${query.toString()}`;
    return [{ name, about: own?.name ?? 'outside the metros', href }];
  };
  if (city !== null && zip !== null && isNamed(zip)) return entry(`${city}, ${state} ${zip}`, { zip });
  if (city !== null && isNamed(city)) return entry(`${city}, ${state}`, { city, state });
  return county !== null && isNamed(county) ? entry(county, { county }) : [];
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
    // The first of one name wins.
    const named = [...places.toReversed(), ...metros.toReversed()].map((one) => [placeKey(one.name), one] as const);
    const found = [...new Map(named).values()].toReversed();
    const deals = (await freeDeals(context)).filter(({ record: { address, city, state } }) =>
      isNamed([address, city, state].filter((part) => part !== null).join(' ')),
    );
    if (found.length + deals.length === 0)
      return html`<h1>${asked === '' ? 'Search' : `“${asked}”`}</h1>
        <p class="lead">
          ${asked === '' ? 'Type a city, a county, a ZIP or a street.' : 'No place and no free deal has this name.'}
        </p>
        <p>
          <a href="/build?call=/api/lookup">Look up the records of any address</a>, or
          <a href="/metros">choose a metro</a>.
        </p>`;
    const items = found
      .slice(0, MOST)
      .map(({ name, about, href }) => html`${link(href, name)} <small>${about}</small>`);
    return html`<h1>“${asked}”</h1>
      ${list(items, 'found')}
      ${found.length > MOST && html`<p>${found.length - MOST} more places have this in their name.</p>`}
      ${deals.length > 0 && [h2('Free deals'), dealList(deals)]}`;
  },
};
