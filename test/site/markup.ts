/** Text and anchors in the markup of a page. */
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
