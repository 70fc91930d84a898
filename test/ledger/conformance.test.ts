/** SQLite and PostgreSQL meet the requirements of every ledger. */
import { describe } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { thorough } from '../thorough.ts';
import { audit } from './conformance/audit.ts';
import { balance } from './conformance/balance.ts';
import { clocks } from './conformance/clocks.ts';
import { endings } from './conformance/endings.ts';
import { leadClaims } from './conformance/lead_claims.ts';
import { leadLimits } from './conformance/lead_limits.ts';
import { payerLimits } from './conformance/payer_limits.ts';
import { sharedLedger } from './conformance/place.ts';
import { properties } from './conformance/properties.ts';
import { reservations } from './conformance/reservations.ts';
import { retention } from './conformance/retention.ts';
import { settling } from './conformance/settling.ts';
import { transfers } from './conformance/transfers.ts';
import { ledgerFolders } from './ledger_folders.ts';

/** How often tests repeat what depends on the order of concurrent steps. */
const EFFORT = { sequences: thorough(6, 15), races: thorough(4, 12) } as const;

describe('every ledger', () => {
  const { dataDir, kinds } = ledgerFolders();
  for (const { name, fresh } of kinds) {
    describe(name, () => {
      const shared = sharedLedger({
        fresh: () => fresh(dataDir()),
        open: (ledger) => openLedger({ DATA_DIR: '', LEDGER: ledger }),
      });
      reservations(shared);
      leadClaims(shared);
      settling(shared);
      endings(shared);
      retention(shared.onEmpty);
      clocks(shared.onEmpty);
      payerLimits(shared.onEmpty);
      leadLimits(shared.onEmpty);
      properties(shared.onEmpty);
      balance(shared.onEmpty, EFFORT);
      audit(shared.onEmpty);
      transfers(shared.onEmpty, EFFORT);
    });
  }
});
