/** The state of payments for /health: unresolved settlements, and warnings for the operator. */
import { isLongUnresolved, LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import type { Pass, AuditReport, TokenReport, Watch } from './audit/watchers.ts';
import type { PaymentChain } from './chain/payment_chain.ts';
import type { Facilitator } from './facilitator.ts';

/** Problems of payments that an operator should investigate. Each has a section in docs/runbook.md. */
export const WARNING_CODES = [
  'ledger_unavailable',
  'settlement_unknown',
  'exclusive_paused',
  'transfers_owed',
  'refunds_due',
  'sales_unpaid',
  'sent_by_others',
  'audit_stopped',
  'payments_unavailable',
  'token_paused',
  'pay_to_blocked',
  'facilitator_unavailable',
  'gas_low',
  'clock_wrong',
] as const;

type WarningCode = (typeof WARNING_CODES)[number];

/** State of open settlements. */
export interface PaymentHealth {
  /** Purchases whose outcome is unknown. */
  readonly unresolved: number;
  /** `detail` is one sentence. */
  readonly warnings: readonly { readonly code: WarningCode; readonly detail: string }[];
}

type Warning = PaymentHealth['warnings'][number];

/** Settlements for which the gas account should have a balance. */
const MIN_SETTLEMENTS = 500n;
/** How long the result is reused. */
const REUSE_MS = 10_000;
/** A server whose clock is off by minutes refuses payments; a node is a few seconds behind. */
const MAX_CLOCK_DIFFERENCE_MS = 120_000;

/** The checked parts of payments. */
interface CheckedPayments {
  readonly ledger: Ledger;
  readonly watch: Pick<Watch<Pass>, 'last'>;
  readonly audit: Pick<Watch<AuditReport>, 'last'>;
  readonly token: Pick<Watch<TokenReport>, 'last'>;
  readonly chain: Pick<PaymentChain, 'latestBlock'>;
  readonly facilitator: Pick<Facilitator, 'settlementsLeft' | 'inUse'>;
}

const warnIf = (isTrue: boolean, code: WarningCode, detail: string): Warning[] => (isTrue ? [{ code, detail }] : []);

async function clockWarnings({ chain }: CheckedPayments, nowMs: number): Promise<Warning[]> {
  const differenceMs = nowMs - (await chain.latestBlock()).seconds * 1000;
  const minutes = Math.round(Math.abs(differenceMs) / 60_000);
  const direction = differenceMs > 0 ? 'ahead of' : 'behind';
  return warnIf(
    Math.abs(differenceMs) >= MAX_CLOCK_DIFFERENCE_MS,
    'clock_wrong',
    `the server clock is ${minutes} minutes ${direction} the chain's latest block: check the clock and the node`,
  );
}

async function ledgerState({ ledger }: CheckedPayments, nowMs: number): Promise<PaymentHealth> {
  try {
    await ledger.ping();
    const open = (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).filter(({ why }) => why !== null);
    const isLong = open.some((purchase) => isLongUnresolved(purchase, nowMs));
    const isPaused = (await ledger.exclusivePause()) !== null;
    let due = 0;
    for await (const { refund } of ledger.refunds()) if (refund.paid === null) due += 1;
    return {
      unresolved: open.length,
      warnings: [
        ...warnIf(isLong, 'settlement_unknown', 'a settlement has been unresolved for ten minutes (make ledger)'),
        ...warnIf(due > 0, 'refunds_due', `${due} refunds are due: pay them (make ledger REFUNDS=1)`),
        ...warnIf(isPaused, 'exclusive_paused', 'exclusive sales are paused after a restore (make ledger)'),
      ],
    };
  } catch (error) {
    const detail = error instanceof LedgerUnavailable ? error.message : 'the ledger cannot be written';
    return { unresolved: 0, warnings: [{ code: 'ledger_unavailable', detail }] };
  }
}

const OBSTACLES = {
  token_paused: 'the issuer has paused USDC, so nobody can pay',
  pay_to_blocked: 'the issuer of USDC blocks PAY_TO, so nobody can pay; use another address',
} as const;

/** What the watchers found in their last passes. */
function watcherWarnings({ watch, token, audit, facilitator }: CheckedPayments): Warning[] {
  const { failure } = watch.last();
  const { obstacle } = token.last();
  const { owed, unpaid, sentByOthers, failure: stopped } = audit.last();
  const { number, of } = facilitator.inUse?.() ?? { number: 1, of: 1 };
  const unused = 'those before it gave no usable reply (FACILITATOR_URL)';
  return [
    warnIf(failure !== null, 'audit_stopped', `unresolved settlements cannot be checked: ${failure}`),
    warnIf(owed > 0, 'transfers_owed', `${owed} transfers are owed: refund them (make ledger)`),
    warnIf(unpaid > 0, 'sales_unpaid', `${unpaid} sold purchases have no transfer on the chain (make ledger)`),
    warnIf(sentByOthers > 0, 'sent_by_others', `${sentByOthers} payments were sent by accounts that are not ours`),
    warnIf(stopped !== null, 'audit_stopped', `the audit of incoming transfers cannot run: ${stopped}`),
    warnIf(number !== 1, 'facilitator_unavailable', `facilitator ${number} of ${of} is in use: ${unused}`),
    obstacle === null ? [] : [{ code: obstacle, detail: OBSTACLES[obstacle] }],
  ].flat();
}

async function checkPayments(checked: CheckedPayments, nowMs: number): Promise<PaymentHealth> {
  const { unresolved, warnings } = await ledgerState(checked, nowMs);
  const unread = (detail: string) => (): Warning[] => [{ code: 'payments_unavailable', detail }];
  const gas = async (): Promise<Warning[]> => {
    const left = (await checked.facilitator.settlementsLeft?.()) ?? MIN_SETTLEMENTS;
    return warnIf(left < MIN_SETTLEMENTS, 'gas_low', `the gas is enough for ${left} settlements`);
  };
  const node = await Promise.all([
    gas().catch(unread('the gas balance cannot be read')),
    clockWarnings(checked, nowMs).catch(unread('the chain node does not respond')),
  ]);
  return { unresolved, warnings: [...warnings, ...watcherWarnings(checked), ...node.flat()] };
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
