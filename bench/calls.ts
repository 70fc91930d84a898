/** Single calls over kept connections, each timed to the last byte of its answer. */
import { readFileSync } from 'node:fs';
import { Client } from 'undici';

export interface Call {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Timed {
  /** Milliseconds of one call, from its sending to the last byte of its answer. */
  readonly mean: number;
  readonly p50: number;
  /** Calls a second, all connections together. */
  readonly rate: number;
}

export interface Caller {
  /** Make these calls, one after the other on each connection. @throws where an answer is not 200 */
  time(calls: readonly Call[]): Promise<Timed>;
  close(): Promise<void>;
}

export function callerOf(url: string, connections: number): Caller {
  const clients = Array.from({ length: connections }, () => new Client(url, { pipelining: 1 }));
  return {
    async time(calls) {
      const took: number[] = [];
      let next = 0;
      const startedMs = performance.now();
      await Promise.all(
        clients.map(async (client) => {
          for (let call = calls[next++]; call; call = calls[next++]) {
            const sentMs = performance.now();
            const { statusCode, body } = await client.request({
              method: 'GET',
              path: call.path,
              headers: { ...call.headers },
            });
            const answer = await body.arrayBuffer();
            took.push(performance.now() - sentMs);
            if (statusCode !== 200)
              throw new Error(`${url}${call.path}: ${statusCode} ${Buffer.from(answer).toString('utf8', 0, 300)}`);
          }
        }),
      );
      const seconds = (performance.now() - startedMs) / 1000;
      const sorted = took.sort((a, b) => a - b);
      return {
        mean: sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length,
        p50: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
        rate: sorted.length / seconds,
      };
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** Clock ticks a second of /proc, which Linux fixes for programs at 100. */
const TICKS = 100;

/** Processor time that a program has used so far, in milliseconds; null where the system does not tell. */
export function processorMs(pid: number): number | null {
  try {
    // After the name, which may hold spaces: state is the first field, utime the 12th, stime the 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return null;
  }
}
