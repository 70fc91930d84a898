/** schema.org data of a page: its JSON-LD nodes, and values at a path in a node. */
import { load } from 'cheerio/slim';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { Quarantine } from '../../contract.ts';
import { parseJson } from '../../json.ts';
import { bedroomsOfType, mixOfTypes, type UnitMix } from '../unit_mix.ts';

/** Bedrooms of a plan: a number, or in words such as "Studio". */
function bedroomsOf(plan: Node): number | null {
  const stated = valueAt(plan, 'numberOfBedrooms') ?? valueAt(plan, 'name');
  if (typeof stated === 'number') return Number.isInteger(stated) && stated >= 0 && stated < 10 ? stated : null;
  return typeof stated === 'string' && /^\d$/u.test(stated.trim()) ? Number(stated) : bedroomsOfType(stated);
}

/**
 * The mix of the plans at the first path that has some; null unless each states its bedrooms and its number of units.
 */
export function floorPlanMix(node: Node, paths: readonly string[]): UnitMix | null {
  const found = paths.map((path) => rawValueAt(node, path)).find((value) => value !== undefined && value !== null);
  const plans = Array.isArray(found) ? found : found === undefined ? [] : [found];
  if (plans.length === 0 || !plans.every(isObject)) return null;
  return mixOfTypes(
    plans.map((plan) => {
      const count = valueAt(plan, 'numberOfAccommodationUnits');
      return { bedrooms: count === undefined ? null : bedroomsOf(plan), count };
    }),
  );
}

/** One schema.org object. */
export type Node = JsonObject;

/** Types of a node, without the vocabulary's address. */
export function typesOf(node: Node): string[] {
  const type = node['@type'];
  return (Array.isArray(type) ? type : [type])
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/^https?:\/\/schema\.org\//u, ''));
}

/**
 * Top-level nodes of a page's `application/ld+json` blocks, with arrays and `@graph` flattened.
 * @throws Quarantine empty_body; template_changed if the page has no block; malformed_page if a block is not JSON
 */
export function readJsonLd(html: string, pageUrl: string): Node[] {
  if (!html.trim()) throw new Quarantine('empty_body', 'the page is empty', pageUrl);
  const $ = load(html);
  const blocks = $('script[type="application/ld+json"]')
    .toArray()
    .map((script) => $(script).text());
  if (!blocks.length) throw new Quarantine('template_changed', 'the page has no application/ld+json block', pageUrl);
  return blocks.flatMap((block): Node[] => {
    const json = parseJson(block, 'an application/ld+json block', pageUrl);
    return (Array.isArray(json) ? json : [json])
      .filter(isObject)
      .flatMap((node) => (Array.isArray(node['@graph']) ? node['@graph'].filter(isObject) : [node]));
  });
}

/** The first node of a type. @throws Quarantine template_changed, naming the types found */
export function nodeOfType(nodes: readonly Node[], type: string, pageUrl: string): Node {
  const node = nodes.find((each) => typesOf(each).includes(type));
  if (node) return node;
  const found = [...new Set(nodes.flatMap(typesOf))].join(', ') || 'none';
  throw new Quarantine('template_changed', `no ${type} in the page's JSON-LD; types found: ${found}`, pageUrl);
}

/** One step into a value. A property may be repeated: the first of an array counts. */
function step(value: unknown, name: string): unknown {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? first[name] : undefined;
}

/**
 * Value at a path such as "about.address.postalCode", or "about.additionalProperty[Cap Rate]" for the PropertyValue of
 * that name. A QuantitativeValue or PropertyValue at the end gives its `value`. Undefined if there is none.
 */
export function valueAt(node: Node, path: string): unknown {
  const value = rawValueAt(node, path);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) && 'value' in first ? first.value : first;
}

/** The same as published: all values of a property that is repeated. */
export function rawValueAt(node: Node, path: string): unknown {
  let value: unknown = node;
  for (const part of path.split('.')) {
    const [, name = part, property] = /^(.+?)\[(.+)\]$/u.exec(part) ?? [];
    value = step(value, name);
    if (property !== undefined) {
      const named = (Array.isArray(value) ? value : [value]).filter(isObject);
      value = named.find(
        (candidate) =>
          typeof candidate.name === 'string' && candidate.name.trim().toLowerCase() === property.toLowerCase(),
      );
    }
  }
  return value;
}

/** Value at the first of several paths that has one. */
export function firstValueAt(node: Node, paths: readonly string[]): unknown {
  for (const path of paths) {
    const value = valueAt(node, path);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
