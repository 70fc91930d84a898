/**
 * What a running server repeats: every ten seconds it ends settlements of unknown outcome by the evidence on the chain
 * alone, and deletes what has expired; every minute it books the transfers of final blocks, and reads the state of the
 * token. /health shows the results. Several processes may resolve a purchase in parallel, also during its sale: they
 * read the same chain, and the ledger accepts the result once.
 */
import { LedgerUnavailable, type Ledger, type Money, type Purchase } from '../../../ledger/ledger.ts';
import { ChainUnavailable } from '../chain/node.ts';
import type { PaymentChain, TokenObstacle } from '../chain/payment_chain.ts';
import { differencesOf } from '../../../ledger/differences.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts';
import { auditPass, type Auditor } from './audit.ts';

export interface Reconciler {
  readonly ledger: Ledger;
  readonly chain: Pick<PaymentChain, 'id' | 'evidenceOf'>;
  readonly money: Money;
  readonly nowMs: () => number;
}

/** End one settling purchase if its chain allows it. @throws if the chain or the ledger cannot be read */
export async function resolve(
  { ledger, chain, money, nowMs }: Reconciler,
  purchase: Purchase,
): Promise<'sold' | 'released' | 'waiting'> {
  const { id, payment, transaction } = purchase;
  // A sandbox chain, with its test money, ends with its server. Real money has one chain.
  if (money === 'test' && purchase.chain !== (await chain.id())) {
    await ledger.release(id, 'chain_gone', nowMs());
    return 'released';
  }
  const evidence = await chain.evidenceOf(payment, { transaction });
  switch (evidence.kind) {
    case 'paid':
      return (await ledger.markSold(id, evidence, nowMs())).state === 'sold' ? 'sold' : 'released';
    case 'void':
      await ledger.release(id, evidence.reason, nowMs());
      return 'released';
    case 'open':
      return 'waiting';
  }
}

export interface Pass {
  readonly sold: number;
  readonly released: number;
  /** Purchases that are still unresolved. */
  readonly waiting: number;
  /** Why the chain or the ledger could not be read; null if both could. */
  readonly failure: string | null;
}

/** The error without a library's text. */
const failureText = (error: unknown): string =>
  error instanceof LedgerUnavailable || error instanceof ChainUnavailable
    ? error.message
    : 'an unexpected error; see the log';

/**
 * Resolve settling purchases: those marked unknown, and those that have been settling for longer than a settlement
 * takes, because the process that requested it may be gone.
 * @param settlementMs how long a settlement may take; 0 resolves all
 */
export async function reconcile(reconciler: Reconciler, settlementMs: number): Promise<Pass> {
  const { ledger, nowMs } = reconciler;
  const counts = { sold: 0, released: 0, waiting: 0 };
  let failure: string | null = null;
  let open: readonly Purchase[] = [];
  // Read all of them: a clock that was ahead may have written their times.
  try {
    open = await ledger.unresolved(Number.MAX_SAFE_INTEGER);
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    failure = failureText(error);
  }
  for (const purchase of open) {
    const ageMs = nowMs() - (purchase.settlingAtMs ?? 0);
    if (purchase.why === null && ageMs >= 0 && ageMs < settlementMs) continue;
    try {
      counts[await resolve(reconciler, purchase)] += 1;
    } catch (error) {
      failure = failureText(error);
      counts.waiting += 1;
    }
  }
  return { ...counts, failure };
}

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
