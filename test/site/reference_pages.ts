/** The reference's pages as text, for checks of all of them. */
import { allPages } from '../../api/site/pages/all.ts';
import { REFERENCE } from '../../api/site/pages/reference/paths.ts';
import type { Route } from '../../api/routes/define.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** Text of escaped markup. */
export const unescaped = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|quot|#39|amp);/gu, (code) => ESCAPES[code] ?? code);

/** Text without tags, with one space between words. */
export const plainText = (markup: string): string =>
  unescaped(markup.replaceAll(/<[^>]*>/gu, ' ')).replaceAll(/\s+/gu, ' ');

export const idsIn = (markup: string): readonly string[] =>
  [...markup.matchAll(/ id="([^"]+)"/gu)].map(([, id = '']) => unescaped(id));

/** Markup of every page of the reference, by path. */
export async function readReference(url: string, routes: readonly Route[]): Promise<ReadonlyMap<string, string>> {
  const paths = allPages(routes).flatMap(({ path }) => (path.startsWith(REFERENCE) ? [path] : []));
  const pages = new Map<string, string>();
  for (const path of paths) {
    const response = await fetch(url + path, { headers: { Accept: 'text/html' } });
    if (response.status !== 200) throw new Error(`${path} is ${response.status}`);
    pages.set(path, await response.text());
  }
  return pages;
}

/** Links of these pages that lead to no page or no section, of those that lead to one of these pages. */
export function brokenLinks(pages: ReadonlyMap<string, string>): readonly string[] {
  const ids = new Map([...pages].map(([path, markup]) => [path, new Set(idsIn(markup))] as const));
  return [...pages].flatMap(([path, markup]) =>
    [...markup.matchAll(/ href="([^"]+)"/gu)].flatMap(([, given = '']) => {
      const [address = '', section] = unescaped(given).split('#');
      const target = ids.get(address === '' ? path : address);
      const isKnown = section === undefined || target?.has(section) === true;
      const isOurs = address === '' || address.startsWith(REFERENCE);
      return isOurs && !(target && isKnown) ? [`${path} links to ${given}`] : [];
    }),
  );
}
