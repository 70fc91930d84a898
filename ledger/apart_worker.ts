/** The thread that writes a ledger for another one: see apart.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Call, Ended, HeldAnswer } from './apart.ts';
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

/** Calls that came, which begin together once no more are there, so that they share a transaction. */
const came: Call[] = [];
const beginAll = (): void => { for (const call of came.splice(0)) void endOf(call).then((ended) => parentPort?.postMessage(ended, [])); };

parentPort?.on('message', (call: Call) => { if (came.push(call) === 1) setImmediate(beginAll); });
