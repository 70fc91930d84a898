/**
 * Alerts: ALERT_COMMAND receives each problem once when it is new and once when it is over. DATA_DIR/alerts.json has
 * the problems it was sent, and the outcome of its last call. A failed alert is sent again at the next call; a hanging
 * command is killed. Neither affects a run.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { messageOf } from '../../lib/errors.ts';
import { writeWhole } from '../../lib/files.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { loadSources } from '../../sources/index.ts';
import type { Layout } from '../layout.ts';
import { takeLock } from '../run/lock.ts';
import { readSent, sentFile, type LastCall, type Sent } from './alerts_sent.ts';
import { checkHealth } from './health.ts';
import { type Problem, problemKey, PROBLEMS } from './problems.ts';
import { operatorSettings } from './settings.ts';

/** Time for the last lines of standard error after the exit. */
const LAST_OUTPUT_MS = 50;
/** Characters of standard error that are read. */
const STDERR_LENGTH = 500;

interface CallResult {
  /** Why the call failed; null if it succeeded. */
  readonly failure: string | null;
  /** Whether the command was killed after the timeout. */
  readonly hasHung: boolean;
}

const success: CallResult = { failure: null, hasHung: false };

/** Kill a process and everything it started. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}

/** Run the command. It has a process group of its own, so that everything it starts is killed with it. */
function callCommand(command: string, input: unknown, timeoutMs: number): Promise<CallResult> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
    let stderr = '';
    const end = (result: CallResult): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const timer = setTimeout(() => {
      killGroup(child.pid);
      child.stderr.destroy();
      end({ failure: `it did not end within ${timeoutMs / 1000} s`, hasHung: true });
    }, timeoutMs);
    child.stderr.on('data', (data: Buffer) => {
      stderr = `${stderr}${data.toString()}`.slice(-STDERR_LENGTH);
    });
    child.on('error', (error) => {
      end({ failure: error.message, hasHung: false });
    });
    // Not `close`: a background process may hold the output open.
    child.on('exit', (code, signal) => {
      setTimeout(() => {
        child.stderr.destroy();
        const lastLine = stderr.trim().split('\n').at(-1) ?? '';
        const status = signal ?? `exit status ${code ?? ''}`;
        const failure = `it ended with ${status}${lastLine === '' ? '' : `: ${lastLine}`}`;
        end(code === 0 ? success : { failure, hasHung: false });
      }, LAST_OUTPUT_MS);
    });
    // A command need not read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(input)}\n`);
  });
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

type Known = Sent['troubles'];

type AlertedProblem = Known[string]['trouble'] & { readonly since: string };

/** One JSON object on the standard input of the command: all new problems, or all that are over. */
export interface Alert {
  readonly event: 'new' | 'over';
  readonly data_dir: string;
  /** Each with the time of its first alert. */
  readonly troubles: readonly AlertedProblem[];
}

interface AlertOptions {
  readonly layout: Layout;
  readonly command: string;
  /** Default: 20 seconds. */
  readonly timeoutMs?: number;
  readonly now?: () => Date;
}

/** New problems and problems that are over, by their key. */
interface Changes {
  readonly fresh: ReadonlyMap<string, AlertedProblem>;
  readonly over: ReadonlyMap<string, AlertedProblem>;
}

function changesSince(sent: Known, problems: readonly Problem[], since: string): Changes {
  const current = new Map(
    problems.filter((problem) => PROBLEMS[problem.kind].alert).map((problem) => [problemKey(problem), problem]),
  );
  const fresh = [...current].filter(([key]) => !sent[key]).map(([key, p]) => [key, { ...p, since }] as const);
  const over = Object.entries(sent)
    .filter(([key]) => !current.has(key))
    .map(([key, known]) => [key, { ...known.trouble, since: known.since }] as const);
  return { fresh: new Map(fresh), over: new Map(over) };
}

/** Lines about a call of the command: its outcome, and each problem, for the log of the process. */
function formatCall({ event, troubles, failure }: LastCall, byKey: ReadonlyMap<string, AlertedProblem>): string[] {
  const problems = `${troubles.length === 1 ? '' : `${troubles.length} problems, the first: `}${troubles[0] ?? ''}`;
  const outcome =
    failure === null
      ? `alert sent (${event}): ${problems}`
      : `alert not sent (${event}): ${problems}: ALERT_COMMAND failed: ${failure}; the next run sends it again`;
  const messages = [...byKey.values()].map(({ message }) => `  ${event === 'new' ? 'problem' : 'over'}: ${message}`);
  return [outcome, ...messages];
}

/**
 * Send an alert for new problems and one for problems that are over.
 * @returns lines for the log of the process; never throws for what the command does
 */
export async function alertChanges(
  problems: readonly Problem[],
  { layout, command, timeoutMs = TIMEOUT_MS, now = () => new Date() }: AlertOptions,
): Promise<string[]> {
  const lock = await takeLock(join(layout.root, 'alerts.sqlite'));
  if ('holder' in lock) return ['alerts: another process is sending them'];
  try {
    const before = await readSent(layout);
    const { fresh, over } = changesSince(before.troubles, problems, now().toISOString());
    const lines: string[] = [];
    const after: Sent = { last: before.last, troubles: { ...before.troubles } };
    const send = async (event: Alert['event'], byKey: ReadonlyMap<string, AlertedProblem>): Promise<CallResult> => {
      const alert: Alert = { event, data_dir: layout.root, troubles: [...byKey.values()] };
      const result = await callCommand(command, alert, timeoutMs);
      after.last = { at: now().toISOString(), event, troubles: [...byKey.keys()], failure: result.failure };
      lines.push(...formatCall(after.last, byKey));
      return result;
    };
    const first = fresh.size > 0 ? await send('new', fresh) : null;
    if (first?.failure === null)
      for (const [key, { since, ...trouble }] of fresh) after.troubles[key] = { since, trouble };
    // Wait for a hanging command only once.
    if (over.size > 0 && first?.hasHung !== true && (await send('over', over)).failure === null)
      for (const key of over.keys()) delete after.troubles[key];
    if (JSON.stringify(after) !== JSON.stringify(before))
      await writeWhole(sentFile(layout), `${JSON.stringify(after, null, 1)}\n`);
    return lines;
  } finally {
    lock.release();
  }
}
