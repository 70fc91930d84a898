/** Excel workbooks: a damaged cell quarantines the file instead of becoming a value. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readXlsx } from '../../sources/csv/xlsx.ts';
import { money } from '../../sources/values.ts';
import { zipOf } from './recorded.ts';
import { quarantined } from './site_double.ts';

const URL = 'https://county.example/list.xlsx';
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
const rowOf = (row: string) => readXlsx(workbookOf(row), URL)[0]?.rows[0];

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
