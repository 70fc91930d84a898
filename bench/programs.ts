/** The measured programs, each a process of its own, such as the pipeline or a server, and a load of calls. */
import { type ChildProcess, spawn, type SpawnOptions, spawnSync, type StdioOptions } from 'node:child_process';
import { once as event } from 'node:events';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { SettingError } from '../lib/settings.ts';
import { newFolder, once, settings } from './settings.ts';

export interface Call {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Make these calls. @returns answers per second, and milliseconds @throws where one fails */
export async function load(url: string, calls: readonly Call[], connections: number) {
  let sent = 0;
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { path = '', headers }: Partial<Call> = calls[sent++] ?? {};
    return { ...request, path, headers: { ...request.headers, ...headers } };
  };
  // It looks every 20 ms whether all answers are there; its default is a second.
  const options = { url, connections, amount: calls.length, sampleInt: 20, timeout: 60 };
  const result = await autocannon({ ...options, requests: [{ setupRequest }] });
  if (result['2xx'] !== calls.length) throw new Error(`${url}: ${calls.length} calls: ${JSON.stringify(result)}`);
  const { p50, p99 } = result.latency;
  return { rate: calls.length / result.duration, p50, p99 };
}

export const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The environment that the Makefile sets. */
const ENV = {
  PATH: process.env['PATH'],
  UV_THREADPOOL_SIZE: '16',
  EXTRA_SOURCES: 'sandbox/sources',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(ROOT, 'node_modules/.cache/compiled'),
};

/** Only the standard error output is shown. */
export const QUIET = ['ignore', 'ignore', 'inherit'] satisfies StdioOptions;

/** The files of the commit BASE, with the packages of this version. */
export const baseVersion = once(async () => {
  const folder = newFolder('base');
  const extract = ['-c', 'git archive "$0" | tar -x -C "$1"', settings.BASE, folder];
  if (spawnSync('sh', extract, { cwd: ROOT }).status !== 0)
    throw new SettingError(`BASE is ${JSON.stringify(settings.BASE)}, expected a commit of this repository`);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
});

/** GiB of a process: VmRSS is resident now, VmHWM at most so far. 0 for a process that has ended. */
export function memoryOf({ pid }: ChildProcess, field: 'VmRSS' | 'VmHWM'): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Number(new RegExp(`${field}:\\s+(\\d+)`, 'u').exec(status)?.[1] ?? 0) / 2 ** 20;
}

/** Processor seconds of a process so far, of 100 ticks each. 0 for a process that has ended. */
function cpuOf({ pid }: ChildProcess): number {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  const [user = 0, system = 0] = stat.split(' ').slice(13, 15).map(Number);
  return (user + system) / 100;
}

/** Start a program that ends with this one. */
export function start(command: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(command, args, { ...options, env: { ...ENV, ...options.env } });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.kill()) await event(child, 'exit');
  };
  return { child, stop };
}

/** Run the pipeline as `make run` does. @param root of this version or of BASE @throws where nothing is published */
export async function runPipeline(env: NodeJS.ProcessEnv, { sandbox = true, root = ROOT } = {}) {
  const cli = ['pipelines/commands/cli.ts', 'pipelines/cli.ts'].find((path) => existsSync(join(root, path))) ?? '';
  const args = [...(sandbox ? ['sandbox/around.ts', process.execPath] : []), cli, 'run'];
  const startedMs = performance.now();
  const options = { cwd: root, env: sandbox ? env : { SANDBOX_URL: 'http://127.0.0.1:9', ...env }, stdio: QUIET };
  const { child } = start(process.execPath, args, options);
  let [peakGib, cpuSeconds] = [0, 0];
  const looking = setInterval(() => {
    peakGib = Math.max(peakGib, memoryOf(child, 'VmHWM'));
    cpuSeconds = Math.max(cpuSeconds, cpuOf(child));
  }, 50);
  await event(child, 'exit');
  clearInterval(looking);
  if (child.exitCode !== 0) throw new Error(`a run ended with ${child.exitCode}`);
  return { seconds: (performance.now() - startedMs) / 1000, cpuSeconds, peakGib };
}

/** Start a program of servers/. @returns its address, which it prints when it listens */
export async function startServer(script: string, args: readonly string[]): Promise<string> {
  const stdio = ['ignore' as const, 'pipe' as const, 'inherit' as const];
  const { child } = start(process.execPath, [join(ROOT, 'bench/servers', script), ...args], { stdio });
  const [line] = (await Promise.race([event(child.stdout ?? child, 'data'), event(child, 'exit')])) as unknown[];
  if (!(line instanceof Buffer)) throw new Error(`${script} ended with ${String(line)}`);
  return line.toString().trim();
}

export async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await event(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return String(port);
}
