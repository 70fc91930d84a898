/** Cells of recorded files, read without the adapters' own code. */
import { existsSync, readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';

const REAL = new URL('../../../shared/real/', import.meta.url);

/** Why tests of recorded files are skipped, or false. */
export const skip = existsSync(REAL) ? false : 'the folder of real files is not here';

export const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(path, REAL)));

/** Rows by heading; white space in a heading is one space. */
export type Cells = Readonly<Record<string, string>>;

/** Rows of a CSV file by heading. */
export const cellsOf = (path: string): Cells[] => cellsIn(bytesOf(path));

/** Rows of CSV by heading. */
export function cellsIn(bytes: Uint8Array): Cells[] {
  const records: string[][] = [[]];
  for (const [, quoted, plain, end] of new TextDecoder()
    .decode(bytes)
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gu)) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') records.push([]);
  }
  const [header = [], ...rows] = records.filter((cells) => cells.length > 1);
  return byHeading(header, rows);
}

function byHeading(header: readonly string[], rows: readonly (readonly string[])[]): Cells[] {
  const headings = header.map((heading) => heading.replace(/\s+/gu, ' '));
  return rows.map((cells) => Object.fromEntries(headings.map((heading, i) => [heading, cells[i] ?? ''])));
}

/** Text of XML without its escapes. */
const plain = (xml: string): string =>
  xml.replace(
    /&(amp|lt|gt|quot|apos);/gu,
    (_, name: 'amp') => ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })[name],
  );

/** Rows of a workbook's first sheet by heading. */
export function sheetCellsOf(path: string): Cells[] {
  const parts = unzipSync(bytesOf(path));
  const part = (name: string): string => new TextDecoder().decode(parts[`xl/${name}.xml`]);
  const texts = [...part('sharedStrings').matchAll(/<si>(.*?)<\/si>/gsu)].map(([, item = '']) =>
    plain([...item.matchAll(/<t[^>]*>([^<]*)<\/t>/gu)].map(([, text]) => text).join('')),
  );
  const rows = [...part('worksheets/sheet1').matchAll(/<row\b[^>]*>(.*?)<\/row>/gsu)].map(([, row = '']) => {
    const cells: string[] = [];
    for (const [, column = '', attributes = '', value] of row.matchAll(
      /<c r="([A-Z])\d+"([^>]*?)(?:\/>|>(?:<v>([^<]*)<\/v>)?<\/c>)/gu,
    ))
      cells[column.charCodeAt(0) - 65] = attributes.includes('t="s"') ? (texts[Number(value)] ?? '') : (value ?? '');
    return cells;
  });
  const [header = [], ...filled] = rows.filter((cells) => cells.some(Boolean));
  return byHeading(header, filled);
}
