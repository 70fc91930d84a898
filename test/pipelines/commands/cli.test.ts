/** The command line: a wrong setting or argument is one line that names it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { readSettings, pipelineSettings, SettingError } from '../../../lib/settings.ts';
import { BARE } from '../../environment.ts';
import { refusal } from './refusal.ts';
import { memoryFolder } from '../../ledger/memory_folder.ts';

const root = new URL('../../../', import.meta.url).pathname;

function cli(
  args: readonly string[],
  env: Record<string, string>,
  script = ['pipelines/commands/cli.ts'],
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [...script, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...BARE, DATA_DIR: memoryFolder('dealfeed-cli-'), ...env },
  });
}

const WRONG: readonly (readonly [env: Record<string, string>, message: RegExp])[] = [
  [{ DAY: '20.11.2026', SANDBOX_URL: 'http://127.0.0.1:1' }, /^DAY is "20\.11\.2026", expected a day as YYYY-MM-DD$/],
  [{ DAY: '2026-02-30', SANDBOX_URL: 'http://127.0.0.1:1' }, /^DAY is "2026-02-30", expected a day/],
  [
    { DAY: '1900-01-01', SANDBOX_URL: 'http://127.0.0.1:1' },
    /^DAY is "1900-01-01", expected a day from 2000-01-01 to 2099-12-31$/,
  ],
  [
    { DATA_DIR: '/dev/null', SANDBOX_URL: 'http://127.0.0.1:1' },
    /^DATA_DIR is "\/dev\/null", expected a writable folder: it is a file$/,
  ],
  [
    { SANDBOX_URL: 'http://127.0.0.1:1', SOURCES: ',' },
    /^SOURCES is ",", expected names or families of sources, or none$/,
  ],
  [{ LIVE: 'yes' }, /^LIVE is "yes", expected either 0 or 1$/],
  [{ LIVE: '1' }, /^CONTACT is not set, expected /],
  [{ LIVE: '1', CONTACT: 'me@dealfeed.test', DAY: '2026-11-20' }, /^DAY is "2026-11-20", expected none with LIVE=1/],
  [{}, /^SANDBOX_URL is not set, expected /],
  [
    { SANDBOX_URL: 'http://127.0.0.1:1', SOURCES: 'oh_atlantis_tax' },
    /^SOURCES is "oh_atlantis_tax", expected .*: oh_atlantis_tax is neither\. Families: listings, .* lists all\.$/,
  ],
  [
    { SANDBOX_URL: 'http://127.0.0.1:1', SOURCES: 'sherif' },
    /: sherif is neither\. Similar: oh_allen_sheriff, .*\. docs\/sources\.md lists all\.$/,
  ],
  [{ LIVE: '1', CONTACT: 'me' }, /^CONTACT is "me", expected an address or URL where site owners reach the operator$/],
  [{ SANDBOX_URL: 'http://127.0.0.1:1', LISTINGS: 'many' }, /^LISTINGS is "many", expected a whole number$/],
];

for (const [env, message] of WRONG) {
  test(`run refuses ${JSON.stringify(env)} in one line`, async () => {
    const line = await refusal(env);
    assert.match(line, message);
    assert.doesNotMatch(line, /\n/u);
  });
}

test('the process of a refused run prints that line only, and exits with 1', () => {
  const { status, stdout, stderr } = cli(['run'], { LIVE: 'yes' });
  assert.deepEqual([status, stdout, stderr], [1, '', 'LIVE is "yes", expected either 0 or 1\n']);
});

test('an unknown command or option is named', () => {
  assert.match(cli(['fly'], {}).stderr, /^command is "fly", expected /);
  assert.match(cli(['run', '--fast'], {}).stderr, /--fast/);
  assert.match(cli(['run', 'fast'], {}).stderr, /^argument is "fast"/);
});

test('status of an empty data folder says what to do and exits with 2', () => {
  const { status, stdout } = cli(['status'], {});
  assert.equal(status, 2);
  assert.match(stdout, /make run/);
});

test('an empty variable counts as not set, an unknown one is ignored', () => {
  assert.equal(readSettings(pipelineSettings, { DATA_DIR: '', HOME: '/x' }).DATA_DIR, 'data');
  assert.throws(() => readSettings(pipelineSettings, { SEED: '1.5' }), SettingError);
});

test('the command that starts its own sandbox does not use the address of another', () => {
  const world = { SANDBOX_URL: 'http://localhost:1', LISTINGS: '1', PARCELS: '1', FILINGS: '1' };
  const { stderr, stdout, status } = cli([process.execPath, '-p', 'process.env.SANDBOX_URL'], world, [
    'sandbox/around.ts',
  ]);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^No effect: SANDBOX_URL\b/u);
  assert.doesNotMatch(stdout, /localhost:1\n/);
});
