/** `make serve`: serves the current snapshot until Ctrl-C. No output contains a secret. */
import { shownPlace } from '../ledger/open.ts';
import type { Redact } from '../lib/redact.ts';
import { inFolder, SettingError } from '../lib/settings.ts';
import { bufferedStdout, createLog, type Log, type LogDestination, type RequestLog } from './http/log.ts';
import { serve, type ServeOptions, type Serving } from './http/serve.ts';
import type { SettlementWait } from './payments/sale.ts';
import { redactorOf } from './secrets.ts';
import { readServerSettings } from './settings.ts';

interface StartOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redact: Redact;
  readonly destination: LogDestination;
  /** Replaces the wait of real payments for the chain. */
  readonly wait?: SettlementWait;
}

function snapshotLine(snapshots: Serving['snapshots']): string {
  using lease = snapshots.acquire();
  const manifest = lease?.snapshot.manifest;
  if (manifest) return [`${manifest.run_id}, as of ${manifest.as_of}`, manifest.notice].filter(Boolean).join('   ');
  const failure = snapshots.failure();
  return `none${failure ? `: ${failure.target} ${failure.reason}` : ''}. Run: make run   (the server picks it up)`;
}

function greetingOf({ url, publicUrl, payments, snapshots }: Serving, ledger: string, dataDir: string): string {
  const bar = '='.repeat(78);
  const gas = payments.gasFrom === undefined ? '' : `, gas from ${payments.gasFrom}`;
  const isSandbox = payments.mode === 'sandbox';
  return [
    ...(payments.notice === undefined
      ? []
      : [bar, ...payments.notice.split('. ').map((sentence) => `  ${sentence.replace(/\.$/, '')}.`), bar]),
    `listening   ${url}${publicUrl === url ? '' : `   (public address ${publicUrl})`}`,
    `snapshot    ${snapshotLine(snapshots)}`,
    `payments    ${payments.mode}, paid to ${payments.payTo}${gas}`,
    `ledger      ${ledger}`,
    '',
    `pages       ${url}/deals   ${url}/coverage   ${url}/prices   ${url}/status`,
    `free        curl ${url}/api/meta`,
    `            curl ${url}/api/deals/ids`,
    ...(isSandbox
      ? [`paid        make buy URL='/api/deals?state=OH'${inFolder(dataDir)}      (in a second terminal)`]
      : []),
    'stop        Ctrl-C',
    '',
  ].join('\n');
}

function logRequest(log: Log, { error, ...entry }: RequestLog): void {
  if (error !== undefined) log.error({ ...entry, err: error }, 'request failed');
  else if (entry.unresolved) log.error(entry, 'settlement outcome unknown');
  else log.info(entry, 'request');
}

function logEvent(log: Log, event: Parameters<NonNullable<ServeOptions['report']>>[0]): void {
  if ('serving' in event) log.info(event, 'snapshot serving');
  else if ('refunds' in event) log.warn(event, 'refunds are due: make ledger REFUNDS=1');
  else if ('payments' in event) log.warn(event, 'payments are not available yet');
  else if ('audit' in event) {
    const { owed, unpaid, failure } = event.audit;
    const level = owed + unpaid > 0 || failure !== null ? 'error' : 'info';
    log[level](event, 'audit of incoming transfers');
  } else if ('settlements' in event) {
    const level = event.settlements.failure === null ? 'info' : 'warn';
    log[level](event, 'settlements with unknown outcome');
  } else if ('token' in event) {
    log[event.token.obstacle === null ? 'info' : 'error'](event, 'whether the token takes payments to us');
  } else log.error(event, 'snapshot cannot be loaded; the previous one keeps serving');
}

/**
 * Start a server from its environment.
 * @returns among others a greeting for the terminal
 * @throws SettingError if a setting is missing or cannot be used
 */
export async function startServer({ env, redact, destination, wait }: StartOptions) {
  const { settings, payments } = readServerSettings(env);
  const log = createLog(settings.LOG_LEVEL, redact, destination);
  const serving = await serve({
    settings,
    payments: wait === undefined ? payments : { ...payments, wait },
    redact,
    log(entry) {
      logRequest(log, entry);
    },
    report(event) {
      logEvent(log, event);
    },
  });
  return { serving, log, greeting: greetingOf(serving, shownPlace(settings), settings.DATA_DIR) };
}

/** Write why the server stops: the message of a SettingError, else the stack. */
function fail(error: unknown, redact: Redact): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${redact(error instanceof SettingError ? error.message : stack)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const redact = redactorOf(process.env);
  process.on('uncaughtException', (error) => {
    fail(error, redact);
    process.exit();
  });
  try {
    const { serving, log, greeting } = await startServer({ env: process.env, redact, destination: bufferedStdout() });
    process.stdout.write(greeting);
    let isStopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      log.info({ signal }, 'stopping');
      void serving.close();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  } catch (error) {
    fail(error, redact);
    if (!(error instanceof SettingError)) process.exit();
  }
}

if (import.meta.main) await main();
