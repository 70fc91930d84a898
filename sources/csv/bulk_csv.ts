/**
 * A CSV file of millions of rows, most of which need no thought. A row whose cells are plain (printable ASCII, single
 * spaces, no word for "nothing") is read by SQL, which then has only to trim and to choose; every other row goes to the
 * adapter's parser like a row of any page. So the parser stays the definition of what a row is, and what is said here
 * of plain rows must agree with it: test/sources/bulk.test.ts holds the two against each other.
 */
import { identifier, literal } from '../../lib/sql.ts';
import { NOTHING } from '../values.ts';
import type { BulkCsv } from '../contract.ts';

/** Stands between texts in the one text that is searched; no plain cell can hold it. */
const BETWEEN = '\\x1f';

/** Something that is not printable ASCII, two spaces in a row, or a cell that is a word for "nothing": one search for all three. */
const ODD = `[^ -~${BETWEEN}]|  |${BETWEEN}(?i:${NOTHING.source.slice(1, -1)})${BETWEEN}`;

/** Names of the file's cells as published, by position: the trimmed ones bear the names of their columns. */
const published = (position: number): string => `cell_${position}`;

/** Without spaces around it. DuckDB's trim looks up the Unicode class of every character: it is left to the few cells that begin or end with a space. */
const trimmed = (cell: string): string =>
  `CASE WHEN prefix(${cell}, ' ') OR suffix(${cell}, ' ') THEN trim(${cell}) ELSE ${cell} END`;

/**
 * A SELECT over a file of the form isStrictCsv: the values of each row and its page's address, and the cells as
 * published of a row that is not plain.
 * @param header names of the file's columns in lower case
 * @param columns columns of the record, in order
 */
export function plainRowsSql(
  { cells, texts, plain, values, sourceUrl }: BulkCsv,
  header: readonly string[],
  columns: readonly string[],
  file: string,
): string {
  const own = cells.map((c) => `nullif(${trimmed(published(header.indexOf(c)))}, '') AS ${identifier(c)}`).join(', ');
  const all = header.map((_, position) => published(position));
  // One text for the whole row, so that it is searched once.
  const together = `concat_ws(chr(31), '', ${[...cells.map(identifier), ...texts].join(', ')}, '')`;
  return `SELECT ${columns.map((c) => `${values[c] ?? 'NULL'} AS ${identifier(c)}`).join(', ')}, ${sourceUrl} AS source_url,
      CASE WHEN is_plain THEN NULL ELSE [${all.join(', ')}] END AS odd_cells
    FROM (
      SELECT *, coalesce((${plain}) AND NOT regexp_matches(row_text, ${literal(ODD)}), false) AS is_plain
      FROM (
        SELECT *, ${together} AS row_text
        FROM (
          SELECT ${all.join(', ')}, ${own}
          FROM read_csv(${literal(file)}, auto_detect = false, header = true, strict_mode = true, delim = ',', quote = '"', escape = '"',
            columns = {${all.map((name) => `${name}: 'VARCHAR'`).join(', ')}})
        )
      )
    )`;
}
