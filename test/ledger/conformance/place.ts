/** Where the conformance suite opens ledgers, and one emptied ledger for all of its tests. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedgerStore } from '../../../ledger/open.ts';
import type { Store } from '../../../ledger/sql/store.ts';
import { journalViolations } from '../journal_checks.ts';
import { SALES_TABLES } from '../purchases.ts';

/** Where ledgers of one kind are created. */
export interface Place {
  /** The setting LEDGER of a new, empty ledger. */
  fresh(): Promise<string>;
  open(ledger: string): Promise<Ledger>;
}

type Work = (ledger: Ledger, other: Ledger) => Promise<void>;
/** A test on an empty ledger with two connections. */
export type OnEmptyLedger = (title: string, work: Work) => void;

/** One ledger with two connections, which is emptied before each use: creating tables takes longer than most tests. */
export interface SharedLedger {
  readonly onEmpty: OnEmptyLedger;
  /** The first connection. */
  readonly ledger: () => Ledger;
  /** Another connection to the same ledger. */
  readonly openAgain: () => Promise<Ledger>;
  readonly empty: () => Promise<void>;
}

interface OpenedLedger {
  readonly name: string;
  readonly store: Store;
  readonly connections: readonly [Ledger, Ledger];
}

/** Register hooks that open and close the ledger. */
export function sharedLedger(place: Place): SharedLedger {
  let opened: OpenedLedger | undefined;
  const current = (): OpenedLedger => {
    if (!opened) throw new Error('the ledger is not open');
    return opened;
  };
  const empty = (): Promise<void> =>
    current().store.write(async (query) => {
      for (const table of SALES_TABLES) await query(`DELETE FROM ${table}`);
      await query('UPDATE ledger_identity SET changes = 0');
    });
  const check = async (): Promise<void> => {
    assert.deepEqual(await journalViolations(current().store.read), [], 'the journal states every change');
  };
  before(async () => {
    const name = await place.fresh();
    const connections = [await place.open(name), await place.open(name)] as const;
    opened = { name, connections, store: await openLedgerStore({ DATA_DIR: '', LEDGER: name }) };
  });
  after(async () => {
    const { store, connections } = current();
    await check();
    await Promise.all([store, ...connections].map((each) => each.close()));
  });
  return {
    empty,
    ledger: () => current().connections[0],
    openAgain: () => place.open(current().name),
    onEmpty: (title, work) =>
      void test(title, async () => {
        await empty();
        await work(...current().connections);
        await check();
      }),
  };
}
