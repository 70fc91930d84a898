/** A list of JSON objects as a table. */
import { isObject, type JsonObject } from '../../lib/json.ts';
import { Quarantine } from '../contract.ts';
import { parseJson } from '../json.ts';
import type { TableRow } from './headed_table.ts';
import type { Cell } from './xlsx.ts';

/** Maximum depth at which lists are found: {"data": {"listings": [...]}}. */
const MAX_DEPTH = 4;

/** The longest list of objects in a document. */
function longestList(value: unknown, depth = 0): readonly JsonObject[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  return Object.values(value)
    .map((inner) => longestList(inner, depth + 1))
    .reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}

/** Texts, numbers and booleans of an object by their path: "address.city". Lists are left out. */
function collectLeaves(object: JsonObject, path = ''): [string, Cell][] {
  return Object.entries(object).flatMap(([key, value]): [string, Cell][] => {
    const name = path === '' ? key : `${path}.${key}`;
    if (isObject(value)) return collectLeaves(value, name);
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return [[name, value]];
    return [];
  });
}

/**
 * The names of all objects as the heading row, then one row for each object. A nested value is named by the last part
 * of its path where that is unique.
 * @throws Quarantine malformed_page if the text is not JSON
 */
export function jsonRows(text: string, pageUrl: string): TableRow[] {
  const list = longestList(parseJson(text, 'the file', pageUrl));
  if (list.length === 0) throw new Quarantine('missing_column', 'the JSON file holds no list of objects', pageUrl);
  const objects = list.map((object) => new Map(collectLeaves(object)));
  const paths = [...new Set(objects.flatMap((object) => [...object.keys()]))];
  const lastPart = (path: string): string => path.split('.').at(-1) ?? path;
  const byLastPart = Map.groupBy(paths, lastPart);
  const names = paths.map((path) => (byLastPart.get(lastPart(path))?.length === 1 ? lastPart(path) : path));
  return [
    { cells: names, raw: names.join(','), where: 'the names of the items', isFixedWidth: true },
    ...objects.map((object, index) => ({
      cells: paths.map((path) => object.get(path) ?? null),
      raw: JSON.stringify(list[index]),
      where: `item ${index + 1}`,
      isFixedWidth: true,
    })),
  ];
}
