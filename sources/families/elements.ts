/** Pages as trees, and elements found in them by a selector that is read once, for pages on which the same few are looked for in every row. */
import { compile, selectAll, selectOne } from 'css-select';
import type { AnyNode, Document, Element } from 'domhandler';
import { parseDocument } from 'htmlparser2';

/**
 * A page, or a piece of one, as a tree of what is written there. Not the algorithm of browsers (HTML Living Standard,
 * 13.2), which takes twice as long to say where misplaced markup goes: no adapter here reads such markup.
 */
export const documentOf = (html: string): Document => parseDocument(html);

/** What finds elements below a node, the node itself left out. */
export interface Finder {
  readonly selector: string;
  first(within: AnyNode): Element | null;
  all(within: AnyNode): Element[];
}

/** @throws where the selector cannot be read */
export function finder(selector: string): Finder {
  const query = compile<AnyNode, Element>(selector);
  return {
    selector,
    first: (within) => selectOne<AnyNode, Element>(query, within),
    all: (within) => selectAll<AnyNode, Element>(query, within),
  };
}
