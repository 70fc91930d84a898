/** The ledger as a process of a simulated world sees it: each call waits for its turn, and may find the ledger away, before or after it wrote. */
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import type { Moments } from './moments.ts';
import type { Process, World } from './world.ts';

const [AWAY, SILENT] = [0.01, 0.01];
/** The answer of this call is missed the most: what follows was never sent, and may be written as sent. */
const SETTLING_SILENT = 0.06;
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

/** The ledger itself, whose calls the world waits for. */
export function counted(world: World, ledger: Ledger): Ledger {
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

export interface SeenOptions {
  readonly world: World;
  readonly process: Process;
  readonly ledger: Ledger;
  /** Methods that a planted fault replaces. */
  readonly replaced: Partial<Ledger>;
  readonly moments: Moments;
}

export function seenBy({ world, process, ledger, replaced, moments }: SeenOptions): Ledger {
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      const call: Method = (...given) => ((replaced[name] ?? target[name]) as Method).apply(target, given);
      const wait = async (): Promise<void> => {
        await world.gate(process, `ledger.${name}`);
        if (world.mishap(AWAY)) throw new LedgerUnavailable(`${name}: away`);
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
          await moments.saw(name, given, result);
        } finally {
          world.underway -= 1;
        }
        if (world.mishap(name === 'settling' ? SETTLING_SILENT : SILENT)) {
          throw new LedgerUnavailable(`${name}: no word of whether it was written`);
        }
        return result;
      };
    },
  });
}
