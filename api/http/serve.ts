/** Starts and stops the parts of a server: payments, snapshots, the application and its sockets. */
import { randomBytes } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { redactor, type Redact } from '../../lib/redact.ts';
import { SettingError } from '../../lib/settings.ts';
import { createApp, type App } from '../app.ts';
import { addMissingProperties, type AddedProperties } from '../routes/leads/claimed_properties.ts';
import { createMetrics, metricsServer } from './metrics.ts';
import type { RequestLog } from './request_log.ts';
import { UnservedNetwork } from '../payments/network_readiness.ts';
import type { OpenPayments, PaymentSettings } from '../payments/modes.ts';
import { openReceiptKeys } from '../payments/receipts/key_file.ts';
import { FacilitatorUnavailable } from '../payments/facilitator/unavailable.ts';
import { removeWallet, writeWallet } from '../payments/local_chain/wallet.ts';
import type { ServerSettings } from '../settings.ts';
import { gracefulShutdown, limitedServer } from './socket.ts';
import { sandboxBuyer } from '../site/buyer.ts';
import { openRunningPayments, type PaymentEvent, type RunningPayments } from '../payments/open.ts';
import type { LoadFailure, Snapshots, SnapshotsOptions } from '../snapshot/follow.ts';
import { openFollowed, type FollowedSnapshots } from '../snapshot/mirror.ts';

/** Time for open requests to finish when the server stops. */
const DRAIN_MS = 10_000;

export type ServerEvent =
  { readonly serving: string } | { readonly properties: AddedProperties } | LoadFailure | PaymentEvent;

export interface ServeOptions {
  readonly settings: ServerSettings;
  readonly payments: PaymentSettings;
  readonly log?: (entry: RequestLog) => void;
  readonly report?: (event: ServerEvent) => void;
  readonly checkResponses?: boolean;
  /** Removes the secrets of the settings from responses. */
  readonly redact?: Redact;
}

export interface Serving {
  /** URL on this machine. */
  readonly url: string;
  readonly publicUrl: string;
  /** Port of the metrics, if METRICS_PORT is set. */
  readonly metricsPort?: number;
  readonly app: App;
  readonly payments: OpenPayments;
  readonly running: RunningPayments;
  readonly snapshots: Snapshots;
  /** Accept no new requests, finish the open ones, close the ledger, stop the chain. */
  close(): Promise<void>;
}

const listen = (
  server: Server,
  port: number,
  host: string,
  setting: 'PORT' | 'METRICS_PORT' = 'PORT',
): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new SettingError(`${setting} is ${port}, expected a free port on ${host}: another server listens on it`)
          : error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND'
            ? new SettingError(`HOST is ${JSON.stringify(host)}, expected an address of this machine`)
            : error,
      );
    });
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Queue requests until the application exists. @returns a function that passes these and later requests to it */
function holdRequests(server: Server): (listener: RequestListener) => void {
  const early: Parameters<RequestListener>[] = [];
  const hold: RequestListener = (...args) => {
    early.push(args);
  };
  server.on('request', hold);
  return (listener) => {
    server.off('request', hold).on('request', listener);
    for (const args of early) listener(...args);
  };
}

const urlHost = (host: string): string => {
  if (host.includes(':')) return `[${host}]`;
  return host === '0.0.0.0' ? '127.0.0.1' : host;
};

/**
 * Start serving.
 * @throws SettingError if a setting cannot be used: a port in use, a facilitator that does not support our network
 */
