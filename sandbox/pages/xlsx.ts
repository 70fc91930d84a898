/** Writes an Excel workbook: shared strings, one part per sheet. */
import { escapeHtml } from './html.ts';
import { type Zippable, zipSync } from 'fflate';

/**
 * Pack files. ZIP stores the day `made` as a local time without a zone, so a local Date is the same on every machine.
 */
export function packZip(files: Readonly<Record<string, Uint8Array>>, made: string): Uint8Array {
  const [year = 2026, month = 1, day = 1] = made.split('-').map(Number);
  const mtime = new Date(year, month - 1, day, 6, 30, 0);
  const packed: Zippable = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, [content, { level: 6, mtime }]]),
  );
  return zipSync(packed, { mtime });
}

/** null: no cell. */
export type Cell = string | number | null;
export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Cell[])[];
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OPEN_XML = 'http://schemas.openxmlformats.org';
const MAIN = `${OPEN_XML}/spreadsheetml/2006/main`;
const RELATIONS = `${OPEN_XML}/officeDocument/2006/relationships`;
const PACKAGE = `${OPEN_XML}/package/2006`;
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const PACKAGE_TYPE = 'application/vnd.openxmlformats-package';

/** A, B, .. Z, AA, .. */
const columnName = (at: number): string =>
  (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCodePoint(65 + (at % 26));

function sheetXml(rows: Sheet['rows'], strings: Map<string, number>): string {
  const cell = (value: Cell, row: number, column: number): string => {
    if (value === null) return '';
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
  const range = `A1:${columnName(widest - 1)}${Math.max(1, rows.length)}`;
  const data = `<dimension ref="${range}"/><sheetData>${lines.join('')}</sheetData>`;
  return `${HEAD}<worksheet xmlns="${MAIN}">${data}</worksheet>`;
}

const override = (part: string, type: string): string => `<Override PartName="${part}" ContentType="${type}"/>`;

const contentTypes = (sheets: readonly Sheet[]): string =>
  [
    `${HEAD}<Types xmlns="${PACKAGE}/content-types">`,
    `<Default Extension="rels" ContentType="${PACKAGE_TYPE}.relationships+xml"/>`,
    '<Default Extension="xml" ContentType="application/xml"/>',
    override('/xl/workbook.xml', `${SPREADSHEET}.sheet.main+xml`),
    ...sheets.map((_, at) => override(`/xl/worksheets/sheet${at + 1}.xml`, `${SPREADSHEET}.worksheet+xml`)),
    override('/xl/sharedStrings.xml', `${SPREADSHEET}.sharedStrings+xml`),
    override('/docProps/core.xml', `${PACKAGE_TYPE}.core-properties+xml`),
    '</Types>',
  ].join('');

const relation = (id: number, type: string, target: string): string =>
  `<Relationship Id="rId${id}" Type="${type}" Target="${target}"/>`;

const relationships = (relations: readonly string[]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}</Relationships>`;

/** Document properties. HUD's workbook has timestamps that strict readers reject; so does this one. */
const coreProperties = (title: string): string =>
  [
    `${HEAD}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" `,
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ',
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    `<dc:title>${escapeHtml(title)}</dc:title>`,
    '<dcterms:created xsi:type="dcterms:W3CDTF">2025- 8-22T19:35:22Z</dcterms:created></cp:coreProperties>',
  ].join('');

const sharedString = (text: string): string =>
  text === ''
    ? '<si><t/></si>'
    : `<si><t${/^\s|\s$| {2}/u.test(text) ? ' xml:space="preserve"' : ''}>${escapeHtml(text)}</t></si>`;

const HUD_TITLE = 'Sandbox copy of real FY2026 figures for the counties of the sandbox world';

/** The bytes of a workbook. @param made day on which the archive was made */
export function workbook(sheets: readonly Sheet[], made: string, title = HUD_TITLE): Uint8Array {
  const strings = new Map<string, number>();
  const parts = sheets.map(({ rows }) => sheetXml(rows, strings));
  const shared = [...strings.keys()].map(sharedString).join('');
  const sheetList = sheets
    .map(({ name }, at) => `<sheet name="${escapeHtml(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
    .join('');
  const files: Record<string, string> = {
    '[Content_Types].xml': contentTypes(sheets),
    '_rels/.rels': relationships([
      relation(1, `${RELATIONS}/officeDocument`, 'xl/workbook.xml'),
      relation(2, `${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'),
    ]),
    'docProps/core.xml': coreProperties(title),
    'xl/_rels/workbook.xml.rels': relationships([
      ...sheets.map((_, at) => relation(at + 1, `${RELATIONS}/worksheet`, `worksheets/sheet${at + 1}.xml`)),
      relation(sheets.length + 1, `${RELATIONS}/sharedStrings`, 'sharedStrings.xml'),
    ]),
    'xl/workbook.xml':
      HEAD + `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheetList}</sheets></workbook>`,
    ...Object.fromEntries(parts.map((xml, at) => [`xl/worksheets/sheet${at + 1}.xml`, xml])),
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}" uniqueCount="${strings.size}">${shared}</sst>`,
  };
  const encoder = new TextEncoder();
  return packZip(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, encoder.encode(xml)])), made);
}
