/** Listings that brokers send: one folder per broker, each file on its own. */
import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { closing } from '../../../lib/closing.ts';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { explain } from '../../../pipelines/analyse/explain/explain.ts';
import { openSnapshot } from '../../../pipelines/analyse/open_snapshot.ts';
import { sandboxClock } from '../../../pipelines/clock.ts';
import { rebuildSource } from '../../../pipelines/commands/rebuild_source.ts';
import { ingest } from '../../../pipelines/ingest/ingest.ts';
import { stagedParquet, type ReadRecord } from '../../../pipelines/ingest/reads.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { collectWarnings } from '../../../pipelines/run/summary.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { codeOfName } from '../../../sources/dropped_files.ts';
import { openArchive } from '../../../lib/archive.ts';
import { createFetcher } from '../../../sources/fetch/fetcher.ts';
import spec from '../../../sources/listings/operator_files.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';
import { COUNTY_RECORDS } from '../some_tables.ts';

const HEADINGS = 'MLS#,Address,City,State,ZIP,Price,Units';

/** A list of invented listings, numbered from 1. */
const list = (street: string, prices: readonly number[]): string =>
  [HEADINGS, ...prices.map((price, i) => `${i + 1},${i + 1} ${street},Akron,OH,44308,${price},4`)].join('\n');

