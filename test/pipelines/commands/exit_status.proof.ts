/** Runs with a broken source and with a closed output, and one that is blocked over a published snapshot. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import { startSandbox } from '../../../sandbox/server.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { BARE } from '../../environment.ts';
import { cli, root } from '../../process/program.ts';
import { TINY } from '../runs.ts';
import { afterFirstDay, FIRST_DAY, FIRST_RUN } from '../starting_points.ts';

const SITE = 'buckeye_income_property';
const BROKEN_RUN = `${FIRST_DAY}.02`;
const CLOSED_RUN = `${FIRST_DAY}.03`;
const NOBODY = 'http://127.0.0.1:9';

describe('the command line', () => {
  let layout: Layout;
  before(async () => {
    ({ layout } = await afterFirstDay());
  });

  test('a run with a broken source publishes, warns of it and exits with 0; status then exits with 1', async () => {
    // As if no run had tried the site.
    for (const folder of [layout.staged(SITE), join(layout.root, 'archive', 'requests', SITE)])
      await rm(folder, { recursive: true });
    const sandbox = await startSandbox({
      world: makeWorld(TINY),
      day: FIRST_DAY,
      alter: (q, r) => (q.host.includes('buckeye-income') ? { ...r, status: 403 } : undefined),
    });
    // A killed run left these.
    await mkdir(join(layout.snapshots, '.building-2026-11-20.99'));
    await writeFile(join(layout.run(FIRST_RUN), 'build.duckdb'), 'half');
    const { status, out } = await cli('run', { DATA_DIR: layout.root, SANDBOX_URL: sandbox.url, SOURCES: SITE });
    await sandbox.close();
    assert.equal(status, 0, out);
    assert.deepEqual((await readdir(layout.snapshots)).sort(), [FIRST_RUN, BROKEN_RUN]);
    assert.deepEqual(await readdir(layout.run(FIRST_RUN)), ['run.json']);
    assert.match(out, /Warnings \(1\)\n {2}buckeye_income_property unavailable: refused: .*it has no earlier rows/);
    assert.match(out, /Published .*2026-11-20\.02/);
    const seen = await cli('status', { DATA_DIR: layout.root });
    assert.equal(seen.status, 1);
    assert.match(seen.out, /buckeye_income_property +UNAVAILABLE .*refused: /);
    assert.match(seen.out, /0 late, 1 broken/);
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
