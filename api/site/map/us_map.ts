/** A map of the contiguous states with a circle per metro. The outline is a separate image, cached for a year. */
import { readFileSync } from 'node:fs';
import { shortHash } from '../../http/caching.ts';
import { html, type Html, type Piece } from '../html.ts';
import { pathOf, type Metro } from './metros.ts';

interface Outline {
  readonly width: number;
  readonly height: number;
  readonly nation: string;
  readonly borders: string;
}

const outline = JSON.parse(readFileSync(new URL('./us_states.json', import.meta.url), 'utf8')) as Outline;
const { width, height } = outline;

interface MapFile {
  readonly path: string;
  /** Path with a version. */
  readonly address: string;
  readonly content: string;
}

/** One image for each color scheme, because an image cannot read the style sheet. */
function outlineFile(scheme: string, land: string, border: string): MapFile {
  const content =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">` +
    `<path fill="${land}" d="${outline.nation}"/>` +
    `<path fill="none" stroke="${border}" stroke-width="1.4" stroke-linejoin="round" d="${outline.borders}"/></svg>\n`;
  const path = `/site/us-${scheme}.svg`;
  return { path, address: `${path}?v=${shortHash(content)}`, content };
}

const LIGHT = outlineFile('light', '#e4ece9', '#ffffff');
const DARK = outlineFile('dark', '#1d2926', '#0b1110');
export const MAP_FILES = [LIGHT, DARK];

/** Where the label of a circle goes, if not to its right; 'none' where labels would overlap. */
const LABEL_SIDES: Readonly<Record<string, 'left' | 'none'>> = {
  Akron: 'none',
  Canton: 'none',
  Dayton: 'none',
  'Fort Worth': 'none',
  Birmingham: 'left',
  Chicago: 'left',
  Indianapolis: 'left',
  'Kansas City': 'left',
  Milwaukee: 'left',
  Tampa: 'left',
  Toledo: 'none',
};
const [SMALLEST, LARGEST] = [5, 15] as const;

export interface MapPoint {
  readonly metro: Metro;
  readonly size: number;
  /** Text that appears over the circle. */
  readonly title: string;
  readonly href?: string;
  /** The metro that a page is about. */
  readonly isCurrent?: boolean;
}

function circle({ metro, size, title, href, isCurrent }: MapPoint, most: number): Html {
  const radius = Math.round(SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(size / Math.max(most, 1)));
  const side = LABEL_SIDES[metro.name];
  const label = html`<text
    x="${metro.x + (side === 'left' ? -radius - 4 : radius + 4)}"
    y="${metro.y + 5}"
    ${side === 'left' ? html` class="to-left"` : ''}
  >
    ${metro.name}
  </text>`;
  return html`<a href="${href ?? pathOf(metro)}" tabindex="-1" ${isCurrent === true ? html` class="current"` : ''}>
    <title>${title}</title>
    <circle cx="${metro.x}" cy="${metro.y}" r="${radius}"></circle>
    ${side !== 'none' && label}
  </a>`;
}

/** The page has the same figures as text next to the map: it is hidden from screen readers and from the Tab key. */
export function usMap(points: readonly MapPoint[], caption: Piece): Html {
  const most = Math.max(...points.map(({ size }) => size), 0);
  return html`<figure class="map">
    <div aria-hidden="true">
      <picture>
        <source srcset="${DARK.address}" media="(prefers-color-scheme: dark)" />
        <img src="${LIGHT.address}" alt="" width="${width}" height="${height}" />
      </picture>
      <svg viewBox="0 0 ${width} ${height}" focusable="false">
        ${points.toSorted((a, b) => b.size - a.size).map((point) => circle(point, most))}
      </svg>
    </div>
    <figcaption>${caption}</figcaption>
  </figure>`;
}
