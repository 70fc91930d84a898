/** Opens the parts that payments need while the server runs: chain, facilitator, ledger, and their watchers. */
import { randomUUID } from 'node:crypto';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openServingLedger, shownPlace } from '../../ledger/open.ts';
import { BASE, perNetwork, type Network } from '../../lib/network.ts';
import { SettingError } from '../../lib/settings.ts';
import type { PaymentHealth } from '../http/health.ts';
import type { ServerSettings } from '../settings.ts';
import type { Pass } from './audit/reconcile.ts';
import { watchSettlements, type Watch } from './audit/settlement_watcher.ts';
import { watchAudit, type AuditReport, type AuditWatch } from './audit/watcher.ts';
import { ChainUnavailable, WrongChain } from './chain/chain_errors.ts';
import { paymentChain, type PaymentChain } from './chain/payment_chain.ts';
import { signaturesOf } from './chain/signatures.ts';
import { paymentHealth } from './health.ts';
import { ChainNotJoined } from './local_chain/chain.ts';
import {
  openPayments,
  type OpenFacilitator,
  type OpenNetwork,
  type OpenPayments,
  type PaymentSettings,
} from './modes.ts';
import { onNetwork, type PaymentNetwork } from './networks.ts';

/** A network of a running server. */
export interface RunningNetwork extends PaymentNetwork {
  readonly chain: PaymentChain;
  readonly facilitator: OpenFacilitator;
  readonly audit: AuditWatch;
}

export interface RunningPayments {
  readonly payments: OpenPayments;
  /** In order of preference. */
  readonly networks: readonly RunningNetwork[];
  readonly ledger: Ledger;
  readonly watch: Watch;
  /** Never rejects. */
  health(): Promise<PaymentHealth>;
  close(): Promise<void>;
}

/** Events of an audit name their network, if it is not the only one. */
export type PaymentEvent =
  | { readonly payments: string }
  | { readonly settlements: Pass }
  | { readonly audit: AuditReport; readonly network?: string };

export interface OpenOptions {
  readonly settings: Pick<ServerSettings, 'DATA_DIR' | 'LEDGER'>;
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

/** The setting that names the node of a network. */
const nodeSetting = (mode: PaymentSettings['mode'], network: Network): string =>
  perNetwork(mode === 'sandbox' ? 'SANDBOX_RPC' : 'RPC_URL', network);

/** Check that the node serves its network. An unavailable node may come back; until then nothing is sold there. */
async function checkChain(
  chain: PaymentChain,
  mode: PaymentSettings['mode'],
  report: OpenOptions['report'],
): Promise<void> {
  const { title } = chain.network;
  try {
    await chain.id();
  } catch (error) {
    if (error instanceof WrongChain)
      throw new SettingError(
        `${nodeSetting(mode, chain.network)} is not shown, expected a node of ${title}: ${error.message}`,
      );
    const why = error instanceof ChainUnavailable ? error.message : 'the chain node does not respond';
    report({ payments: chain.network.name === BASE.name ? why : `${title}: ${why}` });
  }
}

function sandboxError(error: unknown, wanted: PaymentSettings): unknown {
  if (wanted.mode !== 'sandbox' || !(error instanceof ChainNotJoined)) return error;
  const { network, url, why } = error;
  return wanted.networks.some(({ rpcUrl }) => rpcUrl === url)
    ? new SettingError(
        `${nodeSetting('sandbox', network)} is ${JSON.stringify(url)}, expected a running anvil of chain id ` +
          `${network.chainId}${why === null ? '' : `: ${why}`}`,
      )
    : error;
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
    const chains = payments.networks.map(({ reader, network }) => paymentChain(reader, network));
    for (const chain of chains) await checkChain(chain, wanted.mode, report);
    const opened = (ledger = await openLedgerFor(settings, wanted.mode));
    const watch = watchSettlements({
      ledger: opened,
      chainOf: (network) => onNetwork(chains, network),
      money: wanted.mode === 'sandbox' ? 'test' : 'real',
      nowMs,
      chainSeconds: async () =>
        Math.min(...(await Promise.all(chains.map(async (chain) => (await chain.latestBlock()).seconds)))),
      report: (pass) => {
        report({ settlements: pass });
      },
    });
    const networks = chains.map((chain, i): RunningNetwork => {
      const { network } = chain;
      const { reader, facilitator } = payments.networks[i] as OpenNetwork;
      const audit = watchAudit({
        ledger: opened,
        chain,
        payTo: payments.payTo.toLowerCase(),
        holder: randomUUID(),
        nowMs,
        report: (found) => {
          report({ audit: found, ...(chains.length === 1 ? {} : { network: network.name }) });
        },
      });
      return {
        network,
        chain,
        audit,
        facilitator: facilitator(opened, nowMs),
        signatures: signaturesOf(reader, network),
      };
    });
    return {
      payments,
      networks,
      ledger: opened,
      watch,
      health: paymentHealth({ networks, ledger: opened, watch }, nowMs),
      async close() {
        await Promise.all([watch.stop(), ...networks.map(({ audit }) => audit.stop())]);
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
