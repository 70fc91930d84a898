/**
 * 12 kills at random instants of any phase, on a first day and on a day with history, each compared with an undisturbed
 * run. The suite has one kill while pages are read (test/pipelines/run/resume.test.ts) and one while the models are
 * built (pipeline_short.test.ts). `make crash-pipeline` kills hundreds of times.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWorld } from '../../sandbox/world/world.ts';
import { killRuns } from './pipeline_kills.ts';

test('a killed run leaves whole files only, and the next run publishes the bytes of an undisturbed one', async () => {
  const report = await killRuns({
    world: makeWorld({ seed: 7, listings: 30, parcels: 120, auctions: 30, filings: 60 }),
    kills: 12,
    seed: 5,
    days: ['2026-11-20', '2026-11-21'],
    env: { SOURCES: 'heartland_multifamily,hud_fmr,oh_hamilton_tax,oh_cuyahoga_sheriff,colorado_sos' },
  });
  assert.deepEqual(report.wrong, []);
  assert.equal(report.kills, 12);
  assert.ok(report.completed >= 2);
});
