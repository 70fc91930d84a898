/** `fields` on lists: what is returned, how large an answer is, and its content encoding. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { FIELD_GROUPS, type FieldGroups } from '../../../api/routes/list/field_groups.ts';
import { allFields } from '../../../api/serving/records.ts';
import { sharedApp } from '../support/test_app.ts';
import { rowOf, rowsOfTable } from '../support/snapshot_fixtures.ts';

const LISTS = [
  ['/api/deals', 'deals'],
  ['/api/deals/hot', 'deals'],
  ['/api/signals', 'signals'],
  ['/api/auctions', 'auctions'],
  ['/api/leads', 'leads'],
  ['/api/filings', 'filings'],
] as const;

describe('fields', () => {
  const columnsOf = (table: (typeof LISTS)[number][1]): string[] => [...allFields(table)];

  const shared = sharedApp({
    deals: rowsOfTable('deals', 120, (i) => ({ deal_score: i % 40, cap_rate: '9.10', dscr_status: 'computed' })),
    signals: rowsOfTable('signals', 60, () => ({})),
    auctions: rowsOfTable('auctions', 60, () => ({ sale_date: '2026-12-01' })),
    leads: rowsOfTable('leads', 60, () => ({})),
    filings: rowsOfTable('filings', 60, () => ({ filing_date: '2026-11-19' })),
    reports: [rowOf('reports', 1, {})],
  });

  for (const [path, table] of LISTS) {
    it(`of ${path} are the default fields, a group, fields by name, or all`, async () => {
      const columns = columnsOf(table);
      const { groups, byDefault }: FieldGroups = FIELD_GROUPS[table];
      const namesIn = async (fields: string): Promise<string[]> => {
        const { records } = await shared.buy(`${path}?limit=2${fields}`);
        return Object.keys((records as object[])[0] ?? {});
      };
      const ordered = (names: readonly string[]): string[] =>
        columns.filter((c) => ['id', 'absent', ...names].includes(c));
      const groupColumns = (name: string): readonly string[] => groups[name] ?? [];
      assert.deepEqual(await namesIn(''), byDefault ? ordered(byDefault.flatMap(groupColumns)) : columns);
      assert.deepEqual(await namesIn('&fields=all'), columns);
      assert.deepEqual(await namesIn('&fields=card,evidence'), ordered(['card', 'evidence'].flatMap(groupColumns)));
      const [, , third = '', fourth = ''] = columns;
      assert.deepEqual(await namesIn(`&fields=${fourth},${third}`), ordered([third, fourth]));
      const inGroups = new Set(Object.values(groups).flat());
      if (byDefault)
        assert.deepEqual(
          columns.filter((c) => c !== 'absent' && !inGroups.has(c)),
          [],
        );
    });

    it(`of ${path} keep an answer without parameters well below 100 kB`, async () => {
      const bytes = Buffer.byteLength(JSON.stringify(await shared.buy(path)));
      assert.ok(bytes < 82_000, `${path}: ${bytes} bytes`);
    });
  }

  it('that do not exist are refused by name before a payment', async () => {
    const { status, body } = await shared.get('/api/signals?fields=card,dscr');
    const problem = body as { field: string; detail: string; accepted: string[] };
    assert.deepEqual([status, problem.field], [400, 'fields']);
    assert.match(problem.detail, /"dscr" is not one of them/);
    assert.deepEqual(problem.accepted.slice(0, 4), ['all', 'card', 'address', 'evidence']);
  });

  it('are sent compressed on request; Unencoded-Digest is the hash of the uncompressed body', async () => {
    const url = `${shared.app.url}/api/deals?fields=all`;
    for (const coding of ['identity', 'gzip', 'br']) {
      const headers = { 'PAYMENT-SIGNATURE': await shared.buyer.sign(url), 'Accept-Encoding': coding };
      const response = await fetch(url, { headers });
      const body = Buffer.from(await response.arrayBuffer());
      const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
      // RFC 9530: Repr-Digest is of the body as sent, so it is left out where that is not known yet.
      const [encoding, whole] = coding === 'identity' ? [null, digest] : [coding, null];
      assert.deepEqual(
        ['Unencoded-Digest', 'Content-Encoding', 'Repr-Digest'].map((name) => response.headers.get(name)),
        [digest, encoding, whole],
      );
      assert.match(response.headers.get('Cache-Control') ?? '', /private.*no-transform/);
    }
  });
});
