/** What a server does for its ledger while it runs: end what is unknown, give up what was abandoned, forget old answers. */
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { reconcile, type Pass, type Reconciler } from './reconcile.ts';

const EVERY_MS = 10_000;
/** A settlement that takes longer than this may have lost the process that asked for it. To ask the chain too early does no harm. */
const SETTLEMENT_MS = 45_000;
const FORGET_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface WatchOptions extends Reconciler {
  /** Time of the chain's latest block, in Unix seconds. Rejects where it cannot be asked. */
  readonly chainSeconds: () => Promise<bigint>;
  /** Days for which an answer can be collected. */
  readonly collectDays: number;
  /** Told of every pass in which something ended or could not be asked. */
  readonly report?: (pass: Pass) => void;
  readonly everyMs?: number;
}

export interface Watch {
  /** The last pass. */
  last(): Pass;
  /** Make a pass now, over every purchase that is settling. */
  pass(): Promise<Pass>;
  stop(): Promise<void>;
}

const NOTHING: Pass = { sold: 0, released: 0, waiting: 0, failure: null };

/** Begin to watch, with a pass over everything that was left open before. */
export function watchSettlements(options: WatchOptions): Watch {
  const { ledger, nowMs, chainSeconds, collectDays, report = () => undefined, everyMs = EVERY_MS } = options;
  let last = NOTHING;
  let running: Promise<unknown> = Promise.resolve();
  let forgotAtMs = Number.NEGATIVE_INFINITY;
  let stopped = false;

  const tidy = async (): Promise<void> => {
    await ledger.giveUpAbandoned(nowMs());
    if (performance.now() - forgotAtMs < FORGET_EVERY_MS) return;
    // What is forgotten does not come back: our clock alone does not say that its days are over, nor does one that lags.
    const latest = await chainSeconds().catch(() => null);
    if (latest === null) return;
    await ledger.forgetAnswers(Math.min(nowMs(), Number(latest) * 1000) - collectDays * DAY_MS);
    forgotAtMs = performance.now();
  };
  const once = async (settlementMs: number): Promise<Pass> => {
    if (stopped) return last;
    const pass = await reconcile(options, settlementMs);
    await tidy().catch((error: unknown) => { if (!(error instanceof LedgerUnavailable)) throw error; });
    last = pass;
    if (pass.sold + pass.released > 0 || pass.failure !== null) report(pass);
    return pass;
  };
  const inTurn = (settlementMs: number): Promise<Pass> => {
    const done = running.then(() => once(settlementMs));
    running = done.catch((error: unknown) => { last = { ...last, failure: error instanceof Error ? error.message : String(error) }; report(last); });
    return done;
  };

  inTurn(0).catch(() => undefined);
  const timer = setInterval(() => { inTurn(SETTLEMENT_MS).catch(() => undefined); }, everyMs);
  timer.unref();
  return {
    last: () => last,
    pass: () => inTurn(0),
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
