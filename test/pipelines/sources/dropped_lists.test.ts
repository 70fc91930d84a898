/** Counties without a list on the web: quiet until the operator drops a file, then counties like any other. */
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { status } from '../../../pipelines/commands/status.ts';
import { collectWarnings, formatWaiting } from '../../../pipelines/run/summary.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';
import { DISTRESS_AND_PARCELS } from '../some_tables.ts';

const tables = ['signals'];
const LISTS = ['oh_butler_tax', 'oh_franklin_tax', 'oh_lucas_tax'];

test('a dropped list needs no file, is read if there is one, and stays when the file is gone', async () => {
  const [layout, world] = [await newLayout(), makeWorld(TINY)];
  const dropped = ({ name }: { readonly name: string }): boolean => LISTS.includes(name);
  // A first run that reads nothing at all publishes nothing.
  const only = (spec: { readonly name: string }): boolean => dropped(spec) || spec.name === 'hud_fmr';
  const about = (lines: readonly string[]): string[] =>
    lines.filter((line) => LISTS.some((name) => line.includes(name)));

  const first = await runDay({ layout, world, day: '2026-11-18', only, tables: [] });
  assert.deepEqual(
    first.sources.filter((s) => dropped(s.spec)).map(({ row, latest }) => [row.source, row.status, row.reason, latest]),
    LISTS.map((name) => [name, 'never_read', 'no_file', undefined]),
  );
  assert.deepEqual(about(collectWarnings(first)), []);
  assert.deepEqual(about(formatWaiting(first.sources)), [
    `Waiting for a file in the drop folder: ${LISTS.join(', ')}, operator_files`,
  ]);
  const said: string[] = [];
  await status(layout, {}, (all) => said.push(...all));
  assert.ok(
    about(said).length === 3 && about(said).every((line) => / no file +never /.test(line)),
    about(said).join('\n'),
  );
  assert.match(said.join('\n'), / broken, 4 waiting for the operator, 4 out of season$/mu);

  const folder = join(layout.drop, 'oh_franklin_tax');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'list.csv'),
    'Parcel ID,Owner,Site Address,Site Zip,Delinquent Balance\n' +
      '010-000005-00,SAMPLE JANE,12 E GAY ST,43215,"$1,234.56"\n0100000060,LOST A ZERO,,,7.00\n',
  );
  const refused = await runDay({ layout, world, day: '2026-11-19', only, tables: [] });
  assert.match(
    about(collectWarnings(refused)).join('\n'),
    /^oh_franklin_tax quarantined: too_many_rejects: 1 of 2 rows refused.*"010-000005-00"/u,
  );

  await writeFile(
    join(folder, 'list.csv'),
    'Parcel ID,Owner,Site Address,Site Zip,Delinquent Balance\n' +
      '010-000005-00,SAMPLE JANE,12 E GAY ST,43215,"$1,234.56"\n010000006,WITHOUT CARD,,,7.00\n',
  );
  const read = await runDay({ layout, world, day: '2026-11-20', only, tables, empty: DISTRESS_AND_PARCELS });
  assert.deepEqual(about(collectWarnings(read)), []);
  const signals = await published(layout, read.runId, 'signals', "WHERE county_fips = '39049' ORDER BY parcel_id");
  assert.deepEqual(
    signals.map((s) => [s['parcel_id'], s['parcel_key'], s['amount'], s['address_status'], s['county']]),
    [
      ['010-000005-00', '010000005', '1234.56', 'available', 'Franklin County, OH'],
      ['010000006', '010000006', '7.00', 'pending_parcel_lookup', 'Franklin County, OH'],
    ],
  );

  await rm(folder, { recursive: true });
  const after = await runDay({ layout, world, day: '2026-11-21', only, tables, empty: DISTRESS_AND_PARCELS });
  const franklin = after.sources.find((s) => s.row.source === 'oh_franklin_tax')?.row;
  assert.deepEqual(
    [franklin?.status, franklin?.reason, franklin?.age_days, franklin?.rows_out],
    ['not_due', 'no_file', 1, 2],
  );
  assert.deepEqual(about(collectWarnings(after)), []);
  assert.equal(
    (await published(layout, after.runId, 'signals', "WHERE county_fips = '39049' AND signal_state = 'listed'")).length,
    2,
  );
});
