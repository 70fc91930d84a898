/** HUD's largest recorded files, row by row and value by value, where the folder that holds them is present. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import hud from '../../sources/fmr/hud_fmr/source.ts';
import safmr from '../../sources/fmr/hud_safmr/source.ts';
import { cellsOf, skip } from './real_cells.ts';
import { areaOf, fileOf, wrongIn, zipRentOf } from './real_rents.ts';

const ZIPS = 'hud/FY24_ERAP_SAFMR_by_zip.csv';
const OF_ZIPS = fileOf(ZIPS, 'FY24_ERAP_SAFMR_by_zip.csv');

test('county rents: every value of both releases of 2025', { skip }, async () => {
  for (const [name, effectiveOn, revision] of [
    ['FY25_FMRs.csv', '2024-10-01', 'original'],
    ['FY25_FMRs_revised.csv', '2025-04-28', 'revised'],
  ] as const) {
    const expected = cellsOf(`hud/${name}`).map((cells) => areaOf(cells, 2025, effectiveOn, revision));
    assert.deepEqual(await wrongIn(hud, fileOf(`hud/${name}`, name), expected), []);
  }
});

test('ZIP rents: every value of the file of 2024', { skip }, async () => {
  const expected = cellsOf(ZIPS).map((cells) => zipRentOf(cells, 2024, true));
  assert.deepEqual(await wrongIn(safmr, OF_ZIPS, expected), []);
});
