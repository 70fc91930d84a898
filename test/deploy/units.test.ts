/** The systemd units and the proxy's configuration of deploy/. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { serverSettings } from '../../api/settings.ts';
import { pipelineSettings } from '../../lib/settings.ts';
import { backUpSettings } from '../../pipelines/operate/backup/settings.ts';
import { operatorSettings } from '../../pipelines/operate/settings.ts';
import { PROJECT } from './dockerfile.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const UNITS = join(PROJECT, 'deploy/systemd');
const services = readdirSync(UNITS).filter((name) => name.endsWith('.service'));
const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');
const linesOf = (unit: string, name: string): string[] =>
  [...read(`deploy/systemd/${unit}`).matchAll(new RegExp(`^#?${name}=(.*)$`, 'gmu'))].map((match) => match[1] ?? '');

const KNOWN = new Set<string>([
  ...[serverSettings, pipelineSettings, operatorSettings, backUpSettings].flatMap((settings) =>
    Object.keys(settings.shape),
  ),
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_REGION',
  'AWS_ENDPOINT_URL',
]);

describe('the systemd units', () => {
  const folder = memoryFolder('dealfeed-units-');
  const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
  /** Copies of the units for a project in this folder. */
  const copied = (): string[] =>
    readdirSync(UNITS).map((name) => {
      const path = join(folder, name);
      writeFileSync(path, readFileSync(join(UNITS, name), 'utf8').replaceAll('/opt/dealfeed', PROJECT));
      return path;
    });

  test('are valid for systemd', { skip: hasAnalyze ? false : 'systemd-analyze is not installed' }, () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...copied()], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

  test('start existing programs with existing settings, all equally hardened', () => {
    const hardening = services.map((unit) => {
      const text = read(`deploy/systemd/${unit}`);
      return text.slice(text.indexOf('NoNewPrivileges='), text.indexOf('SystemCallFilter=')).replace(/Paths=.*/u, '');
    });
    assert.equal(new Set(hardening).size, 1);
    for (const unit of services) {
      for (const wanted of [
        'User=dealfeed',
        'NoNewPrivileges=true',
        'ProtectSystem=strict',
        'CapabilityBoundingSet=\n',
      ])
        assert.ok(read(`deploy/systemd/${unit}`).includes(wanted), `${unit}: ${wanted}`);
      const [command = ''] = linesOf(unit, 'ExecStart');
      const [, script = '', program = ''] = /^\/opt\/dealfeed\/(\S+) node (\S+)/u.exec(command) ?? [];
      assert.ok(existsSync(join(PROJECT, script)) && existsSync(join(PROJECT, program)), command);
      const credentials = linesOf(unit, 'LoadCredential').map((line) => line.split(':')[0] ?? '');
      const set = linesOf(unit, 'Environment').flatMap((line) =>
        line.split(' ').map((word) => word.split('=')[0] ?? ''),
      );
      const others = new Set(['PATH', 'NODE_COMPILE_CACHE', 'UV_THREADPOOL_SIZE']);
      const unknown = [...credentials, ...set].filter((name) => !KNOWN.has(name) && !others.has(name));
      assert.deepEqual(unknown, [], unit);
    }
  });

  test('do not start the server with test money, and a missing secret stops the start', () => {
    assert.ok(linesOf('dealfeed.service', 'Environment').join(' ').includes('NODE_ENV=production'));
    const required = read('deploy/systemd/dealfeed.service').matchAll(/^LoadCredential=(\w+):/gmu);
    assert.deepEqual([...required].map((match) => match[1]).sort(), ['CURSOR_SECRET', 'RECEIPT_KEY_FILE', 'RPC_URL']);
  });
});

test('the example of settings names settings that exist', () => {
  const names = [...read('deploy/env.example').matchAll(/^#?([A-Z_]+)=/gmu)].map((match) => match[1] ?? '');
  assert.deepEqual(
    names.filter((name) => !KNOWN.has(name)),
    [],
  );
  assert.ok(names.includes('PROXY_HOPS') && names.includes('STORE'));
});

test('the proxy passes long headers, the client address and streams, and changes no bytes', () => {
  const caddy = read('deploy/Caddyfile');
  for (const line of [/max_header_size 64KB/u, /X-Forwarded-For \{remote_host\}/u, /flush_interval -1/u])
    assert.match(caddy, line);
  assert.doesNotMatch(caddy, /^\s*encode\b/mu);
});
