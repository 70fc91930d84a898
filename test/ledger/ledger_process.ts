/**
 * A process that uses a ledger, for tests with several processes:
 *   serve LEDGER DATA_DIR   opens the ledger like a server and sells leads, until a write is refused
 *   lock FILE               holds the write lock of an SQLite file until it reads a line
 *   lock-reading FILE       locks an SQLite file for readers, too
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { openServingLedger } from '../../ledger/open.ts';
import { answer, hold, paid, purchaseOf, wanted } from './purchases.ts';

const [mode, place = '', dataDir = ''] = process.argv.slice(2);
const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

/** Sell `lead-0`, `lead-1` ... with answers of 20 kB, and print the error that ends it. */
async function serve(): Promise<void> {
  const ledger = await openServingLedger({ DATA_DIR: dataDir, LEDGER: place });
  for (let n = 0; ; n += 1) {
    try {
      const begun = await ledger.begin(wanted(n, { nowMs: Date.now() }));
      const { id } = purchaseOf(begun);
      const lead = await hold(ledger, id, [`lead-${n}`], Date.now());
      await ledger.startSettling(id, answer(randomBytes(20_000)), Date.now());
      print({ n, id, lead, done: 'settling' });
      await ledger.markSold(id, paid(n), Date.now());
      print({ n, id, lead, done: 'sold' });
      await sleep(10);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      print({ error: error.name, message: error.message });
      break;
    }
  }
  await ledger.close();
}

async function lock(readers: boolean): Promise<void> {
  // Other processes may be writing now.
  const db = new DatabaseSync(place, { timeout: 30_000 });
  if (readers) db.exec('PRAGMA locking_mode = EXCLUSIVE');
  db.exec('BEGIN EXCLUSIVE');
  print({ ready: true });
  await once(process.stdin, 'data');
  db.exec('COMMIT');
  db.close();
}

if (mode === 'serve') await serve();
else if (mode === 'lock' || mode === 'lock-reading') await lock(mode === 'lock-reading');
else throw new Error(`no such mode: ${mode ?? ''}`);
process.stdin.destroy();
