/** The ledger as one process sees it: each call waits for its turn, and may fail before or after the ledger wrote. */
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import type { CallChecks } from './call_checks.ts';
import type { Process, World } from './world.ts';

/** Chances that a call fails before it is run, and that its result is lost. */
const [FAILS_BEFORE, RESULT_LOST] = [0.01, 0.01];
/** Chance that the result of `settling` is lost, the most dangerous one: it may be written, and nothing is sent. */
const SETTLING_LOST = 0.06;
const STREAMS: readonly string[] = ['purchases', 'transfers'];

type Method = (...given: readonly unknown[]) => unknown;

const proxied = (ledger: Ledger, wrap: (name: keyof Ledger, call: Method) => Method): Ledger =>
  new Proxy(ledger, { get: (target, name: keyof Ledger) => wrap(name, (target[name] as Method).bind(target)) });

/** A ledger for whose calls, and steps of its streams, the world waits. */
export const awaitedLedger = (world: World, ledger: Ledger): Ledger =>
  proxied(ledger, (name, call) => {
    if (!STREAMS.includes(name)) return (...given) => world.awaited(() => call(...given));
    return async function* stream(...given) {
      const steps = (call(...given) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
      for (;;) {
        const next = (await world.awaited(() => steps.next())) as IteratorResult<unknown>;
        if (next.done === true) return;
        yield next.value;
      }
    };
  });

interface LedgerViewOptions {
  readonly world: World;
  readonly process: Process;
  /** Methods that a planted fault replaces. */
  readonly replaced: Partial<Ledger>;
  readonly checks: CallChecks;
}

/** @param ledger an awaited one */
export const ledgerView = (ledger: Ledger, { world, process, replaced, checks }: LedgerViewOptions): Ledger =>
  proxied(ledger, (name, real) => {
    const call = (replaced[name] as Method | undefined) ?? real;
    const wait = async (): Promise<void> => {
      await world.gate(process, `ledger.${name}`);
      if (world.mishap(FAILS_BEFORE)) throw new LedgerUnavailable(`${name}: the ledger is unavailable`);
    };
    if (STREAMS.includes(name))
      return async function* stream(...given) {
        await wait();
        yield* call(...given) as AsyncIterable<unknown>;
      };
    return async (...given) => {
      await wait();
      const result = await world.awaited(async () => {
        const returned = await call(...given);
        await checks.afterCall(name, given, returned);
        return returned;
      });
      if (world.mishap(name === 'startSettling' ? SETTLING_LOST : RESULT_LOST))
        throw new LedgerUnavailable(`${name}: the result is lost`);
      return result;
    };
  });
