/** Expected rows of HUD's recorded files, and how those that an adapter reads differ. */
import assert from 'node:assert/strict';
import type { SourceSpec } from '../../sources/contract.ts';
import { parsed, type Parsed } from './parsed.ts';
import { bytesOf, type Cells } from './real_cells.ts';
import { pageOf } from './recorded.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A recorded file under the name that its adapter knows. */
export interface DroppedFile {
  /** Names the file in a difference. */
  readonly path: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const fileOf = (path: string, name: string): DroppedFile => ({ path, name, bytes: bytesOf(path) });

const ROOMS = [0, 1, 2, 3, 4] as const;
const dollars = (printed = ''): string => `${printed.replaceAll(/[$,]/gu, '')}.00`;
export const orNull = (text = ''): string | null => text.trim().replaceAll(/\s+/gu, ' ') || null;

/** Rows of a file as if the operator had dropped it. */
function readDropped(spec: SourceSpec, { name, bytes }: DroppedFile): Promise<Parsed> {
  const format = spec.drop?.find(({ pattern }) => pattern.test(name.toLowerCase()));
  assert.ok(format, `${spec.name} knows no file named ${name}`);
  const url = `file:///drop/${spec.name}/${name}`;
  return parsed(spec, [pageOf(bytes, { kind: format.kind, url, context: { file: name } })]);
}

/**
 * Differences of a dropped file from the expected rows, as "key field: expected, found". Identical rows count once.
 */
export async function wrongIn(spec: SourceSpec, file: DroppedFile, expected: readonly Row[]): Promise<string[]> {
  const { rows, rejects, rowsIn } = await readDropped(spec, file);
  assert.deepEqual([rowsIn, rejects], [expected.length, []], file.path);
  const keyOf = (row: Row): string => spec.row.key.map((column) => row[column]).join(' ');
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  const distinct = new Map(expected.map((row) => [keyOf(row), row]));
  assert.deepEqual([...found.keys()].sort(), [...distinct.keys()].sort(), file.path);
  return [...distinct].flatMap(([key, row]) => {
    const missing = spec.row.columns.filter((column) => !(column.name in row)).map((column) => column.name);
    assert.deepEqual(missing, [], 'every column is compared');
    return Object.entries(row)
      .filter(([field, value]) => found.get(key)?.[field] !== value)
      .map(([field, value]) => `${key} ${field}: ${String(value)}, ${String(found.get(key)?.[field])}`);
  });
}

/** A county's rents under the headings of any year. */
export function areaOf(cells: Cells, fiscalYear: number, effectiveOn: string, revision: string): Row {
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

/** Rents of a ZIP under the headings of any year. `isErap`: those of the file for emergency assistance. */
export const zipRentOf = (cells: Cells, fiscalYear: number, isErap = false): Row => ({
  zip: (cells['ZIP Code'] ?? '').padStart(5, '0'),
  hud_area_code: cells['HUD Area Code'] ?? cells['CBSASub23'],
  hud_area_name: cells['HUD Metro Fair Market Rent Area Name']?.replaceAll('\n', ' '),
  ...Object.fromEntries(ROOMS.map((n) => [`rent_${n}`, dollars(cells[isErap ? `erap_fmr_br${n}` : `SAFMR ${n}BR`])])),
  fiscal_year: fiscalYear,
  effective_on: `${fiscalYear - 1}-10-01`,
  revision: isErap ? 'original' : 'revised',
  basis: isErap ? 'greater_of_zip_and_area' : 'zip',
});
