/**
 * A ledger in SQLite whose writing is done by a thread of its own: compressing answers, transactions, checkpoints and
 * flushes take nothing from the thread that answers requests. What only reads is read here, on another connection.
 */
import { Worker } from 'node:worker_threads';
import { LedgerUnavailable, type Answer, type Ledger } from './ledger.ts';
import { alone } from './pieces.ts';
import { openSqliteLedger } from './sqlite.ts';

/** Methods that write. */
const WRITING = ['begin', 'claim', 'settling', 'unknown', 'sold', 'release', 'delivered', 'giveUpAbandoned', 'forgetAnswers', 'useOnce', 'keepTo', 'ping', 'close'] as const;
type Writing = (typeof WRITING)[number];

/** An answer that lies in memory, as it goes to the other thread. */
export type HeldAnswer = Pick<Answer, 'headers' | 'sha256' | 'bytes'> & { readonly held: Uint8Array };

/** A call of a method. */
export interface Call {
  readonly number: number;
  readonly name: Writing;
  readonly given: readonly unknown[];
}

/** How it ended. */
export type Ended = { readonly number: number } & (
  | { readonly value: unknown }
  | { readonly error: { readonly kind: 'unavailable' | 'type' | 'other'; readonly message: string } });

const errorOf = ({ kind, message }: Extract<Ended, { error: unknown }>['error']): Error => {
  if (kind === 'unavailable') return new LedgerUnavailable(message);
  return kind === 'type' ? new TypeError(message) : new Error(message);
};

/**
 * What is said in one turn of the event loop is said in one message: a message costs as much as what is done for it.
 * @returns what says one more thing
 */
export function together<T>(say: (things: readonly T[]) => void): (thing: T) => void {
  const things: T[] = [];
  return (thing) => { if (things.push(thing) === 1) setImmediate(() => { say(things.splice(0)); }); };
}

/**
 * Open the ledger in a file, which two connections of this process then have.
 * @throws as openSqliteLedger does
 */
export async function openSqliteLedgerApart(path: string): Promise<Ledger> {
  const here = await openSqliteLedger(path);
  const worker = new Worker(new URL('apart_worker.ts', import.meta.url), { workerData: path });
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let [number, gone]: [number, Error | undefined] = [0, undefined];
  worker.on('message', (some: readonly Ended[]) => {
    for (const ended of some) {
      const asked = open.get(ended.number);
      open.delete(ended.number);
      if ('error' in ended) asked?.reject(errorOf(ended.error));
      else asked?.resolve(ended.value);
    }
  });
  const end = (error: Error): void => {
    gone ??= new LedgerUnavailable(`the thread that writes the ledger is gone: ${error.message}`, { cause: error });
    for (const { reject } of open.values()) reject(gone);
    open.clear();
  };
  worker.on('error', (error: unknown) => { end(error instanceof Error ? error : new Error(String(error))); });
  worker.on('exit', (code) => { end(new Error(`it ended with ${code}`)); });

  const post = (calls: readonly Call[]): void => {
    try { worker.postMessage(calls, []); } catch (error) {
      // One of them holds what cannot be sent: the others go without it.
      const [only] = calls;
      if (calls.length > 1) for (const call of calls) post([call]);
      else if (only) {
        open.get(only.number)?.reject(error instanceof Error ? error : new Error(String(error)));
        open.delete(only.number);
      }
    }
  };
  const send = together(post);
  const ask = (name: Writing, given: readonly unknown[]): Promise<unknown> => new Promise((resolve, reject) => {
    if (gone) { reject(gone); return; }
    number += 1;
    open.set(number, { resolve, reject });
    send({ number, name, given });
  });
  const there = Object.fromEntries(WRITING.map((name) => [name, (...given: unknown[]) => ask(name, given)])) as unknown as Pick<Ledger, Writing>;
  return {
    ...here, ...there,
    settling(purchaseId, answer, nowMs) {
      const { headers, sha256, bytes, held } = answer;
      // A file is read here, a piece at a time.
      if (!held) return here.settling(purchaseId, answer, nowMs);
      return there.settling(purchaseId, { headers, sha256, bytes, held: alone(held) } satisfies HeldAnswer as unknown as Answer, nowMs);
    },
    async close() {
      await there.close().catch(() => undefined);
      await worker.terminate();
      await here.close();
    },
  };
}
