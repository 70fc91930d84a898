/** The message for a list whose headings are not known: what is missing, and a column map to correct and save. */
import { type Page, Quarantine } from '../../contract.ts';
import { COLUMNS_FILE } from '../../csv/column_map.ts';
import { type TableRow, textsOf } from '../../csv/headed_table.ts';
import { published } from '../../values.ts';
import { type ListingField, normalizeHeading, unreadUnit } from './headings.ts';
import { splitAddress } from './place.ts';
import { ASK_FOR_TABLE } from './tables.ts';

/**
 * A field as the message names it, how its headings look, and how its values look if no other field's look the same.
 */
interface Wanted {
  readonly field: ListingField;
  readonly name: string;
  readonly heading: RegExp;
  readonly value?: RegExp;
}

const WANTED: readonly Wanted[] = [
  {
    field: 'list_price',
    name: 'price',
    heading: /^(?!.*(?:SALE|SOLD|CLOS|PAID|LAST)).*(?:PRICE|ASK|OFFER)/u,
    value: /^\$?\d{2,3}(?:,?\d{3})+(?:\.\d+)?$/u,
  },
  { field: 'zip', name: 'ZIP', heading: /ZIP|POST/u, value: /^\d{5}(?:-\d{4})?$/u },
  { field: 'state', name: 'state', heading: /STATE|PROV|^ST$/u, value: /^[A-Z]{2}$/u },
  { field: 'city', name: 'city', heading: /CITY|TOWN|MUNIC|PLACE/u },
  { field: 'street', name: 'street', heading: /ADDR|STREET|LOCAT|WHERE|SITE/u, value: /^\d+\S* \S+/u },
  { field: 'units', name: 'units', heading: /UNIT(?!MIX)|DOOR/u },
  { field: 'unit_mix', name: 'unit mix', heading: /MIX/u },
  { field: 'annual_taxes', name: 'annual taxes', heading: /TAXES/u },
];
const NEEDED = new Set<ListingField>(['list_price', 'zip', 'state', 'city', 'street']);

const nameOf = (wanted: ListingField): string => WANTED.find(({ field }) => field === wanted)?.name ?? wanted;

const PER_UNIT = { field: 'list_price', unit: 'per unit' } as const;

const NO_OFFER = /SOLD|SALE|CLOS|PAID|VALUE|ESTIMATE|ASSESS|APPRAIS|LOAN|EQUITY|BALANCE|PAYMENT/u;

const ROWS_LOOKED_AT = 20;

type Fields = ReadonlyMap<string, ListingField | null>;

const textAt = (row: TableRow, column: number): string => {
  return published(row.cells[column]) ?? '';
};

/** The row most like a heading row: the first with the most known headings. */
function headingRow(
  table: readonly TableRow[],
  fields: Fields,
): { readonly row: TableRow; readonly score: number } | null {
  const rows = table.slice(0, ROWS_LOOKED_AT).filter((row) => textsOf(row).length > 1);
  const scored = rows.map((row) => {
    const headings = row.cells.map(normalizeHeading);
    const isHeading = (text: string): boolean => fields.has(text) || WANTED.some(({ heading }) => heading.test(text));
    return { row, score: headings.filter(isHeading).length };
  });
  return scored.reduce<(typeof scored)[number] | null>(
    (best, each) => (best && best.score >= each.score ? best : each),
    null,
  );
}

/** For each wanted field that no heading names, the column most like it. */
function likelyColumns(headings: TableRow, rows: readonly TableRow[], fields: Fields): Map<number, Wanted> {
  const keys = headings.cells.map(normalizeHeading);
  const named = new Set(keys.map((key) => fields.get(key)));
  const found = new Map<number, Wanted>();
  for (const wanted of WANTED.filter(({ field }) => !named.has(field))) {
    const scored = keys.flatMap((key, column) => {
      // A figure per unit or per foot, a price paid, or an estimate of a house that nobody offers, is no asking price.
      if (key === '' || key.includes(' ') || NO_OFFER.test(key)) return [];
      if (fields.has(key) || found.has(column)) return [];
      const texts = rows
        .slice(0, ROWS_LOOKED_AT)
        .map((row) => textAt(row, column))
        .filter((text) => text !== '');
      const isLike = texts.length > 0 && texts.filter((text) => wanted.value?.test(text)).length * 2 > texts.length;
      return [{ column, score: (wanted.heading.test(key) ? 2 : 0) + (isLike ? 1 : 0) }];
    });
    const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { column: -1, score: 0 });
    if (best.score > 0) found.set(best.column, wanted);
  }
  return found;
}

