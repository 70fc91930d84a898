/** The operator's own map of a list's headings, in a file next to the list. */
import { z } from 'zod';
import { type Page, Quarantine } from '../contract.ts';
import { parseJson } from '../json.ts';
import type { Cell } from './xlsx.ts';

/** Name of the map's file, and of the page's context entry that holds its text. */
export const COLUMNS_FILE = 'columns.json';

/** A key of the map that is no heading but a value for all rows: {"=OH": "state"}. */
const FIXED_VALUE = /^=\s*(?=\S)/u;

/** The operator's entries in order; none without a map. @throws Quarantine malformed_page if one names no field */
function parseColumnMap<Field extends string>(
  names: readonly Field[],
  page: Page,
): (readonly [string, Field | null])[] {
  const own = page.context[COLUMNS_FILE];
  if (own === undefined) return [];
  const map = z.record(z.string(), z.enum(names).nullable()).safeParse(parseJson(own, COLUMNS_FILE, page.url));
  if (!map.success) {
    const heading = JSON.stringify(map.error.issues[0]?.path.join('.') ?? '');
    throw new Quarantine(
      'malformed_page',
      `${COLUMNS_FILE}: ${heading} is mapped to an unknown field, expected one of ${names.join(', ')}, or null`,
      page.url,
    );
  }
  return Object.entries(map.data) as [string, Field | null][];
}

/**
 * Field by normalized heading, the operator's own headings first; null for a column to ignore.
 * @throws Quarantine malformed_page if the map names an unknown field
 */
export function withColumnMap<Field extends string>(
  known: ReadonlyMap<string, Field | null>,
  names: readonly Field[],
  normalize: (heading: Cell | undefined) => string,
  page: Page,
): ReadonlyMap<string, Field | null> {
  const own = parseColumnMap(names, page)
    .filter(([heading]) => !FIXED_VALUE.test(heading))
    .map(([heading, field]) => [normalize(heading), field] as const);
  const fields = new Map<string, Field | null>(own);
  for (const [heading, field] of known) if (!fields.has(heading)) fields.set(heading, field);
  return fields;
}

/** Values that the operator states for all rows of a list, by field. @throws like withColumnMap */
export const fixedValues = <Field extends string>(names: readonly Field[], page: Page): ReadonlyMap<Field, string> =>
  new Map(
    parseColumnMap(names, page).flatMap(([key, field]) =>
      field !== null && FIXED_VALUE.test(key) ? [[field, key.replace(FIXED_VALUE, '')] as const] : [],
    ),
  );
