/** Exports the ledger as Parquet files for analysts. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck } from '../lib/duck.ts';
import { commentOn, createTable, type RecordDefinition } from '../lib/record.ts';
import { identifier, literal } from '../lib/sql.ts';
import type { Ledger } from './ledger.ts';
import { ClaimRow, claimRow, DeliveryRow, deliveryRow, PurchaseRow, purchaseRow } from './records.ts';

async function* purchases(ledger: Ledger): AsyncGenerator<object> {
  for await (const purchase of ledger.purchases()) yield purchaseRow(purchase);
}
async function* claims(ledger: Ledger): AsyncGenerator<object> {
  for await (const purchase of ledger.purchases()) {
    const row = claimRow(purchase);
    if (row) yield row;
  }
}
async function* deliveries(ledger: Ledger): AsyncGenerator<object> {
  let number = 0;
  for await (const delivery of ledger.deliveries()) yield deliveryRow(delivery, (number += 1));
}
async function* jsonLines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Load a file of JSON lines into a new table and write it as Parquet. @returns the number of rows */
async function convert(
  connection: DuckDBConnection,
  { name, about, key, columns }: RecordDefinition,
  { json, parquet }: { readonly json: string; readonly parquet: string },
): Promise<number> {
  const types = columns.map((column) => `${identifier(column.name)}: 'VARCHAR'`).join(', ');
  const casts = columns.map((column) => `CAST(${identifier(column.name)} AS ${column.sql})`).join(', ');
  await connection.run(createTable(name, columns));
  const { rowsChanged } = await connection.run(`INSERT INTO ${identifier(name)} SELECT ${casts}
    FROM read_json(${literal(json)}, format = 'newline_delimited', columns = {${types}})`);
  for (const statement of commentOn(name, about, columns)) await connection.run(statement);
  await connection.run(`COPY (SELECT * FROM ${identifier(name)} ORDER BY ${key.join(', ')}) TO ${literal(parquet)}
    (FORMAT parquet, COMPRESSION zstd, KV_METADATA {about: ${literal(about)}})`);
  return rowsChanged;
}

/** Write purchases.parquet, claims.parquet and deliveries.parquet into a folder. @returns rows by table */
export async function exportParquet(ledger: Ledger, folder: string): Promise<Readonly<Record<string, number>>> {
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, '.export-'));
  const duck = await openDuck();
  const counts: Record<string, number> = {};
  try {
    const tables: readonly (readonly [RecordDefinition, AsyncIterable<object>])[] = [
      [PurchaseRow, purchases(ledger)],
      [ClaimRow, claims(ledger)],
      [DeliveryRow, deliveries(ledger)],
    ];
    for (const [definition, rows] of tables) {
      const { name } = definition;
      const [json, parquet] = [join(work, `${name}.json`), join(work, `${name}.parquet`)];
      await pipeline(jsonLines(rows), createWriteStream(json));
      counts[name] = await convert(duck.connection, definition, { json, parquet });
      await rename(parquet, join(folder, `${name}.parquet`));
    }
    return counts;
  } finally {
    duck.close();
    await rm(work, { recursive: true, force: true });
  }
}
