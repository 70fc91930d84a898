/** Whether an XML document is complete. The parsers repair a cut document silently. */

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
