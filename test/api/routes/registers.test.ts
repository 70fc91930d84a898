/** The feed of each register, under its prefix, and the feed of both at the root. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { rowOf, uuid, type Row } from '../support/snapshot_fixtures.ts';

describe('the feed of a register', () => {
  const buyer = buyerWith();
  const colorado = { source: 'colorado_sos', source_state: 'CO' };

  const filing = (n: number, given: Row): Row =>
    rowOf('filings', n, { filing_date: `2026-11-${String(n).padStart(2, '0')}`, ...given });
  const shared = sharedApp({
    filings: [
      filing(1, { first_seen: '2026-11-13T12:00:00Z' }),
      filing(2, { first_seen: '2026-11-14T12:00:00Z' }),
      filing(30, {}),
      filing(4, colorado),
      filing(5, { ...colorado, first_seen: '2026-10-01T12:00:00Z' }),
      // First seen today, in a first load.
      filing(6, { ...colorado, filing_date: '2026-10-20' }),
    ],
    sources: [
      rowOf('sources', 1, { source: 'ohio_sos', family: 'register' }),
      rowOf('sources', 2, { source: 'colorado_sos', family: 'register' }),
      rowOf('sources', 3, { source: 'ohio_sos_amendments', family: 'register' }),
    ],
  });
  const idsOf = async (path: string): Promise<string[]> =>
    ((await bodyOf(await buyer.fetch(shared.app.url + path)))['records'] as { id: string }[]).map((r) => r.id);
  const meta = async (prefix: string): Promise<Record<string, unknown>> =>
    bodyOf(await fetch(`${shared.app.url}${prefix}/api/meta`));

  it('has its own filings only; the root has both and a filter by state', async () => {
    assert.deepEqual(await idsOf('/ohio/api/filings'), [uuid(30), uuid(2), uuid(1)]);
    assert.deepEqual(await idsOf('/colorado/api/filings'), [uuid(5), uuid(4), uuid(6)]);
    assert.deepEqual(await idsOf('/api/filings'), [uuid(30), uuid(5), uuid(4), uuid(2), uuid(1), uuid(6)]);
    assert.deepEqual(await idsOf('/api/filings?state=CO'), await idsOf('/colorado/api/filings'));
    // By filing date, up to today: one of November 30 is not filed yet.
    assert.deepEqual(await idsOf('/ohio/api/filings/recent'), [uuid(2), uuid(1)]);
    assert.deepEqual(await idsOf('/colorado/api/filings/recent'), [uuid(5), uuid(4)]);
    const refused = await fetch(`${shared.app.url}/ohio/api/filings?state=CO`);
    assert.equal(refused.status, 400);
    assert.equal((await bodyOf(refused))['reason'], 'unknown_parameter');
  });

  it('has its own discovery document', async () => {
    const ohio = await meta('/ohio');
    assert.deepEqual(ohio['coverage'], { total_records: 3, added_last_7d: 2, freshest: '2026-11-02' });
    assert.deepEqual(
      (ohio['free_samples'] as { records: { id: string }[] }).records.map((r) => r.id),
      [uuid(2), uuid(1)],
    );
    assert.deepEqual(
      (ohio['sources'] as { source: string }[]).map((s) => s.source),
      ['ohio_sos', 'ohio_sos_amendments'],
    );
    assert.match(String(ohio['refresh_cadence']), /second Saturday/);
    const other = await meta('/colorado');
    assert.deepEqual(other['coverage'], { total_records: 3, added_last_7d: 2, freshest: '2026-11-05' });
    assert.equal(other['interface_version'], '1.0.0');
    const prices = other['pricing'] as Record<string, string>;
    assert.equal(prices['GET /colorado/api/filings'], '$0.03');
    assert.ok(
      Object.keys(prices).every(
        (name) => name.startsWith('GET /colorado/api/') || ['protocol', 'network'].includes(name),
      ),
    );
    assert.deepEqual((other['record_schema_notes'] as Record<string, unknown>)['naics_status'], [
      'available',
      'not_collected_by_source',
    ]);
  });
});
