/**
 * Sheets of an Excel workbook (Office Open XML), as rows of cells. Only the parts with cells are read: the document
 * properties of HUD's workbook have dates that break readers. Styles are not read, so dates are Excel's day numbers.
 */
import { Parser } from 'htmlparser2';
import { Quarantine } from '../contract.ts';
import { BrokenXml, checkNesting } from '../bodies.ts';
import { unzip } from './zip.ts';

/** A cell without a value: its formula fails, or its result was not saved. The parsers of values refuse it. */
export interface CellError {
  readonly error: string;
}

/** A number as Excel stores it, a text as typed, null for an empty cell. */
export type Cell = string | number | boolean | null | CellError;

/** What the workbook's author does not show. */
export interface Hidden {
  readonly isSheet: boolean;
  /** Zero-based. */
  readonly rows: ReadonlySet<number>;
  readonly columns: ReadonlySet<number>;
}

export interface Sheet {
  readonly name: string;
  /** Rows from the first to the last with a cell; short rows are not padded. */
  readonly rows: readonly (readonly Cell[])[];
  /** Default: nothing. */
  readonly hidden?: Hidden;
  /** Days are counted from 1904, as Excel of the Macintosh did. Default: from 1900, also in an .xls file. */
  readonly isFrom1904?: boolean;
}

interface Events {
  open?(tag: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(tag: string): void;
}

/** @throws BrokenXml if the document is incomplete */
function walk(bytes: Uint8Array, events: Events): void {
  const local = (tag: string): string => tag.slice(tag.indexOf(':') + 1);
  const xml = new TextDecoder().decode(bytes);
  checkNesting(xml);
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => events.open?.(local(tag), attributes),
      ontext: (text) => events.text?.(text),
      onclosetag: (tag) => events.close?.(local(tag)),
    },
    { xmlMode: true },
  );
  parser.write(xml);
  parser.end();
}

/** Text with the characters that XML does not allow, which Excel writes as "_x000D_". */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-F]{4})_/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Shared strings in order. The runs of a rich text are joined; phonetic hints are omitted. */
function sharedStrings(bytes: Uint8Array): string[] {
  const strings: string[] = [];
  let text = '';
  let inText = false;
  let hints = 0;
  walk(bytes, {
    open: (tag) => {
      if (tag === 'si') text = '';
      else if (tag === 'rPh') hints += 1;
      else if (tag === 't') inText = hints === 0;
    },
    text: (part) => {
      if (inText) text += part;
    },
    close: (tag) => {
      if (tag === 'si') strings.push(unescaped(text));
      else if (tag === 'rPh') hints -= 1;
      else if (tag === 't') inText = false;
    },
  });
  return strings;
}

/** Limits of a sheet in Excel. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

/** Zero-based column of a reference such as "AB12". */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]+/u.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

interface PrintedCell {
  readonly type: string | undefined;
  readonly text: string;
  readonly hasFormula: boolean;
}

