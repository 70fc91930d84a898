/** A map of the contiguous states with a circle per metro. The outline is a separate image, cached for a year. */
import { readFileSync } from 'node:fs';
import { shortHash } from '../../http/caching.ts';
import { html, type Html } from '../html.ts';
import { Room } from './labels.ts';
import { pathOf, type Metro } from './metros.ts';

interface Outline {
  readonly width: number;
  readonly height: number;
  readonly nation: string;
  readonly borders: string;
}

const outline = JSON.parse(readFileSync(new URL('./us_states.json', import.meta.url), 'utf8')) as Outline;
const { width, height } = outline;

/** One image for each color scheme, because an image cannot read the style sheet. Its address has a version. */
function outlineFile(scheme: string, land: string, border: string) {
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

const [SMALLEST, LARGEST, TEXT] = [6, 14, 16] as const;

export interface MapPoint {
  readonly metro: Metro;
  /** Number of deals, or the least of their range. */
  readonly size: number;
  /** Text that appears over the circle. */
  readonly title: string;
}

/** The metros, each a link. The page has the same as text: it is hidden from screen readers and from the Tab key. */
export function usMap(points: readonly MapPoint[]): Html {
  const most = Math.max(...points.map(({ size }) => size), 1);
  const room = new Room(width, height);
  const circles = points
    .toSorted((a, b) => b.size - a.size)
    .map((point) => {
      const radius = Math.round(SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(point.size / most));
      const { x, y } = point.metro;
      room.take([x - radius, y - radius, x + radius, y + radius]);
      return { ...point, radius };
    });
  return html`<div class="map" aria-hidden="true">
    <picture>
      <source srcset="${DARK.address}" media="(prefers-color-scheme: dark)" />
      <img src="${LIGHT.address}" alt="" width="${width}" height="${height}" />
    </picture>
    <svg viewBox="0 0 ${width} ${height}" focusable="false">
      ${circles.map(({ metro, title, radius }) => {
        const label = room.label({ text: metro.name, size: TEXT }, [metro.x, metro.y], radius + 3);
        return html`<a href="${pathOf(metro)}" tabindex="-1">
          <title>${title}</title>
          <circle cx="${metro.x}" cy="${metro.y}" r="${radius}"></circle>
          ${
            label &&
            html`<text text-anchor="${label.anchor}" x="${metro.x + label.dx}" y="${metro.y + label.dy}">
              ${metro.name}
            </text>`
          }
        </a>`;
      })}
    </svg>
  </div>`;
}
