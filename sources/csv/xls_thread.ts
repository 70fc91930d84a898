/** The thread of xls.ts: reads a workbook and posts its sheets. */
import { parentPort, workerData } from 'node:worker_threads';
import { read, set_cptable, SSF, type CellObject, type WorkBook } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import type { XlsReply } from './xls.ts';
import type { Cell, Sheet } from './xlsx.ts';

/** Days from 1 January 1900, Excel's first day, to 1 January 1904, that of workbooks made on a Macintosh. */
const DAYS_TO_1904 = 1462;

function parseCell(cell: CellObject | undefined, isFrom1904: boolean): Cell {
  switch (cell?.t) {
    case 'e':
      return { error: String(cell.w ?? cell.v) };
    case 'n': {
      const isDate = isFrom1904 && typeof cell.z === 'string' && SSF.is_date(cell.z);
      return typeof cell.v === 'number' ? cell.v + (isDate ? DAYS_TO_1904 : 0) : null;
    }
    case 's':
    case 'b':
      return cell.v === undefined || cell.v instanceof Date ? null : cell.v;
    default:
      return null;
  }
}

/** Numbers of hidden rows or columns. */
const hiddenOf = (list: readonly ({ readonly hidden?: boolean } | null | undefined)[] = []): Set<number> =>
  new Set([...list.entries()].filter(([, each]) => each?.hidden === true).map(([index]) => index));

function parseSheets({ SheetNames: names, Sheets: sheets, Workbook: about }: WorkBook): Sheet[] {
  const isFrom1904 = about?.WBProps?.date1904 === true;
  return names.flatMap((name): Sheet[] => {
    const sheet = sheets[name];
    // Charts and macros have a type; sheets of cells have none, or "sheet".
    if (!sheet || (sheet['!type'] ?? 'sheet') !== 'sheet') return [];
    const rows = Array.from(sheet['!data'] ?? [], (cells) =>
      Array.from(cells ?? [], (cell) => parseCell(cell, isFrom1904)),
    );
    const isSheet = (about?.Sheets?.find((tab) => tab.name === name)?.Hidden ?? 0) > 0;
    const hidden = { isSheet, rows: hiddenOf(sheet['!rows']), columns: hiddenOf(sheet['!cols']) };
    return [{ name, rows, ...(isSheet || hidden.rows.size + hidden.columns.size > 0 ? { hidden } : {}) }];
  });
}

/** Problems that the library's messages tell from damage. */
const PROBLEMS: readonly (readonly [words: RegExp, problem: string])[] = [
  [/password|encrypt/iu, 'the workbook has a password'],
  [/cannot find workbook/iu, 'the file is not a workbook, although it is stored like one (perhaps a Word document)'],
];

const DAMAGED = 'the workbook is truncated or damaged';

function reply(bytes: Uint8Array): XlsReply {
  set_cptable(codePages);
  try {
    const sheets = parseSheets(read(bytes, { type: 'array', dense: true, cellNF: true, cellStyles: true, WTF: true }));
    return sheets.length > 0 ? { sheets } : { problem: DAMAGED };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { problem: PROBLEMS.find(([words]) => words.test(detail))?.[1] ?? DAMAGED };
  }
}

parentPort?.postMessage(reply(workerData as Uint8Array), []);
