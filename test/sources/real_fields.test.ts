/**
 * Every value of recorded files, held against a parse of the same bytes that shares nothing with the adapters.
 * real_files.proof.ts does it for whole files.
 */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import hud from '../../sources/fmr/hud_fmr/source.ts';
import safmr from '../../sources/fmr/hud_safmr/source.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
import { cellsIn, cellsOf, sheetCellsOf, skip } from './real_cells.ts';
import { areaOf, fileOf, orNull, wrongIn, zipRentOf } from './real_rents.ts';

test('county rents: every value of the workbook of 2026 and of seven excerpts', { skip }, async () => {
  const workbook = 'hud/FY26_FMRs.xlsx';
  const areas = sheetCellsOf(workbook).map((cells) => areaOf(cells, 2026, '2025-10-01', 'original'));
  assert.deepEqual(await wrongIn(hud, fileOf(workbook, 'FY26_FMRs.xlsx'), areas), []);
  for (const year of [2019, 2020, 2021, 2022, 2023, 2024, 2025]) {
    const path = `live/hud/FY${year}_FMR_excerpt.csv`;
    const expected = cellsOf(path).map((cells) => areaOf(cells, year, `${year - 1}-10-01`, 'original'));
    assert.deepEqual(await wrongIn(hud, fileOf(path, `FY${year - 2000}_FMRs.csv`), expected), []);
  }
});

test('ZIP rents: every value of the first rows of the file of 2024, and of four excerpts', { skip }, async () => {
  const whole = fileOf('hud/FY24_ERAP_SAFMR_by_zip.csv', 'FY24_ERAP_SAFMR_by_zip.csv');
  const bytes = whole.bytes.subarray(0, whole.bytes.lastIndexOf(0x0a, 100_000) + 1);
  const expected = cellsIn(bytes).map((cells) => zipRentOf(cells, 2024, true));
  assert.ok(expected.length > 1000);
  assert.deepEqual(await wrongIn(safmr, { ...whole, bytes }, expected), []);
  for (const year of [2021, 2022, 2023, 2024]) {
    const path = `live/hud/fy${year}_safmrs_revised_excerpt.csv`;
    const rents = cellsOf(path).map((cells) => zipRentOf(cells, year));
    assert.deepEqual(await wrongIn(safmr, fileOf(path, `fy${year}_safmrs_revised.csv`), rents), []);
  }
});

test("Colorado's export of 2017: every value; the name keeps its spaces", { skip }, async () => {
  const path = 'colorado/Business-Entities-in-Colorado_2017_ditch_subset.csv';
  const expected = cellsOf(path).map((cells) => {
    const [month = '', day = '', year = ''] = (cells['entityformdate'] ?? '').split('/');
    const parts = ['address1', 'address2', 'city', 'state', 'zipcode'];
    const agent = parts.some((part) => orNull(cells[`agentprincipal${part}`])) ? 'agentprincipal' : 'agentmailing';
    const person = ['first', 'middle', 'last'].map((part) => cells[`agent${part}name`]).concat(cells['agentsuffix']);
    return {
      register: 'colorado_sos',
      document_number: cells['entityid'],
      charter_number: null,
      business_name_raw: cells['entityname']?.trim(),
      filing_date: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
      entity_type_raw: orNull(cells['entitytype']),
      entity_type_file: null,
      entity_status_raw: orNull(cells['entitystatus']),
      jurisdiction_raw: orNull(cells['jurisdictonofformation']),
      agent_name: orNull(cells['agentorganizationname']) ?? orNull(person.join(' ')),
      agent_addr1: orNull(cells[`${agent}address1`]),
      agent_addr2: orNull(cells[`${agent}address2`]),
      agent_city: orNull(cells[`${agent}city`]),
      agent_state: orNull(cells[`${agent}state`]),
      agent_zip: orNull(cells[`${agent}zipcode`]),
      business_city: orNull(cells['principalcity']),
      business_state: orNull(cells['principalstate']),
      business_zip: orNull(cells['principalzipcode']),
      business_county: null,
    };
  });
  assert.deepEqual(await wrongIn(colorado, fileOf(path, 'Business_Entities_in_Colorado.csv'), expected), []);
});
