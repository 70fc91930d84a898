/** Workbooks in the formats before Office Open XML, made by the library that reads them. All values are invented. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CFB, utils, write, type BookType, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { readXls } from '../../sources/csv/xls.ts';
import { quarantined } from './site_double.ts';

const URL = 'file:///drop/operator_files/list.xls';
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

const read = (bytes: Uint8Array) => readXls(bytes, URL);

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
