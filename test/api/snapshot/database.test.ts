/** The database of a loaded snapshot: it cannot reach other files, returns JSON values and normalizes addresses. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { addressNormalizer } from '../../../api/snapshot/addresses.ts';
import { loadSnapshot, type Snapshot } from '../../../api/snapshot/load.ts';
import { thorough } from '../../thorough.ts';
import { dataFolder, rowOf, type DataFolder } from '../support/snapshot_fixtures.ts';

/** More than a snapshot has connections. */
const AT_ONCE = thorough(15, 70);

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

  it('normalizes addresses correctly in parallel', async () => {
    const { normalize } = snapshot;
    const keysFrom = (from: number): Promise<(string | undefined)[]> =>
      Promise.all(
        Array.from(
          { length: AT_ONCE },
          async (_, i) =>
            (await normalize(i % 7 === 0 ? `Elm Street ${from + i}` : `${from + i} Elm Street`))?.address_key,
        ),
      );
    const expected = (from: number): (string | undefined)[] =>
      Array.from({ length: AT_ONCE }, (_, i) => (i % 7 === 0 ? undefined : `${from + i} ELM ST`));
    assert.deepEqual(await keysFrom(1), expected(1));
    assert.deepEqual(await Promise.all([keysFrom(1000), keysFrom(2000)]), [expected(1000), expected(2000)]);
  });

  it('caches no address after a failure', async () => {
    let failures = 1;
    const normalize = addressNormalizer({
      rows: async (sql, params) => {
        failures -= 1;
        if (failures >= 0) throw new Error('no');
        return snapshot.rows(sql, params);
      },
    });
    await assert.rejects(normalize('1 Elm Street'), /no/);
    assert.deepEqual(await normalize('1 Elm Street Apt 4'), {
      address_key: '1 ELM ST # 4',
      street_key: 'ELM ST',
      house_low: 1,
      house_high: 1,
      unit_key: '# 4',
    });
    assert.deepEqual(await normalize('1 Elm Street'), {
      address_key: '1 ELM ST',
      street_key: 'ELM ST',
      house_low: 1,
      house_high: 1,
      unit_key: null,
    });
  });
});
