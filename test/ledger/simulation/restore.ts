/** A ledger in memory that a schedule can restore from a backup, with the file of its journal or without. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyRows } from '../../../ledger/copy.ts';
import { readIdentity } from '../../../ledger/identity.ts';
import { copiedStore, lostLines } from '../../../ledger/journal_file.ts';
import { replay } from '../../../ledger/replay.ts';
import type { JournalLine } from '../../../ledger/sql/journal.ts';
import type { Store } from '../../../ledger/sql/store.ts';
import { openSqliteStore } from '../../../ledger/sqlite/store.ts';
import { memoryFolder } from '../memory_folder.ts';

let folder: string | undefined;
let files = 0;
let backups: Promise<Store> | undefined;

/** Purchases that a restore has lost, and those whose answers it has lost. */
export interface Lost {
  readonly purchases: ReadonlySet<string>;
  readonly answers: ReadonlySet<string>;
}

export interface RestorableStore {
  readonly store: Store;
  backUp(): Promise<void>;
  restore(nowMs: number, hasFile: boolean): Promise<Lost>;
}

/** The journal of `store` is copied into a file. */
export async function restorable(store: Store): Promise<RestorableStore> {
  folder ??= memoryFolder('dealfeed-simulation-');
  const backup = await (backups ??= openSqliteStore(':memory:'));
  const file = join(folder, `${(files += 1)}.journal`);
  const { id } = await readIdentity(store.read);
  writeFileSync(file, '');
  const copied = copiedStore(store, file, id);
  const copy = (from: Store, to: Store): Promise<unknown> =>
    to.write((query) => copyRows(from.read, query, { kind: 'sqlite', overwrite: true }));
  return {
    store: copied,
    backUp: async () => void (await copy(store, backup)),
    async restore(nowMs, hasFile) {
      // The lines of the last reservations are copied after a write that is flushed.
      await copied.write((query) => query('UPDATE heartbeat SET beats = beats + 1'));
      const lines = (await store.read('SELECT line FROM journal')).map((row) => String(row['line']));
      // The last lines are written soon after their commit.
      while (!lines.every((line) => readFileSync(file, 'utf8').includes(line))) await sleep(1);
      await copy(backup, store);
      if (!hasFile) rmSync(file);
      const lost = await lostLines(store.read, file, id);
      await copied.write((query) => replay(query, lost, nowMs));
      const [purchases, answers] = [new Set<string>(), new Set<string>()];
      for (const text of lines) {
        const { number, purchase } = JSON.parse(text) as JournalLine;
        const key = purchase?.['id'] ?? '';
        const [row] = await store.read('SELECT changes, kept_answer FROM purchases WHERE id = $1', key);
        if (Number(row?.['changes'] ?? 0) < number) purchases.add(key);
        else if (row?.['kept_answer'] === null) answers.add(key);
      }
      return { purchases, answers };
    },
  };
}

/** A crash of the database's host takes back its last transactions that are not flushed: those that only reserved. */
export const loseReservations = (store: Store): Promise<number> =>
  store.write(async (query) => {
    for (let lost = 0; ; lost += 1) {
      const [last] = await query('SELECT seq, subject, line FROM journal ORDER BY seq DESC LIMIT 1');
      if (last === undefined || !String(last['line']).includes('"event":"reserved"')) return lost;
      await query('DELETE FROM purchases WHERE id = $1', String(last['subject']));
      await query('DELETE FROM journal WHERE seq = $1', Number(last['seq']));
    }
  });