function cell(
  { type, text, hasFormula }: PrintedCell,
  strings: readonly string[],
  refuse: (detail: string) => never,
): Cell {
  // Crexi's workbooks have shared-string cells without a number where a cell is empty.
  if (type === 's' && text === '') return null;
  if (type === 's')
    return (
      (/^\d+$/u.test(text) ? strings[Number(text)] : undefined) ??
      refuse(`a cell refers to text ${text}, the workbook has ${strings.length} texts`)
    );
  if (type === 'inlineStr' || type === 'str') return unescaped(text);
  if (text === '')
    return hasFormula ? { error: 'a formula without its result: save the workbook in a spreadsheet program' } : null;
  if (type === 'b') return text === '1';
  if (type === 'e') return { error: text };
  // An ISO date, in a strict workbook.
  if (type === 'd') return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : refuse(`a cell has ${JSON.stringify(text)}, expected a number`);
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

function parseSheet(
  bytes: Uint8Array,
  strings: readonly string[],
  refuse: (detail: string) => never,
): { readonly rows: Cell[][]; readonly hiddenRows: Set<number>; readonly hiddenColumns: Set<number> } {
  const rows: Cell[][] = [];
  const hiddenRows = new Set<number>();
  const hiddenColumns = new Set<number>();
  let row: Cell[] = [];
  let column = -1;
  let type: string | undefined;
  let text = '';
  let inValue = false;
  let hasFormula = false;
  walk(bytes, {
    open: (tag, attributes) => {
      if (tag === 'col' && isTrue(attributes.hidden)) {
        const last = Math.min(Number(attributes.max), MAX_COLUMNS);
        for (let at = Number(attributes.min); at <= last; at += 1) hiddenColumns.add(at - 1);
      } else if (tag === 'row') {
        row = [];
        column = -1;
        const number = attributes.r === undefined ? rows.length + 1 : Number(attributes.r);
        if (!Number.isInteger(number) || number < 1 || number > MAX_ROWS)
          refuse(`a row has the number ${attributes.r}, expected one from 1 to ${MAX_ROWS}`);
        rows[number - 1] = row;
        if (isTrue(attributes.hidden)) hiddenRows.add(number - 1);
      } else if (tag === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        if (column < 0 || column >= MAX_COLUMNS)
          refuse(`a cell has the reference ${attributes.r}, expected one like A1`);
        type = attributes.t;
        text = '';
        hasFormula = false;
      } else if (tag === 'f') hasFormula = true;
      else if (tag === 'v' || tag === 't') inValue = true;
    },
    text: (part) => {
      if (inValue) text += part;
    },
    close: (tag) => {
      if (tag === 'v' || tag === 't') inValue = false;
      else if (tag === 'c') row[column] = cell({ type, text, hasFormula }, strings, refuse);
    },
  });
  return {
    rows: Array.from(rows, (cells) => Array.from(cells ?? [], (value) => value ?? null)),
    hiddenRows,
    hiddenColumns,
  };
}

/**
 * All sheets of a workbook, in the order of its tabs.
 * @throws Quarantine if it is incomplete or a cell is unreadable
 */
export function readXlsx(bytes: Uint8Array, pageUrl: string): Sheet[] {
  try {
    return findSheetParts(bytes, pageUrl);
  } catch (error) {
    if (error instanceof BrokenXml)
      throw new Quarantine('malformed_page', `a part of the workbook is not complete XML: ${error.message}`, pageUrl);
    throw error;
  }
}

function findSheetParts(bytes: Uint8Array, pageUrl: string): Sheet[] {
  const parts = unzip(bytes, pageUrl, (name) =>
    /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|worksheets\/[^/]+\.xml)$/u.test(name),
  );
  const part = (name: string): Uint8Array =>
    parts.get(name) ??
    (() => {
      throw new Quarantine('malformed_page', `the workbook has no part ${name}`, pageUrl);
    })();

  const targets = new Map<string, string>();
  walk(part('xl/_rels/workbook.xml.rels'), {
    open: (tag, { Id, Target }) => {
      if (tag === 'Relationship' && Id !== undefined && Target !== undefined)
        targets.set(Id, new URL(Target, 'file:///xl/').pathname.slice(1));
    },
  });
  const tabs: { name: string; part: string; isHidden: boolean }[] = [];
  let isFrom1904 = false;
  walk(part('xl/workbook.xml'), {
    open: (tag, attributes) => {
      if (tag === 'workbookPr') isFrom1904 = isTrue(attributes.date1904);
      if (tag !== 'sheet') return;
      const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
      tabs.push({
        name: attributes.name ?? '',
        part: targets.get(id) ?? id,
        isHidden: /hidden$/iu.test(attributes.state ?? ''),
      });
    },
  });
  const shared = parts.get('xl/sharedStrings.xml');
  const strings = shared ? sharedStrings(shared) : [];
  return tabs
    .filter((tab) => !tab.part.startsWith('xl/chartsheets/'))
    .map((tab) => {
      const { rows, hiddenRows, hiddenColumns } = parseSheet(part(tab.part), strings, (detail) => {
        throw new Quarantine('malformed_page', `sheet ${tab.name}: ${detail}`, pageUrl);
      });
      const hidden = { isSheet: tab.isHidden, rows: hiddenRows, columns: hiddenColumns };
      const isHidden = tab.isHidden || hiddenRows.size + hiddenColumns.size > 0;
      return { name: tab.name, rows, ...(isHidden ? { hidden } : {}), ...(isFrom1904 ? { isFrom1904 } : {}) };
    });
}
