/** The pipeline as a process of its own over a made-up world, for kills and full disks. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../../sandbox/server.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import type { World } from '../../sandbox/world/types.ts';
import { BARE } from '../environment.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Web {
  /** Address of the world as it is on a day; its server starts with the first question. */
  on(day: string): Promise<string>;
  close(): Promise<void>;
}

/** Days of one world, each shown by a server of its own. */
export function webOf(world: World): Web {
  const days = new Map<string, ReturnType<typeof startSandbox>>();
  return {
    async on(day) {
      const started = days.get(day) ?? startSandbox({ world, day });
      days.set(day, started);
      return (await started).url;
    },
    async close() {
      for (const started of days.values()) await (await started).close();
    },
  };
}

export interface Pipeline {
  readonly child: ChildProcess;
  /** Lines of its output so far. */
  readonly lines: string[];
  /** When it ended: by itself with a status, or by a signal. */
  readonly ended: Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Resolves when a line matches; false where the process ended without it. */
  said(pattern: RegExp): Promise<boolean>;
}

/** Start `pipelines/commands/cli.ts run` in a process group of its own. */
export async function startPipeline(
  web: Web,
  dataDir: string,
  day: string,
  env: Record<string, string> = {},
): Promise<Pipeline> {
  const child = spawn(process.execPath, ['pipelines/commands/cli.ts', 'run'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...BARE,
      HOME: process.env['HOME'] ?? '',
      ...SANDBOX_SECRETS,
      DATA_DIR: dataDir,
      DAY: day,
      SANDBOX_URL: await web.on(day),
      ...env,
    },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<{ status: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.on('error', reject).on('close', (status, signal) => {
      resolve({ status, signal });
    });
  });
  return {
    child,
    lines,
    ended,
    said: (pattern) =>
      Promise.race([
        ended.then(() => false),
        new Promise<boolean>((resolve) => {
          const look = (): void => {
            if (!lines.some((line) => pattern.test(line))) return;
            waiting.delete(look);
            resolve(true);
          };
          waiting.add(look);
          look();
        }),
      ]),
  };
}

/** How long what a killed process had started may take to notice. */
const NOTICE_MS = 5000;

/** SIGKILL the process only. @returns whether others of its group ran on after NOTICE_MS; they are then killed too */
export async function killAlone({ child, ended }: Pipeline): Promise<boolean> {
  child.kill('SIGKILL');
  await ended;
  const { pid } = child;
  if (pid === undefined) return false;
  const runs = (): boolean => {
    try {
      return process.kill(-pid, 0);
    } catch {
      return false;
    }
  };
  for (const until = performance.now() + NOTICE_MS; runs() && performance.now() < until;) await sleep(50);
  if (!runs()) return false;
  process.kill(-pid, 'SIGKILL');
  return true;
}
