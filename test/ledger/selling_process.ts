/**
 * A process that opens a ledger like a server and sells `lead-0`, `lead-1` ... with answers of 20 kB, until a write is
 * refused. It prints its steps, and the error that ends it. Arguments: LEDGER DATA_DIR.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { openServingLedger } from '../../ledger/open.ts';
import { answer, hold, paid, purchaseOf, wanted } from './purchases.ts';

const [place = '', dataDir = ''] = process.argv.slice(2);
const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const ledger = await openServingLedger({ DATA_DIR: dataDir, LEDGER: place });
for (let n = 0; ; n += 1) {
  try {
    const begun = await ledger.begin(wanted(n, { nowMs: Date.now() }));
    const { id } = purchaseOf(begun);
    const lead = await hold(ledger, id, [`lead-${n}`], Date.now());
    await ledger.startSettling(id, answer(randomBytes(20_000)), Date.now());
    print({ id, lead, done: 'settling' });
    await ledger.markSold(id, paid(n), Date.now());
    print({ id, lead, done: 'sold' });
    await sleep(10);
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    print({ error: error.name, message: error.message });
    break;
  }
}
await ledger.close();
