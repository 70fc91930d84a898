/**
 * Writes api/site/map/bases.json, what lies under the circles of a metro's map:
 *   node docs/generate/metro_bases.ts counties-10m.json natural_earth.geojson
 * The first is the file of us-atlas 3.0.1 (`npm pack us-atlas@3.0.1`), the second rivers, lakes, seas, railways and
 * places of Natural Earth 10m, with properties metro, kind, name and population. Places of ZIPs are a reference table.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

type Point = readonly [x: number, y: number];
type Row = Readonly<Record<string, string>>;

interface Topology {
  readonly transform: { readonly scale: Point; readonly translate: Point };
  readonly arcs: readonly (readonly Point[])[];
  readonly objects: { readonly counties: { readonly geometries: readonly Shape[] } };
}
interface Shape {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly arcs: readonly (readonly number[])[] | readonly (readonly (readonly number[])[])[];
  readonly id: string;
  readonly properties: { readonly name: string };
}
interface Feature {
  readonly properties: {
    readonly metro: string;
    readonly kind: 'river' | 'lake' | 'sea' | 'rail' | 'place';
    readonly name: string | null;
    readonly population?: number;
  };
  readonly geometry: { readonly type: string; readonly coordinates: unknown };
}

/** Units of a map per degree of longitude. */
const UNITS = 1000;
/** Degrees around the counties of a metro. */
const MARGIN = 0.1;
/** Largest distance of a line from its simplified form, in units. */
const TOLERANCE = 1.2;
/** Waters whose shore is that of the counties, which is finer: they lie under the land. */
const OUTER_WATERS: ReadonlySet<string> = new Set(['Lake Erie', 'Lake Huron', 'Lake Michigan', 'Lake St. Clair']);
/** Places outside the United States. */
const ABROAD: ReadonlySet<string> = new Set(['Windsor', 'Sarnia']);
/** Places for the name of a water, and units between them. */
const [NAME_PLACES, NAME_STEP] = [12, 60];

const mercator = (latitude: number): number => Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
const RADIANS = Math.PI / 180;

const [countiesFile = '', natureFile = ''] = process.argv.slice(2);
const us = JSON.parse(readFileSync(countiesFile, 'utf8')) as Topology;
const nature = (JSON.parse(readFileSync(natureFile, 'utf8')) as { features: readonly Feature[] }).features;
const rowsOf = (name: string): Row[] =>
  parse(readFileSync(new URL(`../../models/reference/${name}.csv`, import.meta.url)), { columns: true });

