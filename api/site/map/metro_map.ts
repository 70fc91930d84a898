/**
 * The map of a metro as one SVG: counties, water, railways and places under a circle per ZIP, which never overlap, and
 * the price of each deal where there is room. The list next to it has all of it too.
 */
import { readFileSync } from 'node:fs';
import { html, type Html } from '../html.ts';
import { Room, type Placed, type Point } from './labels.ts';

interface Named {
  readonly name: string;
  readonly at: Point;
}

/**
 * What lies under the circles, made once: Mercator's projection in thousandths of a degree of longitude, a tenth of a
 * degree around the counties, lines simplified by at most 1.2 units (Douglas and Peucker). NOTICE names the sources.
 */
interface Base {
  /** Longitude and latitude of the upper left corner. */
  readonly west: number;
  readonly north: number;
  readonly width: number;
  readonly height: number;
  /** Whether it shows land of another country. Without it, whatever is no county is water. */
  readonly isAbroad: boolean;
  /** Paths: other counties, those of the metro, their shore, borders, waters outside and inside the land. */
  readonly beyond: string;
  readonly land: string;
  readonly shore: string;
  readonly borders: string;
  readonly outer: string;
  readonly inner: string;
  readonly rivers: string;
  readonly rails: string;
  readonly waters: readonly { readonly name: string; readonly at: readonly Point[] }[];
  readonly counties: readonly Named[];
  /** The largest first. */
  readonly places: readonly Named[];
  readonly zips: Readonly<Record<string, Point>>;
}

