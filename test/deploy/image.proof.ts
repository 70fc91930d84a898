/** A run, the server with real money and a backup from the image's folder alone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PAY_TO } from '../api/support/receipt_key.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../api/support/snapshot_fixtures.ts';
import { imageFolder, type ImageFolder } from './dockerfile.ts';

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return String(port);
}

describe('the image', () => {
  let there: ImageFolder;
  let data: DataFolder;
  before(async () => {
    data = await dataFolder();
    await data.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) }, { data: 'live' });
    there = imageFolder(data.path);
  });
  after(async () => {
    await data.remove();
    there.remove();
  });

  test('builds and audits every model from its own files; only the lack of read sources blocks the run', () => {
    const settings = {
      LIVE: '1',
      CONTACT: 'ops@dealfeed.test',
      SOURCES: 'none',
      DATA_DIR: join(there.folder, 'empty'),
    };
    const { status, out } = there.run(['node', 'pipelines/commands/cli.ts', 'run'], settings);
    assert.equal(status, 2, out);
    assert.match(out, /sources\.something_was_read/u);
    assert.match(out, /1 blocking audit failed/u);
  });

  test('serves with real money, is healthy, stops on SIGTERM, and backs up', async () => {
    const secrets = join(there.folder, 'secrets');
    mkdirSync(secrets);
    const [PORT, unused] = [await freePort(), `http://127.0.0.1:${await freePort()}`];
    const made = there.run(['node', 'api/payments/receipts/key_cli.ts'], {
      RECEIPT_KEY_FILE: join(secrets, 'RECEIPT_KEY_FILE'),
    });
    assert.equal(made.status, 0, made.out);
    writeFileSync(join(secrets, 'RPC_URL'), `${unused}\n`, { mode: 0o444 });
    const settings = {
      PORT,
      PAYMENTS: 'facilitator',
      FACILITATOR_URL: unused,
      PAY_TO,
      PUBLIC_BASE_URL: 'https://dealfeed.test',
      CREDENTIALS_DIRECTORY: secrets,
    };
    assert.equal(there.run(there.image.healthCheck, { PORT }).status, 1, 'unhealthy before it starts');
    const [program = '', ...args] = there.image.command;
    const server = spawn(program, args, {
      cwd: there.app,
      env: there.env(settings),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(server, 'exit');
    try {
      let health = { status: null as number | null, out: '' };
      while (health.status !== 0 && server.exitCode === null) {
        await pause(100);
        health = there.run(there.image.healthCheck, { PORT });
      }
      assert.deepEqual(health, { status: 0, out: 'degraded\n' }, 'it serves; the facilitator cannot be reached');
      const page = await fetch(`http://127.0.0.1:${PORT}/`);
      assert.equal(page.status, 200);
      const to = join(there.folder, 'backups');
      const backup = there.run(['node', 'pipelines/operate/backup/cli.ts', 'backup'], { TO: to });
      assert.equal(backup.status, 0, backup.out);
    } finally {
      server.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null], 'SIGTERM reaches the server through the entry point');
  });
});
