/**
 * Telling the operator's command of trouble: once when it is new, once when it is over, all of it in one call. What was told stands in
 * DATA_DIR/alerts.json. A command that fails is told again next time; one that hangs is ended; neither harms a run.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../../lib/files.ts';
import type { Layout } from '../layout.ts';
import { takeLock } from '../run/lock.ts';
import { keyOf, TROUBLES, type Trouble } from './troubles.ts';

const LAST_WORDS_MS = 50;

const Told = z.object({
  troubles: z.record(
    z.string(),
    z.object({
      since: z.iso.datetime(),
      trouble: z.looseObject({ kind: z.string(), subject: z.string(), message: z.string() }),
    }),
  ),
});
type Told = z.infer<typeof Told>;

type ToldTrouble = Told['troubles'][string]['trouble'] & { readonly since: string };

/** What the command gets on its standard input, as one JSON object: all that is new, or all that is over, in one call. */
export interface Alert {
  readonly event: 'new' | 'over';
  readonly data_dir: string;
  /** Each with when it was first told. */
  readonly troubles: readonly ToldTrouble[];
}

export interface AlertOptions {
  readonly layout: Layout;
  readonly command: string;
  readonly timeoutMs: number;
  readonly now?: () => Date;
}

/** How a call of the command went: told, failed, or ended because it hung. */
interface Called {
  readonly failure: string | null;
  readonly hung: boolean;
}

/** Run the command with an alert on its standard input. */
function callHook(command: string, alert: Alert, timeoutMs: number): Promise<Called> {
  return new Promise((done) => {
    // A group of its own, so that what the command has started ends with it.
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
    let said = '';
    const end = (failure: string | null, hung = false): void => {
      clearTimeout(timer);
      done({ failure, hung });
    };
    const timer = setTimeout(() => {
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          /* it has just ended */
        }
      child.stderr.destroy();
      end(`it did not end within ${timeoutMs / 1000} s`, true);
    }, timeoutMs);
    child.stderr.on('data', (d: Buffer) => {
      said = `${said}${d.toString()}`.slice(-500);
    });
    child.on('error', (error) => {
      end(error.message);
    });
    // Not `close`: what it leaves running in the background may hold its output open. Its last words are waited for.
    child.on('exit', (code, signal) => {
      setTimeout(() => {
        child.stderr.destroy();
        end(
          code === 0
            ? null
            : `it ended with ${signal ?? `exit status ${code ?? ''}`}${said.trim() === '' ? '' : `: ${said.trim().split('\n').at(-1) ?? ''}`}`,
        );
      }, LAST_WORDS_MS);
    });
    // A command that does not read its input is none the worse for it.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(alert)}\n`);
  });
}

/**
 * Tell what is new and what is over.
 * @returns a line for each call of the command; never throws for what the command does
 */
export async function tellTroubles(
  troubles: readonly Trouble[],
  { layout, command, timeoutMs, now = () => new Date() }: AlertOptions,
): Promise<string[]> {
  const path = join(layout.root, 'alerts.json');
  const lock = await takeLock(join(layout.root, 'alerts.sqlite'));
  if ('holder' in lock) return ['alerts: another process is telling them'];
  try {
    const read = Told.safeParse(await readJson(path).catch(() => undefined));
    const before: Told['troubles'] = read.success ? read.data.troubles : {};
    const after: Told['troubles'] = { ...before };
    const lines: string[] = [];
    /** @returns how the call went */
    const tell = async (
      event: Alert['event'],
      troublesByKey: readonly (readonly [key: string, trouble: ToldTrouble])[],
    ): Promise<Called> => {
      const called = await callHook(
        command,
        { event, data_dir: layout.root, troubles: troublesByKey.map(([, t]) => t) },
        timeoutMs,
      );
      const what = `${troublesByKey.length === 1 ? '' : `${troublesByKey.length} troubles, the first: `}${troublesByKey[0]?.[0] ?? ''}`;
      lines.push(
        called.failure === null
          ? `alert told (${event}): ${what}`
          : `alert not told (${event}): ${what}: ALERT_COMMAND failed: ${called.failure}; it is told again next time`,
      );
      return called;
    };
    const worth = new Map(troubles.filter((t) => TROUBLES[t.kind].alert).map((t) => [keyOf(t), t]));
    const since = now().toISOString();
    const fresh = [...worth].filter(([key]) => !before[key]).map(([key, t]) => [key, { ...t, since }] as const);
    const over = Object.entries(before)
      .filter(([key]) => !worth.has(key))
      .map(([key, known]) => [key, { ...known.trouble, since: known.since }] as const);
    const first = fresh.length > 0 ? await tell('new', fresh) : null;
    if (first?.failure === null)
      for (const [key, { since: told, ...trouble }] of fresh) after[key] = { since: told, trouble };
    // A command that hangs is waited for once.
    if (over.length > 0 && first?.hung !== true && (await tell('over', over)).failure === null)
      for (const [key] of over) delete after[key];
    if (JSON.stringify(after) !== JSON.stringify(before))
      await writeWhole(path, `${JSON.stringify({ troubles: after }, null, 1)}\n`);
    return lines;
  } finally {
    lock.letGo();
  }
}
