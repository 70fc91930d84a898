/** Images of the site. */
import { readFileSync } from 'node:fs';

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
