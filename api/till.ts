/** Everything that has to do with money while the server runs: where payments go, the ledger, what watches over both. */
import { LedgerUnavailable, settlingSinceMs, type Ledger } from '../ledger/ledger.ts';
import { openServingLedger, shownPlace } from '../ledger/open.ts';
import { SettingError } from '../lib/settings.ts';
import type { PaymentHealth } from './health.ts';
import { chainEvidence, checkChain, WrongChain } from './payments/evidence.ts';
import { openPayments, type OpenPayments, type PaymentSettings } from './payments/modes.ts';
import type { Pass } from './payments/reconcile.ts';
import { signaturesOf, type Signatures } from './payments/signatures.ts';
import { watchSettlements, type Watch } from './payments/watch.ts';
import type { ServerSettings } from './settings.ts';

/** Settlements for which gas should be there. */
const LEAST_SETTLEMENTS = 500n;
/** How long what was found out about the state of payments is told again. */
const HEALTH_MS = 10_000;
/** A settlement that is unresolved for longer than a payment is valid is somebody's to look at. */
const LONG_UNRESOLVED_MS = 900_000;
/** A payment is refused by a server whose clock is wrong by minutes; a node is some seconds behind. */
const MOST_APART_MS = 120_000;

export interface Till {
  readonly payments: OpenPayments;
  readonly ledger: Ledger;
  readonly signatures: Signatures;
  readonly watch: Watch;
  /** Never rejects. */
  health(): Promise<PaymentHealth>;
  close(): Promise<void>;
}

export interface TillOptions {
  readonly settings: Pick<ServerSettings, 'DATA_DIR' | 'LEDGER' | 'COLLECT_DAYS'>;
  readonly payments: PaymentSettings;
  readonly report: (event: { payments: string } | { settlements: Pass }) => void;
  readonly nowMs?: () => number;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What should be looked at: each check is a sentence, or nothing. */
function healthOf({ payments, ledger, watch }: Pick<Till, 'payments' | 'ledger' | 'watch'>, nowMs: () => number): () => Promise<PaymentHealth> {
  const gas = async (): Promise<string[]> => {
    const left = await payments.settlementsLeft?.();
    return left !== undefined && left < LEAST_SETTLEMENTS ? [`the gas is enough for ${left} settlements`] : [];
  };
  const clock = async (): Promise<string[]> => {
    const apartMs = nowMs() - Number((await payments.chain.getBlock()).timestamp) * 1000;
    return Math.abs(apartMs) < MOST_APART_MS ? []
      : [`the clock of this server is ${Math.round(Math.abs(apartMs) / 60_000)} minutes ${apartMs > 0 ? 'ahead of' : 'behind'} the chain's latest block: it is wrong, or the node is`];
  };
  const look = async (): Promise<PaymentHealth> => {
    const warnings: string[] = [];
    let unresolved = 0;
    try {
      await ledger.ping();
      const open = (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).filter((p) => p.why !== null);
      unresolved = open.length;
      if (open.some((p) => settlingSinceMs(p) < nowMs() - LONG_UNRESOLVED_MS)) warnings.push('a settlement has been of unknown outcome for a quarter of an hour');
    } catch (error) { warnings.push(`the ledger cannot be written: ${messageOf(error)}`); }
    const { failure } = watch.last();
    if (failure !== null) warnings.push(`settlements of unknown outcome cannot be looked up: ${failure}`);
    try { warnings.push(...await gas()); } catch { warnings.push('the gas cannot be asked for'); }
    try { warnings.push(...await clock()); } catch { warnings.push('the node of the chain cannot be asked'); }
    return { unresolved, warnings };
  };
  let known: { readonly atMs: number; readonly health: Promise<PaymentHealth> } | null = null;
  return () => {
    if (known === null || performance.now() - known.atMs >= HEALTH_MS) known = { atMs: performance.now(), health: look() };
    return known.health;
  };
}

/**
 * Open payments and the ledger, and begin to watch over them.
 * @throws SettingError where the node is of another chain or the ledger cannot be used
 */
export async function openTill({ settings, payments: wanted, report, nowMs = Date.now }: TillOptions): Promise<Till> {
  const payments = await openPayments(wanted, settings.DATA_DIR).catch((error: unknown) => {
    if (wanted.mode !== 'sandbox' || wanted.rpcUrl === undefined) throw error;
    throw new SettingError(`SANDBOX_RPC is ${JSON.stringify(wanted.rpcUrl)}, expected a running anvil of chain id 8453: ${messageOf(error).split('\n')[0]}`);
  });
  let ledger: Ledger | undefined;
  try {
    try { await checkChain(payments.chain); } catch (error) {
      if (error instanceof WrongChain) throw new SettingError(`RPC_URL is ${JSON.stringify(wanted.rpcUrl ?? null)}, expected a node of Base: ${error.message}`);
      // It may come back. Until then nothing is said of settlements whose outcome is not known.
      report({ payments: `the node of the chain cannot be asked: ${messageOf(error).split('\n')[0]}` });
    }
    try { ledger = await openServingLedger(settings); } catch (error) {
      throw error instanceof LedgerUnavailable ? new SettingError(error.message) : error;
    }
    const opened = ledger;
    const money = wanted.mode === 'sandbox' ? 'test' : 'real';
    const kept = await opened.keepTo(money);
    if (kept !== money) throw new SettingError(`LEDGER is ${shownPlace(settings)}, which is kept in ${kept} money; expected one of its own for ${money} money, by LEDGER or DATA_DIR`);
    const watch = watchSettlements({
      ledger: opened, chain: chainEvidence(payments.chain), chainSeconds: async () => (await payments.chain.getBlock()).timestamp, nowMs, collectDays: settings.COLLECT_DAYS, report: (pass) => { report({ settlements: pass }); },
    });
    return {
      payments, ledger: opened, watch, signatures: signaturesOf(payments.chain),
      health: healthOf({ payments, ledger: opened, watch }, nowMs),
      async close() {
        await watch.stop();
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
