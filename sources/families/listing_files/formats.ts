/** The file formats of a source of dropped lists. tables.ts decides by the bytes how to read each file. */
import type { DropFormat } from '../../contract.ts';
import { COLUMNS_FILE } from '../../csv/column_map.ts';

/** @param where where the operator puts the list, for messages: "under any name" */
export function listingFiles(where: string): readonly DropFormat[] {
  const about =
    `the current list of a broker or portal as text with commas, tabs or semicolons, ${where}. ` +
    'It needs headings for price, city, state and ZIP, or for price and a whole address; ' +
    `a file ${COLUMNS_FILE} next to it maps other headings`;
  const formats = [
    { pattern: /\.(?:csv|tsv|tab|txt)$/u, file: 'list.csv', kind: 'csv', about },
    { pattern: /\.xls[xm]?$/u, file: 'list.xlsx', kind: 'xlsx', about: 'an Excel workbook' },
    { pattern: /\.html?$/u, file: 'list.html', kind: 'html', about: 'a saved page with a table' },
    { pattern: /\.json$/u, file: 'list.json', kind: 'json', about: 'a list of objects' },
  ];
  return formats.map((format) => ({ ...format, beside: COLUMNS_FILE }));
}
