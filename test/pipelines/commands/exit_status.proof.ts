/** A run with a closed output, and one that is blocked over a published snapshot. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import { BARE } from '../../environment.ts';
import { cli, root } from '../../process/program.ts';
import { afterFirstDay, FIRST_DAY, FIRST_RUN } from '../starting_points.ts';

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

  test('rows that do not add up block publication: exit status 2, the previous snapshot stays current', async () => {
    const serving = await readlink(layout.current);
    const path = join(layout.staged('hud_fmr'), `${FIRST_RUN}.json`);
    const record = JSON.parse(await readFile(path, 'utf8')) as { counts: { rows_in: number } };
    record.counts.rows_in += 1;
    await writeFile(path, JSON.stringify(record));
    const { status, out } = await cli('run', { DATA_DIR: layout.root, SANDBOX_URL: NOBODY, SOURCES: 'none' });
    assert.equal(status, 2, out);
    assert.match(out, /audit sources\.rows_add_up failed for 1 rows and blocks publication/);
    assert.match(out, /NOT PUBLISHED/);
    assert.equal(await readlink(layout.current), serving);
  });
});
