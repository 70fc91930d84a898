/** The thread that writes a ledger for another one: see apart.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { together, type Call, type Ended, type HeldAnswer } from './apart.ts';
import { LedgerUnavailable, type Answer } from './ledger.ts';
import { openSqliteLedger } from './sqlite.ts';

const ledger = await openSqliteLedger(String(workerData));

const answerOf = (held: HeldAnswer): Answer => ({ ...held, async* body() { if (held.held.length > 0) yield held.held; } });

async function endOf({ number, name, given }: Call): Promise<Ended> {
  try {
    const asked = name === 'settling' ? given.map((value, i) => (i === 1 ? answerOf(value as HeldAnswer) : value)) : given;
    return { number, value: await (ledger[name] as (...args: readonly unknown[]) => Promise<unknown>)(...asked) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { number, error: { kind: error instanceof LedgerUnavailable ? 'unavailable' : error instanceof TypeError ? 'type' : 'other', message } };
  }
}

const tell = together((some: readonly Ended[]) => { parentPort?.postMessage(some, []); });
// Calls that came together begin together, and share a transaction.
parentPort?.on('message', (calls: readonly Call[]) => { for (const call of calls) void endOf(call).then(tell); });
