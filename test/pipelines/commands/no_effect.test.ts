/** A setting that has no effect in the mode of a run says so. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { settingsWithoutEffect } from '../../../pipelines/commands/no_effect.ts';

test('SANDBOX_URL and the sandbox world have no effect on the real web', () => {
  const env = { SANDBOX_URL: 'http://localhost:1', FILINGS: '10', SEED: '' };
  assert.deepEqual(settingsWithoutEffect(env, true), [
    'No effect with LIVE=1: SANDBOX_URL, FILINGS (the sandbox is not read)',
  ]);
  assert.deepEqual(settingsWithoutEffect(env, false), []);
});

test('AT_ONCE has no effect on a run', () => {
  for (const isLive of [true, false])
    assert.match(settingsWithoutEffect({ AT_ONCE: '8' }, isLive).join(), /AT_ONCE\. It is a setting of make worker/);
});

test('the command that starts its own sandbox does not use the address of another', () => {
  const env = { ...process.env, SANDBOX_URL: 'http://localhost:1', LISTINGS: '1', PARCELS: '1', FILINGS: '1' };
  const { stderr, stdout, status } = spawnSync(
    process.execPath,
    ['sandbox/around.ts', process.execPath, '-p', 'process.env.SANDBOX_URL'],
    { cwd: new URL('../../../', import.meta.url), env, encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^No effect: SANDBOX_URL\. This command starts its own sandbox/u);
  assert.doesNotMatch(stdout, /localhost:1\n/);
});
