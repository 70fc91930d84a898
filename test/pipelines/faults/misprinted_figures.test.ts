/** A misprinted figure costs its row: one reject names it, the rest of the page is published, and the run goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields, RecordDefinition } from '../../../lib/record.ts';
import { loadRowRecords } from '../../../sources/index.ts';
import { AreaCensus } from '../../../sources/rows/benchmarks.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';

const messages = (record: RecordDefinition, field: string, value: unknown): readonly string[] =>
  (record.schema.shape as Fields)[field]?.safeParse(value).error?.issues.map(({ message }) => message) ??
  (field in record.schema.shape ? [] : [`no field ${field}`]);

test('every amount of a staged row has a range', async () => {
  for (const record of await loadRowRecords()) {
    // The adapter refuses medians outside of the bounds of their table
    if (record.name === AreaCensus.name) continue;
    for (const { name, kind } of record.columns)
      if (kind === 'money') assert.match(messages(record, name, '99999999999.99').join(), /^expected/u, name);
  }
});

test('one misprinted amount on a page is one reject with its row, and every other row is published', async () => {
  const layout = await newLayout();
  let isAltered = false;
  const run = await runDay({
    layout,
    world: makeWorld(TINY),
    day: '2026-11-20',
    only: ['oh_stark_tax'],
    tables: ['signals', 'rejects'],
    alter: (q, r) => {
      if (q.host !== 'utility.arcgis.com' || isAltered) return undefined;
      const body = new TextDecoder().decode(r.body);
      if (!/"FINAL_BALANCE":"?[\d.]+/u.test(body)) return undefined;
      isAltered = true;
      return { ...r, body: Buffer.from(body.replace(/("FINAL_BALANCE":"?)[\d.]+/u, '$188888888888')) };
    },
  });
  const read = run.sources.find(({ spec }) => spec.name === 'oh_stark_tax')?.row;
  assert.ok(run.manifest, 'the run publishes');
  assert.deepEqual([read?.status, read?.rows_rejected], ['good', 1], read?.detail ?? '');
  const rejects = await published(layout, run.runId, 'rejects');
  assert.deepEqual(
    rejects.map(({ source, reason, detail, page_row }) => [source, reason, detail, page_row]),
    [['oh_stark_tax', 'invalid_field', 'amount is "88888888888.00": expected -999999999.99 to 999999999.99', 0]],
  );
  assert.equal((await published(layout, run.runId, 'signals')).length, read?.rows_out);
});
