/** A spreadsheet workbook as Excel saves it: shared strings, one part a sheet. */
import { zipOf } from './zip_files.ts';

export type Cell = string | number;
export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Cell[])[];
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A, B, .. Z, AA, .. */
const columnName = (at: number): string =>
  (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCodePoint(65 + (at % 26));

function sheetXml(rows: Sheet['rows'], strings: Map<string, number>): string {
  const cell = (value: Cell, row: number, column: number): string => {
    const place = `${columnName(column)}${row + 1}`;
    if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`;
    const known = strings.get(value) ?? strings.size;
    strings.set(value, known);
    return `<c r="${place}" t="s"><v>${known}</v></c>`;
  };
  const widest = Math.max(1, ...rows.map((row) => row.length));
  const lines = rows.map(
    (row, at) =>
      `<row r="${at + 1}" spans="1:${widest}">${row.map((value, column) => cell(value, at, column)).join('')}</row>`,
  );
  return `${HEAD}<worksheet xmlns="${MAIN}"><dimension ref="A1:${columnName(widest - 1)}${Math.max(1, rows.length)}"/><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

/** The bytes of a workbook. `made` is the day the archive says it was made. */
export function workbook(sheets: readonly Sheet[], made: string): Uint8Array {
  const strings = new Map<string, number>();
  const parts = sheets.map(({ rows }) => sheetXml(rows, strings));
  const shared = [...strings.keys()].map((text) =>
    text === ''
      ? '<si><t/></si>'
      : `<si><t${/^\s|\s$| {2}/u.test(text) ? ' xml:space="preserve"' : ''}>${escapeXml(text)}</t></si>`,
  );
  const relation = (id: number, kind: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`;
  const files: Record<string, string> = {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${sheets.map((_, at) => `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    // HUD's workbook carries timestamps that strict readers reject; so does this one.
    'docProps/core.xml': `${HEAD}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>Sandbox copy of real FY2026 figures for the counties of the sandbox world</dc:title><dcterms:created xsi:type="dcterms:W3CDTF">2025- 8-22T19:35:22Z</dcterms:created></cp:coreProperties>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${sheets.map((_, at) => relation(at + 1, 'worksheet', `worksheets/sheet${at + 1}.xml`)).join('')}${relation(sheets.length + 1, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets.map(({ name }, at) => `<sheet name="${escapeXml(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    ...Object.fromEntries(parts.map((xml, at) => [`xl/worksheets/sheet${at + 1}.xml`, xml])),
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}" uniqueCount="${shared.length}">${shared.join('')}</sst>`,
  };
  const encoder = new TextEncoder();
  return zipOf(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, encoder.encode(xml)])), made);
}
