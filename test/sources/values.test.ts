/** Values and addresses as sites print them: what is read, exactly, and what is refused. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { assert as forAll, bigInt, pre, property } from 'fast-check';
import { checkColumns } from '../../sources/csv/csv.ts';
import {
  cents,
  date,
  decimal,
  divide,
  hundredths,
  line,
  money,
  optional,
  Refusal,
  tidy,
  year,
  zip,
} from '../../sources/values.ts';
import { quarantined } from './site_double.ts';
import { joinedSitus, mailing, situs } from '../../sources/readers/addresses.ts';

const refusedAs =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.reason === reason;

test('money is read digit by digit, in any format', () => {
  const read: [unknown, string | null][] = [
    ['$1,250,000', '1250000.00'],
    [1250000, '1250000.00'],
    ['1250000.00', '1250000.00'],
    ['000000001243.27', '1243.27'],
    ['$ 5', '5.00'],
    ['USD 5.5', '5.50'],
    ['(1,234.50)', '-1234.50'],
    ['-$5.00', '-5.00'],
    [1234.565, '1234.57'],
    [-1234.565, '-1234.57'],
    [1.005, '1.01'],
    [0.1, '0.10'],
    [1e-7, '0.00'],
    [1e9, '1000000000.00'],
    ['', null],
    [null, null],
    [undefined, null],
    ['N/A', null],
    [' - ', null],
    ['TBD', null],
  ];
  for (const [value, expected] of read) assert.equal(money('price', value), expected, JSON.stringify(value));
});

test('an impossible amount is refused by name', () => {
  for (const value of [
    '1.250.000',
    '1,25,000',
    'twelve',
    '12 units',
    '(5',
    '--5',
    '$',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e21,
  ]) {
    assert.throws(() => money('list_price', value), refusedAs('bad_list_price'), String(value));
  }
  for (const value of [999999999, '99,999,999', '-999', 99999999.99])
    assert.throws(() => money('NETDELQ', value), refusedAs('sentinel_value'), String(value));
  assert.throws(() => money('NETDELQ', 'x'), refusedAs('bad_netdelq'));
  assert.throws(() => money('price', { amount: 5 }), refusedAs('not_text'));
});

test('every decimal of a JSON number survives conversion to a double and back', () => {
  forAll(
    property(bigInt({ min: -99_999_999_999n, max: 99_999_999_999n }), (size) => {
      const text = decimal(size);
      const sentinel = /^9{8,}\.|^-999\./u.test(text);
      pre(!sentinel);
      assert.equal(money('amount', JSON.parse(text)), decimal(size));
      assert.equal(money('amount', text), decimal(size));
      assert.equal(hundredths(text), size);
    }),
  );
});

test('division rounds half away from zero, on both sides of zero', () => {
  assert.equal(decimal(divide(hundredths('28000') ?? 0n, '0.35')), '80000.00');
  assert.equal(decimal(divide(5n, '2')), '0.03');
  forAll(
    property(bigInt({ min: 0n, max: 10n ** 12n }), (size) =>
      assert.equal(divide(-size, '0.35'), -divide(size, '0.35')),
    ),
  );
  assert.equal(cents('a', '0.30'), 30n);
});

test('text loses only invisible characters', () => {
  assert.equal(tidy('\u202a Cincinnati, OH-KY-IN  HUD\u00a0Area\u200b \ufeff'), 'Cincinnati, OH-KY-IN  HUD Area');
  assert.equal(line(' 12\n Main\tSt '), '12 Main St');
  assert.equal(tidy('\u0000\u001a '), null);
  assert.equal(optional('Not disclosed'), null);
  assert.equal(optional('None Such Rd'), 'None Such Rd');
});

test('a ZIP is its first five digits', () => {
  for (const text of ['44113', '44113-1234', '441131234', '441130000', '44113-'])
    assert.equal(zip('zip', text), '44113');
  assert.equal(zip('zip', '00000'), null);
  for (const text of ['4411', '441134', 'ABCDE']) assert.throws(() => zip('zip', text), refusedAs('bad_zip'));
});

test('dates are the printed day', () => {
  const read: [string, string][] = [
    ['2026-11-02T23:30:00-05:00', '2026-11-02'],
    ['2021-11-22T00:00:00.000', '2021-11-22'],
    ['7/24/1911', '1911-07-24'],
    ['08/26/2024 09:00 AM ET', '2024-08-26'],
    ['05-MAR-98', '1998-03-05'],
    ['31-jul-24', '2024-07-31'],
    ['01-JAN-2050', '2050-01-01'],
    ['29-FEB-24', '2024-02-29'],
  ];
  for (const [value, expected] of read) assert.equal(date('day', value), expected, value);
  for (const value of ['2026-02-29', '31-FEB-24', '13/01/2024', '2026-11', 'soon', '05-XYZ-24'])
    assert.throws(() => date('day', value), refusedAs('bad_day'), value);
  assert.equal(year('built', 0), null);
  assert.throws(() => year('built', '9999'), refusedAs('bad_built'));
});

test('missing and unknown columns are reported by name', () => {
  checkColumns(['a', 'pop2023', 'b'], ['a', 'b'], 'https://x.example/', [/^pop20\d\d$/]);
  assert.throws(
    () => checkColumns(['a', 'c', 'b'], ['a', 'b'], 'https://x.example/'),
    quarantined('unknown_column', /"c"/),
  );
  assert.throws(() => checkColumns(['a'], ['a', 'b'], 'https://x.example/'), quarantined('missing_column', /"b"/));
});

test('a site address in one string is split only if it is unambiguous', () => {
  const places = ['CANTON', 'NORTH CANTON', 'EAST CANTON', 'MASSILLON'];
  const read: [string, string, string | null, string | null][] = [
    ['12 OAK ST, CANTON, OH 44702', '12 OAK ST', 'CANTON', '44702'],
    ['12 OAK ST, CANTON, OH, 44702', '12 OAK ST', 'CANTON', '44702'],
    ['12 OAK ST, CANTON OH 44702-1100', '12 OAK ST', 'CANTON', '44702'],
    ['12 OAK ST, APT 2, CANTON, OH 44702', '12 OAK ST APT 2', 'CANTON', '44702'],
    ['12 OAK ST, CANTON', '12 OAK ST', 'CANTON', null],
    ['12 OAK ST SW CANTON OH 44702', '12 OAK ST SW', 'CANTON', '44702'],
    ['12 OAK ST NORTH CANTON 44720', '12 OAK ST', 'NORTH CANTON', '44720'],
    ['22 LINCOLN WAY E MASSILLON OH 44646', '22 LINCOLN WAY E', 'MASSILLON', '44646'],
    ['12 MARKET AVE N CANTON OH 44702', '12 MARKET AVE N CANTON OH 44702', null, null],
    ['12 OAK ST, APT 2', '12 OAK ST, APT 2', null, null],
    ['12 ELM CT', '12 ELM CT', null, null],
    ['12 OAK ST DALTON OH 44618', '12 OAK ST DALTON OH 44618', null, null],
  ];
  for (const [text, street, city, code] of read)
    assert.deepEqual(situs(text, places), { street, city, zip: code }, text);
});

test('in a joined address the street is before the first comma, and a blank part stays blank', () => {
  const read: [string, string | null, string | null, string | null][] = [
    ['7 EXAMPLE AVE, BROOKLYN, OH, 44144', '7 EXAMPLE AVE', 'BROOKLYN', '44144'],
    ['7 EXAMPLE AVE, BROOKLYN', '7 EXAMPLE AVE', 'BROOKLYN', null],
    ['7 EXAMPLE AVE, , OH, ', '7 EXAMPLE AVE', null, null],
    ['7 EXAMPLE AVE, APT 3, , OH, 44144', '7 EXAMPLE AVE APT 3', null, '44144'],
    ['7 EXAMPLE AVE, UNIT 3, PARMA, OH, 44134', '7 EXAMPLE AVE UNIT 3', 'PARMA', '44134'],
    [', CLEVELAND, OH, 44102', null, 'CLEVELAND', '44102'],
    [', , OH,', null, null, null],
    ['7 EXAMPLE AVE', '7 EXAMPLE AVE', null, null],
  ];
  for (const [text, street, city, code] of read) assert.deepEqual(joinedSitus(text), { street, city, zip: code }, text);
});

test("an owner's address on one line is split at its last comma; without one, no city is guessed", () => {
  const read: [string[], (string | null)[]][] = [
    [['12 EXAMPLE ST, MANSFIELD, OH 44902'], ['12 EXAMPLE ST', 'MANSFIELD', 'OH', '44902']],
    [['12 EXAMPLE ST, APT 4, MANSFIELD, OH, 44902-1234'], ['12 EXAMPLE ST, APT 4', 'MANSFIELD', 'OH', '44902']],
    [['PO BOX 12, ST. LOUIS MO 63101'], ['PO BOX 12', 'ST. LOUIS', 'MO', '63101']],
    [['12 EXAMPLE ST MANSFIELD OH 44902'], ['12 EXAMPLE ST MANSFIELD', null, 'OH', '44902']],
    [
      ['12 EXAMPLE ST', 'APT 4, TAMPA FL 33602'],
      ['12 EXAMPLE ST, APT 4', 'TAMPA', 'FL', '33602'],
    ],
    [
      ['C/O SAMPLE', 'PO BOX 12', 'TAMPA FL 33602'],
      ['PO BOX 12', 'TAMPA', 'FL', '33602'],
    ],
    [
      ['PO BOX 12', 'TAMPA FL'],
      ['PO BOX 12', 'TAMPA', 'FL', null],
    ],
  ];
  for (const [lines, [mail_street, mail_city, mail_state, mail_zip]] of read)
    assert.deepEqual(mailing(lines), { mail_street, mail_city, mail_state, mail_zip }, lines.join(' | '));
});
