/** Responses of a Socrata portal's SODA 2 interface: rows as JSON, a count, and a table's columns. */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { Quarantine, type Page } from '../../contract.ts';
import { parseJson } from '../../json.ts';

/** Rows of a JSON page. SODA omits the keys of empty cells. @throws Quarantine if it is no array of objects */
export function sodaRows(page: Page): readonly JsonObject[] {
  const json = parseJson(page.text(), 'the response', page.url);
  if (!Array.isArray(json) || !json.every(isObject))
    throw new Quarantine(
      'malformed_page',
      `expected a JSON array of rows, found ${JSON.stringify(json).slice(0, 120)}`,
      page.url,
    );
  return json;
}

/** The number in the response to `$select=count(*) AS total`. @throws Quarantine if it has none */
export function sodaCount(page: Page): number {
  const total = Number(sodaRows(page)[0]?.['total'] ?? NaN);
  if (Number.isInteger(total)) return total;
  throw new Quarantine(
    'template_changed',
    `expected one row with a total, found ${JSON.stringify(page.text().slice(0, 60))}`,
    page.url,
  );
}

/** Names of a table's columns, from its description. @throws Quarantine if it has none */
export function sodaColumns(page: Page): readonly string[] {
  const json = parseJson(page.text(), 'the description of the table', page.url);
  if (!isObject(json) || !Array.isArray(json.columns))
    throw new Quarantine('template_changed', 'the description of the table has no columns', page.url);
  return json.columns.filter(isObject).map((column) => String(column.fieldName));
}
