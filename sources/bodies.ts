/** Bodies of pages: JSON, and whether an XML or HTML document is complete. The parsers repair a cut one silently. */
import { Quarantine } from './contract.ts';

/**
 * @param what subject of the error message, such as "the response"
 * @throws Quarantine malformed_page if the text is not JSON
 */
export function parseJson(text: string, what: string, pageUrl: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const start = JSON.stringify(text.slice(0, 80));
    throw new Quarantine('malformed_page', `${what} is not JSON; it starts with ${start}`, pageUrl);
  }
}

/** A document is cut or damaged. */
export class BrokenXml extends Error {
  override readonly name = 'BrokenXml';
}

const TAG = /<(\/?)([^\s<>/!?]+)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/gu;

/**
 * The parser silently repairs wrong nesting, which may give an element its neighbor's value.
 * @throws BrokenXml
 */
export function checkNesting(xml: string): void {
  const open: string[] = [];
  for (const [, closing, tag = '', rest = ''] of xml.matchAll(TAG)) {
    if (closing === '') {
      if (!rest.endsWith('/')) open.push(tag);
    } else {
      const expected = open.pop();
      if (expected !== tag)
        throw new BrokenXml(
          `found </${tag}>, expected ${expected === undefined ? 'no closing tag' : `</${expected}>`}`,
        );
    }
  }
  if (open.length > 0) throw new BrokenXml(`<${open.at(-1)}> is not closed`);
}

/** @throws Quarantine truncated_download if an HTML page is cut: it has lost rows, or the link to the next page */
export function requireWholeHtml(html: string, pageUrl?: string): void {
  if (!/<\/html>\s*$/iu.test(html))
    throw new Quarantine('truncated_download', 'the page does not end with </html>', pageUrl);
}
