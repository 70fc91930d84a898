/** `make serve`: serves the current snapshot until Ctrl-C. */
import { SettingError } from '../lib/settings.ts';
import { bufferedStdout } from './http/log.ts';
import { redactorOf } from './secrets.ts';
import { failureText, startServer } from './start.ts';

const redact = redactorOf(process.env);

function fail(error: unknown): void {
  process.stderr.write(`${failureText(error, redact)}\n`);
  process.exitCode = 1;
}

process.on('uncaughtException', (error) => {
  fail(error);
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
  fail(error);
  if (!(error instanceof SettingError)) process.exit();
}
