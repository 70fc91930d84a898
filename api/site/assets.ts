/** Style sheet, script, font, images and maps of the site, most under URLs that change with their content. */
import { readFileSync } from 'node:fs';
import { shortHash } from '../http/caching.ts';
import { MAP_FILES } from './map/us_map.ts';

/** Files of the style sheet, in order; they are served as one. */
const STYLES = ['base', 'frame', 'components', 'deals', 'home', 'pages'];
const FONT_PATH = '/site/geist.woff2';

const versioned = (path: string, content: string | Buffer): string =>
  `${path}?v=${shortHash(typeof content === 'string' ? content : content.toString('base64'))}`;

export function loadAssets() {
  const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
  const fontFile = read('./fonts/geist.woff2');
  const font = versioned(FONT_PATH, fontFile);
  const style = STYLES.map((name) => read(`./styles/${name}.css`).toString('utf8'))
    .join('\n')
    .replace(FONT_PATH, font);
  const script = read('./enhance.js').toString('utf8');
  const payScript = read('./pay/pay.js').toString('utf8');
  return {
    /** URLs with a version. */
    style: versioned('/site/style.css', style),
    script: versioned('/site/enhance.js', script),
    payScript: versioned('/site/pay.js', payScript),
    font,
    files: [
      { path: '/site/style.css', type: 'text/css; charset=utf-8', content: style },
      { path: '/site/enhance.js', type: 'text/javascript; charset=utf-8', content: script },
      { path: '/site/pay.js', type: 'text/javascript; charset=utf-8', content: payScript },
      { path: FONT_PATH, type: 'font/woff2', content: fontFile },
      ...MAP_FILES.map(({ path, content }) => ({ path, type: 'image/svg+xml', content })),
    ],
  };
}

export type Assets = ReturnType<typeof loadAssets>;

/** Pixels of the image that a link to a page shows. */
export const PREVIEW_SIZE = { width: 1200, height: 630 } as const;

export const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b7a69" d="M3 21V9l6-5 6 5v12z"/>' +
  '<path fill="#c26a12" d="M17 21V12h4v9z"/></svg>\n';

/** Path of the preview. */
export const PREVIEW_PATH = '/site/preview.png';

/** A PNG or ICO file. */
export const readImage = (name: 'preview.png' | 'favicon.ico'): Buffer =>
  readFileSync(new URL(`./images/${name}`, import.meta.url));
