/** The tables of a web page, or of an HTML file that is named like a workbook. */
import { load } from 'cheerio/slim';
import { Quarantine } from '../contract.ts';
import { line } from '../values.ts';
import type { TableRow } from './headed_table.ts';

/** The widest cell that is padded with blank cells. */
const MAX_SPAN = 200;

/**
 * Rows of each table, those of nested tables only in their own. A cell over several columns is followed by blank ones.
 * A row that a cell of an earlier row reaches into is too short, so it is refused.
 * @throws Quarantine truncated_download if a table does not end
 */
export function htmlTables(html: string, pageUrl: string): TableRow[][] {
  if ((html.match(/<table\b/giu) ?? []).length > (html.match(/<\/table\s*>/giu) ?? []).length)
    throw new Quarantine('truncated_download', 'a table on the page is truncated: its end is missing', pageUrl);
  const $ = load(html.replace(/<br\s*\/?>/giu, '\n'));
  return $('table')
    .toArray()
    .map((table, at) =>
      $(table)
        .find('tr')
        .toArray()
        .filter((row) => $(row).closest('table').is(table))
        .map((row, index) => {
          const cells = $(row)
            .children('th, td')
            .toArray()
            .flatMap((cell) => {
              const span = Math.min(Number($(cell).attr('colspan') ?? 1) || 1, MAX_SPAN);
              const text = $(cell).text().trim();
              return [text, ...Array.from({ length: span - 1 }, () => '')];
            });
          const where = `table ${at + 1} row ${index + 1}`;
          return { cells, raw: cells.map((cell) => line(cell) ?? '').join(' | '), where, isFixedWidth: true };
        }),
    );
}
