/**
 * The server as `make serve` starts it, in a process of its own, with all that it does for real money: its log on a
 * file, its metrics, its limit on unbilled answers, payments asked of a facilitator over HTTP. Only the facilitator and
 * the chain are stood in for.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { noteFile } from '../ledger/identity.ts';
import { startFacilitator } from './facilitator.ts';
import { PAY_TO } from './servers/approving.ts';

const LOOK_EVERY_MS = 5;

/** What the server says of itself on its port for metrics. */
export interface Usage {
  /** Milliseconds of processor time so far, all threads together. */
  readonly processorMs: number;
  /** Resident memory, MiB. */
  readonly residentMib: number;
}

export interface Served {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process until /health was 200. */
  readonly startedMs: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(port);
      });
    });
  });

const metric = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);

/** Wait until `/health` is 200. @throws where the server ends before */
async function untilHealthy(url: string, child: ChildProcess, log: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`the server ended with ${child.exitCode}: ${await readFile(log, 'utf8')}`);
    const status = await fetch(`${url}/health`).then(
      async (r) => {
        await r.arrayBuffer();
        return r.status;
      },
      () => 0,
    );
    if (status === 200) return;
    await pause(LOOK_EVERY_MS);
  }
}

/** Start the server over a data folder. Its ledger and its log are of this run alone. */
export async function startServed(dataDir: string): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-served-'));
  // The data folder notes the ledger of the run before.
  await rm(noteFile(dataDir), { force: true });
  const facilitator = await startFacilitator();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, 'log');
  const log = await open(logFile, 'w');
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [new URL('../api/server.ts', import.meta.url).pathname], {
    stdio: ['ignore', log.fd, 'inherit'],
    env: {
      // NODE_OPTIONS='--cpu-prof --cpu-prof-dir=<folder>' profiles the server.
      PATH: process.env['PATH'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      DATA_DIR: dataDir,
      LEDGER: join(folder, 'ledger.sqlite'),
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      // No caller is refused, and every one is counted.
      UNBILLED_PER_MINUTE: '1000000000',
      PROXY_HOPS: '1',
      PAYMENTS: 'facilitator',
      FACILITATOR_URL: facilitator.url,
      RPC_URL: facilitator.url,
      PAY_TO,
      PUBLIC_BASE_URL: url,
    },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  // A benchmark that dies leaves no server behind.
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  await untilHealthy(url, child, logFile);
  const startedMs = performance.now() - startedAtMs;
  return {
    url,
    startedMs,
    pid: child.pid ?? 0,
    async usage() {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return {
        processorMs: metric(text, 'process_cpu_seconds_total') * 1000,
        residentMib: metric(text, 'process_resident_memory_bytes') / 2 ** 20,
      };
    },
    async stop() {
      process.removeListener('exit', kill);
      child.kill('SIGTERM');
      await ended;
      await log.close();
      await facilitator.close();
      await rm(folder, { recursive: true });
    },
  };
}
