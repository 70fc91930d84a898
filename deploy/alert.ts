/**
 * The alert command of deploy/env.example. It reads one alert (docs/operating.md#alerts) from standard input and sends
 * it to each address given: an https URL, which gets it as JSON with its text in `text` and `content`, as Slack,
 * Mattermost and Discord read it, or mailto:you@your.domain, through the sendmail of the machine.
 */
import { spawnSync } from 'node:child_process';
import { json } from 'node:stream/consumers';

interface Alert {
  readonly event: 'new' | 'over';
  readonly data_dir: string;
  readonly troubles: readonly { readonly message: string; readonly runbook: string }[];
}

/** Below the 20 seconds after which the command is killed. */
const TIMEOUT_MS = 15_000;

function mail(to: string, subject: string, text: string): void {
  const message = `To: ${to}\nSubject: ${subject}\nContent-Type: text/plain; charset=utf-8\n\n${text}\n`;
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/lib`;
  const { error, status, stderr } = spawnSync('sendmail', ['-i', to], {
    input: message,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    env: { ...process.env, PATH: path },
  });
  if (error) throw new Error(`sendmail of this machine: ${error.message}; install a mail program, such as msmtp-mta`);
  if (status !== 0) throw new Error(`sendmail ended with status ${String(status)}: ${stderr.trim()}`);
}

async function send(address: string, alert: Alert): Promise<void> {
  const subject = `Dealfeed: ${alert.troubles.length} ${alert.event === 'new' ? 'new' : 'over'} (${alert.data_dir})`;
  const text = [subject, ...alert.troubles.map(({ message, runbook }) => `${message}. See ${runbook}`)].join('\n');
  if (address.startsWith('mailto:')) {
    mail(address.slice('mailto:'.length), subject, text);
    return;
  }
  const { host } = new URL(address);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, content: text, ...alert }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    // fetch says "fetch failed", and its cause says why.
    const { cause = error } = error as Error;
    throw new Error(`${host} cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  if (!answer.ok) throw new Error(`${host} answered ${answer.status}`);
}

const addresses = process.argv.slice(2);
const alert = (await json(process.stdin)) as Alert;
const sent = await Promise.allSettled(addresses.map((address) => send(address, alert)));
const failed = sent
  .filter((one) => one.status === 'rejected')
  .map(({ reason }) => (reason instanceof Error ? reason.message : String(reason)));
if (addresses.length === 0) failed.push('no address is given: name an https URL or mailto:you@your.domain');
if (failed.length > 0) {
  process.stderr.write(`${failed.join('; ')}\n`);
  process.exitCode = 1;
}
