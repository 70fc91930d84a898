/** Properties sold to one buyer have no lead in a later snapshot. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openLedger } from '../../../ledger/open.ts';
import { soldLeads, type SoldLeads } from '../../../pipelines/sold_leads.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../../../pipelines/snapshots.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { lockFile } from '../../ledger/processes.ts';
import { purchaseIn } from '../../ledger/purchases.ts';
import { cli } from '../../support/program.ts';
import { refusal } from '../commands/refusal.ts';
import { newLayout, published, runDay } from '../runs.ts';
import { DISTRESS_AND_PARCELS } from '../some_tables.ts';

/** Of a run that asks no site. */
const NO_SOURCES = { SANDBOX_URL: 'http://127.0.0.1:1', SOURCES: 'none' };
const world = makeWorld({ seed: 7, listings: 30, parcels: 200, auctions: 40, filings: 20 });

const built = { tables: ['leads'], empty: DISTRESS_AND_PARCELS };
const only = ['oh_cuyahoga_tax', 'oh_cuyahoga_sheriff', 'oh_stark_tax'];

describe('leads that are sold', () => {
  const layoutReady = newLayout();
  /** Sold leads, the properties of the first three, and every lead of the properties of all. */
  let sold: string[] = [];
  let properties: string[] = [];
  let gone: ReadonlySet<string> = new Set();

  const idsOf = async (runId: string): Promise<string[]> =>
    (await published(await layoutReady, runId, 'leads')).map((lead) => String(lead['id']));

  /** Keys of the property of each lead. */
  const keysOf = async (runId: string): Promise<ReadonlyMap<string, readonly string[]>> => {
    const layout = await layoutReady;
    const keys = Map.groupBy(await published(layout, runId, 'property_keys'), (row) => row['record_id']);
    return new Map(
      (await published(layout, runId, 'leads')).map((lead) => [
        String(lead['id']),
        (keys.get(lead['signal_id'] ?? lead['auction_id']) ?? []).map((row) => String(row['property_key'])),
      ]),
    );
  };

  test('are an empty list if there is no ledger yet', async () => {
    const layout = await layoutReady;
    const noLeads = (): Promise<SoldLeads> => soldLeads({ DATA_DIR: layout.root, LEDGER: undefined });
    await runDay({ layout, world, day: '2026-11-20', only, ...built, soldLeads: noLeads });
    assert.ok(!(await readdir(layout.root)).some((name) => name.startsWith('ledger')), 'and none is made');
    assert.ok((await idsOf('2026-11-20.01')).length > 10);
  });

  test('are left out of a repeated day and of the next one, like those being paid for', async () => {
    const layout = await layoutReady;
    const keys = await keysOf('2026-11-20.01');
    const othersOf = (lead: string): string[] =>
      [...keys].flatMap(([id, own]) => (id !== lead && own.some((key) => keys.get(lead)?.includes(key)) ? [id] : []));
    // One lead of each property, and those with two leads first.
    const firsts = [...keys.keys()].filter((id) => !othersOf(id).some((other) => other < id));
    const leads = firsts.sort((a, b) => othersOf(b).length - othersOf(a).length);
    const ledger = await openLedger({ DATA_DIR: layout.root });
    sold = leads.slice(0, 5);
    gone = new Set(sold.flatMap((lead) => [lead, ...othersOf(lead)]));
    assert.ok(gone.size > sold.length, 'a sold property has two leads');
    properties = sold.flatMap((lead) => keys.get(lead) ?? []);
    for (const [i, lead] of sold.entries())
      await purchaseIn(ledger, i === 4 ? 'settling' : 'sold', i, { lead, properties: keys.get(lead) ?? [] });
    await purchaseIn(ledger, 'reserved', 10, { lead: leads[5] ?? '' });
    await purchaseIn(ledger, 'released', 11, { lead: leads[6] ?? '' });
    await ledger.close();
    const fromLedger = (): Promise<SoldLeads> => soldLeads({ DATA_DIR: layout.root, LEDGER: undefined });
    const steps: string[] = [];
    await runDay({
      layout,
      world,
      day: '2026-11-20',
      only: [],
      ...built,
      soldLeads: fromLedger,
      onStep: ({ about }) => steps.push(about),
    });
    assert.ok(steps.includes('building models without 5 sold leads and their properties'), steps.join('\n'));
    const sameDay = await idsOf('2026-11-20.02');
    const others = [...keys.keys()].filter((id) => !gone.has(id));
    assert.deepEqual(sameDay.sort(), others.sort(), 'and nothing else is');

    const { runId } = await runDay({ layout, world, day: '2026-11-21', only, ...built, soldLeads: fromLedger });
    const nextDay = await idsOf(runId);
    assert.ok(nextDay.length > 10);
    assert.deepEqual(
      nextDay.filter((id) => gone.has(id)),
      [],
    );
  });

  // rebuild.test.ts makes such a day again.
  test('known on each day are recorded in the snapshot of that day', async () => {
    const layout = await layoutReady;
    assert.deepEqual((await readManifest(layout, '2026-11-20.01')).sold_leads, []);
    const { sold_leads, sold_properties } = await readManifest(layout, '2026-11-20.02');
    assert.deepEqual([sold_leads, sold_properties], [[...sold].sort(), [...properties].sort()]);
  });

  test('are unknown while the ledger is unavailable: exit status 2, one line, nothing published', async () => {
    const layout = await layoutReady;
    const [snapshots, current] = [await listSnapshots(layout), await currentSnapshot(layout)];
    const file = join(layout.root, 'ledger.sqlite');
    const release = lockFile(file, true);
    const { status, out } = await cli('run', { DATA_DIR: layout.root, DAY: '2026-11-21', ...NO_SOURCES });
    release();
    assert.equal(status, 2, out);
    assert.match(out, /\. The run reads it again before the build, and publishes nothing without it\.\n/);
    assert.match(
      out,
      /LEDGER is .*ledger\.sqlite, which is unavailable: the ledger file is locked by another process\n$/,
    );
    assert.deepEqual([await listSnapshots(layout), await currentSnapshot(layout)], [snapshots, current]);
  });

  test('a wrong LEDGER is reported before any source is read', async () => {
    const { root: DATA_DIR, kind } = await layoutReady;
    const line = await refusal({ DATA_DIR, DAY: '2026-11-21', LEDGER: kind, ...NO_SOURCES });
    assert.match(line, /^LEDGER is .*not an SQLite file$/);
  });
});
