/** schema.org data in a page: the JSON-LD blocks, their nodes, and values at a path in a node. */
import { load } from 'cheerio/slim';
import { Quarantine } from '../contract.ts';

/** One schema.org object. */
export type Node = Readonly<Record<string, unknown>>;

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Types of a node, without the address of the vocabulary before them. */
export function typesOf(node: Node): string[] {
  const type = node['@type'];
  return (Array.isArray(type) ? type : [type])
    .filter((t) => typeof t === 'string')
    .map((t) => t.replace(/^https?:\/\/schema\.org\//u, ''));
}

/**
 * Every top-level node of a page's `application/ld+json` blocks, with arrays and `@graph` opened.
 * Throws Quarantine: "empty_body" for a blank page, "template_changed" where the page has no such block,
 * "malformed_page" where a block is not JSON.
 */
export function readJsonLd(html: string, pageUrl: string): Node[] {
  if (!html.trim()) throw new Quarantine('empty_body', 'the page is empty', pageUrl);
  const $ = load(html);
  const blocks = $('script[type="application/ld+json"]')
    .toArray()
    .map((script) => $(script).text());
  if (!blocks.length) throw new Quarantine('template_changed', 'the page has no application/ld+json block', pageUrl);
  return blocks.flatMap((block): Node[] => {
    let json: unknown;
    try {
      json = JSON.parse(block);
    } catch (error) {
      throw new Quarantine(
        'malformed_page',
        `an application/ld+json block is not JSON: ${error instanceof Error ? error.message : String(error)}`,
        pageUrl,
      );
    }
    return (Array.isArray(json) ? json : [json])
      .filter(isNode)
      .flatMap((node) => (Array.isArray(node['@graph']) ? node['@graph'].filter(isNode) : [node]));
  });
}

/** The first node of a type. Throws Quarantine("template_changed"), naming the types that are there. */
export function nodeOfType(nodes: readonly Node[], type: string, pageUrl: string): Node {
  const node = nodes.find((n) => typesOf(n).includes(type));
  if (node) return node;
  const found = [...new Set(nodes.flatMap(typesOf))].join(', ') || 'none';
  throw new Quarantine('template_changed', `no ${type} in the page's JSON-LD; types found: ${found}`, pageUrl);
}

/** One step into a value: the first of an array is meant where a property may be repeated. */
function step(value: unknown, name: string): unknown {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return isNode(one) ? one[name] : undefined;
}

/**
 * Value at a path such as "about.address.postalCode", or "about.additionalProperty[Cap Rate]" for the value of the
 * PropertyValue of that name. A QuantitativeValue or PropertyValue at the end stands for its `value`. Undefined
 * where the path leads nowhere.
 */
export function valueAt(node: Node, path: string): unknown {
  let value: unknown = node;
  for (const part of path.split('.')) {
    const [, name = part, wanted] = /^(.+?)\[(.+)\]$/u.exec(part) ?? [];
    value = step(value, name);
    if (wanted !== undefined) {
      const named = (Array.isArray(value) ? value : [value]).filter(isNode);
      value = named.find((p) => typeof p.name === 'string' && p.name.trim().toLowerCase() === wanted.toLowerCase());
    }
  }
  if (Array.isArray(value)) value = value[0];
  return isNode(value) && 'value' in value ? value.value : value;
}

/** The first of several paths that leads to a value. */
export function firstAt(node: Node, paths: readonly string[]): unknown {
  for (const path of paths) {
    const value = valueAt(node, path);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
