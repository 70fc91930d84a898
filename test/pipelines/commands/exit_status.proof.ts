/** A run with a closed output. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import { BARE } from '../../environment.ts';
import { root } from '../../process/program.ts';
import { afterFirstDay, FIRST_DAY } from '../starting_points.ts';

const CLOSED_RUN = `${FIRST_DAY}.02`;
const NOBODY = 'http://127.0.0.1:9';

describe('the command line', () => {
  let layout: Layout;
  before(async () => {
    ({ layout } = await afterFirstDay());
  });

  test('a run whose output is closed still publishes', async () => {
    const child = spawn(process.execPath, ['pipelines/commands/cli.ts', 'run'], {
      cwd: root,
      env: { ...BARE, DATA_DIR: layout.root, SANDBOX_URL: NOBODY, SOURCES: 'none' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.once('data', () => {
      child.stdout.destroy();
    });
    assert.equal(
      await new Promise((resolve) => {
        child.on('exit', resolve);
      }),
      0,
    );
    assert.equal(await readlink(layout.current), `snapshots/${CLOSED_RUN}`);
  });
});
