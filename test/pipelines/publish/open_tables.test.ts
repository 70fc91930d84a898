/** Iceberg metadata over two published days: what a reader needs is there and true, and it follows the snapshots. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import avro from 'avsc';
import { z } from 'zod';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { fieldIdOf } from '../../../models/field_ids.ts';
import { loadMarts } from '../../../models/index.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { writeOpenTables } from '../../../pipelines/open_tables/table.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../starting_points.ts';

const Metadata = z.looseObject({
  location: z.string(),
  'current-snapshot-id': z.int(),
  'current-schema-id': z.int(),
  schemas: z.array(z.looseObject({ fields: z.array(z.looseObject({ id: z.int(), name: z.string() })) })),
  snapshots: z.array(z.looseObject({ 'snapshot-id': z.int(), 'manifest-list': z.string() })),
});

const TABLE = 'deals';
let layout: Layout;
const folderOf = (table: string): string => join(layout.iceberg, table, 'metadata');
async function metadata(table = TABLE): Promise<z.infer<typeof Metadata>> {
  const version = await readFile(join(folderOf(table), 'version-hint.text'), 'utf8');
  return Metadata.parse(JSON.parse(await readFile(join(folderOf(table), `v${version}.metadata.json`), 'utf8')));
}

/** The rows of an Avro file, and the schema in its header. */
async function readAvro(path: string): Promise<{ rows: Record<string, unknown>[]; schema: string }> {
  const decoder = avro.createFileDecoder(path);
  let schema = '';
  decoder.on('metadata', (_type, _codec, header: { meta: Record<string, Buffer> }) => {
    schema = header.meta['avro.schema']?.toString() ?? '';
  });
  return { rows: (await decoder.toArray()) as Record<string, unknown>[], schema };
}

before(async () => {
  ({ layout } = await afterSecondDay());
  // The copy of the folder is at another place, as after a move.
  assert.ok((await writeOpenTables(layout)).includes(TABLE));
});

