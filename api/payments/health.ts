/** The state of payments for /health: unresolved settlements, and warnings for the operator. */
import { LedgerUnavailable, settlingSinceMs } from '../../ledger/ledger.ts';
import type { AuditReport } from './audit/watchers.ts';
import type { RunningPayments } from './open.ts';

type PaymentHealth = Awaited<ReturnType<RunningPayments['health']>>;

/** Settlements for which the gas account should have a balance. */
const MIN_SETTLEMENTS = 500n;
/** How long the result is reused. */
const REUSE_MS = 10_000;
/** An operator should investigate a settlement that is unresolved for longer. */
const LONG_UNRESOLVED_MS = 900_000;
/** A server whose clock is off by minutes refuses payments; a node is a few seconds behind. */
const MAX_CLOCK_DIFFERENCE_MS = 120_000;

/** The checked parts of payments. */
export type CheckedPayments = Pick<RunningPayments, 'ledger' | 'watch' | 'audit' | 'token'> & {
  readonly chain: Pick<RunningPayments['chain'], 'latestBlock'>;
  readonly facilitator: Pick<RunningPayments['facilitator'], 'settlementsLeft' | 'inUse'>;
};

const auditWarnings = ({ owed, unpaid, failure }: AuditReport): string[] => [
  ...(owed > 0 ? [`${owed} transfers are owed: refund them (make ledger)`] : []),
  ...(unpaid > 0 ? [`${unpaid} sold purchases have no transfer on the chain (make ledger)`] : []),
  ...(failure === null ? [] : [`the audit of incoming transfers cannot run: ${failure}`]),
];

async function gasWarnings({ facilitator }: CheckedPayments): Promise<string[]> {
  const left = await facilitator.settlementsLeft?.();
  return left !== undefined && left < MIN_SETTLEMENTS ? [`the gas is enough for ${left} settlements`] : [];
}

async function clockWarnings({ chain }: CheckedPayments, nowMs: number): Promise<string[]> {
  const differenceMs = nowMs - (await chain.latestBlock()).seconds * 1000;
  if (Math.abs(differenceMs) < MAX_CLOCK_DIFFERENCE_MS) return [];
  const minutes = Math.round(Math.abs(differenceMs) / 60_000);
  const direction = differenceMs > 0 ? 'ahead of' : 'behind';
  return [`the server clock is ${minutes} minutes ${direction} the chain's latest block: check the clock and the node`];
}

async function ledgerState({ ledger }: CheckedPayments, nowMs: number): Promise<PaymentHealth> {
  try {
    await ledger.ping();
    const open = (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).filter(({ why }) => why !== null);
    const isLong = open.some((purchase) => settlingSinceMs(purchase) < nowMs - LONG_UNRESOLVED_MS);
    const isPaused = (await ledger.exclusivePause()) !== null;
    return {
      unresolved: open.length,
      warnings: [
        ...(isLong ? ['a settlement has been unresolved for 15 minutes'] : []),
        ...(isPaused ? ['exclusive sales are paused after a restore (make ledger)'] : []),
      ],
    };
  } catch (error) {
    const warning = error instanceof LedgerUnavailable ? error.message : 'the ledger cannot be written';
    return { unresolved: 0, warnings: [warning] };
  }
}

/** A facilitator other than the preferred one is in use. */
function facilitatorWarnings({ facilitator }: CheckedPayments): string[] {
  const inUse = facilitator.inUse?.();
  return inUse === undefined || inUse.number === 1
    ? []
    : [`facilitator ${inUse.number} of ${inUse.of} is in use: those before it gave no usable reply (FACILITATOR_URL)`];
}

const OBSTACLES = {
  token_paused: 'token_paused: its issuer has paused USDC, so nobody can pay',
  pay_to_blocked: 'pay_to_blocked: the issuer of USDC blocks PAY_TO, so nobody can pay; use another address',
} as const;

async function checkPayments(checked: CheckedPayments, nowMs: number): Promise<PaymentHealth> {
  const { unresolved, warnings } = await ledgerState(checked, nowMs);
  const { failure } = checked.watch.last();
  const { obstacle } = checked.token.last();
  const more = await Promise.all([
    failure === null ? [] : [`unresolved settlements cannot be checked: ${failure}`],
    auditWarnings(checked.audit.last()),
    gasWarnings(checked).catch(() => ['the gas balance cannot be read']),
    clockWarnings(checked, nowMs).catch(() => ['the chain node does not respond']),
    facilitatorWarnings(checked),
    obstacle === null ? [] : [OBSTACLES[obstacle]],
  ]);
  return { unresolved, warnings: [...warnings, ...more.flat()] };
}

/** @returns a function that checks payments, at most every ten seconds */
export function paymentHealth(checked: CheckedPayments, nowMs: () => number): () => Promise<PaymentHealth> {
  let cached: { readonly atMs: number; readonly health: Promise<PaymentHealth> } | null = null;
  return () => {
    const atMs = performance.now();
    if (cached === null || atMs - cached.atMs >= REUSE_MS) cached = { atMs, health: checkPayments(checked, nowMs()) };
    return cached.health;
  };
}
