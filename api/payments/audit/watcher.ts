/** Runs the audit every minute while the server runs, and stores its result for /health. */
import { differencesOf } from '../../../ledger/differences.ts';
import { auditPass, type Auditor } from './audit.ts';
import { failureText } from './reconcile.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 60_000;
/** Consecutive passes while the audit has a backlog. */
const MAX_CONSECUTIVE_PASSES = 10;

export interface AuditReport {
  /** Owed transfers. `unpaid` counts sold purchases that no transfer pays. */
  readonly owed: number;
  readonly unpaid: number;
  /** Why the chain or the ledger could not be read; null if both could. */
  readonly failure: string | null;
}

export interface AuditWatch {
  last(): AuditReport;
  /** Run a pass now. */
  pass(): Promise<AuditReport>;
  stop(): Promise<void>;
}

export interface AuditWatchOptions extends Auditor {
  /** Called when the number of differences changes, or the audit fails. */
  readonly report?: (report: AuditReport) => void;
  readonly everyMs?: number;
}

/** Start auditing. */
export function watchAudit(options: AuditWatchOptions): AuditWatch {
  const { ledger, chain, payTo, report = () => undefined, everyMs = EVERY_MS } = options;
  let last: AuditReport = { owed: 0, unpaid: 0, failure: null };
  const once = async (): Promise<AuditReport> => {
    const before = last;
    try {
      for (let pass = 0; pass < MAX_CONSECUTIVE_PASSES; pass += 1) {
        if (!(await auditPass(options)).isBehind) break;
      }
      const differences = await differencesOf(ledger, { chain: await chain.id(), payTo });
      const owed = differences.filter(({ kind }) => kind === 'owed').length;
      last = { owed, unpaid: differences.length - owed, failure: null };
    } catch (error) {
      last = { ...before, failure: failureText(error) };
    }
    const isNews = (['owed', 'unpaid', 'failure'] as const).some((name) => last[name] !== before[name]);
    if (isNews) report(last);
    return last;
  };
  const passes = repeat(once, everyMs);
  return { last: () => last, pass: async () => (await passes.pass()) ?? last, stop: () => passes.stop() };
}
