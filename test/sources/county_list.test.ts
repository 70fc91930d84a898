/** Dropped county lists: unclear headings wait for the operator's map, and no column is lost without a word. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { utils, write } from '@e965/xlsx';
import { Quarantine } from '../../sources/contract.ts';
import { parsed, sourceNamed, type Parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';

const [franklin, lucas] = [sourceNamed('oh_franklin_tax'), sourceNamed('oh_lucas_tax')];

const dropped = (
  text: string,
  map?: Readonly<Record<string, string | null>>,
  spec: typeof lucas = lucas,
): Promise<Parsed> =>
  parsed(spec, [
    pageOf(new TextEncoder().encode(text), {
      kind: 'csv',
      url: `file:///drop/${spec.name}/november.csv`,
      context: { file: 'november.csv', ...(map ? { 'columns.json': JSON.stringify(map) } : {}) },
    }),
  ]);

const refusal = async (reading: Promise<unknown>): Promise<{ reason: string; message: string }> => {
  const error: unknown = await reading.then(
    () => assert.fail('expected a quarantine'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Quarantine);
  assert.doesNotMatch(error.message, /\/[\^\\]|\\d|file:|https?:/u, 'no pattern and no address');
  return { reason: error.reason, message: error.message };
};

const LIST = `Parcel,Owner,Location,City,Zip,Assessed Value,Amount Due
01-23456,SAMPLE JANE,12 MAIN ST,TOLEDO,43604,"35,000","4,512.07"
`;

test('a list with unknown headings is refused, and the message has the map to paste', async () => {
  const { reason, message } = await refusal(dropped(LIST));
  assert.equal(reason, 'template_changed');
  assert.match(message, /^november\.csv, line 1: .*"City" \(city or mailing_city\).*"Zip".*"Assessed Value"/u);
  const map = /\{"City".*\}/u.exec(message)?.[0] ?? '';
  assert.deepEqual(JSON.parse(map), { City: 'city', Zip: 'zip', 'Assessed Value': 'taxable_value' });
  const { rows } = await dropped(LIST, JSON.parse(map) as Record<string, string>);
  const { street, city, zip, county_value } = rows[0] ?? {};
  assert.deepEqual(
    { street, city, zip, county_value },
    {
      street: '12 MAIN ST',
      city: 'TOLEDO',
      zip: '43604',
      county_value: '100000.00',
    },
  );
});

test("the map may assign a heading to the owner's address, or ignore it", async () => {
  const { rows } = await dropped(LIST.replace('Location', 'Owner Address'), {
    City: 'mailing_city',
    Zip: 'mailing_zip',
    'Assessed Value': null,
  });
  const { street, mail_street, mail_city, mail_zip, county_value } = rows[0] ?? {};
  assert.deepEqual([street, mail_street, mail_city, mail_zip], [null, '12 MAIN ST', 'TOLEDO', '43604']);
  assert.equal(county_value, null);
});

test('a list in the .xls of Excel 97 to 2003 is read; a parcel number stored as a number is refused', async () => {
  const rows = [
    ['Delinquent parcels'],
    ['Parcel', 'Owner', 'Amount Due'],
    ['01-23456', 'SAMPLE JANE', 4512.07],
    [123_456, 'SAMPLE JOHN', 1],
  ];
  const sheets = { List: utils.aoa_to_sheet(rows) };
  const book = write({ SheetNames: ['List'], Sheets: sheets }, { type: 'array', bookType: 'biff8' }) as ArrayBuffer;
  const format = lucas.drop?.find(({ pattern }) => pattern.test('november.xls'));
  const page = pageOf(new Uint8Array(book), {
    kind: format?.kind ?? '',
    url: `file:///drop/${lucas.name}/november.xls`,
    context: { file: 'november.xls' },
  });
  const list = await parsed(lucas, [page]);
  assert.deepEqual(
    list.rows.map((row) => [row['parcel_raw'], row['amount']]),
    [['01-23456', '4512.07']],
  );
  assert.match(list.rejects[0]?.detail ?? '', /^sheet List row 4: .*drops leading zeros/u);
});

test('new headings are mapped, and an unknown field is named', async () => {
  const list = 'Folio,Owed\n01-23456,1.00\n';
  assert.match((await refusal(dropped(list))).message, /november\.csv.*"Folio".*columns\.json/u);
  assert.equal((await dropped(list, { Folio: 'parcel', Owed: 'amount' })).rows.length, 1);
  assert.match((await refusal(dropped(list, { Folio: 'folio' }))).message, /"Folio" is mapped to an unknown field/u);
});

test('identical lines are merged, and two amounts of one parcel are both refused', async () => {
  const { rowsIn, rows, rejects, merged } = await dropped(
    'Parcel,Amount Due\n01-23456,1.00\n01-23456,1.00\n01-23457,1.00\n01-23457,2.00\n',
  );
  assert.deepEqual(
    [rowsIn, rows.length, rejects.map(({ reason }) => reason), merged],
    [4, 1, ['contradictory_rows', 'contradictory_rows'], 1],
  );
});

test("the public files' and layers' own headings are read", async () => {
  const tax = await dropped(
    'Parcel Id,TotTotal,SiteAddress,ZipCode\n010-000001-00,5.00,12 OAK CR,43215\n',
    undefined,
    franklin,
  );
  assert.deepEqual(
    tax.rows.map(({ parcel_raw, amount, street, zip }) => [parcel_raw, amount, street, zip]),
    [['010-000001-00', '5.00', '12 OAK CIR', '43215']],
  );
  const layer = await dropped('parcel_code,taxdue,property_address\n0123456,5.00,"12 OAK ST, TOLEDO OH 43604"\n');
  assert.deepEqual(
    layer.rows.map(({ parcel_raw, amount, street, city, zip }) => [parcel_raw, amount, street, city, zip]),
    [['0123456', '5.00', '12 OAK ST', 'TOLEDO', '43604']],
  );
});
