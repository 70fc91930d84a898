/** Medians of the census in a run: what is counted, and that a fault keeps the last rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alter } from '../../../sandbox/server.ts';
import { rents } from '../../../sandbox/world/rents.ts';
import { runDay } from '../runs.ts';
import { afterFirstDay, FIRST_RUN, publishedRun } from '../starting_points.ts';

/** Metropolitan areas and counties of the world's HUD areas. */
const AREAS = new Set(rents.map(({ hudAreaCode }) => hudAreaCode.slice(5, 10))).size + rents.length;

const METROS = 'metropolitan statistical area/micropolitan statistical area';

/** No median of any metro has an estimate. */
const faults: Alter = ({ host, query }, response) => {
  if (host === 'api.census.gov' && response.status === 200 && query.get('for')?.startsWith(METROS)) {
    const [header, ...rows] = JSON.parse(new TextDecoder().decode(response.body)) as string[][];
    const none = rows.map((row) => row.map((cell, at) => (at === 0 || at === row.length - 1 ? cell : '-666666666')));
    return { ...response, body: new TextEncoder().encode(JSON.stringify([header, ...none])) };
  }
  return undefined;
};

test('each area is a row; a table without estimates is quarantined, and the rows of the day before stay', async () => {
  const start = await afterFirstDay();
  const { manifest } = await publishedRun(start, FIRST_RUN);
  const first = manifest.sources.find(({ source }) => source === 'census_acs');
  assert.deepEqual([first?.status, first?.rows_in, first?.rows_out], ['good', AREAS, AREAS]);
  const only = ({ name }: { readonly name: string }): boolean => name === 'census_acs';
  const { sources } = await runDay({ ...start, day: '2026-11-21', only, tables: [], alter: faults });
  const row = sources.map((source) => source.row).find(({ source }) => source === 'census_acs');
  assert.deepEqual([row?.status, row?.reason, row?.rows_out], ['quarantined', 'template_changed', AREAS]);
  assert.equal(row?.detail, '21 of 21 areas have no median_gross_rent (B25064_001E), at most 20 % expected');
});
