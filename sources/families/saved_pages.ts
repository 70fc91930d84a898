/** Pages of a site that a person saved in a browser and dropped (docs/adding-listings.md). */
import type { DropFormat, Page } from '../contract.ts';

/** The drop format of a site's pages. @param about "a page of the list" */
export const savedPages = (kind: string, about: string): readonly DropFormat[] => [
  { pattern: /\.html?$/u, file: 'page_1.html', kind, about: `${about}, saved as a complete web page` },
];

/** Whether a page was dropped. */
export const isSaved = ({ url }: Page): boolean => url.startsWith('file:');

/** A page with the address of its site instead of that of its file, so that its links lead to the site. */
export const onSite = (page: Page, base: string): Page => (isSaved(page) ? { ...page, url: base } : page);
