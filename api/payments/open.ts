/** Everything that has to do with money while the server runs: the chain, the facilitator, the ledger, and their watchers. */
import { randomUUID } from 'node:crypto';
import { LedgerUnavailable, settlingSinceMs, type Ledger } from '../../ledger/ledger.ts';
import { openServingLedger, shownPlace } from '../../ledger/open.ts';
import { SettingError } from '../../lib/settings.ts';
import type { PaymentHealth } from '../http/health.ts';
import type { ServerSettings } from '../settings.ts';
import { watchAudit, type AuditReport, type AuditWatch } from './audit/watcher.ts';
import { ChainUnavailable, WrongChain } from './chain/chain_errors.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';
import { openPayments, type OpenPayments, type PaymentSettings } from './modes.ts';
import { paymentChain, type PaymentChain } from './chain/payment_chain.ts';
import type { Pass } from './audit/reconcile.ts';
import { signaturesOf, type Signatures } from './chain/signatures.ts';
import { watchSettlements, type Watch } from './audit/settlement_watcher.ts';

/** Settlements for which gas should be there. */
const LEAST_SETTLEMENTS = 500n;
/** How long an answer about the state of payments is reused. */
const HEALTH_MS = 10_000;
/** An operator should investigate a settlement that is unresolved for longer. */
const LONG_UNRESOLVED_MS = 900_000;
/** A server whose clock is wrong by minutes refuses payments; a node is some seconds behind. */
const MOST_APART_MS = 120_000;

export interface RunningPayments {
  readonly payments: OpenPayments;
  readonly chain: PaymentChain;
  readonly facilitator: Facilitator;
  readonly ledger: Ledger;
  readonly signatures: Signatures;
  readonly watch: Watch;
  readonly audit: AuditWatch;
  /** Never rejects. */
  health(): Promise<PaymentHealth>;
  close(): Promise<void>;
}

export type PaymentEvent =
  { readonly payments: string } | { readonly settlements: Pass } | { readonly audit: AuditReport };

export interface OpenOptions {
  readonly settings: Pick<ServerSettings, 'DATA_DIR' | 'LEDGER' | 'COLLECT_DAYS'>;
  readonly payments: PaymentSettings;
  readonly report: (event: PaymentEvent) => void;
  readonly nowMs?: () => number;
}

type Watched = Pick<RunningPayments, 'chain' | 'ledger' | 'watch' | 'audit'> & {
  readonly facilitator: { settlementsLeft?(): Promise<bigint> };
};

const auditWarnings = ({ owed, unpaid, failure }: AuditReport): string[] => [
  ...(owed > 0 ? [`${owed} transfers are owed: refund them (make ledger)`] : []),
  ...(unpaid > 0 ? [`${unpaid} sold purchases have no transfer on the chain (make ledger)`] : []),
  ...(failure === null ? [] : [`the audit of incoming transfers cannot run: ${failure}`]),
];

/** What an operator should look at: each check is a sentence, or nothing. */
function healthOf(
  { facilitator, chain, ledger, watch, audit }: Watched,
  nowMs: () => number,
): () => Promise<PaymentHealth> {
  const gas = async (): Promise<string[]> => {
    const left = await facilitator.settlementsLeft?.();
    return left !== undefined && left < LEAST_SETTLEMENTS ? [`the gas is enough for ${left} settlements`] : [];
  };
  const clock = async (): Promise<string[]> => {
    const apartMs = nowMs() - (await chain.latestBlock()).seconds * 1000;
    return Math.abs(apartMs) < MOST_APART_MS
      ? []
      : [
          `the clock of this server is ${Math.round(Math.abs(apartMs) / 60_000)} minutes ${apartMs > 0 ? 'ahead of' : 'behind'} the chain's latest block: it is wrong, or the node is`,
        ];
  };
  const pause = async (): Promise<string[]> =>
    (await ledger.exclusivePause()) === null ? [] : ['exclusive sales are paused after a restore (make ledger)'];
  const look = async (): Promise<PaymentHealth> => {
    const warnings: string[] = [];
    let unresolved = 0;
    try {
      await ledger.ping();
      const open = (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).filter((p) => p.why !== null);
      unresolved = open.length;
      if (open.some((p) => settlingSinceMs(p) < nowMs() - LONG_UNRESOLVED_MS))
        warnings.push('a settlement has been of unknown outcome for a quarter of an hour');
      warnings.push(...(await pause()));
    } catch (error) {
      warnings.push(error instanceof LedgerUnavailable ? error.message : 'the ledger cannot be written');
    }
    const { failure } = watch.last();
    if (failure !== null) warnings.push(`settlements of unknown outcome cannot be looked up: ${failure}`);
    warnings.push(...auditWarnings(audit.last()));
    warnings.push(...(await gas().catch(() => ['the gas balance cannot be read'])));
    warnings.push(...(await clock().catch(() => ['the node of the chain does not answer'])));
    return { unresolved, warnings };
  };
  let known: { readonly atMs: number; readonly health: Promise<PaymentHealth> } | null = null;
  return () => {
    if (known === null || performance.now() - known.atMs >= HEALTH_MS)
      known = { atMs: performance.now(), health: look() };
    return known.health;
  };
}

