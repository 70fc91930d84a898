/** A publisher hides, renames or adds a column: the operator is told, and buyers read since when a field is missing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { closing } from '../../../lib/closing.ts';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { isObject } from '../../../lib/json.ts';
import { literal } from '../../../lib/sql.ts';
import { EXIT, status } from '../../../pipelines/commands/status.ts';
import { linesSql } from '../../../models/serving/text.ts';
import { Signal } from '../../../models/marts/signals.ts';
import { csvField } from '../../../sandbox/pages/parts.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { readCsv } from '../../../sources/csv/csv.ts';
import { FIRST_DAY, SECOND_DAY } from '../starting_points.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { thorough } from '../../thorough.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';
import { JOIN_RATES } from '../some_tables.ts';

/** Sources of three kinds of systems: a column of each table, and the field that it fills. */
const ALL = [
  { name: 'oh_cuyahoga_tax', at: 'CCFO/EPV_Prod', column: 'parcel_owner', field: 'owner_name', also: '\\w*owner' },
  { name: 'oh_stark_tax', at: 'StarkCountyParcels', column: 'OWNER', field: 'owner_name' },
  { name: 'mi_detroit_blight', at: 'blight_tickets', column: 'ordinance_description', field: 'description' },
  { name: 'mo_kansas_city_code', at: 'w5nm-8qv8', column: 'description', field: 'description' },
  { name: 'wi_milwaukee_tax', at: 'datastore/dump/8f1367e1', column: "Owner's Name", field: 'owner_name' },
] as const;
/** A layer, a table and a dump; in `make prove` two more. */
const SOURCES = ALL.filter(({ name }) => thorough(/_stark_|_kansas_|_milwaukee_/u, /^/u).test(name));

const ADDED = 'added_by_publisher';
type Change = 'blank' | 'rename';

/** JSON with the column blank, and one added to each description of a table; or with the column renamed. */
function changedJson(value: unknown, column: string, change: Change): unknown {
  if (Array.isArray(value)) return value.map((each) => changedJson(each, column, change));
  if (!isObject(value)) return value;
  const isNamed = change === 'rename' && (value.name === column || value.fieldName === column);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
      if (isNamed && each === column) return [[key, `${column}_2`]];
      if (key === column) return change === 'rename' ? [[`${column}_2`, each]] : [];
      const list = (key === 'fields' || key === 'columns') && Array.isArray(each) ? each : null;
      const [first] = (list ?? []) as unknown[];
      const added = change === 'blank' && isObject(first) ? [{ ...first, name: ADDED, fieldName: ADDED }] : [];
      return [
        [
          key,
          list ? [...(changedJson(list, column, change) as unknown[]), ...added] : changedJson(each, column, change),
        ],
      ];
    }),
  );
}

/** ArcGIS sends null for a blank cell; SODA omits its key. @param column a pattern */
const withNulls = (text: string, column: string): string =>
  text.replaceAll(new RegExp(`"(${column})":(?:"(?:[^"\\\\]|\\\\.)*"|[\\d.]+)`, 'gu'), '"$1":null');

function changedCsv(text: string, column: string, change: Change): string {
  const { header, rows } = readCsv(text, 'the dump');
  const at = header.indexOf(column);
  const names = header.map((name) => (change === 'rename' && name === column ? `${column}_2` : name));
  const more = change === 'blank' ? [ADDED] : [];
  const cellsOf = (cells: readonly string[]): string[] =>
    cells.map((cell, index) => (change === 'blank' && index === at ? '' : cell));
  const lines = [[...names, ...more], ...rows.map(({ cells }) => [...cellsOf(cells), ...more])];
  return `${lines.map((cells) => cells.map(csvField).join(',')).join('\r\n')}\r\n`;
}

const altered =
  (change: Change): Alter =>
  ({ path }, response) => {
    const source = SOURCES.find(({ at }) => path.includes(at));
    if (source === undefined) return undefined;
    const text = Buffer.from(response.body).toString('utf8');
    const isFeatures = change === 'blank' && path.endsWith('/query');
    const body = path.includes('/dump/')
      ? changedCsv(text, source.column, change)
      : isFeatures
        ? withNulls(text, 'also' in source ? source.also : source.column)
        : JSON.stringify(changedJson(JSON.parse(text), source.column, change));
    return { ...response, body: Buffer.from(body) };
  };

const isOne = ({ name }: { readonly name: string }): boolean => SOURCES.some((source) => source.name === name);

it('a blank, renamed or added column of each kind of table reaches the operator and buyers', async () => {
  const [layout, world] = [await newLayout(), makeWorld({ ...TINY, parcels: thorough(1500, 4000) })];
  const run = (day: string, change?: Change) =>
    runDay({
      layout,
      world,
      day,
      only: isOne,
      tables: ['sources', 'signals'],
      empty: [JOIN_RATES],
      ...(change ? { alter: altered(change) } : {}),
    });
  await run(FIRST_DAY);
  const sourcesOf = (runId: string) =>
    published(
      layout,
      runId,
      'sources',
      `WHERE source IN (${SOURCES.map(({ name }) => literal(name)).join(', ')}) ORDER BY ALL`,
    );
  const { runId } = await run(SECOND_DAY, 'blank');
  const found = await sourcesOf(runId);
  assert.equal(found.length, SOURCES.length);
  for (const row of found) {
    const { name, field } = SOURCES.find((source) => source.name === row['source']) ?? assert.fail();
    assert.deepEqual(
      [row['status'], row['reason'], row['missing_fields'], row['missing_since'], row['rows_stated']],
      ['degraded', 'column_went_blank', field, SECOND_DAY, row['rows_in']],
      name,
    );
    assert.match(String(row['news']), new RegExp(`column ${ADDED}\\b`, 'u'), name);
    assert.match(String(row['fill_rates']), new RegExp(`\\b${field} 0\\b`, 'u'), name);
  }
  const lines: string[] = [];
  assert.equal(await status(layout, {}, (all) => lines.push(...all)), EXIT.warning);
  for (const { name } of SOURCES) {
    assert.ok(
      lines.some((line) => line.startsWith(`New       ${name}: column ${ADDED}`)),
      name,
    );
    assert.ok(
      lines.some((line) => line.includes(name) && line.includes('DEGRADED')),
      name,
    );
  }

  const names = Signal.columns.map(({ name }) => name);
  await using duck = closing(await openSmall());
  const parquet = literal(join(layout.snapshot(runId), 'signals.parquet'));
  for (const { name, field } of SOURCES) {
    const rows = await rowsOf(
      duck.connection,
      `SELECT ${linesSql(Signal)} AS lines FROM read_parquet(${parquet})
      WHERE source = ${literal(name)} AND signal_state = 'listed'`,
    );
    const said = rows.map(({ lines: text }) => String(text).split('\n'));
    assert.ok(said.length > 5, name);
    for (const record of said)
      assert.deepEqual(
        [record[names.indexOf(field)], record[names.indexOf('missing_since')]],
        ['!missing_at_source', JSON.stringify(SECOND_DAY)],
        name,
      );
  }

  const renamed = await sourcesOf((await run('2026-11-24', 'rename')).runId);
  for (const row of renamed) {
    const { name, column } = SOURCES.find((source) => source.name === row['source']) ?? assert.fail();
    assert.deepEqual(
      [row['status'], row['reason'], row['missing_since']],
      ['quarantined', 'missing_column', SECOND_DAY],
      name,
    );
    assert.match(String(row['detail']), new RegExp(`no (?:column|field) ${column}; it has .*${column}_2`, 'u'), name);
  }
  assert.equal(await status(layout, {}, () => undefined), EXIT.warning);
});
