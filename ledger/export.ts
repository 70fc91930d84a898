/** The ledger as Parquet files for analysts. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
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
async function* asLines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Write purchases.parquet, claims.parquet and deliveries.parquet into a folder, each whole or not at all. @returns rows by table */
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
    for (const [{ name, about, key, columns }, rows] of tables) {
      const [lines, file] = [join(work, `${name}.json`), join(work, `${name}.parquet`)];
      await pipeline(asLines(rows), createWriteStream(lines));
      const types = columns.map((c) => `${identifier(c.name)}: 'VARCHAR'`).join(', ');
      await duck.connection.run(createTable(name, columns));
      const inserted = await duck.connection
        .run(`INSERT INTO ${identifier(name)} SELECT ${columns.map((c) => `CAST(${identifier(c.name)} AS ${c.sql})`).join(', ')}
        FROM read_json(${literal(lines)}, format = 'newline_delimited', columns = {${types}})`);
      counts[name] = inserted.rowsChanged;
      for (const statement of commentOn(name, about, columns)) await duck.connection.run(statement);
      await duck.connection.run(
        `COPY (SELECT * FROM ${identifier(name)} ORDER BY ${key.join(', ')}) TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {about: ${literal(about)}})`,
      );
      await rename(file, join(folder, `${name}.parquet`));
    }
    return counts;
  } finally {
    duck.close();
    await rm(work, { recursive: true, force: true });
  }
}
