/**
 * A backup that is made while a server sells, a run publishes and a prune removes is restored into an empty folder, and
 * the next day's run continues it. restored_sales.test.ts has servers that sell on from one.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { serve, type Serving } from '../../api/http/serve.ts';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import { readServerSettings } from '../../api/settings.ts';
import { archivedPages, readsUpTo, trustedRows } from '../../pipelines/ingest/reads.ts';
import { type Layout } from '../../pipelines/layout.ts';
import { prune } from '../../pipelines/operate/prune.ts';
import { soldLeads } from '../../pipelines/sold_leads.ts';
import { currentSnapshot, listSnapshots, verifySnapshot } from '../../pipelines/snapshots.ts';
import { openArchive } from '../../lib/archive.ts';
import { joinOn } from '../api/support/base.ts';
import { buyerWith, type Buyer } from '../api/support/buyers.ts';
import { backUpTo, newPath, restoreTo } from './backup_folders.ts';
import { newLayout, published, runDay } from '../pipelines/runs.ts';
import { afterFirstDay, FIRST_RUN, SECOND_DAY, SECOND_RUN, type StartingPoint } from '../pipelines/starting_points.ts';

const NEXT_DAY = '2026-11-24';
const WAIT = { everyMs: 25, readsWithHint: 40, readsWithoutHint: 16 } as const;
/** Sources and tables of the runs, so that a run takes a second. */
const only = ['oh_cuyahoga_tax', 'oh_stark_tax'];
const tables = ['signals', 'leads'];

describe('a backup of a folder in use', () => {
  let start: StartingPoint;
  let chain: Chain;
  let buyer: Buyer;
  let layout: Layout;
  let restored: Layout;
  const backups = newPath('backups');
  const servers: Serving[] = [];
  before(async () => {
    start = await afterFirstDay();
    ({ layout } = start);
    chain = await startChain();
    buyer = buyerWith();
    await chain.mint(buyer.address, 20_000_000n);
  });
  after(async () => {
    for (const server of servers) await server.close();
    await chain.close();
  });

  const serveFrom = async (dataDir: string): Promise<Serving> => {
    const { settings, payments } = readServerSettings({
      DATA_DIR: dataDir,
      PORT: '0',
      PUBLIC_BASE_URL: 'http://dealfeed.test',
    });
    await joinOn(dataDir, chain);
    const server = await serve({ settings, payments: { ...payments, wait: WAIT } });
    servers.push(server);
    return server;
  };
  const buyLead = async (server: Serving): Promise<string> => {
    const response = await buyer.fetch(`${server.url}/api/leads/exclusive`);
    assert.equal(response.status, 200);
    return ((await response.json()) as { claim: { lead_id: string } }).claim.lead_id;
  };
  const restoreNew = async (env: Record<string, string>): Promise<Layout> => {
    const target = await newLayout();
    await restoreTo(target.root, backups, env);
    return target;
  };
  let bought: string;

  test('is consistent at any time: every snapshot, row and page that it names is in it', async () => {
    const server = await serveFrom(layout.root);
    bought = await buyLead(server);
    const run = runDay({ layout, world: start.world, day: SECOND_DAY, only, tables });
    const during = (await backUpTo(layout.root, backups)).name;
    assert.equal((await run).current, true);
    // The strictest retention removes the reads that the current snapshot does not need.
    const [{ name }] = await Promise.all([backUpTo(layout.root, backups), prune(layout, 0, { apply: true })]);
    for (const [BACKUP, current] of [
      [name, SECOND_RUN],
      [during, FIRST_RUN],
    ] as const) {
      restored = await restoreNew({ BACKUP });
      assert.equal(await currentSnapshot(restored), current);
      const archive = await openArchive(restored.root);
      for (const runId of await listSnapshots(restored)) assert.deepEqual(await verifySnapshot(restored, runId), []);
      for (const source of readdirSync(restored.stagedRoot)) {
        for (const record of await readsUpTo(restored, source, SECOND_DAY)) {
          await trustedRows(restored, record);
          if (record.status === 'good') await archivedPages(archive, record);
        }
      }
    }
  });

  test('lets the next run continue: it publishes the next day without the sold leads', async () => {
    const sold = (): ReturnType<typeof soldLeads> => soldLeads({ DATA_DIR: restored.root });
    assert.deepEqual((await sold()).leads, [bought]);
    const result = await runDay({ layout: restored, world: start.world, day: NEXT_DAY, only, tables, soldLeads: sold });
    assert.deepEqual([result.manifest?.previous, result.current], [FIRST_RUN, true]);
    const rows = await published(restored, result.runId, 'leads');
    assert.ok(rows.length > 0);
    assert.equal(
      rows.some(({ id }) => id === bought),
      false,
    );
  });
});
