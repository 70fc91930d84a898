/**
 * A published snapshot made many times as large: every deal, signal, sale, lead, report and filing again under an id,
 * house number, parcel and case number of its own, in the order in which it is published, with a manifest that states
 * the right hashes. To build such a world through the models takes a quarter of an hour; a server cannot tell the two apart.
 */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { makeFolder, sha256OfFile } from '../lib/files.ts';
import { identifier, literal } from '../lib/sql.ts';
import { loadModels, type Model } from '../models/index.ts';
import type { Layout } from '../pipelines/layout.ts';
import { ROW_GROUP } from '../pipelines/run/publish.ts';
import { Manifest } from '../models/manifest.ts';

/** What a world of any size has once. */
const ONCE: ReadonlySet<string> = new Set(['sources', 'assumptions', 'rejects']);

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';
/** Digits put before the house number of a copy, so that both ends of a range move alike. */
const HOUSE = 'CAST(100 + copy AS VARCHAR)';
const NUMBERED = "lpad(CAST(copy AS VARCHAR), 3, '0')";

const housed = (c: string): string =>
  `regexp_replace(split_part(${c}, ' ', 1), '(\\d+)', ${HOUSE} || '\\1', 'g') || substr(${c}, length(split_part(${c}, ' ', 1)) + 1)`;
const house = (c: string): string => `CAST(${HOUSE} || ${c} AS INTEGER)`;
const suffixed = (c: string): string => `${c} || '-' || ${NUMBERED}`;

/** How a column of a copy differs, as SQL. */
const CHANGES: Readonly<Record<string, (column: string) => string>> = {
  address: housed,
  property_address: housed,
  street: housed,
  address_key: housed,
  mail_street: housed,
  agent_addr1: housed,
  house_low: house,
  house_high: house,
  parcel_id: suffixed,
  parcel_key: (c) => `${c} || ${NUMBERED}`,
  listing_id: suffixed,
  case_number: suffixed,
  item_id: suffixed,
  document_number: suffixed,
  charter_number: suffixed,
  listing_url: (c) => `${c} || '?copy=' || copy`,
  business_name: (c) => `${c} || ' ' || copy`,
  owner_name: (c) => `${c} || ' ' || copy`,
  why_this_is_interesting: (c) => `${c} || ' ' || copy`,
  list_price: (c) => `${c} + copy`,
  amount: (c) => `${c} + copy`,
};

/** The ids in a text exchanged for those of the copy, wherever they stand, so that what refers to another row still does. */
const renamed = (
  c: string,
): string => `list_reduce(list_distinct(regexp_extract_all(${c}, '${UUID}')), lambda whole, id:
  replace(whole, id, regexp_replace(md5(id || copy), '(.{8})(.{4}).(.{3}).(.{3})(.{12})', '\\1-\\2-5\\3-8\\4-\\5')), CAST(${c} AS VARCHAR))`;

/** JSON of a copy is text of its own: its first amount has other digits. */
const restated = (c: string): string => `regexp_replace(${c}, '(\\d\\.\\d\\d")', ${HOUSE} || '\\1')`;

async function changed(connection: DuckDBConnection, file: string): Promise<string[]> {
  const columns = (await rowsOf(connection, `DESCRIBE SELECT * FROM ${file}`)).map((r) => ({
    name: String(r['column_name']),
    type: String(r['column_type']),
  }));
  const changes: string[] = [];
  for (const { name, type } of columns) {
    const c = identifier(name);
    const text = type === 'VARCHAR' || type === 'JSON';
    const [ids] = text
      ? await rowsOf(connection, `SELECT bool_or(regexp_matches(${c}, '${UUID}')) AS present FROM ${file}`)
      : [];
    const by = [
      ...(ids?.['present'] === true ? [renamed] : []),
      ...(type === 'JSON' ? [restated] : []),
      ...(CHANGES[name] ? [CHANGES[name]] : []),
    ];
    if (by.length > 0)
      changes.push(
        `CASE WHEN copy = 0 THEN ${c} ELSE CAST(${by.reduce((inner, change) => change(`(${inner})`), c)} AS ${type}) END AS ${c}`,
      );
  }
  return changes;
}

/** Write one table `times` as large, into the attached database `published` and a Parquet file. */
async function writeTable(
  connection: DuckDBConnection,
  { name, contract }: Model,
  from: string,
  to: string,
  times: number,
): Promise<void> {
  const file = `read_parquet(${literal(from)})`;
  const rows =
    ONCE.has(name) || times === 1
      ? `SELECT * FROM ${file}`
      : `SELECT * EXCLUDE (copy) REPLACE (${(await changed(connection, file)).join(', ')}) FROM ${file}, (SELECT unnest(range(${times})) AS copy)`;
  const table = `published.main.${identifier(name)}`;
  await connection.run(
    `CREATE TABLE ${table} AS SELECT * FROM (${rows}) ORDER BY ${(contract.publish?.orderBy ?? []).join(', ')}`,
  );
  await connection.run(
    `COPY ${table} TO ${literal(to)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP})`,
  );
}

/**
 * Write the snapshot `runId`, `times` as large as the snapshot in `from`.
 * @returns its folder
 */
export async function writeEnlarged(
  layout: Layout,
  from: string,
  { runId, times }: { readonly runId: string; readonly times: number },
): Promise<string> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(from, 'manifest.json'), 'utf8')));
  const models = await loadModels();
  const folder = layout.snapshot(runId);
  await makeFolder(folder);
  const duck = await openDuck(':memory:', { memoryLimit: '8GB' });
  try {
    const database = join(folder, manifest.database.file);
    await duck.connection.run(`ATTACH ${literal(database)} AS published`);
    const tables: Manifest['tables'] = {};
    for (const [name, { file }] of Object.entries(manifest.tables)) {
      const model = models.find((m) => m.name === name);
      if (!model) throw new Error(`there is no model of the table ${name}`);
      const path = join(folder, file);
      await writeTable(duck.connection, model, join(from, file), path, times);
      const [rows] = await rowsOf(duck.connection, `SELECT count(*) AS n FROM read_parquet(${literal(path)})`);
      tables[name] = {
        file,
        rows: Number(rows?.['n']),
        bytes: (await stat(path)).size,
        sha256: await sha256OfFile(path),
      };
    }
    await duck.connection.run('DETACH published');
    const hashed = { ...manifest.database, bytes: (await stat(database)).size, sha256: await sha256OfFile(database) };
    await writeFile(
      join(folder, 'manifest.json'),
      JSON.stringify({ ...manifest, run_id: runId, tables, database: hashed }),
    );
  } finally {
    duck.close();
  }
  return folder;
}
