/** Excel workbooks: a damaged cell quarantines the file instead of becoming a value. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readXlsx } from '../../sources/csv/xlsx.ts';
import hudFmr from '../../sources/fmr/hud_fmr/source.ts';
import hamilton from '../../sources/tax/oh_hamilton_tax/source.ts';
import { workbook } from '../../sandbox/pages/xlsx.ts';
import { candidatesOf } from './parsed.ts';
import { pageOf, zipOf } from './recorded.ts';
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
const rowOf = (row: string): unknown => readXlsx(workbookOf(row), URL)[0]?.rows[0];

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

test('a cell with an error, or of a text that is missing, quarantines the workbook', () => {
  assert.throws(() => rowOf('<c r="A1" t="e"><v>#REF!</v></c>'), quarantined('malformed_page', /the error #REF!/u));
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

test('a text in a column of amounts is a reject that names the value', async () => {
  const header = [
    'parcel_number',
    'owner_name_1',
    'owner_name_2',
    'owner_address_1',
    'owner_address_2',
    'property_class',
    'unpaid_amount',
    'tax_district',
  ];
  const row = (parcel: string, amount: string | number): (string | number)[] => [
    parcel,
    'A SAMPLE',
    '',
    '1 SAMPLE ST',
    'CINCINNATI OH 45202',
    '510',
    amount,
    '001',
  ];
  const bytes = workbook(
    [{ name: 'unpaid', rows: [header, row('0540004012300', 1200.5), row('0540004012301', 'see note')] }],
    '2026-11-19',
  );
  const page = pageOf(bytes, { kind: 'xlsx', url: URL });
  assert.deepEqual(
    (await candidatesOf(hamilton, [page])).map((c) => ('values' in c ? c.values['amount'] : c.reject)),
    ['1200.50', { reason: 'bad_amount', detail: 'amount is "see note", expected an amount in dollars' }],
  );
});

test("a text in HUD's column of rents is a reject that names the value", async () => {
  const header = 'stusps state hud_area_code countyname county_town_name metro hud_area_name fips'.split(' ');
  const rents = ['pop2023', 'fmr_0', 'fmr_1', 'fmr_2', 'fmr_3', 'fmr_4'];
  const county = ['OH', '39', 'METRO17460M17460', 'Cuyahoga County', 'Cuyahoga County', 1, 'Cleveland, OH'];
  const row = (twoBedroom: string | number): (string | number)[] => [
    ...county,
    '3903599999',
    1_200_000,
    800,
    900,
    twoBedroom,
    1400,
    1600,
  ];
  const bytes = workbook([{ name: 'FY26_FMRs', rows: [[...header, ...rents], row(1150), row('n.b.')] }], '2025-08-22');
  const page = pageOf(bytes, { kind: 'workbook', url: 'https://www.huduser.gov/portal/FY26_FMRs.xlsx' });
  assert.deepEqual(
    (await candidatesOf(hudFmr, [page])).map((c) => ('values' in c ? c.values['fmr_2'] : c.reject)),
    ['1150.00', { reason: 'bad_fmr_2', detail: 'fmr_2 is "n.b.", expected an amount in dollars' }],
  );
});