/** Each arc in degrees. */
const arcs = us.arcs.map((arc) => {
  let [x, y] = [0, 0];
  const { scale, translate } = us.transform;
  return arc.map(([dx, dy]): Point => {
    [x, y] = [x + dx, y + dy];
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
});
const indexOf = (arc: number): number => (arc < 0 ? ~arc : arc);
const ringsOf = ({ type, arcs: own }: Shape): readonly (readonly number[])[] =>
  type === 'Polygon' ? (own as number[][]) : (own as number[][][]).flat();
const { geometries: counties } = us.objects.counties;
const uses = Map.groupBy(
  counties.flatMap((county) => ringsOf(county).flatMap((ring) => ring.map((arc) => indexOf(arc)))),
  (arc) => arc,
);
const usesOf = (arc: number): number => uses.get(arc)?.length ?? 0;

/** The points of a ring of arcs. */
const pointsOf = (ring: readonly number[]): Point[] =>
  ring.flatMap((arc) => {
    const points = arcs[indexOf(arc)] ?? [];
    return (arc < 0 ? points.toReversed() : points).slice(0, -1);
  });

function distance([x, y]: Point, [x1, y1]: Point, [x2, y2]: Point): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

/** A line without points that change it by less than the tolerance (Douglas and Peucker). */
function simplified(line: readonly Point[]): readonly Point[] {
  const [first, last] = [line[0], line.at(-1)];
  if (!first || !last || line.length < 3) return line;
  const distances = line.map((point) => distance(point, first, last));
  const farthest = distances.indexOf(Math.max(...distances));
  if ((distances[farthest] ?? 0) < TOLERANCE) return [first, last];
  return [...simplified(line.slice(0, farthest + 1)).slice(0, -1), ...simplified(line.slice(farthest))];
}

/** Whether a point is inside a ring. */
const isInside = ([x, y]: Point, ring: readonly Point[]): boolean =>
  ring.reduce((inside, [x1, y1], i) => {
    const [x2, y2] = ring.at(i - 1) ?? [0, 0];
    return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1 ? !inside : inside;
  }, false);

/** The middle of the area of a ring. */
function middleOf(ring: readonly Point[]): Point {
  let [area, x, y] = [0, 0, 0];
  for (const [i, [x1, y1]] of ring.entries()) {
    const [x2, y2] = ring.at(i - 1) ?? [0, 0];
    const cross = x2 * y1 - x1 * y2;
    [area, x, y] = [area + cross, x + (x1 + x2) * cross, y + (y1 + y2) * cross];
  }
  return [x / (3 * area), y / (3 * area)];
}

function base(metro: string, fips: ReadonlySet<string>) {
  const own = counties.filter(({ id }) => fips.has(id));
  const all = own.flatMap((county) => ringsOf(county).flatMap(pointsOf));
  const west = Math.min(...all.map(([x]) => x)) - MARGIN;
  const north = Math.max(...all.map(([, y]) => y)) + MARGIN;
  const place = ([x, y]: Point): Point => [
    Math.round((x - west) * UNITS),
    Math.round(((mercator(north) - mercator(y)) / RADIANS) * UNITS),
  ];
  const [width, height] = place([
    Math.max(...all.map(([x]) => x)) + MARGIN,
    Math.min(...all.map(([, y]) => y)) - MARGIN,
  ]);
  const isNear = ([x, y]: Point, by = 100): boolean => x > -by && y > -by && x < width + by && y < height + by;
  const pathOf = (line: readonly Point[], end = ''): string => {
    const points = simplified(line).filter(([x, y], i, { [i - 1]: before }) => x !== before?.[0] || y !== before[1]);
    if (points.length < (end === '' ? 2 : 3) || !points.some((point) => isNear(point))) return '';
    const moves = points.map(([x, y], i, { [i - 1]: before }) =>
      [x - (before?.[0] ?? 0), y - (before?.[1] ?? 0)].join(' ').replace(' -', '-'),
    );
    return `M${moves[0] ?? ''}l${moves.slice(1).join(' ').replaceAll(' -', '-')}${end}`;
  };
  const ofKind = (kind: string): readonly Feature[] =>
    nature.filter(({ properties }) => properties.metro === metro && properties.kind === kind);
  const linesOf = ({ geometry: { type, coordinates } }: Feature): Point[][] => {
    const lines =
      type === 'LineString'
        ? [coordinates]
        : type === 'MultiPolygon'
          ? (coordinates as unknown[][]).flat()
          : coordinates;
    return (lines as Point[][]).map((line) => line.map(place));
  };
  /** The parts of lines that are near the map. */
  const drawn = (kind: string): string =>
    ofKind(kind)
      .flatMap(linesOf)
      .flatMap((line) => {
        const parts: Point[][] = [[]];
        for (const point of line) {
          if (isNear(point)) parts.at(-1)?.push(point);
          else if (parts.at(-1)?.length) parts.push([]);
        }
        return parts.map((part) => pathOf(part));
      })
      .join('');

  const lineOf = (arc: number): Point[] => (arcs[indexOf(arc)] ?? []).map(place);
  /** The outline of counties together: the arcs that only one of them has, end to end. */
  const outlineOf = (group: readonly Shape[]): Point[][] => {
    const ofGroup = group.flatMap((county) => ringsOf(county).flat());
    const usesHere = Map.groupBy(ofGroup, indexOf);
    let open = ofGroup
      .filter((arc) => usesHere.get(indexOf(arc))?.length === 1)
      .map((arc) => (arc < 0 ? lineOf(arc).toReversed() : lineOf(arc)));
    const outline: Point[][] = [];
    while (open.length > 0) {
      const ring = [...(open.pop() ?? [])];
      for (;;) {
        const next = open.find(([first]) => first?.join() === ring.at(-1)?.join());
        if (!next || ring[0]?.join() === ring.at(-1)?.join()) break;
        ring.push(...next.slice(1));
        open = open.filter((one) => one !== next);
      }
      outline.push(ring);
    }
    return outline;
  };
  // An outline is simplified in two halves, as its ends are one point.
  const closed = (ring: readonly Point[]): string => {
    const half = ring.length >> 1;
    return pathOf([...simplified(ring.slice(0, half + 1)), ...simplified(ring.slice(half)).slice(1)], 'z');
  };
  const near = [...uses.keys()].filter((arc) => lineOf(arc).some((point) => isNear(point, 0)));
  const outer = [
    ...ofKind('lake').filter(({ properties }) => OUTER_WATERS.has(properties.name ?? '')),
    ...ofKind('sea'),
  ];
  const inner = ofKind('lake').filter((lake) => !outer.includes(lake));
  const around = counties.filter((county) =>
    ringsOf(county).some((ring) =>
      pointsOf(ring)
        .map(place)
        .some((point) => isNear(point)),
    ),
  );
  const lands = around.flatMap((county) => ringsOf(county).map((ring) => pointsOf(ring).map(place)));
  const places = ofKind('place')
    .map(({ properties: { name, population = 0 }, geometry }) => ({
      name,
      population,
      at: place(geometry.coordinates as Point),
    }))
    .filter(({ at }) => isNear(at, 0))
    .sort((a, b) => b.population - a.population);
  // Without the land of another country, whatever is no county is water.
  const isAbroad = places.some(({ name }) => ABROAD.has(name ?? ''));
  const inBox = ([x, y]: Point): Point => [
    Math.min(Math.max(x, -100), width + 100),
    Math.min(Math.max(y, -100), height + 100),
  ];
  /** Where a water's name may stand, the places farthest from its shore first. */
  const namePlaces = (water: Feature): Point[] => {
    const rings = linesOf(water);
    const isSea = water.properties.kind === 'sea';
    const shore = [...(isSea ? [] : rings), ...lands].flat();
    const grid = Array.from({ length: Math.ceil(width / NAME_STEP) * Math.ceil(height / NAME_STEP) }, (_, i): Point => {
      const columns = Math.ceil(width / NAME_STEP);
      return [(i % columns) * NAME_STEP, Math.floor(i / columns) * NAME_STEP];
    });
    return grid
      .filter(
        (point) =>
          (isSea || rings.some((ring) => isInside(point, ring))) && !lands.some((ring) => isInside(point, ring)),
      )
      .map((point) => ({ point, away: Math.min(...shore.map(([x, y]) => Math.hypot(x - point[0], y - point[1]))) }))
      .sort((a, b) => b.away - a.away)
      .slice(0, NAME_PLACES)
      .map(({ point }) => point);
  };
  return {
    west: Number(west.toFixed(5)),
    north: Number(north.toFixed(5)),
    width,
    height,
    isAbroad,
    beyond: outlineOf(around.filter((county) => !own.includes(county)))
      .map((ring) => closed(ring.map(inBox)))
      .join(''),
    land: outlineOf(own).map(closed).join(''),
    shore: isAbroad
      ? near
          .filter((arc) => usesOf(arc) === 1)
          .map((arc) => pathOf(lineOf(arc)))
          .join('')
      : '',
    borders: near
      .filter((arc) => usesOf(arc) > 1)
      .map((arc) => pathOf(lineOf(arc)))
      .join(''),
    outer: isAbroad ? outer.flatMap(linesOf).map(closed).join('') : '',
    inner: inner.flatMap(linesOf).map(closed).join(''),
    rivers: drawn('river'),
    rails: drawn('rail'),
    waters: outer.flatMap((water) => {
      const at = namePlaces(water);
      return at.length === 0 ? [] : [{ name: water.properties.name ?? (metro === 'Tampa' ? 'Gulf' : 'Atlantic'), at }];
    }),
    counties: own.map((county) => {
      const rings = ringsOf(county).map((ring) => pointsOf(ring).map(place));
      const [largest = []] = rings.sort((a, b) => b.length - a.length);
      return { name: county.properties.name, at: middleOf(largest).map(Math.round) };
    }),
    places,
    zips: Object.fromEntries(
      rowsOf('zip_places').flatMap(({ zip, county_fips: county = '', longitude, latitude }) =>
        fips.has(county) ? [[zip, place([Number(longitude), Number(latitude)])]] : [],
      ),
    ),
  };
}

const metros = Map.groupBy(
  rowsOf('metro_counties').filter((row) => row['has_listings'] === 'true'),
  ({ metro = '' }) => metro,
);
const bases = [...metros].map(([metro, rows]): [string, unknown] => [
  metro,
  base(metro, new Set(rows.map((row) => row['county_fips'] ?? ''))),
]);
writeFileSync(
  new URL('../../api/site/map/bases.json', import.meta.url),
  `{\n${bases.map(([metro, value]) => `${JSON.stringify(metro)}:${JSON.stringify(value)}`).join(',\n')}\n}\n`,
);
