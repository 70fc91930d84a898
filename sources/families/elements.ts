/** Elements found by a selector that is read once, for pages on which the same few are looked for in every row. */
import { compile, selectAll, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';

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
