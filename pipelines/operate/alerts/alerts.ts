/**
 * Alerts: ALERT_COMMAND receives each problem once when it is new and once when it is over. DATA_DIR/alerts.json has
 * the problems it was sent. A failed alert is sent again at the next call; a hanging command is killed. Neither
 * affects a run.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../../../lib/files.ts';
import type { Layout } from '../../layout.ts';
import { takeLock } from '../../run/lock.ts';
import { callCommand, type CallResult } from './command.ts';
import { problemKey, PROBLEMS, type Problem } from '../problems.ts';

/** Time for ALERT_COMMAND, after which it is killed: it must not hold up the next run. */
const TIMEOUT_MS = 20_000;

/** Content of alerts.json: the problems that the command knows of, by their key. */
const Sent = z.object({
  troubles: z.record(
    z.string(),
    z.object({
      since: z.iso.datetime(),
      trouble: z.looseObject({ kind: z.string(), subject: z.string(), message: z.string() }),
    }),
  ),
});
type Sent = z.infer<typeof Sent>['troubles'];

type AlertedProblem = Sent[string]['trouble'] & { readonly since: string };

/** One JSON object on the standard input of the command: all new problems, or all that are over. */
export interface Alert {
  readonly event: 'new' | 'over';
  readonly data_dir: string;
  /** Each with the time of its first alert. */
  readonly troubles: readonly AlertedProblem[];
}

export interface AlertOptions {
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

function changesSince(sent: Sent, problems: readonly Problem[], since: string): Changes {
  const current = new Map(
    problems.filter((problem) => PROBLEMS[problem.kind].alert).map((problem) => [problemKey(problem), problem]),
  );
  const fresh = [...current].filter(([key]) => !sent[key]).map(([key, p]) => [key, { ...p, since }] as const);
  const over = Object.entries(sent)
    .filter(([key]) => !current.has(key))
    .map(([key, known]) => [key, { ...known.trouble, since: known.since }] as const);
  return { fresh: new Map(fresh), over: new Map(over) };
}

/** One line about a call of the command. */
function formatCall(event: Alert['event'], keys: readonly string[], { failure }: CallResult): string {
  const problems = `${keys.length === 1 ? '' : `${keys.length} problems, the first: `}${keys[0] ?? ''}`;
  return failure === null
    ? `alert sent (${event}): ${problems}`
    : `alert not sent (${event}): ${problems}: ALERT_COMMAND failed: ${failure}; the next run sends it again`;
}

/**
 * Send an alert for new problems and one for problems that are over.
 * @returns one line per call of the command; never throws for what the command does
 */
export async function alertChanges(
  problems: readonly Problem[],
  { layout, command, timeoutMs = TIMEOUT_MS, now = () => new Date() }: AlertOptions,
): Promise<string[]> {
  const path = join(layout.root, 'alerts.json');
  const lock = await takeLock(join(layout.root, 'alerts.sqlite'));
  if ('holder' in lock) return ['alerts: another process is sending them'];
  try {
    const read = Sent.safeParse(await readJson(path).catch(() => undefined));
    const before: Sent = read.success ? read.data.troubles : {};
    const { fresh, over } = changesSince(before, problems, now().toISOString());
    const lines: string[] = [];
    const send = async (event: Alert['event'], byKey: ReadonlyMap<string, AlertedProblem>): Promise<CallResult> => {
      const alert: Alert = { event, data_dir: layout.root, troubles: [...byKey.values()] };
      const result = await callCommand(command, alert, timeoutMs);
      lines.push(formatCall(event, [...byKey.keys()], result));
      return result;
    };
    const after: Sent = { ...before };
    const first = fresh.size > 0 ? await send('new', fresh) : null;
    if (first?.failure === null) for (const [key, { since, ...trouble }] of fresh) after[key] = { since, trouble };
    // Wait for a hanging command only once.
    if (over.size > 0 && first?.hasHung !== true && (await send('over', over)).failure === null)
      for (const key of over.keys()) delete after[key];
    if (JSON.stringify(after) !== JSON.stringify(before))
      await writeWhole(path, `${JSON.stringify({ troubles: after }, null, 1)}\n`);
    return lines;
  } finally {
    lock.release();
  }
}
