/** The back-test on the scores page: outcomes over the published days, and none if there are too few. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { backtestTables } from '../../api/site/pages/scores/backtest.ts';
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

const backtestText = async (): Promise<string> => (await backtestTables(join(data.path, 'snapshots'))).text;

test('no day, one day and days too close together are not enough history', async () => {
  assert.match((await backtestTables(undefined)).text, /Not enough history/);
  assert.match(await backtestText(), /there are no snapshots/);
  await publishDay('2026-08-01', 0);
  assert.match(await backtestText(), /there are snapshots of one day only/);
  await publishDay('2026-08-11', 0);
  assert.match(await backtestText(), /no deal has been followed for 30 days/);
});

test('with enough history, shares have an interval, and a decile of four deals has no share', async () => {
  await publishDay('2026-09-25', 10);
  await publishDay('2026-11-20', 10);
  const text = await backtestText();
  assert.match(text, /Over the snapshots of 4 days/);
  assert.match(text, /Price cut/);
  assert.match(text, /27\.8%<span class="sub"\s*>15\.\d+ to 4\d\.?\d*, 36 deals/);
  assert.match(text, /not enough history<\/span><span class="sub"\s*>4 deals/);
});

test('an incomplete snapshot is skipped', async () => {
  const incomplete = await data.publish('2026-10-01.01', { deals: rowsOfTable('deals', 1) }, { current: false });
  for (const content of ['{"run_id": 1}', '{"run_']) {
    await writeFile(join(incomplete, 'manifest.json'), content);
    assert.match(await backtestText(), /Over the snapshots of 4 days/);
  }
});
