/** Starts and stops the parts of a server: payments, snapshots, the application and its sockets. */
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SettingError } from '../../lib/settings.ts';
import { createApp, type App, type AppDeps } from '../app.ts';
import type { Metrics } from './metrics.ts';
import { watchRefunds } from '../routes/guarantee.ts';
import { UnservedNetwork } from '../payments/middleware.ts';
import { moneyOf, type OpenPayments, type PaymentSettings } from '../payments/modes.ts';
import { openReceiptKeys } from '../payments/receipts/keys.ts';
import { FacilitatorUnavailable } from '../payments/facilitator.ts';
import { removeWallet, writeWallet } from '../payments/local_chain/wallet.ts';
import type { ServerSettings } from '../settings.ts';
import { gracefulShutdown, limitedServer } from './socket.ts';
import { openRunningPayments, type PaymentEvent, type RunningPayments } from '../payments/open.ts';
import { openFollowed, type LoadFailure, type Snapshots } from '../serving/follow.ts';

/** Time for open requests to finish when the server stops. */
const DRAIN_MS = 10_000;
/** Documents are written so long after the start, when the first callers have their answers. */
const DESCRIBE_MS = 1_000;

export type ServerEvent = { readonly serving: string } | { readonly refunds: number } | LoadFailure | PaymentEvent;

export interface ServeOptions extends Pick<AppDeps, 'log' | 'checkResponses' | 'redact'> {
  readonly settings: ServerSettings;
  readonly payments: PaymentSettings;
  readonly report?: (event: ServerEvent) => void;
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

async function listen(server: Server, port: number, host: string, setting = 'PORT'): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new SettingError(`${setting} is ${port}, expected a free port on ${host}: another server listens on it`);
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
      throw new SettingError(`HOST is ${JSON.stringify(host)}, expected an address of this machine`);
    throw error;
  });
  // One connection that could not be accepted ends no server.
  server.on('error', ({ message }) => process.emitWarning(message));
  return (server.address() as AddressInfo).port;
}

const urlHost = (host: string): string => {
  if (host.includes(':')) return `[${host}]`;
  return host === '0.0.0.0' ? '127.0.0.1' : host;
};

/** Ask the facilitators whether they serve our network. @throws SettingError if none does */
async function startPayments({ payments }: App, report: ServeOptions['report']): Promise<void> {
  try {
    await payments.start();
  } catch (error) {
    if (error instanceof UnservedNetwork) {
      throw new SettingError(
        `FACILITATOR_URL is not shown, expected a facilitator that supports exact payments on ${error.message}`,
      );
    }
    // It may recover: until then, paid requests get 503.
    const isKnown = error instanceof FacilitatorUnavailable;
    report?.({ payments: isKnown ? error.message : 'the facilitator or the node does not respond' });
  }
}

/** Write the wallet file of the sandbox, if this server is the one that writes it. */
async function shareWallet({ payments }: RunningPayments, dataDir: string, url: string): Promise<void> {
  const { sandbox, payTo } = payments;
  if (!sandbox?.writesWallet) return;
  const { address, privateKey } = sandbox.buyer;
  await writeWallet(dataDir, sandbox.chain, { base_url: url, address, private_key: privateKey, pay_to: payTo });
}

/**
 * Start serving.
 * @throws SettingError if a setting cannot be used: a port in use, a facilitator that does not support our network
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { settings, report, log } = options;
  // What is open, closed in reverse order by a failed start and by close.
  const open = new AsyncDisposableStack();
  // Bind the socket first: the sandbox's public URL contains the port, and a port in use fails before anything starts.
  const server = limitedServer();
  const stopServer = gracefulShutdown(server, DRAIN_MS);
  // Requests wait until the application exists.
  const application = Promise.withResolvers<RequestListener>();
  server.on('request', async (...args) => (await application.promise)(...args));
  const port = await listen(server, settings.PORT, settings.HOST);
  const publicUrl = settings.PUBLIC_BASE_URL ?? `http://localhost:${port}`;
  const url = `http://${urlHost(settings.HOST)}:${port}`;
  try {
    // First: data that may not be sold leaves no ledger behind. A start that fails reports nothing but why.
    const early: ServerEvent[] = [];
    let reportNow = (event: ServerEvent): void => void early.push(event);
    const snapshots = await openFollowed(
      {
        dataDir: settings.DATA_DIR,
        isForSale: moneyOf(options.payments) === 'real',
        report: (event) => reportNow(event),
      },
      settings,
    );
    open.defer(() => snapshots.close());
    const running = await openRunningPayments({
      settings,
      payments: options.payments,
      report: (event) => report?.(event),
    });
    open.defer(() => running.close());
    reportNow = (event) => report?.(event);
    early.forEach(reportNow);
    const { payments } = running;
    let metrics: Metrics | undefined;
    const app = createApp({
      ...options,
      publicUrl,
      snapshots,
      payments: { ...payments, ...running, receiptKeys: await openReceiptKeys(settings) },
      log(entry) {
        metrics?.observe(entry);
        log?.(entry);
      },
    });
    let metricsPort: number | undefined;
    if (settings.METRICS_PORT !== undefined) {
      // The library of metrics is loaded for a server that has them.
      const { createMetrics, metricsServer } = await import('./metrics.ts');
      metrics = createMetrics(app.health);
      const metricsListener = metricsServer(metrics);
      const stopMetrics = gracefulShutdown(metricsListener, DRAIN_MS);
      metricsPort = await listen(metricsListener, settings.METRICS_PORT, settings.HOST, 'METRICS_PORT');
      open.defer(stopMetrics);
    }
    await startPayments(app, report);
    await shareWallet(running, settings.DATA_DIR, url);
    application.resolve(app.koa.callback());
    const describing = setTimeout(app.describe, DESCRIBE_MS);
    open.defer(() => {
      clearTimeout(describing);
    });
    const refunds = { routes: app.routes, nowMs: Date.now, report: (event: ServerEvent) => report?.(event) };
    open.defer(watchRefunds(running.ledger, snapshots, refunds));
    if (payments.sandbox) open.defer(() => removeWallet(settings.DATA_DIR, url));
    open.defer(stopServer);
    let closing: Promise<void> | undefined;
    return {
      url,
      publicUrl,
      app,
      payments,
      snapshots,
      running,
      ...(metricsPort === undefined ? {} : { metricsPort }),
      close: () => (closing ??= open.disposeAsync()),
    };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    await open.disposeAsync();
    throw error;
  }
}
