/** A few kills at random instants, as `make crash-pipeline` does them by the hundred. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWorld } from '../../sandbox/world/world.ts';
import { killRuns } from './pipeline_kills.ts';

test('a run that is killed leaves whole files and no others, and the next publishes what an undisturbed run does', async () => {
  const report = await killRuns({
    world: makeWorld({ seed: 7, listings: 30, parcels: 120, auctions: 30, filings: 60 }),
    kills: 5,
    seed: 5,
    days: ['2026-11-20', '2026-11-21'],
    env: { SOURCES: 'heartland_multifamily,hud_fmr,oh_hamilton_tax,oh_cuyahoga_sheriff,colorado_sos' },
  });
  assert.deepEqual(report.wrong, []);
  assert.equal(report.kills, 5);
  assert.ok(report.completed >= 2);
});
