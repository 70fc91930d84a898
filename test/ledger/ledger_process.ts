/**
 * A process that uses a ledger, for tests with several processes:
 *   sell LEDGER FIRST LEADS N    sells payments from number FIRST on, N in parallel, until killed; prints each step
 *   serve LEDGER DATA_DIR        opens the ledger like a server and sells leads, until a write is refused
 *   lock FILE                    holds the write lock of an SQLite file until it reads a line
 *   lock-reading FILE            locks an SQLite file for readers, too
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openLedger, openServingLedger } from '../../ledger/open.ts';
import { answer, claim, paid, purchaseOf, wanted } from './purchases.ts';

const [mode, place = '', first = '', second = '', third = '1'] = process.argv.slice(2);
const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
const readLine = async (): Promise<unknown> => once(process.stdin, 'data');
const leads = (count: number): string[] => Array.from({ length: count }, (_, i) => `lead-${i}`);

/** The answer for the n-th payment; every tenth is longer than one chunk. */
const bodyFor = (n: number): string => `answer ${n}`.repeat(n % 10 === 0 ? 150_000 : 10);

async function sell(from: number, leadIds: readonly string[], inParallel: number): Promise<void> {
  const ledger = await openLedger({ DATA_DIR: '', LEDGER: place });
  let next = from;
  const takeNumber = (): number => {
    next += 1;
    return next - 1;
  };
  await Promise.all(Array.from({ length: inParallel }, () => sellOneByOne(ledger, takeNumber, leadIds)));
}

async function sellOneByOne(ledger: Ledger, takeNumber: () => number, leadIds: readonly string[]): Promise<void> {
  for (let n = takeNumber(); ; n = takeNumber()) {
    const begun = await ledger.begin(wanted(n, { nowMs: Date.now(), leaseMs: 200 }));
    if (begun.kind !== 'reserved') throw new Error('no other process has this payment');
    const { id } = begun.purchase;
    print({ n, id, done: 'reserved' });
    const lead = await claim(ledger, id, leadIds, Date.now());
    if (!(await ledger.startSettling(id, answer(bodyFor(n)), Date.now()))) continue;
    print({ n, id, lead, body: bodyFor(n).length, done: 'settling' });
    await ledger.markSold(id, paid(n), Date.now());
    print({ n, id, lead, done: 'sold' });
  }
}

/** Sell `lead-0`, `lead-1` ... with answers of 20 kB, and print the error that ends it. */
async function serve(dataDir: string): Promise<void> {
  const ledger = await openServingLedger({ DATA_DIR: dataDir, LEDGER: place });
  for (let n = 0; ; n += 1) {
    try {
      const begun = await ledger.begin(wanted(n, { nowMs: Date.now() }));
      const { id } = purchaseOf(begun);
      const lead = await claim(ledger, id, [`lead-${n}`], Date.now());
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
  await readLine();
  db.exec('COMMIT');
  db.close();
}

if (mode === 'sell') await sell(Number(first), leads(Number(second)), Number(third));
else if (mode === 'serve') await serve(first);
else if (mode === 'lock' || mode === 'lock-reading') await lock(mode === 'lock-reading');
else throw new Error(`no such mode: ${mode ?? ''}`);
process.stdin.destroy();
