/** Opens what payments need while the server runs: the chain, the facilitator, the ledger, and their watchers. */
import { randomUUID } from 'node:crypto';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openServingLedger, shownPlace } from '../../ledger/open.ts';
import { SettingError } from '../../lib/settings.ts';
import type { PaymentHealth } from '../http/health.ts';
import type { ServerSettings } from '../settings.ts';
import type { Pass } from './audit/reconcile.ts';
import { watchSettlements, type Watch } from './audit/settlement_watcher.ts';
import { watchAudit, type AuditReport, type AuditWatch } from './audit/watcher.ts';
import { ChainUnavailable, WrongChain } from './chain/chain_errors.ts';
import { paymentChain, type PaymentChain } from './chain/payment_chain.ts';
import { signaturesOf, type Signatures } from './chain/signatures.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';
import { paymentHealth } from './health.ts';
import { openPayments, type OpenPayments, type PaymentSettings } from './modes.ts';

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

/** Open the ledger for this kind of money. @throws SettingError if it cannot be used */
async function openLedgerFor(settings: OpenOptions['settings'], mode: PaymentSettings['mode']): Promise<Ledger> {
  let ledger: Ledger;
  try {
    ledger = await openServingLedger(settings);
  } catch (error) {
    throw error instanceof LedgerUnavailable ? new SettingError(error.message) : error;
  }
  const money = mode === 'sandbox' ? 'test' : 'real';
  const recorded = await ledger.recordMoney(money);
  if (recorded === money) return ledger;
  await ledger.close();
  throw new SettingError(
    `LEDGER is ${shownPlace(settings)}, which holds sales in ${recorded} money. ` +
      `Use another ledger for ${money} money: set LEDGER or DATA_DIR`,
  );
}

/** Check that the node serves Base. An unavailable node may come back; until then nothing is sold. */
async function checkChain(chain: PaymentChain, report: OpenOptions['report']): Promise<void> {
  try {
    await chain.id();
  } catch (error) {
    if (error instanceof WrongChain)
      throw new SettingError(`RPC_URL is not shown, expected a node of Base: ${error.message}`);
    report({ payments: error instanceof ChainUnavailable ? error.message : 'the chain node does not answer' });
  }
}

function sandboxError(error: unknown, wanted: PaymentSettings): unknown {
  if (wanted.mode !== 'sandbox' || wanted.rpcUrl === undefined) return error;
  const why = error instanceof ChainUnavailable ? `: ${error.message}` : '';
  return new SettingError(
    `SANDBOX_RPC is ${JSON.stringify(wanted.rpcUrl)}, expected a running anvil of chain id 8453${why}`,
  );
}

/**
 * Open payments and the ledger, and start their watchers.
 * @throws SettingError if the node serves another chain, or the ledger cannot be used
 */
export async function openRunningPayments({
  settings,
  payments: wanted,
  report,
  nowMs = Date.now,
}: OpenOptions): Promise<RunningPayments> {
  const payments = await openPayments(wanted, settings.DATA_DIR).catch((error: unknown) => {
    throw sandboxError(error, wanted);
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
      health: paymentHealth({ facilitator, chain, ledger: opened, watch, audit }, nowMs),
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
