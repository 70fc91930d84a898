/** Addresses as counties print them: in one text, in several, on one line or three. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { joinedSitus, mailing, situs } from '../../sources/readers/addresses.ts';

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
  for (const [text, street, city, zip] of read) assert.deepEqual(situs(text, places), { street, city, zip }, text);
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
  for (const [text, street, city, zip] of read) assert.deepEqual(joinedSitus(text), { street, city, zip }, text);
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