async function drop(layout: Layout, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(layout.drop, spec.name, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** The id with the folder's name in place of its code. */
const withNames = (text: string): string =>
  ['acme', 'birch', 'birch & co', 'cedar'].reduce((id, name) => id.replace(`${codeOfName(name)}/`, `${name}/`), text);

/** One read, and its staged rows as "listing_id price day". */
async function read(layout: Layout, day: string): Promise<{ record: ReadRecord; rows: readonly string[] }> {
  const [archive, clock, runId] = [await openArchive(layout.root), sandboxClock(day), `${day}.01`];
  await using fetcher = closing(createFetcher({ archive, clock, secrets: {} }));
  const run = { layout, archive, clock, runId, fetcher };
  const record = (await ingest(run, spec, { lastGoodOn: null })) ?? assert.fail('nothing was dropped');
  if (record.status !== 'good') return { record, rows: [] };
  const duck = await openDuck();
  const rows = await rowsOf(
    duck.connection,
    `SELECT listing_id || ' ' || list_price || ' ' || left(CAST(observed_at AS VARCHAR), 10) AS text
      FROM read_parquet(${literal(stagedParquet(layout, spec.name, runId))})`,
  );
  duck.close();
  return { record, rows: rows.map(({ text }) => withNames(String(text))).sort() };
}

test('two brokers that both number their listings 1 and 2 have four listings', async () => {
  const layout = await newLayout();
  await drop(layout, {
    'acme/list.csv': list('Elm St', [100_000, 200_000]),
    'birch & co/list.csv': list('Oak St', [300_000, 400_000]),
    'own.csv': list('Ash St', [500_000]),
  });
  const { record, rows } = await read(layout, '2026-11-20');
  assert.equal(record.status, 'good');
  assert.equal(record.counts.rows_merged, 0);
  assert.deepEqual(rows, [
    '1 500000.00 2026-11-20',
    'acme/1 100000.00 2026-11-20',
    'acme/2 200000.00 2026-11-20',
    'birch & co/1 300000.00 2026-11-20',
    'birch & co/2 400000.00 2026-11-20',
  ]);
});

test('an unreadable file is reported, its broker keeps the last good rows, and the other files are read', async () => {
  const layout = await newLayout();
  await drop(layout, {
    'acme/list.csv': list('Elm St', [100_000, 200_000]),
    'birch/list.csv': list('Oak St', [300_000]),
    'cedar/list.csv': list('Fir St', [600_000, 700_000]),
    'own.csv': list('Ash St', [500_000]),
  });
  assert.equal((await read(layout, '2026-11-19')).rows.length, 6);

  // A list without prices, one under a new name with only bad rows, a document, and a link that leads nowhere.
  await rm(join(layout.drop, spec.name, 'birch', 'list.csv'));
  await drop(layout, {
    'acme/list.csv': 'MLS#,Address,City,State,ZIP\n1,1 Elm St,Akron,OH,44308\n',
    'birch/november.csv': `${HEADINGS}\n1,1 Oak St,Akron,Ohio,44308,1,4\n`,
    'birch/letter.docx': 'Dear all',
    'cedar/list.csv': list('Fir St', [600_001]),
    'own.csv': list('Ash St', [500_001]),
  });
  await symlink('/nowhere', join(layout.drop, spec.name, 'cedar', 'more.csv'));
  const { record, rows } = await read(layout, '2026-11-20');
  assert.equal(record.status, 'good');
  assert.deepEqual(rows, [
    '1 500001.00 2026-11-20',
    'acme/1 100000.00 2026-11-19',
    'acme/2 200000.00 2026-11-19',
    'birch/1 300000.00 2026-11-19',
    // cedar/2 is gone from a file that was read.
    'cedar/1 600001.00 2026-11-20',
  ]);
  assert.deepEqual(record.counts, { rows_in: 6, rows_out: 2, rows_rejected: 4, rows_merged: 0, rows_carried: 3 });
  assert.deepEqual(record.rejects.map(({ reason, detail }) => `${reason} ${detail.split(':')[0]}`).sort(), [
    'malformed_page birch/letter.docx',
    'malformed_page cedar/more.csv',
    'missing_column acme/list.csv',
    'too_many_rejects birch/november.csv',
  ]);

  const again = await rebuildSource({ layout, archive: await openArchive(layout.root), spec, isDry: true });
  assert.deepEqual(
    again.map(({ outcome, counts }) => [outcome, counts?.rows_carried]),
    [
      ['same', 0],
      ['same', 3],
    ],
  );
  assert.deepEqual(again[1]?.counts, record.counts);

  // The carried rows stay for as long as the file is unreadable.
  const third = await read(layout, '2026-11-21');
  assert.equal(third.record.counts.rows_carried, 3);
  assert.ok(third.rows.includes('acme/1 100000.00 2026-11-19'), third.rows.join());
});

test('a run warns of a refused file; its deals state mixes and taxes, and are explained by file and map', async () => {
  const [layout, world] = [await newLayout(), makeWorld(TINY)];
  const only = ({ name }: { readonly name: string }): boolean => name === spec.name || name === 'hud_fmr';
  const odd = list('Elm St', [100_000]).replace('Price', 'Ask');
  await drop(layout, { 'birch & co/list.csv': odd, 'cedar/list.csv': list('Fir St', [600_000]) });
  const first = await runDay({ layout, world, day: '2026-11-20', only, tables: [] });
  const [warning] = collectWarnings(first).filter((line) => line.startsWith(spec.name));
  assert.match(warning ?? '', /missing_column: birch & co\/list\.csv/u);
  const map = /\{.*\}/u.exec(warning ?? '')?.[0] ?? '';
  assert.equal(map, '{"Ask":"list_price"}');

  const row = (number: number, price: number, units: number | '', ...more: readonly string[]): string =>
    [`${number},${number} Elm St,Akron,OH,44308`, price, units, ...more].join();
  await drop(layout, {
    'birch & co/columns.json': map,
    'mixes/columns.csv': [
      `${HEADINGS},Studios,# 1 Bed,2BR Units,Annual Taxes`,
      row(11, 400_000, 8, '', '4', '4', '"$9,812.40"'),
      row(12, 400_001, 8, '', '', '', 'see remarks'),
      row(13, 400_002, 8, '1', '4', '2', '0'),
      row(14, 400_003, 8, '', '$850', '$950', '"9,100/yr"'),
    ].join('\n'),
    'texts/list.csv': [
      `${HEADINGS},Unit Mix,Taxes (2025),Taxes (monthly)`,
      row(15, 400_004, 8, '"4-1/1, 4-2/1"', '8100', '675'),
      row(16, 400_005, '', '"(2) studio / (2) 3-bed"', '', '675'),
      row(17, 400_006, 2, '2-3 BR', '$7000', ''),
    ].join('\n'),
  });
  const second = await runDay({ layout, world, day: '2026-11-21', only, tables: ['deals'], empty: COUNTY_RECORDS });
  assert.deepEqual(
    collectWarnings(second).filter((line) => line.startsWith(spec.name)),
    [],
  );
  const snapshot = await openSnapshot(layout.root);
  const [deal] = await rowsOf(snapshot.duck.connection, 'SELECT id, source_url FROM deals WHERE list_price = 100000');
  assert.equal(
    deal?.['source_url'],
    `file:///drop/operator_files/${codeOfName('birch & co')}/${codeOfName('list.csv')}`,
    'the published address names neither the folder nor the file',
  );
  const archive = await openArchive(layout.root);
  const { pages } = await explain({ snapshot, archive, sources: [spec] }, String(deal?.['id']));
  snapshot.duck.close();
  const page = pages.find(({ source }) => source === spec.name);
  assert.deepEqual([page?.hash, page?.values?.['listing_id']], ['verified', `${codeOfName('birch & co')}/1`]);
  assert.equal(page?.file, 'birch & co/list.csv');

  const deals = await published(
    layout,
    second.runId,
    'deals',
    'WHERE list_price BETWEEN 400000 AND 400006 ORDER BY list_price',
  );
  const mix = (...counts: readonly number[]) =>
    Object.fromEntries(counts.map((count, bedrooms) => [`${bedrooms}br`, count]));
  assert.deepEqual(
    deals.map((each) => [JSON.parse(String(each['unit_mix_stated'])), each['annual_taxes']]),
    [
      [mix(0, 4, 4, 0, 0), '9812.40'],
      [null, null],
      // One unit is missing: the deal has the mix as stated.
      [mix(1, 4, 2, 0, 0), null],
      // Rents are no counts.
      [null, '9100.00'],
      [mix(0, 4, 4, 0, 0), '8100.00'],
      [mix(2, 0, 0, 2, 0), null],
      [null, '7000.00'],
    ],
  );
});
