/** The operator's own map of a list's headings, in a file next to the list. */
import { z } from 'zod';
import { Quarantine, type Page } from '../contract.ts';
import { parseJson } from '../json.ts';
import type { Cell } from './xlsx.ts';

/** Name of the map's file, and of the page's context entry that holds its text. */
export const COLUMNS_FILE = 'columns.json';

/**
 * Field by normalized heading, where the operator's map takes precedence; null for a column to ignore.
 * @throws Quarantine malformed_page if the map names an unknown field
 */
export function withColumnMap<Field extends string>(
  known: ReadonlyMap<string, Field | null>,
  names: readonly Field[],
  normalize: (heading: Cell | undefined) => string,
  page: Page,
): ReadonlyMap<string, Field | null> {
  const own = page.context[COLUMNS_FILE];
  if (own === undefined) return known;
  const map = z.record(z.string(), z.enum(names).nullable()).safeParse(parseJson(own, COLUMNS_FILE, page.url));
  if (!map.success) {
    const heading = JSON.stringify(map.error.issues[0]?.path.join('.') ?? '');
    throw new Quarantine(
      'malformed_page',
      `${COLUMNS_FILE}: ${heading} is mapped to an unknown field, expected one of ${names.join(', ')}, or null`,
      page.url,
    );
  }
  const fields = new Map(known);
  for (const [heading, field] of Object.entries(map.data)) fields.set(normalize(heading), field as Field | null);
  return fields;
}
