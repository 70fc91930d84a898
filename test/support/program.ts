/** Programs as processes of their own: the pipeline, a worker, the server, and what ends them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { BARE } from '../environment.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

type Env = Readonly<Record<string, string>>;

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Program {
  readonly child: ChildProcess;
  /** Lines of both of its outputs so far. */
  readonly lines: readonly string[];
  /** When it ended: by itself with a status, or by a signal. */
  readonly ended: Promise<Ended>;
  /** Resolves when a line matches; false where the process ended without it. */
  said(pattern: RegExp): Promise<boolean>;
  /** Send this signal, and wait until the process has exited. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Start node with these arguments in the root of the repository.
 * @param detached in a process group of its own
 */
export function startProgram(args: readonly string[], env: Env, detached = false): Program {
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
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
        ended.then(() => lines.some((line) => pattern.test(line))),
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
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

/** Start a command of the pipeline with nothing but this environment. */
const startCommand = (command: string, env: Env, detached = false): Program =>
  startProgram(['pipelines/commands/cli.ts', command], { ...BARE, ...SANDBOX_SECRETS, ...env }, detached);

/** Run a command of the pipeline to its end. `out` has both of its outputs. */
export async function cli(
  command: string,
  env: Env,
): Promise<{ readonly status: number | null; readonly out: string }> {
  const { ended, lines } = startCommand(command, env);
  const { status } = await ended;
  return { status, out: lines.map((line) => `${line}\n`).join('') };
}

/** Start a run over a day of a made-up world, in a process group of its own. */
export async function startPipeline(
  web: { on(day: string): Promise<string> },
  dataDir: string,
  day: string,
  env: Env = {},
): Promise<Program> {
  const settings = { HOME: process.env['HOME'] ?? '', DATA_DIR: dataDir, DAY: day, SANDBOX_URL: await web.on(day) };
  return startCommand('run', { ...settings, ...env }, true);
}

export interface WorkerProcess extends Program {
  /** Rejects where the worker ends without such a line. */
  mustSay(pattern: RegExp): Promise<void>;
}

/** @param script to run instead of the worker's own command line */
export function workerProcess(env: Env, script = 'pipelines/jobs/worker.ts'): WorkerProcess {
  const worker = startProgram([script], { ...BARE, HOME: process.env['HOME'] ?? '', ...env });
  return {
    ...worker,
    async mustSay(pattern) {
      if (!(await worker.said(pattern))) throw new Error(`the worker ended: ${worker.lines.join('\n')}`);
    },
  };
}

export interface ServerProcess extends Program {
  /** Empty if it ended without listening. */
  readonly url: string;
}

/** Start a server with these settings, as `make serve` does, and wait until it listens or ends. */
export async function startServer(env: Env): Promise<ServerProcess> {
  const server = startProgram(['api/server.ts'], { ...(process.env as Env), PORT: '0', ...env });
  await server.said(/Ctrl-C/u);
  return { ...server, url: /^listening +(\S+)/mu.exec(server.lines.join('\n'))?.[1] ?? '' };
}

/** Start a server that must listen. @throws with its output if it ends */
export async function serverProcess(env: Env): Promise<ServerProcess> {
  const server = await startServer(env);
  if (server.url === '') throw new Error(`the server ended: ${server.lines.join('\n')}`);
  return server;
}

/** How long what a killed process had started may take to notice. */
const NOTICE_MS = 5000;

/** SIGKILL the process only. @returns whether others of its group ran on after NOTICE_MS; they are then killed too */
export async function killAlone({ child, end }: Program): Promise<boolean> {
  await end('SIGKILL');
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
