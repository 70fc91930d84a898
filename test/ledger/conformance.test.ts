/** SQLite and PostgreSQL meet the requirements of every ledger. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openLedger, openLedgerStore } from '../../ledger/open.ts';
import { sqlLedger } from '../../ledger/sql/sql_ledger.ts';
import { thorough } from '../thorough.ts';
import { balance } from './conformance/balance.ts';
import { leadHolds, leadLimits, properties } from './conformance/leads.ts';
import { sharedLedger } from './conformance/place.ts';
import { endings, payerLimits, reservations, settling } from './conformance/purchases.ts';
import { audit, matching } from './conformance/transfers.ts';
import { clocks, retention } from './conformance/upkeep.ts';
import { ledgerFolders } from './ledger_folders.ts';
import { purchaseIn } from './purchases.ts';

/** How often tests repeat what depends on the order of concurrent steps. */
const EFFORT = { sequences: thorough(3, 15), races: thorough(2, 12) } as const;

/** The setting that decides whether a commit waits for the disk: its values if it does, and if it does not. */
const FLUSHES = {
  sqlite: ['PRAGMA synchronous', 2, 1],
  postgres: ['SHOW synchronous_commit', 'on', 'off'],
} as const;

describe('every ledger', () => {
  const { dataDir, kinds } = ledgerFolders();
  for (const { name, kind, fresh } of kinds) {
    describe(name, () => {
      const shared = sharedLedger({
        fresh: () => fresh(dataDir()),
        open: (ledger) => openLedger({ DATA_DIR: '', LEDGER: ledger }),
      });
      reservations(shared);
      leadHolds(shared);
      settling(shared);
      endings(shared);
      retention(shared.onEmpty);
      clocks(shared.onEmpty);
      payerLimits(shared.onEmpty);
      leadLimits(shared.onEmpty);
      properties(shared.onEmpty);
      balance(shared.onEmpty, EFFORT);
      audit(shared.onEmpty);
      matching(shared.onEmpty, EFFORT);

      test('has each change on disk when a call returns, except reservations', async () => {
        const store = await openLedgerStore({ DATA_DIR: '', LEDGER: await fresh(dataDir()) });
        const [setting, flushed, soon] = FLUSHES[kind];
        const seen: unknown[] = [];
        const ledger = sqlLedger({
          ...store,
          write: (work, durability) =>
            store.write(async (query) => {
              const [row] = await query(setting);
              seen.push(Object.values(row ?? {})[0]);
              return work(query);
            }, durability),
        });
        await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
        // Reserved, held, settling, sold.
        assert.deepEqual(seen, [soon, flushed, flushed, flushed]);
        await ledger.close();
      });
    });
  }
});
