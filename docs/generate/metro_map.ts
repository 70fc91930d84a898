/**
 * api/site/map/metros.json: every metro with its place on the map of the site: the middle of the ZIPs in the county of
 * its largest city. Both are reference tables of the models; no place of a deal is used.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

type Row = Readonly<Record<string, string>>;

const RADIANS = Math.PI / 180;
/** The Albers projection of us-atlas: parallels, center, scale, and the place of the center. */
const [SOUTH, NORTH, LONGITUDE, LATITUDE] = [29.5, 45.5, -96, 38.7].map((degrees) => degrees * RADIANS) as [
  number,
  number,
  number,
  number,
];
const SCALE = 1300;
const CENTER = { x: 487.5, y: 305, eastOfMeridian: -0.6 * RADIANS } as const;

const n = (Math.sin(SOUTH) + Math.sin(NORTH)) / 2;
const c = Math.cos(SOUTH) ** 2 + 2 * n * Math.sin(SOUTH);

/** A point in units of the projection, from its meridian. */
function albers(east: number, latitude: number): readonly [x: number, y: number] {
  const radius = Math.sqrt(c - 2 * n * Math.sin(latitude)) / n;
  return [radius * Math.sin(n * east), -radius * Math.cos(n * east)];
}

/** Place on the map, in whole units of its view box. */
function project(longitude: number, latitude: number): { x: number; y: number } {
  const [x, y] = albers(longitude * RADIANS - LONGITUDE, latitude * RADIANS);
  const [x0, y0] = albers(CENTER.eastOfMeridian, LATITUDE);
  return { x: Math.round(CENTER.x + SCALE * (x - x0)), y: Math.round(CENTER.y - SCALE * (y - y0)) };
}

const rowsOf = (name: string): Row[] =>
  parse(readFileSync(new URL(`../../models/reference/${name}.csv`, import.meta.url)), { columns: true });

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

export function metroMapJson(): string {
  const zips = rowsOf('zip_places');
  const metros = [...Map.groupBy(rowsOf('metro_counties'), ({ metro }) => metro ?? '')].map(([name, counties]) => {
    const core = counties.filter((county) => county['is_core'] === 'true');
    const fips = new Set(core.map((county) => county['county_fips']));
    const places = zips.filter((zip) => fips.has(zip['county_fips']));
    if (places.length === 0) throw new Error(`no ZIP of ${name} has a place`);
    return {
      name,
      slug: slugOf(name),
      state: core[0]?.['state'],
      counties: counties.map(({ county, state }) => `${county}, ${state}`),
      ...project(
        mean(places.map(({ longitude }) => Number(longitude))),
        mean(places.map(({ latitude }) => Number(latitude))),
      ),
    };
  });
  return `[\n${metros.map((metro) => JSON.stringify(metro)).join(',\n')}\n]`;
}
