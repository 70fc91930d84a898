/**
 * Writes that wait at the same time share one transaction and one flush of the disk, on a database whose statements
 * are done at once: while the disk flushes for some, the next ones gather.
 *
 * None disturbs another. Each is done under a savepoint of its own, so that one that throws is undone alone; where an
 * error ends the whole transaction, or its commit fails, nothing of it was written and each is tried again by itself.
 * Nobody is told anything, not even of a refusal that follows from what another of the same transaction wrote, before
 * the commit that holds it is on the disk.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from './ledger.ts';

const LONGEST_PAUSE_MS = 25;
/** Writes of one transaction at most, so that none holds up the process for long. */
const MOST_TOGETHER = 64;
/** How long a write that nobody waits for waits for others. */
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
  /** When it is to be written even if nobody else writes, by performance.now(). */
  readonly dueMs: number;
}

export interface SharedWrites {
  /** @param mayWait it is nothing that anybody waits for, and is written with the next, or after a few milliseconds */
  write<T>(work: () => Promise<T>, mayWait: boolean): Promise<T>;
  /** Write what waits. Resolves when nothing does any more. */
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
  /** Set once a flush has failed: what the disk holds is not known then, and another flush would not tell. */
  let lost: LedgerUnavailable | undefined;

  const workOf = async ({ work, resolve, reject }: Waiting): Promise<() => void> => {
    on.savepoint();
    try {
      const value = await work();
      on.releaseSavepoint();
      return () => { resolve(value); };
    } catch (error) {
      if (!on.isOpen()) throw error;
      on.undoToSavepoint();
      on.releaseSavepoint();
      return () => { reject(on.told(error)); };
    }
  };
  /** One transaction over these. @returns what tells each of them how it ended; throws where nothing was written */
  const transaction = async (group: readonly Waiting[]): Promise<readonly (() => void)[]> => {
    on.begin();
    try {
      const [only] = group;
      const ends: (() => void)[] = [];
      if (only && group.length === 1) {
        const value = await only.work();
        ends.push(() => { only.resolve(value); });
      } else for (const one of group) ends.push(await workOf(one));
      on.commit();
      return ends;
    } catch (error) {
      on.rollBack();
      throw error;
    }
  };
  const next = (): Waiting[] => waiting.splice(0, waiting[0]?.alone === true ? 1 : MOST_TOGETHER);

  const isDue = (): boolean => (hurried ? waiting.length > 0 : waiting.some(({ dueMs }) => dueMs <= performance.now()));

  const writeDue = async (): Promise<void> => {
    for (let pause = 1; isDue();) {
      let group: Waiting[] = [];
      let ends: readonly (() => void)[];
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
      try { await on.flush(); } catch (error) {
        lost = new LedgerUnavailable(`the ledger could not be flushed to the disk, and is not written any more before a restart: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
      for (const one of lost ? [...group, ...waiting.splice(0)] : []) one.reject(lost);
      for (const end of lost ? [] : ends) end();
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
    write: <T>(work: () => Promise<T>, mayWait: boolean) => new Promise<T>((resolve, reject) => {
      if (lost) { reject(lost); return; }
      const nowMs = performance.now();
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, untilMs: nowMs + patienceMs, alone: false, dueMs: mayWait ? nowMs + COMPANY_MS : nowMs });
      if (mayWait) startSoon();
      else start();
    }),
    async idle() {
      hurried = true;
      start();
      // What comes meanwhile is written too.
      for (let now = writing; now; now = writing) await now;
      hurried = false;
    },
  };
}
