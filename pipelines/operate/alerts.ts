/**
 * Telling the operator's command of trouble: once when it is new, once when it is over. What was told stands in
 * DATA_DIR/alerts.json. A command that fails is told again next time; one that hangs is ended; neither harms a run.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../../lib/files.ts';
import type { Layout } from '../layout.ts';
import { takeLock } from '../lock.ts';
import { keyOf, TROUBLES, type Trouble } from './troubles.ts';

const LAST_WORDS_MS = 50;

const Told = z.object({ troubles: z.record(z.string(), z.object({ since: z.iso.datetime(), trouble: z.looseObject({ kind: z.string(), subject: z.string(), message: z.string() }) })) });
type Told = z.infer<typeof Told>;

/** What the command gets on its standard input, as one JSON object. */
export interface Alert {
  readonly event: 'new' | 'over';
  readonly data_dir: string;
  /** When it was first told. */
  readonly since: string;
  readonly trouble: Told['troubles'][string]['trouble'];
}

export interface AlertOptions {
  readonly layout: Layout;
  readonly command: string;
  readonly timeoutMs: number;
  readonly now?: () => Date;
}

/** How a call of the command went: told, failed, or ended because it hung. */
interface Called { readonly failure: string | null; readonly hung: boolean }

/** Run the command with an alert on its standard input. */
function callHook(command: string, alert: Alert, timeoutMs: number): Promise<Called> {
  return new Promise((done) => {
    // A group of its own, so that what the command has started ends with it.
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
    let said = '';
    const end = (failure: string | null, hung = false): void => { clearTimeout(timer); done({ failure, hung }); };
    const timer = setTimeout(() => {
      if (child.pid !== undefined) try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has just ended */ }
      child.stderr.destroy();
      end(`it did not end within ${timeoutMs / 1000} s`, true);
    }, timeoutMs);
    child.stderr.on('data', (d: Buffer) => { said = `${said}${d.toString()}`.slice(-500); });
    child.on('error', (error) => { end(error.message); });
    // Not `close`: what it leaves running in the background may hold its output open. Its last words are waited for.
    child.on('exit', (code, signal) => { setTimeout(() => { child.stderr.destroy(); end(code === 0 ? null : `it ended with ${signal ?? `exit status ${code ?? ''}`}${said.trim() === '' ? '' : `: ${said.trim().split('\n').at(-1) ?? ''}`}`); }, LAST_WORDS_MS); });
    // A command that does not read its input is none the worse for it.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(alert)}\n`);
  });
}

/**
 * Tell what is new and what is over.
 * @returns a line for each that was told or could not be; never throws for what the command does
 */
export async function tellTroubles(troubles: readonly Trouble[], { layout, command, timeoutMs, now = () => new Date() }: AlertOptions): Promise<string[]> {
  const path = join(layout.root, 'alerts.json');
  const lock = await takeLock(join(layout.root, 'alerts.sqlite'));
  if ('holder' in lock) return ['alerts: another process is telling them'];
  try {
    const read = Told.safeParse(await readJson(path).catch(() => undefined));
    const before: Told['troubles'] = read.success ? read.data.troubles : {};
    const after: Told['troubles'] = { ...before };
    const lines: string[] = [];
    // A command that hangs is not waited for once for each trouble: the others are told next time.
    let hung = false;
    const tell = async (key: string, alert: Alert): Promise<boolean> => {
      if (hung) return false;
      const called = await callHook(command, alert, timeoutMs);
      const { failure } = called;
      hung = called.hung;
      lines.push(failure === null ? `alert told (${alert.event}): ${key}` : `alert not told (${alert.event}): ${key}: ALERT_COMMAND failed: ${failure}; it is told again next time`);
      return failure === null;
    };
    const worth = new Map(troubles.filter((t) => TROUBLES[t.kind].alert).map((t) => [keyOf(t), t]));
    for (const [key, t] of worth) {
      const known = before[key];
      if (known) continue;
      const since = now().toISOString();
      if (await tell(key, { event: 'new', data_dir: layout.root, since, trouble: { ...t } })) after[key] = { since, trouble: { ...t } };
    }
    for (const [key, { since, trouble }] of Object.entries(before)) {
      if (worth.has(key)) continue;
      if (await tell(key, { event: 'over', data_dir: layout.root, since, trouble })) delete after[key];
    }
    if (JSON.stringify(after) !== JSON.stringify(before)) await writeWhole(path, `${JSON.stringify({ troubles: after }, null, 1)}\n`);
    return lines;
  } finally { lock.letGo(); }
}
