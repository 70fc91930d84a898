/** Writes Excel workbooks and ZIP archives whose bytes depend on their contents alone. */
import { utils, write } from '@e965/xlsx';
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate';

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

const HUD_TITLE = 'Sandbox copy of real FY2026 figures for the counties of the sandbox world';
/** HUD's workbook has a timestamp that strict readers reject; so does this one. */
const CREATED = '<dcterms:created xsi:type="dcterms:W3CDTF">2025- 8-22T19:35:22Z</dcterms:created>';
const CORE = 'docProps/core.xml';

/** The bytes of a workbook with shared strings. @param made day on which the archive was made */
export function workbook(sheets: readonly Sheet[], made: string, title = HUD_TITLE): Uint8Array {
  const book = utils.book_new();
  for (const { name, rows } of sheets)
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows.map((row) => [...row])), name);
  const bytes = write(book, { type: 'array', bookSST: true, Props: { Title: title } }) as ArrayBuffer;
  const files = unzipSync(new Uint8Array(bytes));
  const core = strFromU8(files[CORE] ?? new Uint8Array()).replace(/<\/cp:coreProperties>/u, `${CREATED}$&`);
  return packZip({ ...files, [CORE]: strToU8(core) }, made);
}
