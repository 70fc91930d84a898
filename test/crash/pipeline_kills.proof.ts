/**
 * 12 kills at random instants of any phase, on a first day and on a day with history, each compared with an undisturbed
 * run. The suite has one kill while pages are read (test/pipelines/run/resume.test.ts) and one while the models are
 * built (pipeline_short.test.ts). `make prove ONLY=pipeline_kills N=200 SEED=1` kills 200 times. A seed gives the same
 * planned instants; the phase that a kill meets also depends on the machine.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWorld } from '../../sandbox/world/world.ts';
import { casesOf, seedFrom } from '../thorough.ts';
import { killRuns } from './pipeline_kills.ts';

const KILLS = casesOf(12);

test('a killed run leaves whole files only, and the next run publishes the bytes of an undisturbed one', async (t) => {
  const report = await killRuns({
    world: makeWorld({ seed: 7, listings: 30, parcels: 120, auctions: 30, filings: 60 }),
    kills: KILLS,
    seed: seedFrom(5),
    days: ['2026-11-20', '2026-11-21'],
    env: { SOURCES: 'heartland_multifamily,hud_fmr,oh_hamilton_tax,oh_cuyahoga_sheriff,colorado_sos' },
  });
  assert.deepEqual(report.wrong, []);
  assert.equal(report.kills, KILLS);
  t.diagnostic([...report.phases].map(([phase, count]) => `${phase} ${count}`).join(', '));
  assert.ok(report.completed >= 2);
});