/** The refusal of a file in which no row has the needed headings. */
export function unknownHeadings(tables: readonly (readonly TableRow[])[], fields: Fields, page: Page): Quarantine {
  const tops = tables.flatMap((table) => {
    const top = headingRow(table, fields);
    return top === null ? [] : [{ ...top, rows: table.slice(table.indexOf(top.row) + 1) }];
  });
  const [best] = tops.toSorted((a, b) => b.score - a.score);
  if (best === undefined)
    return new Quarantine(
      'missing_column',
      `the file holds no table. If it is a sign-in or error page of a site, save the list again. ${ASK_FOR_TABLE}`,
      page.url,
    );
  const likely = likelyColumns(best.row, best.rows, fields);
  const named = new Set(best.row.cells.map((heading) => fields.get(normalizeHeading(heading))));
  const addresses = best.row.cells.findIndex((heading) => fields.get(normalizeHeading(heading)) === 'street');
  const hasPlaces = best.rows.some((row) => splitAddress(textAt(row, addresses)) !== null);
  const missing = WANTED.filter(
    ({ field }) => (hasPlaces ? field === 'list_price' : NEEDED.has(field)) && !named.has(field),
  );
  const unlike = missing.filter((wanted) => ![...likely.values()].includes(wanted)).map(({ name }) => name);
  const map = Object.fromEntries([...likely].map(([column, { field }]) => [String(best.row.cells[column]), field]));
  const headings = textsOf(best.row)
    .map((text) => JSON.stringify(text))
    .join(', ');
  const ask = `Ask for the list with columns for ${unlike.join(', ')}`;
  const paid = best.row.cells.find((heading) => fields.get(normalizeHeading(heading)) === 'sold_price');
  const sales =
    paid === undefined ? '' : `. ${JSON.stringify(paid)} is what a sold building cost: these look like sales`;
  const units = best.row.cells.flatMap((heading) => {
    const unread =
      unreadUnit(heading) ?? (fields.get(normalizeHeading(heading)) === 'price_per_unit' ? PER_UNIT : null);
    return unread === null ? [] : [`. ${JSON.stringify(heading)} is ${unread.unit}, not the ${nameOf(unread.field)}`];
  });
  return new Quarantine(
    'missing_column',
    `no heading for ${missing.map(({ name }) => name).join(', ')} in ${best.row.where}: ` +
      `${headings}${sales}${units.join('')}` +
      (likely.size === 0
        ? `. ${ask}`
        : `. Put a file ${COLUMNS_FILE} next to the list, and correct this text in it: ${JSON.stringify(map)}. ` +
          `null ignores a column${unlike.length === 0 ? '' : `. ${ask}`}`),
    page.url,
  );
}

/** The refusal of a list that has no column for a part of the place, nor an address that holds it. */
export function missingPlace(headings: TableRow, missing: readonly ListingField[], page: Page): Quarantine {
  const names = WANTED.filter(({ field }) => missing.includes(field)).map(({ name }) => name);
  const fixed = missing.every((field) => field === 'state')
    ? `. If all listings are in one state, put a file ${COLUMNS_FILE} next to the list instead, ` +
      'such as this for Ohio: {"=OH": "state"}'
    : '';
  return new Quarantine(
    'missing_column',
    `no heading for ${names.join(', ')} in ${headings.where}, and no address like "12 Elm St, Akron, OH 44308". ` +
      `Ask for the list with ${names.length === 1 ? 'this column' : 'these columns'}${fixed}`,
    page.url,
  );
}
