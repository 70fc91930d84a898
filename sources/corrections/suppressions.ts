/** Records and names that people asked to have left out (docs/privacy.md). */
import { sealSubject } from '../../lib/suppressions.ts';
import { readCsv } from '../csv/csv.ts';
import { decodeText } from '../fetch/page.ts';
import { operatorRows } from '../readers/operator_rows.ts';
import { Suppression } from '../rows/operator.ts';

const SEALED: Readonly<Record<string, (cell: string) => string | null>> = {
  subject: sealSubject,
  asked_on: (cell) => (/[a-z]/iu.test(cell) ? 'no day' : cell.trim()),
};

/** The file without a name: with the hash of each, and without reasons. */
function seal(bytes: Uint8Array, url: string): Uint8Array {
  const { header, rows } = readCsv(decodeText(bytes, 'windows-1252', url), url);
  const isKnown = (name: string | undefined): boolean => Suppression.columns.some((column) => column.name === name);
  const lines = [header.map((name, at) => (isKnown(name) ? name : `column_${at + 1}`))];
  // Each row stays on its line, which messages name.
  for (const { cells, line } of rows) lines[line - 1] = cells.map((cell, at) => SEALED[header[at] ?? '']?.(cell) ?? '');
  return Buffer.from(Array.from(lines, (cells) => cells?.join(',') ?? '').join('\n'));
}

export default operatorRows({
  name: 'suppressions',
  title: 'Records and names that are left out on request',
  row: Suppression,
  seal,
});
