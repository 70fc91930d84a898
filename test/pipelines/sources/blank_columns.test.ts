/** A publisher hides a column and changes nothing else: the source is degraded, and its records say since when. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { checkHealth } from '../../../pipelines/operate/health.ts';
import { findBlankColumns } from '../../../pipelines/ingest/fill.ts';
import { loadSources } from '../../../sources/index.ts';
import { linesSql } from '../../../models/serving/text.ts';
import { Signal } from '../../../models/marts/signals.ts';
import { afterFirstDay, SECOND_DAY } from '../starting_points.ts';
import { published, runDay } from '../runs.ts';

const SOURCE = 'oh_cuyahoga_tax';
const HOST = 'gis.cuyahogacounty.us';

/** The owners of a layer's features as blanks. */
function withoutOwners(body: string): string {
  return body.replaceAll(/"(\w*OWNER\w*)":"[^"]*"/giu, '"$1":null');
}

it('a column that goes blank degrades its source, and its records say missing_at_source since that day', async () => {
  const { layout, world } = await afterFirstDay();
  const { runId } = await runDay({
    layout,
    world,
    day: SECOND_DAY,
    only: ({ name }) => name === SOURCE,
    tables: ['sources', 'signals'],
    alter: ({ host, path }, response) =>
      host === HOST && path.endsWith('/query')
        ? { ...response, body: Buffer.from(withoutOwners(Buffer.from(response.body).toString('utf8'))) }
        : undefined,
  });
  const [source] = await published(layout, runId, 'sources', `WHERE source = '${SOURCE}'`);
  assert.deepEqual(
    [source?.['status'], source?.['reason'], source?.['missing_fields'], source?.['missing_since']],
    ['degraded', 'column_went_blank', 'owner_name', SECOND_DAY],
  );
  const { troubles } = await checkHealth(layout, await loadSources());
  assert.ok(troubles.some(({ kind, subject }) => kind === 'source_degraded' && subject === SOURCE));

  const names = Signal.columns.map(({ name }) => name);
  const duck = await openSmall();
  try {
    const parquet = literal(join(layout.snapshot(runId), 'signals.parquet'));
    const rows = await rowsOf(
      duck.connection,
      `SELECT ${linesSql(Signal)} AS lines FROM read_parquet(${parquet}) WHERE source = ${literal(SOURCE)}`,
    );
    const said = rows
      .map(({ lines }) => String(lines).split('\n'))
      .filter((lines) => lines[names.indexOf('owner_name')] === '!missing_at_source');
    assert.ok(said.length > 20);
    assert.ok(said.every((lines) => lines[names.indexOf('missing_since')] === JSON.stringify(SECOND_DAY)));
  } finally {
    duck.close();
  }
});

it('a fall is no chance, and lasts until the column is filled again', () => {
  const read = (as_of: string, rows: number, owner: number) => ({ as_of, filled: { rows, by: { owner } } });
  const found = (...reads: Parameters<typeof findBlankColumns>[0]) =>
    findBlankColumns(reads).map(({ name, since }) => [name, since]);
  const full = read('2026-11-20', 120, 118);
  assert.deepEqual(found(read('2026-11-21', 120, 0), full), [['owner', '2026-11-21']]);
  assert.deepEqual(found(read('2026-11-22', 120, 3), read('2026-11-21', 120, 0), full), [['owner', '2026-11-21']]);
  assert.deepEqual(found(read('2026-11-22', 120, 117), read('2026-11-21', 120, 0), full), []);
  // Of five rows, of which half had one, none is no sign; a column that was hardly ever filled has nothing to lose.
  assert.deepEqual(found(read('2026-11-21', 5, 0), read('2026-11-20', 120, 60)), []);
  assert.deepEqual(found(read('2026-11-21', 120, 0), read('2026-11-20', 120, 2)), []);
  assert.deepEqual(found(read('2026-11-21', 120, 70), full), [['owner', '2026-11-21']]);
});
