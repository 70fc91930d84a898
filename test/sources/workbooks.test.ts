/**
 * Workbooks: a damaged cell quarantines the file instead of becoming a value; formats before Office Open XML, made by
 * the library that reads them. All values are invented.
 */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { type BookType, CFB, utils, type WorkBook, type WorkSheet, write } from '@e965/xlsx';
import { readXlsx } from '../../sources/csv/xlsx.ts';
import { money } from '../../sources/values.ts';
import { zipOf } from './recorded.ts';
import { quarantined } from './site_double.ts';
import { readXls } from '../../sources/csv/xls.ts';

const LIST_URL = 'https://county.example/list.xlsx';
const WORKBOOK_RELATIONS = '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>';
const WORKBOOK = '<workbook><sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>';

/** A workbook of one sheet with this row. */
const workbookOf = (row: string): Uint8Array => {
  const encode = (xml: string): Uint8Array => new TextEncoder().encode(xml);
  return zipOf({
    'xl/workbook.xml': encode(WORKBOOK),
    'xl/_rels/workbook.xml.rels': encode(WORKBOOK_RELATIONS),
    'xl/worksheets/sheet1.xml': encode(`<worksheet><sheetData><row r="1">${row}</row></sheetData></worksheet>`),
  });
};
const rowOf = (row: string) => readXlsx(workbookOf(row), LIST_URL)[0]?.rows[0];

test('cells are numbers, texts, booleans or null', () => {
  assert.deepEqual(
    rowOf(
      '<c r="A1"><v>12.5</v></c><c r="B1" t="inlineStr"><is><t>x</t></is></c><c r="C1" t="b"><v>1</v></c>' +
        '<c r="E1"><v>-3e2</v></c>',
    ),
    [12.5, 'x', true, null, -300],
  );
});

test('a number cell without a number quarantines the workbook', () => {
  for (const value of ['12abc', '1,200', '--', 'Infinity', 'NaN', '$5'])
    assert.throws(
      () => rowOf(`<c r="A1"><v>${value}</v></c>`),
      quarantined('malformed_page', /sheet List: a cell has ".*", expected a number/u),
      value,
    );
});

test('a cell with an error, or a formula whose result is not saved, is an error, and not blank', () => {
  assert.deepEqual(rowOf('<c r="A1" t="e"><v>#REF!</v></c>'), [{ error: '#REF!' }]);
  const unsaved = rowOf('<c r="A1"><f>B1*2</f></c>')?.[0];
  assert.throws(() => money('list_price', unsaved), { reason: 'not_text' });
});

test('a cell of a text that is missing quarantines the workbook', () => {
  assert.throws(() => rowOf('<c r="A1" t="s"><v>7</v></c>'), quarantined('malformed_page', /refers to text 7/u));
});

test('a row or cell outside of a sheet quarantines the workbook', () => {
  const far = '</row><row r="4294967294"><c r="A4294967294"><v>1</v></c>';
  assert.throws(
    () => rowOf(far),
    quarantined('malformed_page', /a row has the number 4294967294, expected one from 1/u),
  );
  for (const reference of ['12', 'XFE1', 'ZZZZZZ1'])
    assert.throws(
      () => rowOf(`<c r="${reference}"><v>1</v></c>`),
      quarantined('malformed_page', /a cell has the reference/u),
      reference,
    );
});

const ROWS = [
  ['Address', 'ZIP', 'Price', 'Listed', 'Sold'],
  ['12 Ashford St', '04360', 640_000.5, 45_000, true],
  [null, null, -1.25],
];

const bytesOf = (book: WorkBook, bookType: BookType): Uint8Array =>
  new Uint8Array(write(book, { type: 'array', bookType }));
const bookOf = (sheets: Readonly<Record<string, WorkSheet>>): WorkBook => ({
  SheetNames: Object.keys(sheets),
  Sheets: sheets,
});
const LIST = bookOf({ Available: utils.aoa_to_sheet(ROWS), Sold: utils.aoa_to_sheet([['x']]) });

const read = (bytes: Uint8Array) => readXls(bytes, LIST_URL);

/** A compound file with these streams. */
function compoundFile(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const file = CFB.utils.cfb_new();
  for (const [name, content] of Object.entries(streams)) CFB.utils.cfb_add(file, `/${name}`, content);
  return new Uint8Array(CFB.write(file, { type: 'array' }));
}

test('days of a workbook that counts from 1904 are counted from 1900', async () => {
  const sheet: WorkSheet = { '!ref': 'A1:B1', A1: { t: 'n', v: 43_538, z: 'm/d/yyyy' }, B1: { t: 'n', v: 43_538 } };
  const book = { ...bookOf({ List: sheet }), Workbook: { WBProps: { date1904: true } } };
  assert.deepEqual(await read(bytesOf(book, 'biff8')), [{ name: 'List', rows: [[45_000, 43_538]] }]);
});

test('a cell with an error is an error, and not blank', async () => {
  const sheet: WorkSheet = { '!ref': 'A1:A1', A1: { t: 'e', v: 23 } };
  const [read1] = await read(bytesOf(bookOf({ List: sheet }), 'biff8'));
  assert.deepEqual(read1?.rows, [[{ error: '#REF!' }]]);
});

test('a workbook with a password is reported as such: .xls, and .xlsx in its encrypted form', async () => {
  const plain = Buffer.from(CFB.find(CFB.read(bytesOf(LIST, 'biff8'), { type: 'array' }), '/Workbook')?.content ?? []);
  const first = 4 + plain.readUInt16LE(2);
  // The record FILEPASS, with a key and its hash.
  const filePass = Buffer.from([0x2f, 0, 6, 0, 0, 0, 0x34, 0x12, 0x78, 0x56]);
  const xls = { Workbook: Buffer.concat([plain.subarray(0, first), filePass, plain.subarray(first)]) };
  const xlsx = { EncryptionInfo: new Uint8Array(300).fill(1), EncryptedPackage: new Uint8Array(900).fill(2) };
  for (const streams of [xls, xlsx])
    await assert.rejects(
      read(compoundFile(streams)),
      quarantined('malformed_page', /^the workbook has a password: open it .* without a password$/u),
    );
});

test('another document and a workbook above the limit are refused with advice', async () => {
  const word = compoundFile({ WordDocument: new Uint8Array(5000).fill(1) });
  await assert.rejects(read(word), quarantined('malformed_page', /^the file is not a workbook.*: open it in /u));
  const large = new Uint8Array(20_000_001);
  await assert.rejects(read(large), quarantined('body_too_large', /20000001 bytes, the limit/u));
});
