/** `make serve`: serves the current snapshot until Ctrl-C. */
import { shownPlace } from '../ledger/open.ts';
import { inFolder, SettingError } from '../lib/settings.ts';
import { createLog } from './http/log.ts';
import { SANDBOX_NOTICE } from './payments/modes.ts';
import { redactorOf } from './secrets.ts';
import { serve, type Serving } from './http/serve.ts';
import { readServerSettings } from './settings.ts';

function snapshotLine(snapshots: Serving['snapshots']): string {
  const lease = snapshots.acquire();
  const manifest = lease?.snapshot.manifest;
  lease?.release();
  if (manifest) return [`${manifest.run_id}, as of ${manifest.as_of}`, manifest.notice].filter(Boolean).join('   ');
  const failure = snapshots.failure();
  return `none${failure ? `: ${failure.target} ${failure.reason}` : ''}. Run: make run   (the server picks it up)`;
}

/** Startup message on the terminal. */
function greeting({ url, publicUrl, payments, snapshots }: Serving, ledger: string, dataDir: string): string {
  const bar = '='.repeat(78);
  const gas = payments.gasFrom === undefined ? '' : `, gas from ${payments.gasFrom}`;
  return [
    ...(payments.mode === 'sandbox'
      ? [bar, ...SANDBOX_NOTICE.split('. ').map((s) => `  ${s.replace(/\.$/, '')}.`), bar]
      : []),
    `listening   ${url}${publicUrl === url ? '' : `   (public address ${publicUrl})`}`,
    `snapshot    ${snapshotLine(snapshots)}`,
    `payments    ${payments.mode}, paid to ${payments.payTo}${gas}`,
    `ledger      ${ledger}`,
    '',
    `free        curl ${url}/api/meta`,
    `            curl ${url}/api/deals/ids`,
    ...(payments.mode === 'sandbox'
      ? [`paid        make buy URL='/api/deals?state=OH'${inFolder(dataDir)}      (in a second terminal)`]
      : []),
    'stop        Ctrl-C',
    '',
  ].join('\n');
}

const redact = redactorOf(process.env);

/** Print why the server stops. An unexpected error is printed with its stack, without secrets. */
function fail(error: unknown): void {
  const text =
    error instanceof SettingError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${redact(text)}\n`);
  process.exitCode = 1;
}

process.on('uncaughtException', (error) => {
  fail(error);
  process.exit();
});

try {
  const { settings, payments } = readServerSettings();
  const log = createLog(settings.LOG_LEVEL, redact);
  const serving = await serve({
    settings,
    payments,
    redact,
    log(entry) {
      const { error, ...rest } = entry;
      if (error !== undefined) log.error({ ...rest, err: error }, 'request failed');
      else if (rest.unresolved) log.error(rest, 'settlement outcome unknown');
      else log.info(rest, 'request');
    },
    report(event) {
      if ('serving' in event) log.info(event, 'snapshot serving');
      else if ('payments' in event) log.warn(event, 'payments are not available yet');
      else if ('audit' in event)
        (event.audit.owed + event.audit.unpaid > 0 || event.audit.failure !== null ? log.error : log.info).call(
          log,
          event,
          'audit of incoming transfers',
        );
      else if ('settlements' in event)
        (event.settlements.failure === null ? log.info : log.warn).call(log, event, 'settlements with unknown outcome');
      else log.error(event, 'snapshot cannot be loaded; the previous one keeps serving');
    },
  });
  process.stdout.write(greeting(serving, shownPlace(settings), settings.DATA_DIR));
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    void serving.close();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
} catch (error) {
  fail(error);
  if (!(error instanceof SettingError)) process.exit();
}
