/** Street addresses normalized by the database of a snapshot. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressNormalizer } from '../../../api/snapshot/addresses.ts';
import { loadSnapshot, type Snapshot } from '../../../api/snapshot/load.ts';
import { thorough } from '../../thorough.ts';
import { dataFolder } from '../support/snapshot_fixtures.ts';

/** More than a snapshot has connections. */
const AT_ONCE = thorough(15, 70);

describe('addresses', () => {
  const withAddresses = async (test: (snapshot: Snapshot) => Promise<void>): Promise<void> => {
    const folder = await dataFolder();
    const snapshot = await loadSnapshot(await folder.publish('2026-11-20.01', {}));
    try {
      await test(snapshot);
    } finally {
      snapshot.close();
      await folder.remove();
    }
  };

  it('are normalized correctly in parallel', () =>
    withAddresses(async ({ normalize }) => {
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
    }));

  it('are not cached after a failure', () =>
    withAddresses(async (snapshot) => {
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
    }));
});
