/** The change feed grows with news: ages move on a day without any, and no record has changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';

/** A Saturday: no sale is held until Monday. */
const SATURDAY = '2026-11-21';
const MONDAY = '2026-11-23';
const tables = ['deals', 'signals', 'auctions', 'leads', 'changes', 'change_feeds'];
/** Records of each kind, from few sites. */
const SITES = ['buckeye_income_property', 'hud_fmr', 'oh_cuyahoga_tax', 'oh_cuyahoga_sheriff', 'oh_franklin_sheriff'];

test('days on which no source was read yield no change, although scores and ages move', async () => {
  const layout = await newLayout();
  const world = makeWorld(TINY);
  const first = await runDay({ layout, world, day: SATURDAY, only: SITES, tables });
  const later = await runDay({ layout, world, day: MONDAY, only: [], tables });
  const leadsOf = async (runId: string) =>
    new Map((await published(layout, runId, 'leads')).map((lead) => [lead['id'], lead]));
  const [before, after] = [await leadsOf(first.runId), await leadsOf(later.runId)];
  assert.deepEqual([...after.keys()].sort(), [...before.keys()].sort());
  for (const field of ['verified_age_days', 'freshness', 'lead_score', 'score_parts', 'score_rationale'])
    assert.ok(
      [...after].some(([id, lead]) => lead[field] !== before.get(id)?.[field]),
      `${field} moves`,
    );
  const deals = await published(layout, later.runId, 'deals');
  assert.ok(deals.some((deal) => Number(deal['days_on_feed']) >= 2));
  assert.deepEqual(await published(layout, later.runId, 'changes'), []);
});
