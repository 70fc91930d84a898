/** The sandbox's web for processes: each day of a world at an address of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox/server.ts';
import type { World } from '../../sandbox/world/types.ts';
import type { Program } from './program.ts';

export interface Web {
  /** Address of the world as it is on a day; its server starts with the first request. */
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

export interface CountedWeb extends Web {
  /** Requested paths, by host, in their order. */
  readonly asked: Map<string, string[]>;
  /** Most requests to one host that were under way at once, by host. */
  readonly most: Map<string, number>;
}

/** Wait until a host has been asked so often. @throws where the run ends before */
export async function untilAsked({ asked }: CountedWeb, host: string, times: number, run: Program): Promise<void> {
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