export async function serve({
  settings,
  payments: paymentSettings,
  log,
  report,
  checkResponses,
  redact = redactor([]),
}: ServeOptions): Promise<Serving> {
  // Bind the socket first: the sandbox's public URL contains the port, and a port in use fails before anything starts.
  const server = limitedServer();
  const stopServer = gracefulShutdown(server, DRAIN_MS);
  const handleWith = holdRequests(server);
  const port = await listen(server, settings.PORT, settings.HOST);
  const publicUrl = settings.PUBLIC_BASE_URL ?? `http://localhost:${port}`;
  const url = `http://${urlHost(settings.HOST)}:${port}`;
  let running: RunningPayments | undefined;
  let snapshots: FollowedSnapshots | undefined;
  let metricsListener: Server | undefined;
  let stopMetrics: (() => Promise<void>) | undefined;
  let metricsPort: number | undefined;
  try {
    const opened = (running = await openRunningPayments({
      settings,
      payments: paymentSettings,
      report: (event) => {
        report?.(event);
      },
    }));
    const { payments } = opened;
    const receiptKeys = await openReceiptKeys(settings);
    /** Claims of older versions get their property from the first snapshot that has it. */
    const completeClaims = async (): Promise<void> => {
      const lease = snapshots?.acquire();
      if (!lease) return;
      try {
        const properties = await addMissingProperties(opened.ledger, lease.snapshot);
        if (properties !== null) report?.({ properties });
      } catch (error) {
        if (!(error instanceof LedgerUnavailable)) throw error;
      } finally {
        lease.release();
      }
    };
    const options: SnapshotsOptions = {
      dataDir: settings.DATA_DIR,
      report(event) {
        report?.(event);
        // The next snapshot repairs a failure, such as a ledger that closes meanwhile.
        if ('serving' in event) completeClaims().catch(() => undefined);
      },
    };
    snapshots = await openFollowed(options, settings);
    await completeClaims();
    const app = createApp({
      snapshots,
      publicUrl,
      ...(settings.CONTACT_EMAIL === undefined ? {} : { contactEmail: settings.CONTACT_EMAIL }),
      redact,
      spoolDir: join(settings.DATA_DIR, 'spool'),
      snapshotsDir: join(settings.DATA_DIR, 'snapshots'),
      archiveDir: join(settings.DATA_DIR, 'archive'),
      store: snapshots.store,
      cursorSecret: settings.CURSOR_SECRET ?? randomBytes(32).toString('hex'),
      payments: {
        mode: payments.mode,
        networks: opened.networks,
        payTo: payments.payTo,
        ledger: opened.ledger,
        health: opened.health,
        acceptsContractWallets: settings.CONTRACT_WALLETS && payments.mode !== 'self',
        wait: payments.wait,
        receiptKeys,
        ...(payments.notice === undefined ? {} : { notice: payments.notice }),
      },
      ...(payments.sandbox
        ? {
            sandboxBuyer: sandboxBuyer({
              privateKey: payments.sandbox.buyer.privateKey,
              chain: payments.sandbox.chain,
              payTo: payments.payTo,
              baseUrl: url,
            }),
          }
        : {}),
      unbilledPerMinute: settings.UNBILLED_PER_MINUTE,
      proxies: settings.PROXY_HOPS,
      log(entry) {
        metrics.observe(entry);
        log?.(entry);
      },
      ...(checkResponses === undefined ? {} : { checkResponses }),
    });
    const metrics = createMetrics(app.health);
    if (settings.METRICS_PORT !== undefined) {
      metricsListener = metricsServer(metrics);
      stopMetrics = gracefulShutdown(metricsListener, DRAIN_MS);
      metricsPort = await listen(metricsListener, settings.METRICS_PORT, settings.HOST, 'METRICS_PORT');
    }
    try {
      await app.payments.start();
    } catch (error) {
      if (error instanceof UnservedNetwork) {
        throw new SettingError(
          `FACILITATOR_URL is not shown, expected a facilitator that supports exact payments on ${error.network}`,
        );
      }
      // It may recover: until then, paid requests get 503.
      report?.({
        payments:
          error instanceof FacilitatorUnavailable ? error.message : 'the facilitator or the node does not respond',
      });
    }
    if (payments.sandbox?.writesWallet) {
      await writeWallet(settings.DATA_DIR, payments.sandbox.chains, {
        base_url: url,
        address: payments.sandbox.buyer.address,
        private_key: payments.sandbox.buyer.privateKey,
        pay_to: payments.payTo,
      });
    }
    handleWith(app.koa.callback());
    const served = { payments, snapshots, running: opened };
    let closing: Promise<void> | undefined;
    return {
      url,
      publicUrl,
      app,
      ...served,
      ...(metricsPort === undefined ? {} : { metricsPort }),
      close: () =>
        (closing ??= (async () => {
          await stopServer();
          await stopMetrics?.();
          served.snapshots.close();
          await app.payments.idle();
          if (payments.sandbox) await removeWallet(settings.DATA_DIR, url);
          await opened.close();
        })()),
    };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    metricsListener?.close();
    snapshots?.close();
    await running?.close();
    throw error;
  }
}
