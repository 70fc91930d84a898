/**
 * Upgrade over old data: a data folder as an older version left it, without the tables, columns, fields and files that
 * were added since, and with a ledger of the second migration. The server starts, the next run publishes, the ledger is
 * migrated, and status has nothing to report.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { openLedger } from '../../ledger/open.ts';
import { openSmall } from '../../lib/duck.ts';
import { sha256 } from '../../lib/files.ts';
import { readSettings } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { backUp } from '../../pipelines/operate/backup/back_up.ts';
import { backUpSettings } from '../../pipelines/operate/backup/settings.ts';
import { checkHealth } from '../../pipelines/operate/health.ts';
import { soldLeads } from '../../pipelines/sold_leads.ts';
import { loadSources } from '../../sources/index.ts';
import { receiptKeyPath } from '../api/support/receipt_key.ts';
import { removeFromSnapshot } from '../api/support/older_snapshot.ts';
import { runDay } from '../pipelines/runs.ts';
import { afterFirstDay, FIRST_RUN, type StartingPoint } from '../pipelines/starting_points.ts';

const NEXT_DAY = '2026-11-21';
/** Columns and tables that came later. The run reads the first table of the day before. */
const COLUMNS = [
  ['listing_history', 'gone_on'],
  ['deals', 'offer_low'],
  ['deals', 'geo_basis'],
  ['leads', 'geo_basis'],
] as const;
const TABLES = ['changes', 'change_feeds', 'reports'] as const;
/** Fields of a manifest, of its sources, of a record of a read, and files of a folder. */
const MANIFEST_FIELDS = ['follows', 'sold_leads', 'sold_properties'];
const SOURCE_FIELDS = ['covered_kinds', 'covered_city', 'fiscal_year', 'outdated_on', 'outdated_reason'];
const FILES = ['kind.json', 'alerts.json', 'lock.sqlite'];

