/** make status: what is printed, what a monitor reads, and what is trouble. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { loadSources } from '../../sources/index.ts';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { noteBackup } from '../../pipelines/operate/notes.ts';
import { checkHealth, type Health } from '../../pipelines/operate/health.ts';
import type { ProblemKind } from '../../pipelines/operate/problems.ts';
import { EXIT, formatHealth, status } from '../../pipelines/commands/status.ts';
import { runDay } from '../pipelines/runs.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';
import { BARE } from '../environment.ts';
import { startProgram } from '../support/program.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const root = new URL('../../', import.meta.url);
const kinds = (health: Health): ProblemKind[] => health.troubles.map((t) => t.kind);

describe('make status', () => {
  let layout: Layout;
  let runId: string;
  const look = async (today?: string): Promise<Health> =>
    checkHealth(layout, await loadSources(), today === undefined ? {} : { today });
  before(async () => {
    const start = await afterFirstDay();
    layout = start.layout;
    // On the second day one site is rebuilt, and one refuses.
    ({ runId } = await runDay({
      ...start,
      day: '2026-11-21',
      tables: [],
      only: ['heartland_multifamily', 'buckeye_income_property', 'hud_fmr'],
      alter: (q, r) =>
        q.host.includes('heartland')
          ? { ...r, body: new TextEncoder().encode('<html><body>We have moved</body></html>') }
          : q.host.includes('buckeye-income')
            ? { ...r, status: 403 }
            : undefined,
    }));
  });

  test('shows the last success of each source, its age against cadence, rows, reason and next read', async () => {
    const { sources } = await look();
    const of = (name: string) => sources.find((s) => s.source === name) ?? assert.fail(name);
    const moved = of('heartland_multifamily');
    assert.deepEqual(
      [moved.state, moved.group, moved.last_good_at?.slice(0, 10), moved.age_days, moved.every_days],
      ['QUARANTINED', 'broken', '2026-11-20', 1, 1],
    );
    assert.ok(moved.rows > 0 && moved.reason !== null && moved.detail !== null && moved.page_url !== null);
    assert.equal(moved.next_due, '2026-11-21', 'it is due again at once');
    assert.deepEqual([of('hud_fmr').state, of('hud_fmr').next_due], ['fresh', '2026-11-28']);
    assert.deepEqual([of('oh_butler_tax').group, of('oh_butler_tax').next_due], ['waiting', null]);
    assert.equal(of('ohio_sos').next_due, '2026-12-12', 'the second Saturday');
  });

  test('names for each problem a section of the runbook that exists', async () => {
    const health = await look();
    assert.deepEqual(kinds(health).sort(), ['source_quarantined', 'source_unavailable']);
    assert.deepEqual([health.level, EXIT[health.level]], ['warning', 1]);
    const stale = await look('2026-11-25');
    assert.ok(kinds(stale).filter((k) => k === 'source_stale').length > 10);
    assert.deepEqual(
      stale.sources.find((s) => s.source === 'ohio_sos')?.group,
      'fresh',
      'a monthly source is not late after five days',
    );
    for (const { runbook } of stale.troubles) {
      const [page = '', reason = ''] = runbook.split('#');
      assert.match(await readFile(new URL(page, root), 'utf8'), new RegExp(`^### ${reason}$`, 'm'));
    }
  });

  /** Use the folder while its snapshot counts as one of real data. */
  async function withRealData(use: () => Promise<void>): Promise<void> {
    const path = join(layout.current, 'manifest.json');
    const sandboxed = await readFile(path, 'utf8');
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => writeFile(path, sandboxed));
    await writeFile(path, sandboxed.replace('"data_clock": "sandbox"', '"data_clock": "live"'));
    await use();
  }

  test('prints a mark for each of ninety days of a source with ALL=1', async () => {
    const lines: string[] = [];
    await status(layout, { all: true }, (all) => lines.push(...all));
    assert.ok(
      lines.some((line) => /^ *heartland_multifamily +\.{88}=x$/u.test(line)),
      lines.join('\n'),
    );
    assert.ok(lines.some((line) => /^ *hud_fmr +\.{88}==$/u.test(line)));
  });

  test('reports a missing or old backup as a problem for real data, and not for the sandbox', async () => {
    const sources = await loadSources();
    const lookOn = (today: string): Promise<Health> => checkHealth(layout, sources, { today });
    const messages = (health: Health): string[] =>
      health.troubles.flatMap(({ kind, message }) => (kind === 'backup_late' ? [message] : []));
    assert.deepEqual(messages(await lookOn('2026-12-20')), []);
    await withRealData(async () => {
      assert.deepEqual(messages(await lookOn('2026-11-22')), [], 'the folder is two days old');
      assert.deepEqual(messages(await lookOn('2026-11-23')), [
        `${layout.root} has no complete backup after 3 days: run make backup TO=... every night`,
      ]);
      await noteBackup(layout, '/backups', new Date('2026-11-23T02:00:00Z'));
      const fresh = await lookOn('2026-11-25');
      assert.deepEqual(messages(fresh), []);
      assert.ok(formatHealth(fresh).includes('Backup    2026-11-23 in /backups'));
      assert.match(
        messages(await lookOn('2026-11-26')).join(),
        /^the last complete backup of \S+ is 3 days old: run make backup /,
      );
    });
  });

  test('gives a monitor JSON and an exit status', () => {
    const monitor = spawnSync(process.execPath, ['pipelines/commands/cli.ts', 'status'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...BARE, DATA_DIR: layout.root, JSON: '1' },
    });
    assert.equal(monitor.status, 1);
    const health = JSON.parse(monitor.stdout) as Health;
    assert.equal(health.snapshot?.run_id, runId);
    assert.equal(health.troubles.length, 2);
  });

  test('reports a run that published nothing, and one that was killed, until one publishes', async () => {
    const bad = '2026-11-21.02';
    await mkdir(layout.run(bad));
    assert.ok(kinds(await look()).includes('run_died'));
    await writeFile(
      join(layout.run(bad), 'run.json'),
      JSON.stringify({
        run_id: bad,
        started_at: '2026-11-21T12:00:00Z',
        seconds: 2,
        published: false,
        current: false,
        blocked: ['sources.rows_add_up'],
        reads: [{ source: 'hud_fmr', status: 'unavailable', traffic: null }],
      }),
    );
    const blocked = await look();
    assert.deepEqual([blocked.level, EXIT[blocked.level]], ['critical', 2]);
    assert.match(
      formatHealth(blocked).join('\n'),
      /NOT PUBLISHED \(sources\.rows_add_up\)[\s\S]*Problem {3}run .* published nothing: .*runbook\.md#audit_blocked/,
    );
  });

  test('the ninety days end today, with the reads of a run that published nothing', async () => {
    const { history } = await look('2026-11-23');
    assert.deepEqual([history['hud_fmr']?.length, history['hud_fmr']?.slice(-5)], [90, '.=x..']);
  });

  test('reports a changed file of the snapshot', async () => {
    await appendFile(join(layout.snapshot(runId), 'leads.parquet'), 'x');
    const health = await look();
    assert.ok(kinds(health).includes('snapshot_damaged'));
    assert.match(formatHealth(health).join('\n'), /leads\.parquet does not have the hash its manifest states/);
  });

  test('reports an unreadable manifest as critical, and does not fail', async () => {
    await writeFile(join(layout.snapshot(runId), 'manifest.json'), '{"run_id": ');
    const lines: string[] = [];
    assert.equal(await status(layout, {}, (all) => lines.push(...all)), 2);
    assert.match(lines.join('\n'), /Problem {3}.*manifest\.json.*See docs\/runbook\.md#snapshot_damaged/);
  });
});

test('a run that Ctrl-C ended is stopped by the operator, not a crash', async (t) => {
  const sandbox = await startSandbox({
    world: makeWorld({ seed: 7, listings: 8, parcels: 40, auctions: 0, filings: 0 }),
    day: '2026-11-20',
  });
  t.after(() => sandbox.close());
  const layout = layoutOf(memoryFolder('dealfeed-stopped-'));
  const env = { ...BARE, DATA_DIR: layout.root, SANDBOX_URL: sandbox.url, SOURCES: 'tax' };
  const program = startProgram(['pipelines/commands/cli.ts', 'run'], env);
  assert.ok(await program.said(/^reading /u), program.lines.join('\n'));
  program.child.kill('SIGINT');
  assert.equal((await program.ended).signal, 'SIGINT');
  const { stopped, troubles } = await checkHealth(layout, []);
  assert.deepEqual([stopped, troubles.map(({ kind }) => kind)], ['2026-11-20.01', ['nothing_published']]);
});
