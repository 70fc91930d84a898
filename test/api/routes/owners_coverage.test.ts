/** GET /api/owners: names as buyers and attackers type them. GET /api/coverage: filters, and what is not covered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { rowOf, uuid, type Row } from '../support/snapshot_fixtures.ts';

const owner = (n: number, name: string, key: string, row: Row = {}): Row =>
  rowOf('owners', n, { owner_name: name, owner_key: key, properties_count: n + 1, ...row });

/** Names that a buyer may type, and the owners that they find. */
const NAMES: readonly (readonly [typed: string, found: readonly number[]])[] = [
  ['ACME HOLDINGS LLC', [1]],
  ['acme holdings, l.l.c.', [1]],
  ['Acme Holdings Limited Liability Company', [1]],
  ['ÁCME hôldings llc', [1]],
  ['ＡＣＭＥ ＨＯＬＤＩＮＧＳ', [1]],
  ['acm', [2, 1]],
  ['R & R Homes', [4]],
  ['r and r', [4]],
  ["O'Brien Homes", [3]],
  // No part but the beginning, and no wildcard
  ['HOLDINGS', []],
  ['%CME', []],
  ['A%E HOLDINGS', []],
  ['A_ME', []],
  ["ACME' OR '1'='1", []],
  ['ACME HOLDINGS LLC'.padEnd(190, 'X'), []],
];

/** Names that are refused before a payment is asked for. */
const REFUSED = ['', '   ', '%%%', 'A.B.', '日本株式会社', '\u0000ACME', 'X'.repeat(201), '\u200b\u200b\u200b'];

describe('owners and coverage', () => {
  const recordsOf = (body: Record<string, unknown>): Row[] => body['records'] as Row[];
  const found = async (path: string): Promise<unknown[]> => {
    const { status, body } = await shared.ask(path);
    if (status === 404) assert.deepEqual([body['reason'], body['billed']], ['no_matches', false], path);
    else assert.equal(status, 200, JSON.stringify(body));
    return status === 404 ? [] : recordsOf(body).map(({ id }) => id);
  };
  const byName = (name: string): string => `/api/owners?name=${encodeURIComponent(name)}`;

  const shared = sharedApp({
    owners: [
      owner(1, 'Acme Holdings, LLC', 'ACME HOLDINGS LLC', { total_amount: '900.00', mail_city: 'AKRON' }),
      owner(2, 'ACME RENTALS INC', 'ACME RENTALS INC', { county: 'Wayne County, MI', state: 'MI' }),
      owner(3, "O'BRIEN HOMES LLC", 'OBRIEN HOMES LLC'),
      owner(4, 'R & R HOMES LLC', 'R AND R HOMES LLC'),
    ],
    coverage: [
      rowOf('coverage', 1, { metro: 'Detroit, MI', kind: 'blight_judgment', status: 'covered' }),
      rowOf('coverage', 2, {
        metro: 'Detroit, MI',
        kind: 'tax_lien',
        status: 'not_covered',
        why: 'No list is public.',
      }),
      rowOf('coverage', 3, { metro: 'Tampa, FL', kind: 'tax_lien', status: 'partly_covered' }),
    ],
  });

  for (const [typed, owners] of NAMES)
    it(`${JSON.stringify(typed.slice(0, 30))} finds ${owners.join(' and ') || 'nothing'}`, async () =>
      assert.deepEqual(await found(byName(typed)), owners.map(uuid)));

  for (const name of REFUSED)
    it(`${JSON.stringify(name.slice(0, 20))} is refused, free`, async () => {
      const { status, body } = await shared.get(byName(name));
      assert.deepEqual(
        [status, body['reason'], body['field'], body['billed']],
        [400, 'invalid_parameter', 'name', false],
      );
    });

  it('are filtered by county, state and number of properties, the most properties first', async () => {
    assert.deepEqual(await found('/api/owners'), [4, 3, 2, 1].map(uuid));
    assert.deepEqual(await found('/api/owners?county=wayne'), [uuid(2)]);
    assert.deepEqual(await found('/api/owners?state=mi'), [uuid(2)]);
    assert.deepEqual(await found('/api/owners?min_properties=4'), [4, 3].map(uuid));
    assert.deepEqual(await found('/api/owners?name=acme&state=OH'), [uuid(1)]);
    assert.equal((await shared.get('/api/owners?min_properties=1')).status, 400);
    assert.equal((await shared.get('/api/owners?owner_name=ACME')).status, 400);
  });

  it('cost as much as a lookup, and say why a field is absent', async () => {
    assert.equal((await shared.get('/api/owners')).status, 402);
    const [record = {}] = recordsOf((await shared.ask('/api/owners?name=r%20and%20r')).body);
    assert.deepEqual(record['absent'], {
      mail_city: 'not_published_by_county',
      mail_state: 'not_published_by_county',
      total_amount: 'no_record_with_an_amount',
    });
  });

  it('show coverage free, by metro and kind', async () => {
    const kindsOf = async (query: string): Promise<unknown[]> => {
      const { status, body } = await shared.get(`/api/coverage${query}`);
      assert.equal(status, 200);
      return recordsOf(body).map((row) => [row['metro'], row['kind'], row['status']]);
    };
    assert.equal((await kindsOf('')).length, 3);
    assert.deepEqual(await kindsOf('?metro=detroit&kind=TAX_LIEN'), [['Detroit, MI', 'tax_lien', 'not_covered']]);
    assert.deepEqual(await kindsOf('?kind=blight_judgment'), [['Detroit, MI', 'blight_judgment', 'covered']]);
  });

  it('list the metros if none matches, and the kinds if one is unknown', async () => {
    const { status, body: missed } = await shared.get('/api/coverage?metro=Atlantis');
    assert.deepEqual([status, missed['reason'], missed['metros']], [404, 'no_matches', ['Detroit, MI', 'Tampa, FL']]);
    assert.equal((await shared.get('/api/coverage?kind=ghosts')).status, 400);
  });
});
