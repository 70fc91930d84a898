/** The back-test on the page of scores: what happened over the published days, and nothing where there are too few. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { backtestTables } from '../../api/site/pages/backtest.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../api/support/snapshot_fixtures.ts';

let data: DataFolder;
before(async () => {
  data = await dataFolder();
});
after(async () => {
  await data.remove();
});

/** Forty deals for sale on a day, `cheaper` of them at a lower price than the others. */
async function publishDay(day: string, cheaper: number): Promise<void> {
  const folder = await data.publish(
    `${day}.01`,
    {
      deals: rowsOfTable('deals', 40, (i) => ({
        listing_status: 'active',
        deal_score: i <= 36 ? 10 : 90,
        list_price: i <= cheaper ? '700000.00' : '740000.00',
      })),
    },
    { current: false },
  );
  const path = join(folder, 'manifest.json');
  await writeFile(path, JSON.stringify({ ...(JSON.parse(await readFile(path, 'utf8')) as object), as_of: day }));
}

const shown = async (): Promise<string> => (await backtestTables(join(data.path, 'snapshots'))).text;

test('no day, one day and days too close together are not enough history', async () => {
  assert.match((await backtestTables(undefined)).text, /Not enough history/);
  assert.match(await shown(), /there are no snapshots/);
  await publishDay('2026-08-01', 0);
  assert.match(await shown(), /there are snapshots of one day only/);
  await publishDay('2026-08-11', 0);
  assert.match(await shown(), /no deal has been followed for 30 days/);
});

test('once followed long enough, shares stand with their interval; a decile of four deals still says nothing', async () => {
  await publishDay('2026-09-25', 10);
  await publishDay('2026-11-20', 10);
  const text = await shown();
  assert.match(text, /Over the snapshots of 4 days/);
  assert.match(text, /Price cut/);
  assert.match(text, /27\.8%<span class="sub"\s*>15\.\d+ to 4\d\.?\d*, 36 deals/);
  assert.match(text, /not enough history<\/span><span class="sub"\s*>4 deals/);
});

test('a folder that is no snapshot, or half of one, is passed over', async () => {
  const half = await data.publish('2026-10-01.01', { deals: rowsOfTable('deals', 1) }, { current: false });
  for (const content of ['{"run_id": 1}', '{"run_']) {
    await writeFile(join(half, 'manifest.json'), content);
    assert.match(await shown(), /Over the snapshots of 4 days/);
  }
});
