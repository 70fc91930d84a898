/** Every value of recorded files, held against a parse of the same bytes that shares nothing with the adapters. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { SourceSpec } from '../../sources/contract.ts';
import hud from '../../sources/fmr/hud_fmr/source.ts';
import safmr from '../../sources/fmr/hud_safmr/source.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
import { parsed } from './parsed.ts';
import { bytesOf, cellsOf, sheetCellsOf, skip, type Cells } from './real_cells.ts';
import { pageOf } from './recorded.ts';

type Row = Readonly<Record<string, unknown>>;

const ROOMS = [0, 1, 2, 3, 4] as const;
const dollars = (printed = ''): string => `${printed.replaceAll(/[$,]/gu, '')}.00`;
const orNull = (text = ''): string | null => text.trim().replaceAll(/\s+/gu, ' ') || null;

/** Differences of a dropped file from the expected rows, as "key field: expected, found". Identical rows count once. */
async function wrongIn(spec: SourceSpec, path: string, name: string, expected: readonly Row[]): Promise<string[]> {
  const format = spec.drop?.find(({ pattern }) => pattern.test(name.toLowerCase()));
  assert.ok(format, `${spec.name} knows no file named ${name}`);
  const { kind } = format;
  const page = pageOf(bytesOf(path), { kind, url: `file:///drop/${spec.name}/${name}`, context: { file: name } });
  const { rows, rejects, rowsIn } = await parsed(spec, [page]);
  assert.deepEqual([rowsIn, rejects], [expected.length, []], path);
  const keyOf = (row: Row): string => spec.row.key.map((column) => row[column]).join(' ');
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  const distinct = new Map(expected.map((row) => [keyOf(row), row]));
  assert.deepEqual([...found.keys()].sort(), [...distinct.keys()].sort(), path);
  return [...distinct].flatMap(([key, row]) => {
    const missing = spec.row.columns.filter((column) => !(column.name in row)).map((column) => column.name);
    assert.deepEqual(missing, [], 'every column is compared');
    return Object.entries(row)
      .filter(([field, value]) => found.get(key)?.[field] !== value)
      .map(([field, value]) => `${key} ${field}: ${String(value)}, ${String(found.get(key)?.[field])}`);
  });
}

/** A county's rents under the headings of any year. */
function areaOf(cells: Cells, fiscalYear: number, effectiveOn: string, revision: string): Row {
  const fips = cells['fips'] ?? cells['fips2010'] ?? '';
  const town = cells['county_town_name'];
  const population = Object.keys(cells).find((heading) => /^pop\d{4}$/u.test(heading)) ?? '';
  return {
    fips,
    county_fips: fips.slice(0, 5),
    state: cells['stusps'] ?? cells['state_alpha'],
    county_name: cells['countyname'],
    town_name: fips.endsWith('99999') && town === cells['countyname'] ? null : orNull(town),
    hud_area_code: cells['hud_area_code'] ?? cells['metro_code'],
    hud_area_name: cells['hud_area_name'] ?? cells['areaname'],
    is_metro: cells['metro'] === '1',
    population: Number(cells[population]),
    ...Object.fromEntries(ROOMS.map((n) => [`fmr_${n}`, dollars(cells[`fmr_${n}`])])),
    fiscal_year: fiscalYear,
    effective_on: effectiveOn,
    revision,
  };
}

test(
  'county rents: every value of the workbook of 2026, of both releases of 2025 and of seven excerpts',
  { skip },
  async () => {
    const files: [path: string, name: string, year: number, effectiveOn?: string][] = [
      ['hud/FY26_FMRs.xlsx', 'FY26_FMRs.xlsx', 2026],
      ['hud/FY25_FMRs.csv', 'FY25_FMRs.csv', 2025],
      ['hud/FY25_FMRs_revised.csv', 'FY25_FMRs_revised.csv', 2025, '2025-04-28'],
    ];
    for (const year of [2019, 2020, 2021, 2022, 2023, 2024, 2025])
      files.push([`live/hud/FY${year}_FMR_excerpt.csv`, `FY${year - 2000}_FMRs.csv`, year]);
    for (const [path, name, year, revisedOn] of files) {
      const cells = path.endsWith('.xlsx') ? sheetCellsOf(path) : cellsOf(path);
      const revision = revisedOn === undefined ? 'original' : 'revised';
      const expected = cells.map((row) => areaOf(row, year, revisedOn ?? `${year - 1}-10-01`, revision));
      assert.deepEqual(await wrongIn(hud, path, name, expected), [], path);
    }
  },
);

test('ZIP rents: every value of the file of 2024 and of four excerpts', { skip }, async () => {
  const files: [path: string, name: string, year: number][] = [
    ['hud/FY24_ERAP_SAFMR_by_zip.csv', 'FY24_ERAP_SAFMR_by_zip.csv', 2024],
  ];
  for (const year of [2021, 2022, 2023, 2024])
    files.push([`live/hud/fy${year}_safmrs_revised_excerpt.csv`, `fy${year}_safmrs_revised.csv`, year]);
  for (const [path, name, year] of files) {
    const isErap = name.includes('ERAP');
    const expected = cellsOf(path).map((cells) => ({
      zip: (cells['ZIP Code'] ?? '').padStart(5, '0'),
      hud_area_code: cells['HUD Area Code'] ?? cells['CBSASub23'],
      hud_area_name: cells['HUD Metro Fair Market Rent Area Name']?.replaceAll('\n', ' '),
      ...Object.fromEntries(
        ROOMS.map((n) => [`rent_${n}`, dollars(cells[isErap ? `erap_fmr_br${n}` : `SAFMR ${n}BR`])]),
      ),
      fiscal_year: year,
      effective_on: `${year - 1}-10-01`,
      revision: isErap ? 'original' : 'revised',
      basis: isErap ? 'greater_of_zip_and_area' : 'zip',
    }));
    assert.deepEqual(await wrongIn(safmr, path, name, expected), [], path);
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
  assert.deepEqual(await wrongIn(colorado, path, 'Business_Entities_in_Colorado.csv', expected), []);
});
