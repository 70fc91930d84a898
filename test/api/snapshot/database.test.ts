/** The database of a loaded snapshot: it cannot reach other files, returns JSON values and normalizes addresses. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadSnapshot, type Snapshot } from '../../../api/snapshot/load.ts';
import { dataFolder, rowOf, type DataFolder } from '../support/snapshot_fixtures.ts';

describe('the database of a snapshot', () => {
  const row = rowOf('deals', 1, {
    list_price: '999999999999.99',
    cap_gap_pct: '-0.05',
    confidence_score: '0.10',
    units: 12,
    relisted: true,
    listed_on: '2026-02-28',
    last_verified: '2026-11-20T23:59:59Z',
    confidence_parts: { units: '0.15', price: '0.10' },
    address: 'Ünïcode "St" \\ 1',
  });
  let folder: DataFolder;
  let path: string;
  let snapshot: Snapshot;
  before(async () => {
    folder = await dataFolder();
    path = await folder.publish('2026-11-20.01', { deals: [row] });
    snapshot = await loadSnapshot(path);
  });
  after(async () => {
    snapshot.close();
    await folder.remove();
  });

  it('reads no other file, writes none, and changes no setting', async () => {
    await assert.rejects(snapshot.rows(`SELECT * FROM read_parquet('${join(path, 'deals.parquet')}')`), /disabled/);
    await assert.rejects(snapshot.rows(`COPY deals TO '${join(path, 'out.csv')}'`), /disabled/);
    await assert.rejects(snapshot.rows('SET enable_external_access = true'), /locked|cannot/i);
  });

  it('returns every kind of value in its JSON form', async () => {
    const [record = {}, ...more] = await snapshot.records('deals', '');
    assert.deepEqual([record, more], [{ ...row, absent: record['absent'] }, []]);
  });
});