describe('open tables', () => {
  test('have a snapshot for each published day, and readers get the current one', async () => {
    const found = await metadata();
    const ids = [20261120001, 20261123001];
    assert.deepEqual(
      found.snapshots.map((s) => s['snapshot-id']),
      ids,
    );
    assert.equal(found['current-snapshot-id'], ids[1]);
    assert.equal(found.location, join(layout.iceberg, TABLE));
  });

  test('name the Parquet file of each day with its rows and bytes, for every table', async () => {
    for (const { name } of await loadMarts()) {
      const { snapshots } = await metadata(name);
      for (const [i, runId] of [FIRST_RUN, SECOND_RUN].entries()) {
        const { tables } = await readManifest(layout, runId);
        const [list, ...deletes] = (await readAvro(snapshots[i]?.['manifest-list'] ?? '')).rows;
        const manifest = String(list?.['manifest_path']);
        assert.equal(list?.['manifest_length'], (await stat(manifest)).size);
        const files = (await readAvro(manifest)).rows.map((entry) => entry['data_file'] as Record<string, unknown>);
        const stated = tables[name]?.files ?? [];
        assert.deepEqual(
          files.map((file) => [file['file_path'], file['record_count'], file['file_size_in_bytes']]),
          stated.map(({ file, rows, bytes }) => [join(layout.snapshot(runId), file), rows, bytes]),
        );
        assert.equal(deletes.length, stated.length > 1 ? 1 : 0, name);
      }
    }
  });

  test('delete the rows of a register that a later part replaces, by their positions', async () => {
    const { tables } = await readManifest(layout, SECOND_RUN);
    const { snapshots } = await metadata('filings');
    const [rows, deletes] = (await readAvro(snapshots[1]?.['manifest-list'] ?? '')).rows;
    const filesOf = async (manifest: unknown): Promise<string> => {
      const entries = (await readAvro(String(manifest))).rows;
      const files = entries.map((entry) => entry['data_file'] as Record<string, unknown>);
      return `[${files.map((file) => literal(String(file['file_path']))).join(', ')}]`;
    };
    const duck = await openDuck();
    const [found] = await rowsOf(
      duck.connection,
      `SELECT count(*)::INTEGER AS rows, count(DISTINCT id)::INTEGER AS ids, (
          SELECT count(*)::INTEGER FROM read_parquet(${await filesOf(deletes?.['manifest_path'])})
        ) AS deleted
      FROM read_parquet(${await filesOf(rows?.['manifest_path'])}, filename = 'file_path', file_row_number = true)
        AS kept
      ANTI JOIN read_parquet(${await filesOf(deletes?.['manifest_path'])}) AS deletes
        ON deletes.file_path = kept.file_path AND deletes.pos = kept.file_row_number`,
    );
    duck.close();
    const expected = tables['filings']?.rows;
    const written = tables['filings']?.files.reduce((sum, file) => sum + file.rows, 0) ?? 0;
    assert.ok(expected !== undefined && written > expected);
    assert.deepEqual(found, { rows: expected, ids: expected, deleted: written - expected });
  });

  test('have the column ids of the Parquet files, each once in its table', async () => {
    const duck = await openDuck();
    for (const { name, contract } of await loadMarts()) {
      const { tables } = await readManifest(layout, SECOND_RUN);
      const path = literal(join(layout.snapshot(SECOND_RUN), tables[name]?.files.at(-1)?.file ?? ''));
      const columns = await rowsOf(
        duck.connection,
        `SELECT name, field_id FROM parquet_schema(${path}) WHERE num_children IS NULL`,
      );
      const inFile = columns.map((row) => [String(row['name']), Number(row['field_id'])] as const);
      assert.deepEqual(
        inFile,
        contract.record.columns.map((column) => [column.name, fieldIdOf(column.name)]),
        name,
      );
      assert.equal(new Set(inFile.map(([, id]) => id)).size, inFile.length, name);
      const { schemas } = await metadata(name);
      assert.deepEqual(
        schemas[0]?.fields.map((f) => [f.name, f.id]),
        inFile,
      );
    }
    duck.close();
  });

  test('are rewritten if damaged, and leave out a damaged snapshot', async () => {
    const whole = await metadata();
    const version = await readFile(join(folderOf(TABLE), 'version-hint.text'), 'utf8');
    await writeFile(join(folderOf(TABLE), `v${version}.metadata.json`), '{"format-');
    await mkdir(layout.snapshot('2026-10-01.01'));
    await writeFile(join(layout.snapshot('2026-10-01.01'), 'manifest.json'), '{"run_id');
    assert.deepEqual(await writeOpenTables(layout), [TABLE]);
    assert.deepEqual((await metadata()).snapshots, whole.snapshots);
    await rm(layout.snapshot('2026-10-01.01'), { recursive: true });
  });

  test('name the newest version again if a writer was killed before it named it', async () => {
    const hint = join(folderOf(TABLE), 'version-hint.text');
    const version = Number(await readFile(hint, 'utf8'));
    await writeFile(hint, String(version - 1));
    await writeOpenTables(layout);
    assert.ok(Number(await readFile(hint, 'utf8')) >= version);
  });

  test('drop a listed snapshot whose manifest is damaged since', async () => {
    const path = join(layout.snapshot(FIRST_RUN), 'manifest.json');
    const manifest = await readFile(path);
    await writeFile(path, manifest.subarray(0, 100));
    await writeOpenTables(layout);
    assert.deepEqual(
      (await metadata()).snapshots.map((s) => s['snapshot-id']),
      [20261123001],
    );
    await writeFile(path, manifest);
    await writeOpenTables(layout);
  });

  test('drop a removed snapshot and its files', async () => {
    await rm(layout.snapshot(FIRST_RUN), { recursive: true });
    await writeOpenTables(layout);
    assert.deepEqual(
      (await metadata()).snapshots.map((s) => s['snapshot-id']),
      [20261123001],
    );
    assert.deepEqual(
      (await readdir(folderOf(TABLE))).filter((name) => name.includes(FIRST_RUN)),
      [],
    );
  });
});
