/** The visible text of an HTML page and its structured data (JSON-LD), without markup, styles and scripts. */
import { Parser } from 'htmlparser2';

/** Elements whose content no reader sees. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'canvas']);
/** Elements that start no new line. */
const INLINE = new Set('a abbr b bdi cite code em i label mark q s small span strong sub sup time u'.split(' '));
/** Cells of a row stay on its line. */
const CELLS = new Set(['td', 'th']);

/** Deepest nesting. At each end tag the parser looks through all open elements: a depth of 5,000 costs 27 s. */
const MAX_DEPTH = 256;

class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

/** Lines of a page, in the order of its markup, up to the place where the nesting exceeds MAX_DEPTH. */
export function visibleText(page: string): string {
  const parts: string[] = [];
  let hidden = 0;
  let depth = 0;
  let isData = false;
  const parser = new Parser({
    onopentag(name, { type }) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new TooDeep();
      if (name === 'script' && hidden === 0 && type?.toLowerCase() === 'application/ld+json') isData = true;
      else if (HIDDEN.has(name)) hidden += 1;
      else if (!INLINE.has(name) && !CELLS.has(name)) parts.push('\n');
    },
    ontext(text) {
      if (hidden > 0) return;
      parts.push(isData ? text : text.replaceAll(/\s+/gu, ' '));
    },
    onclosetag(name) {
      depth -= 1;
      if (isData && name === 'script') {
        isData = false;
        parts.push('\n');
      } else if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
      else if (CELLS.has(name)) parts.push('\t');
      else if (!INLINE.has(name)) parts.push('\n');
    },
  });
  try {
    parser.write(page);
    parser.end();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return parts
    .join('')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
    .join('\n');
}
