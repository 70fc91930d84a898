/** Earnings and payment problems, from the ledger; and the snapshots behind sold answers. */
import { differencesOf, type Difference } from '../../ledger/differences.ts';
import { LedgerUnavailable, settlingSinceMs, type Ledger, type Purchase } from '../../ledger/ledger.ts';
import { notedLedgerExists, openNotedLedger, shownPlace, type LedgerSettings } from '../../ledger/open.ts';
import { usdOf } from '../../lib/network.ts';
import { SettingError } from '../../lib/settings.ts';
import { DAY_MS } from '../../lib/time.ts';
import { problem, type Problem } from './problems.ts';

/** A settlement that takes longer has an unknown outcome. */
const UNKNOWN_AFTER_MS = 10 * 60_000;
const MONTH_MS = 30 * DAY_MS;

export interface Sales {
  readonly calls: number;
  /** US dollars as a decimal string. */
  readonly usd: string;
}

export interface Earnings {
  readonly place: string;
  readonly day: Sales;
  readonly month: Sales;
  readonly all: Sales;
  /** All sales by the network on which they were paid. */
  readonly by_network: Readonly<Record<string, Sales>>;
}

export interface LedgerState {
  /** Null if the ledger is unavailable. */
  readonly earnings: Earnings | null;
  /** Purchases whose payment was sent and whose outcome is unknown. */
  readonly unresolved: number;
  readonly problems: readonly Problem[];
}

const sum = (amounts: readonly bigint[]): string => usdOf(amounts.reduce((total, amount) => total + amount, 0n));

const salesOf = (sold: readonly Purchase[]): Sales => ({
  calls: sold.length,
  usd: sum(sold.map((purchase) => purchase.payment.amount)),
});

/** One problem for each kind of difference that the audit found. */
function differenceProblems(differences: readonly Difference[]): Problem[] {
  const owed = differences.flatMap((difference) => (difference.kind === 'owed' ? [difference.transfer] : []));
  const unpaid = differences.flatMap((difference) => (difference.kind === 'unpaid' ? [difference.purchase] : []));
  const problems: Problem[] = [];
  if (owed.length > 0) {
    const total = sum(owed.map((transfer) => transfer.amount));
    const message =
      `${owed.length} incoming transfers, $${total} in total, paid for something that can no longer be delivered: ` +
      'refund them';
    problems.push(problem('transfers_owed', 'ledger', message));
  }
  if (unpaid.length > 0) {
    const total = sum(unpaid.map((purchase) => purchase.payment.amount));
    const message = `${unpaid.length} sold purchases, $${total} in total, have no transfer on the chain`;
    problems.push(problem('sales_unpaid', 'ledger', message));
  }
  return problems;
}

function settlementProblem(purchase: Purchase): Problem {
  const { id, route, payment, why } = purchase;
  const sentAt = new Date(settlingSinceMs(purchase)).toISOString();
  const message =
    `purchase ${id} of ${route} for $${usdOf(payment.amount)} was sent for settlement at ${sentAt} and its outcome ` +
    `is unknown${why === null ? '' : `: ${why}`}`;
  return problem('settlement_unknown', id, message);
}

async function readLedgerState(ledger: Ledger, place: string, nowMs: number): Promise<LedgerState> {
  const sold: Purchase[] = [];
  for await (const purchase of ledger.purchases()) if (purchase.state === 'sold') sold.push(purchase);
  const unresolved = (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).filter(
    (purchase) => settlingSinceMs(purchase) < nowMs - UNKNOWN_AFTER_MS,
  );
  const ofNetworks = Map.groupBy(sold, ({ payment }) => payment.network);
  const within = (ms: number): Purchase[] =>
    sold.filter((purchase) => (purchase.endedAtMs ?? purchase.reservedAtMs) > nowMs - ms);
  return {
    earnings: {
      place,
      day: salesOf(within(DAY_MS)),
      month: salesOf(within(MONTH_MS)),
      all: salesOf(sold),
      by_network: Object.fromEntries([...ofNetworks].sort().map(([network, of]) => [network, salesOf(of)])),
    },
    unresolved: unresolved.length,
    problems: [...differenceProblems(await differencesOf(ledger, null)), ...unresolved.map(settlementProblem)],
  };
}

/** Read the ledger; null if there is none yet. An unavailable ledger is a problem in the result, not an error. */
export async function ledgerState(settings: LedgerSettings, nowMs = Date.now()): Promise<LedgerState | null> {
  try {
    if (!notedLedgerExists(settings)) return null;
    const ledger = await openNotedLedger(settings);
    try {
      return await readLedgerState(ledger, shownPlace(settings), nowMs);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerUnavailable) && !(error instanceof SettingError)) throw error;
    const unavailable = problem('ledger_unavailable', shownPlace(settings), error.message);
    return { earnings: null, unresolved: 0, problems: [unavailable] };
  }
}

/** Snapshots whose answers were sold, or are being paid for. @throws if the ledger is unavailable */
export async function soldSnapshots(settings: LedgerSettings): Promise<Set<string>> {
  const found = new Set<string>();
  if (!notedLedgerExists(settings)) return found;
  const ledger = await openNotedLedger(settings);
  try {
    for await (const { state, snapshotId } of ledger.purchases())
      if (state === 'sold' || state === 'settling') found.add(snapshotId);
  } finally {
    await ledger.close();
  }
  return found;
}