const without = (record: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** Write a table's Parquet file without a column, and state its hash in the manifest. */
async function dropFromParquet(folder: string, manifest: Manifest, table: string, column: string): Promise<void> {
  const stated = manifest.tables[table] ?? assert.fail(table);
  const [path, shorter] = [join(folder, stated.file), join(folder, 'shorter')];
  const duck = await openSmall();
  try {
    await duck.connection.run(
      `COPY (SELECT * EXCLUDE (${column}) FROM read_parquet(${literal(path)})) TO ${literal(shorter)} (FORMAT parquet)`,
    );
  } finally {
    await duck.close();
  }
  renameSync(shorter, path);
  manifest.tables[table] = { ...stated, bytes: statSync(path).size, sha256: sha256(readFileSync(path)) };
}

async function makeOlder(layout: Layout): Promise<void> {
  const folder = layout.snapshot(FIRST_RUN);
  await removeFromSnapshot(folder, { columns: [...COLUMNS], tables: [...TABLES] });
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  for (const [table, column] of COLUMNS) await dropFromParquet(folder, manifest, table, column);
  for (const table of TABLES) rmSync(join(folder, `${table}.parquet`));
  const sources = manifest.sources.map((source) => without(source, SOURCE_FIELDS));
  writeFileSync(path, JSON.stringify({ ...without(manifest, MANIFEST_FIELDS), sources }));
  for (const name of FILES) rmSync(join(layout.root, name), { force: true });
}

/** A ledger of the second migration with one sold lead. */
function makeOlderLedger(layout: Layout, lead: string): void {
  const db = new DatabaseSync(join(layout.root, 'ledger.sqlite'));
  const migration = (name: string): string =>
    readFileSync(new URL(`../../ledger/sqlite/${name}.sql`, import.meta.url), 'utf8');
  db.exec('PRAGMA journal_mode = WAL; PRAGMA application_id = 0x4465616c; PRAGMA user_version = 2');
  db.exec(migration('001_ledger') + migration('002_money'));
  db.exec(`INSERT INTO purchases (id, state, network, asset, payer, nonce, pay_to, amount, valid_before, route, request,
      snapshot_id, reserved_at_ms, lease_until_ms, settling_at_ms, ended_at_ms, tx_hash, answer_sha256, answer_headers)
    VALUES ('old', 'sold', 'eip155:8453', '0xa', '0xb', '0xc', '0xd', '1000000', '2000000000',
      'GET /api/leads/exclusive', '/', '${FIRST_RUN}', 0, 1, 2, 3, '0xfeed', '${sha256('answer')}', '{}')`);
  db.prepare("INSERT INTO claims (lead_id, purchase_id, claimed_at_ms) VALUES (?, 'old', 1)").run(lead);
  db.close();
}

/** @param tables published tables that the next run fills. Default: all, as a server serves them */
export const testOlderFolder = (tables?: readonly string[]): void => {
  describe('a data folder of an older version', () => {
    const LEAD = '00000000-0000-5000-8000-000000000001';
    let start: StartingPoint;
    let server: Serving;
    before(async () => {
      start = await afterFirstDay();
      await makeOlder(start.layout);
      makeOlderLedger(start.layout, LEAD);
    });
    after(() => server.close());
    const health = async (): Promise<{ snapshot_id: string; snapshot_gaps: string[]; snapshot_failure: unknown }> =>
      (await (await fetch(`${server.url}/health`)).json()) as Awaited<ReturnType<typeof health>>;
    const troubles = async (): Promise<string[]> => {
      const found = await checkHealth(start.layout, await loadSources(), { ledger: { DATA_DIR: start.layout.root } });
      return found.troubles.map(({ kind }) => kind);
    };

    test('is served, its missing parts are named in /health, and its ledger is migrated', async () => {
      const unused = 'http://127.0.0.1:1';
      server = await serve(
        readServerSettings({
          DATA_DIR: start.layout.root,
          PORT: '0',
          PAYMENTS: 'facilitator',
          PAY_TO: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          PUBLIC_BASE_URL: 'https://deals.example.org',
          FACILITATOR_URL: unused,
          RPC_URL: unused,
          RECEIPT_KEY_FILE: receiptKeyPath(),
        }),
      );
      const { snapshot_id, snapshot_failure, snapshot_gaps } = await health();
      assert.deepEqual([snapshot_id, snapshot_failure], [FIRST_RUN, null]);
      for (const [table, column] of COLUMNS) assert.match(snapshot_gaps.join('\n'), new RegExp(`${table}\\.${column}`));
      assert.equal((await fetch(`${server.url}/api/deals/ids`)).status, 200);
      assert.ok(existsSync(join(start.layout.root, 'ledger.json')), 'the folder records its ledger');
      assert.deepEqual((await soldLeads({ DATA_DIR: start.layout.root })).leads, [LEAD]);
    });

    test('has nothing to report in status', async () => {
      assert.deepEqual(await troubles(), []);
    });

    test('is continued by the next run', async () => {
      const { layout, world } = start;
      const only = ({ name }: { readonly name: string }): boolean => name === 'heartland_multifamily';
      const sold = (): ReturnType<typeof soldLeads> => soldLeads({ DATA_DIR: layout.root });
      const { manifest, current, runId } = await runDay({
        layout,
        world,
        day: NEXT_DAY,
        only,
        soldLeads: sold,
        ...(tables ? { tables } : {}),
      });
      assert.deepEqual([manifest?.previous, manifest?.sold_leads, current], [FIRST_RUN, [LEAD], true]);
      assert.deepEqual(await troubles(), []);
      // A server refuses tables that were not filled.
      if (tables) return;
      let now = await health();
      while (now.snapshot_id !== runId && now.snapshot_failure === null) {
        await pause(50);
        now = await health();
      }
      assert.deepEqual([now.snapshot_id, now.snapshot_gaps], [runId, []]);
    });

    test('is backed up, and its old sale is in the backup', async () => {
      const TO = `${start.layout.root}-backups`;
      const { damage } = await backUp(readSettings(backUpSettings, { DATA_DIR: start.layout.root, TO }));
      rmSync(TO, { recursive: true });
      assert.deepEqual(damage, []);
      const ledger = await openLedger({ DATA_DIR: start.layout.root });
      assert.equal((await ledger.find({ id: 'old' }))?.state, 'sold');
      await ledger.close();
    });
  });
};
