/** Workers as processes of their own, as `make worker` starts them, and a sandbox web that notes who asked for what. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../../sandbox/server.ts';
import type { World } from '../../sandbox/world/types.ts';
import type { Pipeline, Web } from '../crash/pipeline_process.ts';
import { BARE } from '../environment.ts';

export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves with the exit status, null where it was killed. */
  readonly ended: Promise<number | null>;
  /** Resolves when a line matches; rejects where it ends without. */
  said(pattern: RegExp): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** @param script to run instead of the worker's own command line */
export async function workerProcess(
  env: Readonly<Record<string, string>>,
  script = '../../pipelines/crawl/cli.ts',
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...BARE, HOME: process.env['HOME'] ?? '', ...env },
  });
  const lines: string[] = [];
  const looking = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const look of looking) look();
    });
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', (status) => {
      resolve(status);
    });
  });
  const said = (pattern: RegExp): Promise<void> =>
    Promise.race([
      ended.then((status) => {
        throw new Error(`the worker ended with ${String(status)}: ${lines.join('\n')}`);
      }),
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (!lines.some((line) => pattern.test(line))) return;
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        look();
      }),
    ]);
  return {
    child,
    lines,
    ended,
    said,
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

export interface CountedWeb extends Web {
  /** Paths asked for, by host, in their order. */
  readonly asked: Map<string, string[]>;
  /** Most requests to one host that were under way at once, by host. */
  readonly most: Map<string, number>;
}

/** Wait until a host has been asked so often. @throws where the run ends before */
export async function untilAsked({ asked }: CountedWeb, host: string, times: number, run: Pipeline): Promise<void> {
  while ((asked.get(host)?.length ?? 0) < times) {
    if (run.child.exitCode !== null)
      throw new Error(`the run ended before ${host} was asked ${times} times: ${run.lines.join('\n')}`);
    await sleep(5);
  }
}

/** One day of a world that takes `delayMs` for an answer. */
export async function countedWeb(world: World, day: string, delayMs: number): Promise<CountedWeb> {
  const asked = new Map<string, string[]>();
  const most = new Map<string, number>();
  const underWay = new Map<string, number>();
  const sandbox = await startSandbox({
    world,
    day,
    alter({ host, path, query }, response) {
      asked.set(host, [...(asked.get(host) ?? []), `${path}?${String(query)}`]);
      const now = (underWay.get(host) ?? 0) + 1;
      underWay.set(host, now);
      most.set(host, Math.max(most.get(host) ?? 0, now));
      // Counted as over a little before it is, never later: the next request may only come after the whole answer.
      setTimeout(() => {
        underWay.set(host, (underWay.get(host) ?? 1) - 1);
      }, delayMs - 2);
      return { ...response, delayMs };
    },
  });
  return { asked, most, on: async () => sandbox.url, close: () => sandbox.close() };
}
