/** Opens the parts that payments need while the server runs: chain, facilitator, ledger, and their watchers. */
import { randomUUID } from 'node:crypto';
import { LedgerUnavailable, type Ledger, type Money } from '../../ledger/ledger.ts';
import { openServingLedger, shownPlace } from '../../ledger/open.ts';
import { SettingError } from '../../lib/settings.ts';
import type { ServerSettings } from '../settings.ts';
import {
  type Pass,
  watchAudit,
  watchSettlements,
  watchToken,
  type AuditReport,
  type TokenReport,
  type Watch,
} from './audit/watchers.ts';
import { ChainUnavailable, WrongChain } from './chain/node.ts';
import { paymentChain, type PaymentChain } from './chain/payment_chain.ts';
import { signaturesOf } from './chain/signatures.ts';
import { paymentHealth, type PaymentHealth } from './health.ts';
import { openPayments, type OpenPayments, type PaymentSettings } from './modes.ts';
import type { PaymentNetwork } from './paid_request.ts';

export interface RunningPayments extends PaymentNetwork {
  readonly payments: OpenPayments;
  readonly chain: PaymentChain;
  readonly audit: Watch<AuditReport>;
  readonly ledger: Ledger;
  readonly watch: Watch<Pass>;
  readonly token: Watch<TokenReport>;
  /** Never rejects. */
  health(): Promise<PaymentHealth>;
  close(): Promise<void>;
}

export type PaymentEvent =
  | { readonly payments: string }
  | { readonly settlements: Pass }
  | { readonly audit: AuditReport }
  | { readonly token: TokenReport };

interface OpenOptions {
  readonly settings: Pick<ServerSettings, 'DATA_DIR' | 'LEDGER'>;
  readonly payments: PaymentSettings;
  readonly report: (event: PaymentEvent) => void;
}

/** Open the ledger for this kind of money. @throws SettingError if it cannot be used */
async function openLedgerFor(settings: OpenOptions['settings'], money: Money): Promise<Ledger> {
  let ledger: Ledger;
  try {
    ledger = await openServingLedger(settings);
  } catch (error) {
    throw error instanceof LedgerUnavailable ? new SettingError(error.message) : error;
  }
  const recorded = await ledger.recordMoney(money);
  if (recorded === money) return ledger;
  await ledger.close();
  throw new SettingError(
    `LEDGER is ${shownPlace(settings)}, which holds sales in ${recorded} money. ` +
      `Use another ledger for ${money} money: set LEDGER or DATA_DIR`,
  );
}

/** Check that the node serves USDC of the network. An unavailable node may come back; until then nothing is sold. */
async function checkChain(
  chain: PaymentChain,
  { payTo }: Pick<OpenPayments, 'payTo'>,
  report: OpenOptions['report'],
): Promise<void> {
  try {
    await chain.tokenObstacle(payTo);
  } catch (error) {
    if (error instanceof WrongChain)
      throw new SettingError(`RPC_URL is not shown, expected a node of ${chain.network.title}: ${error.message}`);
    report({ payments: error instanceof ChainUnavailable ? error.message : 'the chain node does not respond' });
  }
}

/**
 * Open payments and the ledger, and start their watchers.
 * @throws SettingError if the node serves another chain, or the ledger cannot be used
 */
export async function openRunningPayments({
  settings,
  payments: wanted,
  report,
}: OpenOptions): Promise<RunningPayments> {
  const payments = await openPayments(wanted, settings.DATA_DIR);
  let ledger: Ledger | undefined;
  try {
    const { network, reader, money } = payments;
    const chain = paymentChain(reader, network);
    await checkChain(chain, payments, report);
    const opened = (ledger = await openLedgerFor(settings, money));
    const nowMs = Date.now;
    const common = { ledger: opened, chain, nowMs };
    const watch = watchSettlements({ ...common, money }, (settlements) => report({ settlements }));
    const audit = watchAudit(
      {
        ...common,
        payTo: payments.payTo.toLowerCase(),
        holder: randomUUID(),
        sendsPayments: payments.gasFrom !== undefined,
      },
      (found) => report({ audit: found }),
    );
    const token = watchToken(chain, payments.payTo, (found) => report({ token: found }));
    const facilitator = payments.facilitator(opened, nowMs);
    return {
      payments,
      network,
      chain,
      facilitator,
      signatures: signaturesOf(reader, network),
      tokenObstacle: () => token.last().obstacle,
      token,
      audit,
      ledger: opened,
      watch,
      health: paymentHealth({ chain, facilitator, audit, ledger: opened, watch, token }, nowMs),
      async close() {
        await Promise.all([watch.stop(), audit.stop(), token.stop()]);
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
