/** `make serve`: serve the current snapshot until Ctrl-C. */
import { shownPlace } from '../ledger/open.ts';
import { inFolder, SettingError } from '../lib/settings.ts';
import { logAt } from './http/log.ts';
import { SANDBOX_NOTICE } from './payments/modes.ts';
import { redactorOf } from './secrets.ts';
import { serve, type Serving } from './http/serve.ts';
import { readServerSettings } from './settings.ts';

/** What a person at the terminal reads first. */
function greeting({ url, publicUrl, payments, snapshots }: Serving, ledger: string, dataDir: string): string {
  const lease = snapshots.acquire();
  const manifest = lease?.snapshot.manifest;
  lease?.release();
  const failure = snapshots.failure();
  const bar = '='.repeat(78);
  return [
    ...(payments.mode === 'sandbox'
      ? [bar, ...SANDBOX_NOTICE.split('. ').map((s) => `  ${s.replace(/\.$/, '')}.`), bar]
      : []),
    `listening   ${url}${publicUrl === url ? '' : `   (public address ${publicUrl})`}`,
    manifest
      ? `snapshot    ${manifest.run_id}, data of ${manifest.as_of}${manifest.notice === '' ? '' : `   ${manifest.notice}`}`
      : `snapshot    none${failure ? `: ${failure.target} ${failure.reason}` : ''}. Run: make run   (it is served as soon as it is there)`,
    `payments    ${payments.mode}, paid to ${payments.payTo}${payments.gasFrom === undefined ? '' : `, gas from ${payments.gasFrom}`}`,
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

/** Say why the server ends, and end it. An error that nobody foresaw is written whole, but for what is secret. */
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
  const log = logAt(settings.LOG_LEVEL, redact);
  const serving = await serve({
    settings,
    payments,
    redact,
    log(entry) {
      const { error, ...rest } = entry;
      if (error !== undefined) log.error({ ...rest, err: error }, 'request failed');
      else if (rest.unresolved) log.error(rest, 'settlement of unknown outcome');
      else log.info(rest, 'request');
    },
    report(event) {
      if ('serving' in event) log.info(event, 'snapshot serving');
      else if ('payments' in event) log.warn(event, 'payments not available yet');
      else if ('audit' in event)
        (event.audit.owed + event.audit.unpaid > 0 || event.audit.failure !== null ? log.error : log.info).call(
          log,
          event,
          'audit of incoming transfers',
        );
      else if ('settlements' in event)
        (event.settlements.failure === null ? log.info : log.warn).call(log, event, 'settlements of unknown outcome');
      else log.error(event, 'snapshot cannot be loaded; the one before goes on serving');
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
