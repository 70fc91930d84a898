/**
 * What a running server repeats: every ten seconds it resolves settlements and deletes what has expired, every minute
 * it books the transfers of final blocks, and reads the state of the token. /health shows the results.
 */
import { differencesOf } from '../../../ledger/differences.ts';
import { LedgerUnavailable } from '../../../ledger/ledger.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts';
import { ChainUnavailable } from '../chain/node.ts';
import type { PaymentChain, TokenObstacle } from '../chain/payment_chain.ts';
import { auditPass, type Auditor } from './audit.ts';
import { failureText, reconcile, type Pass, type Reconciler } from './reconcile.ts';

/** Days for which a buyer can collect a paid response again. The interface promises them. */
export const COLLECT_DAYS = 30;

const RECONCILE_EVERY_MS = 10_000;
/** A settlement that takes longer may have lost its process. Reading the chain too early does no harm. */
const SETTLEMENT_MS = 45_000;
const MINUTE_MS = 60_000;
/** Consecutive passes while the audit has a backlog. */
const MAX_CONSECUTIVE_PASSES = 10;

export interface Watch<T> {
  /** The result of the last pass. */
  last(): T;
  /** Run a pass now, after the one in progress. */
  pass(): Promise<T>;
  stop(): Promise<void>;
}

interface Failing {
  /** Why the chain or the ledger could not be read; null if both could. */
  readonly failure: string | null;
}

interface Watched<T> {
  readonly work: (isFirst: boolean) => Promise<T>;
  readonly first: T;
  readonly everyMs: number;
  /** Called with each result that is news. */
  readonly report: ((result: T) => void) | undefined;
  readonly isNews: (result: T, before: T) => boolean;
}

/** Run `work` at an interval from now on, one pass at a time. An error becomes the failure of its pass. */
function watch<T extends Failing>({ work, first, everyMs, report, isNews }: Watched<T>): Watch<T> {
  let [last, isStopped] = [first, false];
  let running: Promise<unknown> = Promise.resolve();
  const pass = (isFirst = false): Promise<T> => {
    const result = running.then(async () => {
      if (isStopped) return last;
      const before = last;
      last = await work(isFirst).catch((error: unknown) => ({ ...before, failure: failureText(error) }));
      if (isNews(last, before)) report?.(last);
      return last;
    });
    running = result;
    return result;
  };
  void pass(true);
  const timer = setInterval(() => void pass(), everyMs);
  timer.unref();
  return {
    last: () => last,
    pass: () => pass(true),
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/**
 * Start with a pass over everything that an earlier process left open.
 * @param report called after every pass in which something ended or failed
 */
export function watchSettlements(
  reconciler: Reconciler & { readonly chain: Pick<PaymentChain, 'latestBlock'> },
  report?: (pass: Pass) => void,
): Watch<Pass> {
  const { ledger, nowMs, chain } = reconciler;
  let forgotAtMs = Number.NEGATIVE_INFINITY;
  const tidy = async (): Promise<void> => {
    await ledger.deleteExpiredReservations(nowMs());
    if (performance.now() - forgotAtMs < HOUR_MS) return;
    // Deleted answers cannot be restored: a server clock that is ahead must not decide alone.
    const { seconds } = await chain.latestBlock();
    await ledger.forgetAnswers(Math.min(nowMs(), seconds * 1000) - COLLECT_DAYS * DAY_MS);
    forgotAtMs = performance.now();
  };
  const work = async (isFirst: boolean): Promise<Pass> => {
    const pass = await reconcile(reconciler, isFirst ? 0 : SETTLEMENT_MS);
    await tidy().catch((error: unknown) => {
      if (!(error instanceof LedgerUnavailable) && !(error instanceof ChainUnavailable)) throw error;
    });
    return pass;
  };
  return watch<Pass>({
    work,
    first: { sold: 0, released: 0, waiting: 0, failure: null },
    everyMs: RECONCILE_EVERY_MS,
    report,
    isNews: ({ sold, released, failure }) => sold + released > 0 || failure !== null,
  });
}

export interface AuditReport extends Failing {
  /** Owed transfers. `unpaid` counts sold purchases that no transfer pays. */
  readonly owed: number;
  readonly unpaid: number;
  /** Payments of this ledger, since the server started, that an account of somebody else sent (self mode). */
  readonly sentByOthers: number;
}

/** Start booking incoming transfers. `report` is called when a number changes, or the audit fails. */
export function watchAudit(auditor: Auditor, report?: (report: AuditReport) => void): Watch<AuditReport> {
  const { ledger, chain, payTo } = auditor;
  let sentByOthers = 0;
  const work = async (): Promise<AuditReport> => {
    for (let pass = 0, isBehind = true; isBehind && pass < MAX_CONSECUTIVE_PASSES; pass += 1) {
      const found = await auditPass(auditor);
      sentByOthers += found.sentByOthers;
      ({ isBehind } = found);
    }
    const differences = await differencesOf(ledger, { chain: await chain.id(), payTo });
    const owed = differences.filter(({ kind }) => kind === 'owed').length;
    return { owed, unpaid: differences.length - owed, sentByOthers, failure: null };
  };
  const names = ['owed', 'unpaid', 'sentByOthers', 'failure'] as const;
  return watch<AuditReport>({
    work,
    first: { owed: 0, unpaid: 0, sentByOthers: 0, failure: null },
    everyMs: MINUTE_MS,
    report,
    isNews: (result, before) => names.some((name) => result[name] !== before[name]),
  });
}

export interface TokenReport extends Failing {
  /** Why nobody can pay us; null if everybody can. */
  readonly obstacle: TokenObstacle | null;
}

/** Start reading whether the token takes payments to us. `report` is called when that changes. */
export function watchToken(
  chain: Pick<PaymentChain, 'tokenObstacle'>,
  payTo: string,
  report: (report: TokenReport) => void,
): Watch<TokenReport> {
  return watch<TokenReport>({
    work: async () => ({ obstacle: await chain.tokenObstacle(payTo), failure: null }),
    first: { obstacle: null, failure: null },
    everyMs: MINUTE_MS,
    report,
    isNews: ({ obstacle }, before) => obstacle !== before.obstacle,
  });
}
