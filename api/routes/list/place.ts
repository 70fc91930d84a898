/**
 * The filters by place: state, metro, county, city and ZIP. A name finds every spelling that a source uses. An unknown
 * name is no error: nothing matches, and a hint says what is near.
 */
import { METRO_NAMES, OTHER_MARKET } from '../../../models/metros.ts';
import type { Snapshot } from '../../serving/open.ts';
import { cachePerSnapshot } from '../../serving/memo.ts';
import { MAX_NEAR, nearestTo, stateParam, textParam, zipParam } from '../params.ts';
import { placeKey, placesOf, type Place } from '../places.ts';
import { STATE_BY_NAME } from '../../../lib/states.ts';
import { by, type Filter } from './filters.ts';

/** Letters and digits of a name in one form: "De Kalb" is DEKALB, "St. Louis" is STLOUIS. */
export const lettersOf = (name: string): string => placeKey(name).replaceAll(' ', '');

const MAX_STATE_WORDS = 3;

/** The same of a county, without the word itself and with the code of its state. */
function countyLetters(name: string): string {
  const words = placeKey(name)
    .split(' ')
    .filter((word) => word !== 'COUNTY');
  for (let count = Math.min(MAX_STATE_WORDS, words.length - 1); count > 0; count -= 1) {
    const code = STATE_BY_NAME.get(words.slice(-count).join(' '));
    if (code !== undefined) return [...words.slice(0, -count), code].join('');
  }
  return words.join('');
}

/** The letters of each name of one kind of place. */
type Names = ReadonlyMap<string, string>;
const namesOf = cachePerSnapshot(async (snapshot): Promise<{ readonly cities: Names; readonly counties: Names }> => {
  const places = await placesOf(snapshot);
  const lettersBy = (kind: 'city' | 'county', letters: (name: string) => string): Names =>
    new Map([...new Set(places.map((place) => place[kind]))].flatMap((name) => (name ? [[name, letters(name)]] : [])));
  return { cities: lettersBy('city', lettersOf), counties: lettersBy('county', countyLetters) };
});

/** The names whose letters meet a condition. */
const namesWhere = (names: Names, meets: (letters: string) => boolean): string[] =>
  [...names].flatMap(([name, letters]) => (meets(letters) ? [name] : []));

const metros = new Map(METRO_NAMES.map((name) => [lettersOf(name), name]));
const isOtherMarket = (name: string): boolean => /^OTHERMARKETS?$/u.test(lettersOf(name));

/** Whether a place has a name of a kind, in any spelling. */
const MEETS = {
  county: ({ county }: Place, name: string): boolean =>
    county !== null &&
    (county.toLowerCase().includes(name.toLowerCase()) || countyLetters(county).includes(countyLetters(name))),
  city: ({ city }: Place, name: string): boolean => city !== null && lettersOf(city) === lettersOf(name),
  zip: ({ zip }: Place, name: string): boolean => zip !== null && name.startsWith(zip),
  metro: ({ metro }: Place, name: string): boolean =>
    isOtherMarket(name) ? metro === null : metro !== null && lettersOf(metro) === lettersOf(name),
};

/** The county's name contains the text, ignoring case, or contains it in another spelling. */
const countyFilter: Filter<ReturnType<typeof textParam>> = {
  param: textParam('Part of the county name as records have it, ignoring case and spelling, such as Jefferson.'),
  async narrow(rows, value, { snapshot }) {
    const letters = countyLetters(value);
    const { counties } = await namesOf(snapshot);
    const values = letters === '' ? [] : namesWhere(counties, (known) => known.includes(letters));
    return rows.either({ column: 'county', is: 'containing', value }, { column: 'county', is: 'one of', values });
  },
};

/** The column has this city, in any spelling. */
export const cityFilter = (column: string, about: string): Filter<ReturnType<typeof textParam>> => ({
  param: textParam(about),
  async narrow(rows, city, { snapshot }) {
    const letters = lettersOf(city);
    const names = namesWhere((await namesOf(snapshot)).cities, (known) => known === letters);
    return rows.either(...[city, ...names].map((value) => ({ column, is: 'like', value }) as const));
  },
});

const metroParam = textParam(`Metro: ${METRO_NAMES.join(', ')}; ${OTHER_MARKET} for any other place.`);

/** The metro of a table that has counties, but no metro. */
export const metroByCounty: Filter<typeof metroParam> = {
  param: metroParam,
  async narrow(rows, metro, { snapshot }) {
    const here = (await placesOf(snapshot)).filter((place) => MEETS.metro(place, metro));
    const values = here.flatMap(({ county }) => county ?? []);
    return rows.either({ column: 'county', is: 'one of', values: [...new Set(values)] });
  },
};

const metroFilter: Filter<typeof metroParam> = {
  param: metroParam,
  narrow: (rows, name) =>
    isOtherMarket(name)
      ? rows.either({ column: 'metro', is: 'absent' })
      : rows.and('metro', '=', metros.get(lettersOf(name)) ?? name),
};

/** Place filters. A record without a city or a ZIP matches no city and no ZIP. */
export const placeFilters = {
  state: by('state', '=', stateParam('State of the property.')),
  city: cityFilter('city', 'City of the property, full name, ignoring case and spelling: St, St. and Saint are one.'),
  county: countyFilter,
  zip: by('zip', '=', zipParam('ZIP of the property.')),
  metro: metroFilter,
};

const withoutState = (name: string): string => name.split(', ')[0] ?? name;

/** Names near an unknown one. */
function nearOf(kind: string, name: string, served: readonly Place[]): readonly string[] {
  switch (kind) {
    case 'county': {
      const counties = served.flatMap(({ county }) => county ?? []);
      return nearestTo(name, counties, (one) => countyLetters(withoutState(one)));
    }
    case 'city': {
      const cities = served.flatMap(({ city, state }) => (city === null ? [] : [`${city}, ${state}`]));
      return nearestTo(name, cities, (one) => lettersOf(withoutState(one)));
    }
    default:
      return kind === 'metro' ? nearestTo(name, METRO_NAMES, lettersOf) : [];
  }
}

/** What is known of a place without a match: whether it exists and is covered, and names near an unknown one. */
export interface PlaceHint {
  readonly is_known: boolean;
  /** Whether a listing or a public record there is served. */
  readonly is_covered: boolean;
  readonly near: readonly string[];
}

/** The hint of a request without a match; undefined if it names no place. */
export async function placeHint(
  snapshot: Snapshot,
  params: Readonly<Record<string, unknown>>,
): Promise<PlaceHint | undefined> {
  const given = Object.entries(MEETS).flatMap(([kind, meets]) =>
    params[kind] === undefined ? [] : [{ kind, name: String(params[kind]), meets }],
  );
  if (given.length === 0) return undefined;
  const state = params['state'];
  const all = (await placesOf(snapshot)).filter((place) => state === undefined || place.state === state);
  const found = all.filter((place) => given.every(({ name, meets }) => meets(place, name)));
  const isServed = (place: Place): boolean => place.has_listings || place.has_records;
  const served = all.filter(isServed);
  const near = given.flatMap(({ kind, name, meets }) =>
    all.some((place) => meets(place, name)) ? [] : nearOf(kind, name, served),
  );
  return { is_known: found.length > 0, is_covered: found.some(isServed), near: near.slice(0, MAX_NEAR) };
}
