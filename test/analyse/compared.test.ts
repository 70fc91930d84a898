/** Two snapshots compared, over two days of the sandbox. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { DERIVED_TABLES, diffSnapshots, formatDiff, writeChanges, type Diff } from '../../pipelines/analyse/diff.ts';
import { snapshotNamed } from '../../pipelines/analyse/open_snapshot.ts';
import { loadMarts, type Mart } from '../../models/index.ts';
import { movingFields } from '../../models/marts/change_feeds.ts';
import { analystSettings } from '../../pipelines/analyse/settings.ts';
import { readSettings } from '../../lib/settings.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { published } from '../pipelines/runs.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../pipelines/starting_points.ts';
import { runHere, type Ended } from '../process/here.ts';
import { BARE } from '../environment.ts';

const root = new URL('../../', import.meta.url).pathname;
const [A, B] = [FIRST_RUN, SECOND_RUN];
let layout: Layout;
before(async () => {
  ({ layout } = await afterSecondDay());
});
const cli = (script: string, env: Record<string, string>): Promise<Ended> =>
  runHere(join(root, 'pipelines/analyse', script), { env: { ...BARE, DATA_DIR: layout.root, ...env } });

/** Published, and not derived from other tables. */
const isCompared = ({ name }: Mart): boolean => !DERIVED_TABLES.has(name);

describe('two snapshots compared', () => {
  let diff: Diff;
  before(async () => {
    diff = await diffSnapshots(layout, A, B);
  });
  after(() => {
    diff.duck.close();
  });
  const of = (table: string) => diff.tables.find((t) => t.table === table) ?? assert.fail(table);

  test('added, removed and changed rows equal those of a row-by-row comparison in plain code', async () => {
    for (const { name, contract } of (await loadMarts()).filter(isCompared)) {
      const { key } = contract.record;
      const moving = new Set(movingFields(contract.record));
      const byKey = async (runId: string) =>
        new Map((await published(layout, runId, name)).map((r) => [JSON.stringify(key.map((k) => r[k])), r]));
      const [a, b] = [await byKey(A), await byKey(B)];
      const fields = contract.record.columns.map((c) => c.name).filter((c) => !key.includes(c) && !moving.has(c));
      const counts = new Map<string, number>();
      let changed = 0;
      for (const [k, row] of b) {
        const old = a.get(k);
        const differing = old ? fields.filter((f) => old[f] !== row[f]) : [];
        changed += differing.length > 0 ? 1 : 0;
        for (const f of differing) counts.set(f, (counts.get(f) ?? 0) + 1);
      }
      const found = of(name);
      assert.deepEqual(
        [found.added, found.removed, found.changed],
        [[...b.keys()].filter((k) => !a.has(k)).length, [...a.keys()].filter((k) => !b.has(k)).length, changed],
        name,
      );
      assert.deepEqual(
        Object.fromEntries(found.fields.map((f) => [f.field, f.changes])),
        Object.fromEntries(counts),
        name,
      );
    }
    assert.ok(
      of('deals').fields.some((f) => f.field === 'list_price'),
      'three days of the world have price cuts',
    );
  });

  test('a snapshot compared with itself is the same, also with all fields', async () => {
    const same = await diffSnapshots(layout, B, B, { includeAll: true });
    assert.deepEqual(
      same.tables.filter((t) => t.added + t.removed + t.changed > 0),
      [],
    );
    assert.match((await formatDiff(same)).join('\n'), /identical: .*deals.*reports/);
    same.duck.close();
  });

  test('every change goes into a file, with old and new values, as lines of JSON or as Parquet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-diff-'));
    const [lines, table] = [join(folder, 'changes.ndjson'), join(folder, 'changes.parquet')];
    const written = await writeChanges(diff.duck, lines);
    assert.equal(await writeChanges(diff.duck, table), written);
    const parsed = (await readFile(lines, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l) as Record<string, string | null>);
    assert.equal(parsed.length, written);
    const cut =
      parsed.find((c) => c['table'] === 'deals' && c['field'] === 'list_price') ?? assert.fail('no price changed');
    const [old, now] = await Promise.all(
      [A, B].map(
        async (id) =>
          (await published(layout, id, 'deals', `WHERE id = ${literal(String(cut['key']))}`))[0]?.['list_price'],
      ),
    );
    assert.deepEqual([cut['old'], cut['new']], [old, now]);
    const added = parsed.find((c) => c['kind'] === 'added' && c['table'] === 'deals');
    if (added)
      assert.equal(
        (JSON.parse(String(added['new'])) as { id: string }).id,
        added['key'],
        'a row that came is there whole',
      );
    const duck = await openDuck();
    try {
      assert.deepEqual(
        await rowsOf(duck.connection, `SELECT count(*)::INT AS n FROM read_parquet(${literal(table)})`),
        [{ n: written }],
      );
    } finally {
      duck.close();
    }
    await assert.rejects(
      writeChanges(diff.duck, join(folder, 'changes.csv')),
      /expected a file that ends with \.ndjson or \.parquet/,
    );
  });

  test('are named by run, day, current or previous; by default they are the previous and the current one', async () => {
    const unnamed = readSettings(analystSettings, { DATA_DIR: layout.root });
    for (const [wanted, runId] of [
      [unnamed.A, A],
      [unnamed.B, B],
      ['2026-11-20', A],
      [A, A],
    ] as const)
      assert.equal(await snapshotNamed(layout, 'A', wanted), runId, wanted);
    const unknown = { name: 'SettingError', message: /^A is "2019-01-01", expected a snapshot/ };
    await assert.rejects(snapshotNamed(layout, 'A', '2019-01-01'), unknown);
  });

  test('are compared from the command line; ALL=1 shows the fields that change daily', async () => {
    assert.ok(!of('deals').fields.some((f) => f.field === 'days_on_feed'));
    const { code, out } = await cli('diff_cli.ts', { A: '2026-11-23', B: '2026-11-20', ALL: '1' });
    assert.equal(code, 0);
    assert.match(out, /^2026-11-23\.01 \(as of 2026-11-23\) -> 2026-11-20\.01 \(as of 2026-11-20\)\n/);
    assert.match(out, /\bdays_on_feed\b/);
    assert.match(out, /deals: \d+ rows -> \d+; 0 added, [1-9]/);
  });
});
