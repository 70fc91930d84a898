/**
 * Alerts: ALERT_COMMAND receives each problem once when it is new and once when it is over. DATA_DIR/alerts.json has
 * the problems it was sent, and the outcome of its last call. A failed alert is sent again at the next call; a hanging
 * command is killed. Neither affects a run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../lib/errors.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { loadSources } from '../../sources/index.ts';
import type { Layout } from '../layout.ts';
import { takeLock } from '../run/lock.ts';
import { checkHealth } from './health.ts';
import { readSent, writeSent, type LastCall, type Sent } from './notes.ts';
import { type Problem, problemKey, PROBLEMS } from './problems.ts';
import { operatorSettings } from './settings.ts';

/** Time for the last lines of standard error after the exit. */
const LAST_OUTPUT_MS = 50;
/** Characters of standard error that are read. */
const STDERR_LENGTH = 500;

/** How a call failed, and whether the command was killed after the timeout; null if it succeeded. */
type Failure = { readonly why: string; readonly hasHung: boolean } | null;

/** Run the command. It has a process group of its own, so that everything it starts is killed with it. */
async function callCommand(command: string, input: unknown, timeoutMs: number): Promise<Failure> {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr = `${stderr}${data.toString()}`.slice(-STDERR_LENGTH);
  });
  // A command need not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(`${JSON.stringify(input)}\n`);
  try {
    // Not `close`: a background process may hold the output open.
    const [code, signal] = (await once(child, 'exit', { signal: AbortSignal.timeout(timeoutMs) })) as unknown[];
    if (code === 0) return null;
    await pause(LAST_OUTPUT_MS);
    const lastLine = stderr.trim().split('\n').at(-1) ?? '';
    const status = signal === null ? `exit status ${String(code)}` : String(signal);
    return { why: `it ended with ${status}${lastLine === '' ? '' : `: ${lastLine}`}`, hasHung: false };
  } catch (error) {
    if ((error as Error).name !== 'AbortError' || child.pid === undefined)
      return { why: messageOf(error), hasHung: false };
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
    return { why: `it did not end within ${timeoutMs / 1000} s`, hasHung: true };
  } finally {
    child.stderr.destroy();
  }
}

/** Send new alerts; does nothing without ALERT_COMMAND. A failure is printed, never thrown. */
export async function sendAlerts(layout: Layout, print: (line: string) => void): Promise<void> {
  const { ALERT_COMMAND } = readSettings(operatorSettings);
  if (ALERT_COMMAND === undefined) return;
  try {
    const { LEDGER, QUEUE, STORE } = readSettings(pipelineSettings);
    const ledger = { DATA_DIR: layout.root, LEDGER };
    const { troubles } = await checkHealth(layout, await loadSources(), { ledger, queue: QUEUE, store: STORE });
    for (const line of await alertChanges(troubles, { layout, command: ALERT_COMMAND })) print(line);
  } catch (error) {
    print(`alerts could not be sent: ${messageOf(error)}`);
  }
}

/** Time for ALERT_COMMAND, after which it is killed: it must not hold up the next run. */
const TIMEOUT_MS = 20_000;

type AlertedProblem = Sent['troubles'][string];

/** One JSON object on the standard input of the command: all new problems, or all that are over. */
export interface Alert {
  readonly event: 'new' | 'over';
  readonly data_dir: string;
  /** Each with the time of its first alert. */
  readonly troubles: readonly AlertedProblem[];
}

/** Lines about a call of the command: its outcome, and each problem, for the log of the process. */
function formatCall({ event, troubles, failure }: LastCall, problems: readonly AlertedProblem[]): string[] {
  const shown = `(${event}): ${troubles.length === 1 ? '' : `${troubles.length} problems, the first: `}${troubles[0]}`;
  const outcome =
    failure === null
      ? `alert sent ${shown}`
      : `alert not sent ${shown}: ALERT_COMMAND failed: ${failure}; the next run sends it again`;
  return [outcome, ...problems.map(({ message }) => `  ${event === 'new' ? 'problem' : 'over'}: ${message}`)];
}

/**
 * Send an alert for new problems and one for problems that are over.
 * @returns lines for the log of the process; never throws for what the command does
 */
export async function alertChanges(
  problems: readonly Problem[],
  { layout, command, timeoutMs = TIMEOUT_MS }: { layout: Layout; command: string; timeoutMs?: number },
): Promise<string[]> {
  const lock = await takeLock(join(layout.root, 'alerts.sqlite'));
  if ('holder' in lock) return ['alerts: another process is sending them'];
  using _sending = lock.release;
  const before = await readSent(layout);
  const since = new Date().toISOString();
  const alerted = problems.filter(({ kind }) => PROBLEMS[kind].alert);
  const current: Sent['troubles'] = Object.fromEntries(alerted.map((one) => [problemKey(one), { ...one, since }]));
  const fresh = Object.entries(current).filter(([key]) => !(key in before.troubles));
  const over = Object.entries(before.troubles).filter(([key]) => !(key in current));
  const lines: string[] = [];
  const after: Sent = { last: before.last, troubles: { ...before.troubles } };
  const send = async (event: Alert['event'], changes: typeof fresh): Promise<Failure> => {
    const alert: Alert = { event, data_dir: layout.root, troubles: changes.map(([, trouble]) => trouble) };
    const failure = await callCommand(command, alert, timeoutMs);
    const troubles = changes.map(([key]) => key);
    after.last = { at: new Date().toISOString(), event, troubles, failure: failure?.why ?? null };
    lines.push(...formatCall(after.last, alert.troubles));
    return failure;
  };
  const first = fresh.length > 0 ? await send('new', fresh) : null;
  if (first === null) Object.assign(after.troubles, Object.fromEntries(fresh));
  // Wait for a hanging command only once.
  if (over.length > 0 && first?.hasHung !== true && (await send('over', over)) === null)
    for (const [key] of over) delete after.troubles[key];
  if (JSON.stringify(after) !== JSON.stringify(before)) await writeSent(layout, after);
  return lines;
}