const BASES = JSON.parse(readFileSync(new URL('./bases.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Base>
>;

const METRO_OF_ZIP = new Map(
  Object.entries(BASES).flatMap(([metro, { zips }]) => Object.keys(zips).map((zip) => [zip, metro] as const)),
);

/** The metro on whose map a ZIP is; undefined if it is on none. */
export const metroOfZip = (zip: string): string | undefined => METRO_OF_ZIP.get(zip);

export interface MapZip {
  readonly zip: string;
  readonly city: string;
  /** Least number of deals. */
  readonly least: number;
  /** Its number of deals in words. */
  readonly about: string;
}

export interface MapDeal {
  readonly href: string;
  readonly price: string;
  readonly title: string;
  readonly zip: string;
  /** Longitude and latitude of its parcel; null if only its ZIP is known. */
  readonly point: Point | null;
}

export interface DrawnMap {
  readonly svg: Html;
  /** Place of a ZIP's circle, for the list. */
  readonly at: ReadonlyMap<string, Point>;
}

/** Paths of a base, from below. */
const LAYERS = ['outer', 'shore', 'beyond', 'land', 'inner', 'rivers', 'rails', 'borders'] as const;
const [WIDTH, HEIGHT] = [480, 400];
/** Least width of a view, in units of a base, and its margin as a share. */
const [LEAST, MARGIN] = [300, 0.12];
/** Numbers of deals from which a circle is larger, and its radius. */
const SIZES = [
  [100, 18],
  [50, 15],
  [25, 12.5],
  [10, 10],
  [0, 7.5],
] as const;
/** Share of the map that circles cover at most. */
const COVERED = 0.16;
/** Places around a ZIP at which its circle is tried; they reach over the whole map. */
const STEPS = 40_000;
/** Heights of texts. A phone shows some names in a larger one, for which they have room. */
const [TEXT, ON_PHONE, SMALL] = [9, 13, 7.5];
/** From this zoom on, more labels have room, and a parcel has its own point. */
const ZOOMED = 2;

const radiusOf = (least: number, scale: number): number => scale * (SIZES.find(([from]) => least >= from)?.[1] ?? 0);
const text = (value: number): string => String(Number(value.toFixed(1)));
const mercator = (latitude: number): number => Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
const inBase = ({ west, north }: Base, [longitude, latitude]: Point): Point => [
  (longitude - west) * 1000,
  ((mercator(north) - mercator(latitude)) * 180_000) / Math.PI,
];

/** Left, top and width of the part of the base with these points, in the proportions of the map. */
function viewOf({ width, height }: Base, points: readonly Point[]): readonly [number, number, number] {
  const shown = points.length > 0 ? points : [[0, 0] as const, [width, height] as const];
  const [xs, ys] = [shown.map(([x]) => x), shown.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const span = (1 + 2 * MARGIN) * Math.max(LEAST, right - left, ((bottom - top) * WIDTH) / HEIGHT);
  const tall = (span * HEIGHT) / WIDTH;
  /** Where a view of this size starts: around a middle, and inside the base if it fits. */
  const startOf = (middle: number, size: number, most: number): number =>
    size < most ? Math.min(Math.max(middle - size / 2, 0), most - size) : (most - size) / 2;
  return [startOf((left + right) / 2, span, width), startOf((top + bottom) / 2, tall, height), span];
}

interface Circle extends MapZip {
  readonly at: Point;
  readonly radius: number;
}

/** Each circle at the place next to its ZIP that is free, the largest first. */
function circlesOf(zips: readonly MapZip[], placeOf: (zip: string) => Point | undefined): Circle[] {
  const area = zips.reduce((sum, { least }) => sum + Math.PI * radiusOf(least, 1) ** 2, 0);
  const scale = Math.min(1, Math.sqrt((COVERED * WIDTH * HEIGHT) / area));
  const placed: Circle[] = [];
  for (const zip of zips.toSorted((a, b) => b.least - a.least || (a.zip < b.zip ? -1 : 1))) {
    const own = placeOf(zip.zip);
    if (!own) continue;
    const radius = radiusOf(zip.least, scale);
    const isFree = ([x, y]: Point): boolean =>
      x > radius &&
      y > radius &&
      x < WIDTH - radius &&
      y < HEIGHT - radius &&
      placed.every(({ at, radius: other }) => Math.hypot(x - at[0], y - at[1]) > radius + other + 1);
    for (let step = 0; step < STEPS; step += 1) {
      // A spiral: each turn has as many places as fit around it.
      const angle = step * 2.4;
      const away = Math.sqrt(step) * 3;
      const at: Point = [own[0] + away * Math.cos(angle), own[1] + away * Math.sin(angle)];
      if (!isFree(at)) continue;
      placed.push({ ...zip, at, radius });
      break;
    }
  }
  return placed;
}

interface Label {
  readonly text: string;
  readonly at: Point;
  readonly kind: 'city' | 'town' | 'water' | 'place' | 'county' | 'price';
  readonly size: number;
  /** From the point to the text; 0: the text is on the point. */
  readonly gap: number;
  readonly deal?: MapDeal;
  placed?: Placed | undefined;
  isZoomed?: boolean;
}

/** Place the labels, first on the whole map, then those without room on the map of a zoom. */
function placeAll(labels: readonly Label[], circles: readonly Circle[]): void {
  for (const zoom of [1, ZOOMED]) {
    const room = new Room(WIDTH * zoom, HEIGHT * zoom);
    const zoomed = ([x, y]: Point): Point => [x * zoom, y * zoom];
    for (const { at, radius } of circles) {
      const [x, y] = zoomed(at);
      room.take([x - radius, y - radius, x + radius, y + radius]);
    }
    // Buttons lie in this corner.
    room.take([WIDTH * zoom - 40, 0, WIDTH * zoom, 110]);
    for (const label of labels) if (label.placed) room.take(room.boxOf(label, zoomed(label.at), label.placed));
    for (const label of labels) {
      if (label.placed) continue;
      label.placed = room.label(label, zoomed(label.at), label.gap);
      label.isZoomed = zoom === ZOOMED;
    }
  }
}

const at = ([x, y]: Point): string => `translate(${text(x)} ${text(y)})`;

function labelHtml({ text: words, at: point, kind, placed, isZoomed, deal }: Label): Html | '' {
  if (!placed) return '';
  const { dx, dy, anchor } = placed;
  const shown = html`<text class="${kind}" text-anchor="${anchor}" x="${text(dx)}" y="${text(dy)}">${words}</text>`;
  const group = html`<g transform="${at(point)}"><g class="fixed${isZoomed === true && ' zoomed'}">${shown}</g></g>`;
  return deal ? html`<a href="${deal.href}" tabindex="-1"><title>${deal.title}</title>${group}</a>` : group;
}

/**
 * Draw a metro. @returns undefined if there is no base of it
 * @param href of a ZIP
 */
export function metroMap(
  metro: string,
  zips: readonly MapZip[],
  deals: readonly MapDeal[],
  href: (zip: string) => string = (zip) => `#z${zip}`,
): DrawnMap | undefined {
  const base = BASES[metro];
  if (!base) return undefined;
  const points = zips.flatMap(({ zip }) => (base.zips[zip] ? [base.zips[zip]] : []));
  const [left, top, span] = viewOf(base, points);
  const scale = WIDTH / span;
  const inMap = ([x, y]: Point): Point => [(x - left) * scale, (y - top) * scale];
  const circles = circlesOf(zips, (zip) => (base.zips[zip] ? inMap(base.zips[zip]) : undefined));
  const circleOf = new Map(circles.map((circle) => [circle.zip, circle]));
  const priced = deals.flatMap((deal) => {
    const circle = circleOf.get(deal.zip);
    const own = deal.point ? inMap(inBase(base, deal.point)) : undefined;
    return circle ? [{ deal, circle, own }] : [];
  });
  const cities = [...Map.groupBy(circles, ({ city }) => city)].map(([city, own]) => ({ city, own }));
  const labels: Label[] = [
    ...base.places
      .filter(({ name }) => name === metro)
      .slice(0, 1)
      .map(({ name, at: point }): Label => ({ text: name, at: inMap(point), kind: 'city', size: ON_PHONE, gap: 0 })),
    ...priced.map(({ deal, circle }): Label => ({
      text: deal.price,
      at: circle.at,
      kind: 'price',
      size: ON_PHONE,
      gap: circle.radius + 2,
      deal,
    })),
    ...base.waters.flatMap(({ name, at: places }): Label[] => {
      const point = places.map(inMap).find(([x, y]) => x > 50 && y > 15 && x < WIDTH - 90 && y < HEIGHT - 15);
      return point ? [{ text: name, at: point, kind: 'water', size: TEXT, gap: 0 }] : [];
    }),
    ...cities
      .filter(({ city }) => city !== metro)
      .map(({ city, own: [first] }): Label => ({
        text: city,
        at: first?.at ?? [0, 0],
        kind: 'town',
        size: ON_PHONE,
        gap: (first?.radius ?? 0) + 2,
      })),
    ...base.places
      .filter(({ name }) => name !== metro && !cities.some(({ city }) => city === name))
      .map(({ name, at: point }): Label => ({ text: name, at: inMap(point), kind: 'place', size: SMALL, gap: 0 })),
    ...base.counties.map(({ name, at: point }): Label => ({
      text: `${name.toUpperCase()} CO.`,
      at: inMap(point),
      kind: 'county',
      size: SMALL,
      gap: 0,
    })),
  ];
  placeAll(labels, circles);
  const path = (layer: (typeof LAYERS)[number]): Html | false =>
    base[layer] !== '' && html`<path class="${layer}" d="${base[layer]}"></path>`;
  const others = labels.filter(({ kind }) => kind !== 'price');
  const svg = html`<svg
    class="metro-map${(base.isAbroad || base.waters.length === 0) && ' on-land'}"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    aria-hidden="true"
    focusable="false"
  >
    <g transform="scale(${Number(scale.toFixed(4))}) translate(${text(-left)} ${text(-top)})">${LAYERS.map(path)}</g>
    ${others.map(labelHtml)}
    ${circles.map(
      ({ zip, city, about, least, radius, at: point }) =>
        html`<a href="${href(zip)}" tabindex="-1" data-zip="${zip}">
          <title>${city} ${zip}: ${about}</title>
          <g transform="${at(point)}">
            <g class="fixed">
              <circle r="${text(radius)}"></circle>
              ${least >= 10 && html`<text class="number" font-size="${text(radius * 0.75)}">${least}+</text>`}
            </g>
          </g>
        </a>`,
    )}
    ${priced.map(
      ({ own, deal: { href: page, title } }) =>
        own &&
        html`<a class="zoomed" href="${page}" tabindex="-1">
          <title>${title}, at its parcel</title>
          <g transform="${at(own)}"><path class="fixed parcel" d="M0-6l6 6-6 6-6-6z"></path></g>
        </a>`,
    )}
    ${labels.filter(({ kind }) => kind === 'price').map(labelHtml)}
  </svg>`;
  return { svg, at: new Map(circles.map(({ zip, at: point }) => [zip, point])) };
}
