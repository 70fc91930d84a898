/** Rents of a year that is over, in the source's row and health; the deals are in models/underwriting/rents.test.ts. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatHealth } from '../../../pipelines/commands/status.ts';
import { checkHealth } from '../../../pipelines/operate/health.ts';
import { PROBLEMS } from '../../../pipelines/operate/problems.ts';
import { collectWarnings } from '../../../pipelines/run/summary.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { rents } from '../../../sandbox/world/rents.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { loadSources } from '../../../sources/index.ts';
import { newLayout, published, runDay, TINY, type OneRun } from '../runs.ts';
import { JOIN_RATES } from '../some_tables.ts';

const world = makeWorld(TINY);

/** The world's rents as the CSV export of a workbook of an older year. */
const FY24 = [
  'stusps,state,hud_area_code,countyname,county_town_name,metro,hud_area_name,fips,pop2020,' +
    'fmr_0,fmr_1,fmr_2,fmr_3,fmr_4',
  ...rents.map((c) =>
    [
      c.stusps,
      c.state,
      c.hudAreaCode,
      c.countyName,
      c.townName,
      c.metro,
      `"${c.hudAreaName}"`,
      c.fips,
      1,
      ...c.fmr,
    ].join(),
  ),
].join('\n');

/** The site refuses its list of years. */
const withoutList: Alter = ({ path }, response) =>
  path === '/portal/datasets/fmr.html' && response.status !== 202 ? { ...response, status: 403 } : undefined;

interface Reading {
  readonly day: string;
  readonly alter?: Alter;
  /** Files in the drop folder of hud_fmr. */
  readonly dropped?: Readonly<Record<string, string>>;
}

/** A run over rents. */
async function read({ day, alter, dropped = {} }: Reading) {
  const layout: OneRun['layout'] = await newLayout();
  const folder = join(layout.drop, 'hud_fmr');
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(dropped)) await writeFile(join(folder, name), content);
  const result = await runDay({
    layout,
    world,
    day,
    only: ['hud_fmr'],
    tables: ['sources'],
    empty: [JOIN_RATES],
    ...(alter ? { alter } : {}),
  });
  const [source] = await published(layout, result.runId, 'sources', "WHERE source = 'hud_fmr'");
  assert.ok(source);
  const health = await checkHealth(layout, await loadSources());
  return { layout, result, source, health };
}

// sources/outdated_rents has the other reason and its days.
test('a dropped workbook of FY24 is outdated on 2026-11-20', async () => {
  const reason = 'fiscal_year_over';
  const { result, source, health } = await read({ day: '2026-11-20', dropped: { 'FY24_FMRs.csv': FY24 } });
  assert.deepEqual(
    [source['status'], source['freshness'], source['stale_reason'], source['fiscal_year'], Number(source['age_days'])],
    ['good', 'stale', reason, 2024, 0],
  );
  assert.match(
    collectWarnings(result).join('\n'),
    /^hud_fmr outdated: the rows are of fiscal year 2024, which (?:has )?ended/mu,
  );
  const shown = health.sources.find((s) => s.source === 'hud_fmr');
  assert.deepEqual([shown?.state, shown?.group, shown?.outdated_reason], ['OUTDATED', 'late', reason]);
  const [problem] = health.troubles.filter((t) => t.subject === 'hud_fmr');
  assert.deepEqual([problem?.kind, health.level], ['source_outdated', 'warning']);
  assert.ok(PROBLEMS.source_outdated.alert, 'and an alert is sent');
  const screen = formatHealth(health).join('\n');
  assert.match(screen, new RegExp(`hud_fmr +OUTDATED .*${reason}: the rows are of fiscal year 2024`, 'u'));
  assert.match(screen, /Runbook: .*docs\/runbook\.md#source_outdated/u);
});

test('rents of FY26 without a list of years become outdated while the snapshot is current', async () => {
  const { layout, source } = await read({ day: '2026-11-20', alter: withoutList });
  assert.deepEqual([source['freshness'], source['stale_reason'], source['fiscal_year']], ['fresh', null, 2026]);
  const kindsOn = async (today: string): Promise<string[]> =>
    (await checkHealth(layout, await loadSources(), { today })).troubles
      .filter((t) => t.subject === 'hud_fmr')
      .map((t) => t.kind);
  for (const day of ['2026-11-20', '2026-11-27']) assert.deepEqual(await kindsOn(day), []);
  assert.deepEqual(await kindsOn('2026-11-29'), ['source_stale']);
  assert.deepEqual(await kindsOn('2026-11-30'), ['source_outdated', 'source_stale']);
});