/** Open the ledger for this kind of money. @throws SettingError where it cannot be used */
async function openLedgerFor(settings: OpenOptions['settings'], mode: PaymentSettings['mode']): Promise<Ledger> {
  let ledger: Ledger;
  try {
    ledger = await openServingLedger(settings);
  } catch (error) {
    throw error instanceof LedgerUnavailable ? new SettingError(error.message) : error;
  }
  const money = mode === 'sandbox' ? 'test' : 'real';
  const kept = await ledger.keepTo(money);
  if (kept === money) return ledger;
  await ledger.close();
  throw new SettingError(
    `LEDGER is ${shownPlace(settings)}, which is kept in ${kept} money; expected one of its own for ${money} money, by LEDGER or DATA_DIR`,
  );
}

/** See that the node serves Base. A node that is merely away may come back: until then no sale starts. */
async function checkChain(chain: PaymentChain, report: OpenOptions['report']): Promise<void> {
  try {
    await chain.id();
  } catch (error) {
    if (error instanceof WrongChain)
      throw new SettingError(`RPC_URL is not shown, expected a node of Base: ${error.message}`);
    report({ payments: error instanceof ChainUnavailable ? error.message : 'the node of the chain does not answer' });
  }
}

/**
 * Open payments and the ledger, and begin to watch over them.
 * @throws SettingError where the node serves another chain or the ledger cannot be used
 */
export async function openRunningPayments({
  settings,
  payments: wanted,
  report,
  nowMs = Date.now,
}: OpenOptions): Promise<RunningPayments> {
  const payments = await openPayments(wanted, settings.DATA_DIR).catch((error: unknown) => {
    if (wanted.mode !== 'sandbox' || wanted.rpcUrl === undefined) throw error;
    throw new SettingError(
      `SANDBOX_RPC is ${JSON.stringify(wanted.rpcUrl)}, expected a running anvil of chain id 8453${error instanceof ChainUnavailable ? `: ${error.message}` : ''}`,
    );
  });
  let ledger: Ledger | undefined;
  try {
    const chain = paymentChain(payments.reader);
    await checkChain(chain, report);
    const opened = (ledger = await openLedgerFor(settings, wanted.mode));
    const facilitator = payments.facilitator(opened, nowMs);
    const watch = watchSettlements({
      ledger: opened,
      chain,
      chainId: () => chain.id(),
      money: wanted.mode === 'sandbox' ? 'test' : 'real',
      nowMs,
      chainSeconds: async () => (await chain.latestBlock()).seconds,
      collectDays: settings.COLLECT_DAYS,
      report: (pass) => {
        report({ settlements: pass });
      },
    });
    const audit = watchAudit({
      ledger: opened,
      chain,
      payTo: payments.payTo.toLowerCase(),
      holder: randomUUID(),
      nowMs,
      report: (found) => {
        report({ audit: found });
      },
    });
    return {
      payments,
      chain,
      facilitator,
      ledger: opened,
      watch,
      audit,
      signatures: signaturesOf(payments.reader),
      health: healthOf({ facilitator, chain, ledger: opened, watch, audit }, nowMs),
      async close() {
        await Promise.all([watch.stop(), audit.stop()]);
        await opened.close();
        await payments.close();
      },
    };
  } catch (error) {
    await ledger?.close();
    await payments.close();
    throw error;
  }
}
