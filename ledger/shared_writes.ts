/**
 * Writes that wait at the same time share one transaction and one flush of the disk, on a database whose statements
 * are done at once. While the disk flushes for some, the next are committed, and share the flush after.
 *
 * None disturbs another. Each is done under a savepoint of its own, so that one that throws is undone alone; where an
 * error ends the whole transaction, or its commit fails, nothing of it was written and each is tried again by itself.
 * Nobody is told anything, not even of a refusal that follows from what another of the same transaction wrote, before
 * the commit that holds it; and who was promised a flush, of nothing that was written, before that commit is on the disk.
 * What is on the disk is always the first so many commits: none without those before it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from './ledger.ts';
import type { Promised } from './store.ts';

const LONGEST_PAUSE_MS = 25;
/** Writes of one transaction at most, so that none holds up the process for long. */
const MOST_TOGETHER = 64;
/** How long a write that nobody waits for waits for others, and a commit for a flush that somebody waits for. */
const COMPANY_MS = 5;

export interface Transactions {
  begin(): void;
  commit(): void;
  /** End the transaction, unless an error has ended it. */
  rollBack(): void;
  /** Whether a transaction is open. */
  isOpen(): boolean;
  savepoint(): void;
  undoToSavepoint(): void;
  releaseSavepoint(): void;
  /** Make durable what was committed. */
  flush(): Promise<void>;
  /** Whether somebody else has the database locked, so that nothing was done and waiting may help. */
  isBusy(error: unknown): boolean;
  /** An error as callers are told of it. */
  told(error: unknown): unknown;
}

interface Waiting {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When patience with a locked database ends, by performance.now(). */
  readonly untilMs: number;
  /** It was in a transaction that came to nothing. */
  readonly alone: boolean;
  readonly promised: Promised;
  /** When it is to be written even if nobody else writes, by performance.now(). */
  readonly dueMs: number;
}

/** What tells one of a transaction how it ended. */
interface End extends Pick<Waiting, 'promised' | 'reject'> {
  readonly tell: () => void;
}

export interface SharedWrites {
  write<T>(work: () => Promise<T>, promised: Promised): Promise<T>;
  /** Write what waits, and flush it. Resolves when nothing is left to do. */
  idle(): Promise<void>;
}

/**
 * @param inTurn does one thing at a time on the connection
 * @param patienceMs how long a write waits for a locked database
 */
export function sharedWrites(on: Transactions, inTurn: <T>(work: () => Promise<T>) => Promise<T>, patienceMs: number): SharedWrites {
  let waiting: Waiting[] = [];
  let alarm: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let hurried = false;
  /** Who waits for the flush of what is committed, and whether anything is that no flush was begun for. */
  let [committed, unflushed]: [End[], boolean] = [[], false];
  let flushAlarm: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;
  /** Set once a flush has failed: what the disk holds is not known then, and another flush would not tell. */
  let lost: LedgerUnavailable | undefined;

  const workOf = async ({ work, promised, resolve, reject }: Waiting): Promise<End> => {
    on.savepoint();
    try {
      const value = await work();
      on.releaseSavepoint();
      return { promised, reject, tell: () => { resolve(value); } };
    } catch (error) {
      if (!on.isOpen()) throw error;
      on.undoToSavepoint();
      on.releaseSavepoint();
      return { promised, reject, tell: () => { reject(on.told(error)); } };
    }
  };
  /** One transaction over these. @returns how each of them ended; throws where nothing was written */
  const transaction = async (group: readonly Waiting[]): Promise<readonly End[]> => {
    on.begin();
    try {
      const [only] = group;
      const ends: End[] = [];
      if (only && group.length === 1) {
        const value = await only.work();
        ends.push({ promised: only.promised, reject: only.reject, tell: () => { only.resolve(value); } });
      } else for (const one of group) ends.push(await workOf(one));
      on.commit();
      return ends;
    } catch (error) {
      on.rollBack();
      throw error;
    }
  };
  const next = (): Waiting[] => waiting.splice(0, waiting[0]?.alone === true ? 1 : MOST_TOGETHER);

  const flushAll = async (): Promise<void> => {
    while (unflushed) {
      const ends = committed;
      [committed, unflushed] = [[], false];
      try { await on.flush(); } catch (error) {
        lost = new LedgerUnavailable(`the ledger could not be flushed to the disk, and is not written any more before a restart: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
        for (const one of [...ends, ...committed.splice(0), ...waiting.splice(0)]) one.reject(lost);
        unflushed = false;
        return;
      }
      for (const { tell } of ends) tell();
      // What nobody waits for may gather again.
      if (committed.length === 0 && !hurried) break;
    }
  };
  const flushNow = (): void => {
    clearTimeout(flushAlarm);
    flushAlarm = undefined;
    flushing ??= flushAll().finally(() => {
      flushing = undefined;
      flushSoon();
    });
  };
  /** Begin the flush of what is committed: at once where somebody waits for it, within milliseconds where nobody does. */
  const flushSoon = (): void => {
    if (!unflushed || flushing) return;
    if (committed.length > 0 || hurried) flushNow();
    else flushAlarm ??= setTimeout(flushNow, COMPANY_MS);
  };

  const isDue = (): boolean => (hurried ? waiting.length > 0 : waiting.some(({ dueMs }) => dueMs <= performance.now()));

  const writeDue = async (): Promise<void> => {
    for (let pause = 1; isDue();) {
      let group: Waiting[] = [];
      let ends: readonly End[];
      try {
        ends = await inTurn(() => transaction(group = next()));
      } catch (error) {
        if (on.isBusy(error)) {
          const nowMs = performance.now();
          for (const one of group) if (one.untilMs <= nowMs) one.reject(on.told(error));
          waiting = [...group.filter((one) => one.untilMs > nowMs), ...waiting];
          await sleep(pause * (0.5 + Math.random() / 2));
          pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        } else if (group.length === 1) group[0]?.reject(on.told(error));
        else waiting = [...group.map((one) => ({ ...one, alone: true })), ...waiting];
        continue;
      }
      pause = 1;
      for (const one of ends) {
        // A flush may have failed while this was written.
        if (lost) one.reject(lost);
        else if (one.promised === 'flushed') committed.push(one);
        else one.tell();
      }
      unflushed = lost === undefined;
      flushSoon();
    }
  };
  const startSoon = (): void => { alarm ??= setTimeout(start, COMPANY_MS); };
  const start = (): void => {
    clearTimeout(alarm);
    alarm = undefined;
    writing ??= writeDue().finally(() => {
      writing = undefined;
      if (isDue()) start();
      else if (waiting.length > 0) startSoon();
    });
  };

  return {
    write: <T>(work: () => Promise<T>, promised: Promised) => new Promise<T>((resolve, reject) => {
      if (lost) { reject(lost); return; }
      const nowMs = performance.now();
      const late = promised === 'late';
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, untilMs: nowMs + patienceMs, alone: false, promised, dueMs: late ? nowMs + COMPANY_MS : nowMs });
      if (late && !hurried) startSoon();
      else start();
    }),
    async idle() {
      hurried = true;
      start();
      flushSoon();
      // What comes meanwhile is written too.
      for (let now = writing ?? flushing; now; now = writing ?? flushing) await now;
      hurried = false;
    },
  };
}
