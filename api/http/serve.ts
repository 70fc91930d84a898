/** Everything that runs while the server runs: payments, snapshots, the listening socket; started and stopped together. */
import { randomBytes } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { redactor, type Redact } from '../../lib/redact.ts';
import { SettingError } from '../../lib/settings.ts';
import { createApp, type App, type RequestLog } from '../app.ts';
import { metricsOf, metricsServer } from './metrics.ts';
import { UnservedNetwork } from '../payments/middleware.ts';
import type { OpenPayments, PaymentSettings } from '../payments/modes.ts';
import { FacilitatorUnavailable } from '../payments/facilitator/unavailable.ts';
import { removeWallet, writeWallet } from '../payments/local_chain/wallet.ts';
import type { ServerSettings } from '../settings.ts';
import { endingOf, limitedServer } from './socket.ts';
import { sandboxBuyer } from '../site/buyer.ts';
import { openRunningPayments, type PaymentEvent, type RunningPayments } from '../payments/open.ts';
import { openSnapshots, type LoadFailure, type Snapshots } from '../snapshot/follow.ts';

/** Time that requests under way have to end when the server stops. */
const DRAIN_MS = 10_000;

export interface ServeOptions {
  readonly settings: ServerSettings;
  readonly payments: PaymentSettings;
  readonly log?: (entry: RequestLog) => void;
  readonly report?: (event: { serving: string } | LoadFailure | PaymentEvent) => void;
  readonly checkReplies?: boolean;
  /** Keeps what is secret in the settings out of answers. */
  readonly redact?: Redact;
}

export interface Serving {
  /** Address on this machine. */
  readonly url: string;
  readonly publicUrl: string;
  /** Port of the metrics, where they are served. */
  readonly metricsPort?: number;
  readonly app: App;
  readonly payments: OpenPayments;
  readonly running: RunningPayments;
  readonly snapshots: Snapshots;
  /** Take no new requests, end those under way, close the ledger, stop the chain. */
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
          ? new SettingError(
              `${setting} is ${port}, expected a port that is free on ${host}: another server listens there`,
            )
          : error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND'
            ? new SettingError(`HOST is ${JSON.stringify(host)}, expected an address of this machine`)
            : error,
      );
    });
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Keep requests that come before there is an application. @returns what answers them, and all that come after */
function answeredLater(server: Server): (listener: RequestListener) => void {
  const early: Parameters<RequestListener>[] = [];
  const keep: RequestListener = (...asked) => {
    early.push(asked);
  };
  server.on('request', keep);
  return (listener) => {
    server.off('request', keep).on('request', listener);
    for (const asked of early) listener(...asked);
  };
}

/**
 * Start serving.
 * @throws SettingError where a setting cannot be used: a port that is taken, a facilitator that does not serve our network
 */
export async function serve({
  settings,
  payments: paymentSettings,
  log,
  report,
  checkReplies,
  redact = redactor([]),
}: ServeOptions): Promise<Serving> {
  // The socket is bound first: in the sandbox the public address follows from the port, and a port that is taken costs nothing.
  const server = limitedServer();
  const endServer = endingOf(server, DRAIN_MS);
  const answerWith = answeredLater(server);
  const port = await listen(server, settings.PORT, settings.HOST);
  const publicUrl = settings.PUBLIC_BASE_URL ?? `http://localhost:${port}`;
  const url = `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST === '0.0.0.0' ? '127.0.0.1' : settings.HOST}:${port}`;
  let running: RunningPayments | undefined;
  let snapshots: Snapshots | undefined;
  let scraped: Server | undefined;
  let endScraped: (() => Promise<void>) | undefined;
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
    snapshots = await openSnapshots({ dataDir: settings.DATA_DIR, ...(report === undefined ? {} : { report }) });
    const app = createApp({
      snapshots,
      publicUrl,
      redact,
      spoolDir: join(settings.DATA_DIR, 'spool'),
      snapshotsDir: join(settings.DATA_DIR, 'snapshots'),
      cursorSecret: settings.CURSOR_SECRET ?? randomBytes(32).toString('hex'),
      payments: {
        mode: payments.mode,
        facilitator: opened.facilitator,
        chain: opened.chain,
        payTo: payments.payTo,
        ledger: opened.ledger,
        signatures: opened.signatures,
        health: opened.health,
        contractWallets: settings.CONTRACT_WALLETS && payments.mode !== 'self',
        wait: payments.wait,
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
      ...(checkReplies === undefined ? {} : { checkReplies }),
    });
    const metrics = metricsOf(app.health);
    if (settings.METRICS_PORT !== undefined) {
      scraped = metricsServer(metrics);
      endScraped = endingOf(scraped, DRAIN_MS);
      metricsPort = await listen(scraped, settings.METRICS_PORT, settings.HOST, 'METRICS_PORT');
    }
    try {
      await app.payments.start();
    } catch (error) {
      if (error instanceof UnservedNetwork) {
        throw new SettingError(
          `FACILITATOR_URL is not shown, expected a facilitator that serves exact payments on eip155:8453`,
        );
      }
      // It may come back: paid calls answer 503 until it does.
      report?.({
        payments:
          error instanceof FacilitatorUnavailable ? error.message : 'the facilitator or the node does not answer',
      });
    }
    if (payments.sandbox?.writesWallet) {
      await writeWallet(settings.DATA_DIR, {
        rpc_url: payments.sandbox.chain.rpcUrl,
        base_url: url,
        address: payments.sandbox.buyer.address,
        private_key: payments.sandbox.buyer.privateKey,
        pay_to: payments.payTo,
      });
    }
    answerWith(app.koa.callback());
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
          await endServer();
          await endScraped?.();
          served.snapshots.close();
          await app.payments.idle();
          if (payments.sandbox) await removeWallet(settings.DATA_DIR, url);
          await opened.close();
        })()),
    };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    scraped?.close();
    snapshots?.close();
    await running?.close();
    throw error;
  }
}
