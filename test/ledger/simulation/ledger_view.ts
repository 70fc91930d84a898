/** The ledger as one process sees it: each call waits for its turn, and may fail before or after the ledger wrote. */
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import type { CallChecks } from './call_checks.ts';
import type { Process, World } from './world.ts';

/** Chances that a call fails before it is run, and that its result is lost. */
const [FAILS_BEFORE, RESULT_LOST] = [0.01, 0.01];
/** Chance that the result of `settling` is lost, the most dangerous one: it may be written, and nothing is sent. */
const SETTLING_LOST = 0.06;
const STREAMS: readonly string[] = ['purchases', 'deliveries', 'transfers'];

type Method = (...given: unknown[]) => unknown;

/** A stream whose reading the world waits for. */
async function* readThrough(world: World, stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  const iterator = stream[Symbol.asyncIterator]();
  for (;;) {
    world.underway += 1;
    let next: IteratorResult<unknown>;
    try {
      next = await iterator.next();
    } finally {
      world.underway -= 1;
    }
    if (next.done === true) return;
    yield next.value;
  }
}

/** A ledger whose calls the world waits for. */
export function awaitedLedger(world: World, ledger: Ledger): Ledger {
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      const method = target[name] as Method;
      if (STREAMS.includes(name)) {
        return (...given: unknown[]) => readThrough(world, method.apply(target, given) as AsyncIterable<unknown>);
      }
      return async (...given: unknown[]) => {
        world.underway += 1;
        try {
          return await method.apply(target, given);
        } finally {
          world.underway -= 1;
        }
      };
    },
  });
}

export interface LedgerViewOptions {
  readonly world: World;
  readonly process: Process;
  readonly ledger: Ledger;
  /** Methods that a planted fault replaces. */
  readonly replaced: Partial<Ledger>;
  readonly checks: CallChecks;
}

export function ledgerView({ world, process, ledger, replaced, checks }: LedgerViewOptions): Ledger {
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      const call: Method = (...given) => ((replaced[name] ?? target[name]) as Method).apply(target, given);
      const wait = async (): Promise<void> => {
        await world.gate(process, `ledger.${name}`);
        if (world.mishap(FAILS_BEFORE)) throw new LedgerUnavailable(`${name}: the ledger is unavailable`);
      };
      if (STREAMS.includes(name)) {
        return async function* stream(...given: unknown[]) {
          await wait();
          yield* readThrough(world, call(...given) as AsyncIterable<unknown>);
        };
      }
      return async (...given: unknown[]) => {
        await wait();
        let result: unknown;
        world.underway += 1;
        try {
          result = await call(...given);
          await checks.afterCall(name, given, result);
        } finally {
          world.underway -= 1;
        }
        if (world.mishap(name === 'startSettling' ? SETTLING_LOST : RESULT_LOST)) {
          throw new LedgerUnavailable(`${name}: the result is lost`);
        }
        return result;
      };
    },
  });
}
