/** A copy has every row of every table, in either database. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { copyRows, TABLES, type Counts } from '../../ledger/copy.ts';
import { openStore } from '../../ledger/open.ts';
import { LedgerRefused } from '../../ledger/sql/schema.ts';
import { thorough } from '../thorough.ts';
import { ledgerFolders } from './ledger_folders.ts';
import { fillTable, schemaOf } from './random_rows.ts';

/** More than a page. */
const ROWS = 130;

async function copy(from: string, to: string): Promise<Counts> {
  const [source, target] = await Promise.all([from, to].map((LEDGER) => openStore({ DATA_DIR: '', LEDGER })));
  assert.ok(source && target);
  try {
    return await source.readSnapshot((read) =>
      target.write((query) => copyRows(read, query, { kind: target.kind, overwrite: false })),
    );
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** All rows of a ledger's file by table, without the lease that a copy does not have. */
function contentOf(file: string): ReadonlyMap<string, unknown> {
  const db = new DatabaseSync(file);
  db.exec(`UPDATE audits SET lease_holder = '', lease_until_ms = 0`);
  const content = new Map(
    Object.entries(TABLES).map(([table, key]) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY ${key}`).all()]),
  );
  db.close();
  return content;
}

describe('a copy of a ledger', () => {
  const { dataDir, kinds } = ledgerFolders();
  const emptyFile = async (): Promise<string> => {
    const file = join(dataDir(), 'ledger.sqlite');
    await (await openStore({ DATA_DIR: '', LEDGER: file })).close();
    return file;
  };

  test('names every table of the schema, with its key', async () => {
    const db = new DatabaseSync(await emptyFile());
    const keyOf = (table: string): string =>
      db
        .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
        .all(table)
        .map(({ name }) => String(name))
        .join(', ');
    const keys = [...schemaOf(db).keys()].map((table) => [table, keyOf(table)]);
    db.close();
    assert.deepEqual(keys.sort(), Object.entries(TABLES).sort());
  });

  test('equals any ledger, directly and through PostgreSQL, in every state and with any columns null', async () => {
    for (let round = 0; round < thorough(2, 20); round += 1) {
      const [source, direct, back] = [await emptyFile(), await emptyFile(), await emptyFile()];
      const db = new DatabaseSync(source);
      const seen = new Set<string>();
      db.exec('DELETE FROM ledger_identity; DELETE FROM heartbeat');
      const schema = schemaOf(db);
      for (const table of Object.keys(TABLES)) {
        const columns = schema.get(table) ?? assert.fail(table);
        const isOneRow = columns[0]?.name === 'one';
        fillTable(db, table, columns, isOneRow ? 1 : ROWS);
        const rows = db.prepare(`SELECT * FROM ${table}`).all();
        assert.ok(rows.length >= (isOneRow ? 1 : 50), `${rows.length} rows of ${table}`);
        if (isOneRow) continue;
        for (const { name, isNullable } of columns)
          if (isNullable) assert.deepEqual(new Set(rows.map((row) => row[name] === null)).size, 2, `${table}.${name}`);
        for (const row of rows) seen.add(`${table} ${String(row['state'] ?? row['kind'])}`);
      }
      db.close();
      for (const state of ['reserved', 'settling', 'sold', 'released'])
        assert.ok(seen.has(`purchases ${state}`), state);
      for (const kind of ['matched', 'owed', 'resolved', 'dust']) assert.ok(seen.has(`transfers ${kind}`), kind);

      await copy(source, direct);
      assert.deepEqual(contentOf(direct), contentOf(source));
      const postgres = (await kinds[1]?.fresh('')) ?? assert.fail('no PostgreSQL');
      await copy(source, postgres);
      const counts = await copy(postgres, back);
      assert.deepEqual(contentOf(back), contentOf(source));
      assert.deepEqual(
        counts,
        Object.fromEntries([...contentOf(source)].map(([table, rows]) => [table, (rows as []).length])),
      );
      await assert.rejects(copy(source, back), (error) => {
        assert.ok(error instanceof LedgerRefused);
        assert.equal(error.message, 'the ledger is not empty. Set OVERWRITE=1 to delete its content');
        return true;
      });
    }
  });
});
