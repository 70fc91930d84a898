/** What was earned, from the ledger; and the snapshots that sold answers were made from. */
import { differencesOf, type Difference } from '../../ledger/differences.ts';
import { LedgerUnavailable, settlingSinceMs, type Ledger, type Purchase } from '../../ledger/ledger.ts';
import { notedLedgerExists, openNotedLedger, shownPlace, type LedgerSettings } from '../../ledger/open.ts';
import { SettingError } from '../../lib/settings.ts';
import { trouble, type Trouble } from './troubles.ts';

const DAY_MS = 86_400_000;
/** A settlement that takes longer than this has an outcome that is not known. */
const UNKNOWN_AFTER_MS = 10 * 60_000;
const DECIMALS = 6;

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
}

export interface LedgerState {
  /** Null where it could not be asked. */
  readonly earnings: Earnings | null;
  /** Purchases whose payment was sent and whose outcome is not known yet. */
  readonly unresolved: number;
  readonly troubles: readonly Trouble[];
}

/** Atomic units of USDC as dollars. */
export const usdOf = (atomic: bigint): string =>
  `${atomic / 10n ** BigInt(DECIMALS)}.${String(atomic % 10n ** BigInt(DECIMALS))
    .padStart(DECIMALS, '0')
    .replace(/0{1,4}$/u, '')}`;

const salesOf = (sold: readonly Purchase[]): Sales => ({
  calls: sold.length,
  usd: usdOf(sold.reduce((sum, p) => sum + p.payment.amount, 0n)),
});

/** What the audit found: one trouble for each kind of difference. */
function troublesOf(differences: readonly Difference[]): Trouble[] {
  const owed = differences.flatMap((d) => (d.kind === 'owed' ? [d.transfer] : []));
  const unpaid = differences.flatMap((d) => (d.kind === 'unpaid' ? [d.purchase] : []));
  const sum = (amounts: readonly bigint[]): string => usdOf(amounts.reduce((total, amount) => total + amount, 0n));
  return [
    ...(owed.length === 0
      ? []
      : [
          trouble(
            'transfers_owed',
            'ledger',
            `${owed.length} incoming transfers, $${sum(owed.map((t) => t.amount))} in all, paid for something that can no longer be given: refund them`,
          ),
        ]),
    ...(unpaid.length === 0
      ? []
      : [
          trouble(
            'sales_unpaid',
            'ledger',
            `${unpaid.length} sold purchases, $${sum(unpaid.map((p) => p.payment.amount))} in all, have no transfer on the chain`,
          ),
        ]),
  ];
}

async function stateOf(ledger: Ledger, place: string, nowMs: number): Promise<LedgerState> {
  const sold: Purchase[] = [];
  for await (const purchase of ledger.purchases()) if (purchase.state === 'sold') sold.push(purchase);
  const unresolved = (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).filter(
    (p) => settlingSinceMs(p) < nowMs - UNKNOWN_AFTER_MS,
  );
  const since = (purchases: readonly Purchase[], ms: number): Purchase[] =>
    purchases.filter((p) => (p.endedAtMs ?? p.reservedAtMs) > nowMs - ms);
  const earnings = {
    place,
    day: salesOf(since(sold, DAY_MS)),
    month: salesOf(since(sold, 30 * DAY_MS)),
    all: salesOf(sold),
  };
  return {
    earnings,
    unresolved: unresolved.length,
    troubles: [
      ...troublesOf(await differencesOf(ledger, null)),
      ...unresolved.map((p) =>
        trouble(
          'settlement_unknown',
          p.id,
          `purchase ${p.id} of ${p.route} for $${usdOf(p.payment.amount)} was sent for settlement at ${new Date(settlingSinceMs(p)).toISOString()} and its outcome is not known${p.why === null ? '' : `: ${p.why}`}`,
        ),
      ),
    ],
  };
}

/** Look into the ledger that the settings name; null where there is none yet. A ledger that cannot be asked is trouble, not an error. */
export async function ledgerState(settings: LedgerSettings, nowMs = Date.now()): Promise<LedgerState | null> {
  try {
    if (!notedLedgerExists(settings)) return null;
    const ledger = await openNotedLedger(settings);
    try {
      return await stateOf(ledger, shownPlace(settings), nowMs);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerUnavailable) && !(error instanceof SettingError)) throw error;
    return {
      earnings: null,
      unresolved: 0,
      troubles: [trouble('ledger_unavailable', shownPlace(settings), error.message)],
    };
  }
}

/** Snapshots from which answers were sold, or are being paid for. @throws where the ledger cannot be asked */
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
