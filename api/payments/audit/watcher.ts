/** Runs the audit every minute while the server runs, and keeps what it found for /health. */
import { differencesOf } from '../../../ledger/differences.ts';
import { auditPass, type Auditor } from './audit.ts';
import { failureText } from './reconcile.ts';
import { repeat } from '../repeat.ts';

const EVERY_MS = 60_000;
/** Passes in a row while the audit makes up for an absence. */
const MOST_PASSES_IN_A_ROW = 10;

export interface AuditReport {
  /** Owed transfers, and sold purchases that no transfer pays. */
  readonly owed: number;
  readonly unpaid: number;
  /** Released purchases that were made good since the server started. */
  readonly madeGood: number;
  /** What could not be read; null where everything could. */
  readonly failure: string | null;
}

export interface AuditWatch {
  last(): AuditReport;
  /** Make a pass now. */
  pass(): Promise<AuditReport>;
  stop(): Promise<void>;
}

export interface AuditWatchOptions extends Auditor {
  /** Called when the number of differences changes, something was made good, or the audit fails. */
  readonly report?: (report: AuditReport) => void;
  readonly everyMs?: number;
}

/** Begin to audit. */
export function watchAudit(options: AuditWatchOptions): AuditWatch {
  const { ledger, chain, payTo, report = () => undefined, everyMs = EVERY_MS } = options;
  let last: AuditReport = { owed: 0, unpaid: 0, madeGood: 0, failure: null };
  const once = async (): Promise<AuditReport> => {
    const before = last;
    try {
      let { madeGood } = before;
      for (let pass = 0; pass < MOST_PASSES_IN_A_ROW; pass += 1) {
        const { booked, isBehind } = await auditPass(options);
        madeGood += booked.made_good;
        if (!isBehind) break;
      }
      const differences = await differencesOf(ledger, { chain: await chain.id(), payTo });
      const owed = differences.filter(({ kind }) => kind === 'owed').length;
      last = { owed, unpaid: differences.length - owed, madeGood, failure: null };
    } catch (error) {
      last = { ...before, failure: failureText(error) };
    }
    const isNews = (['owed', 'unpaid', 'madeGood', 'failure'] as const).some((name) => last[name] !== before[name]);
    if (isNews) report(last);
    return last;
  };
  const passes = repeat(once, everyMs);
  return { last: () => last, pass: async () => (await passes.pass()) ?? last, stop: () => passes.stop() };
}
