/** The queries of docs/analysis.md run on the shared first day. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { afterFirstDay, FIRST_RUN } from '../pipelines/starting_points.ts';
import { pages } from './pages.ts';

test('the queries of docs/analysis.md return rows', async (t) => {
  const duck = await openDuck();
  t.after(() => {
    duck.close();
  });
  const { layout } = await afterFirstDay();
  await duck.connection.run(
    `ATTACH ${literal(join(layout.snapshot(FIRST_RUN), 'dealfeed.duckdb'))} AS snapshot (READ_ONLY)`,
  );
  await duck.connection.run('USE snapshot');
  const text = pages.find(({ path }) => path === 'docs/analysis.md')?.text ?? '';
  const counts: number[] = [];
  for (const [, sql = ''] of text.matchAll(/```sql\n([\s\S]*?)```/gu))
    counts.push((await rowsOf(duck.connection, sql)).length);
  assert.equal(counts.length, 3);
  // On a first day nothing is gone yet.
  assert.ok((counts[0] ?? 0) === 5 && (counts[1] ?? 0) > 3, counts.join(' '));
});
