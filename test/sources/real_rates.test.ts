/** Recorded files of FRED and Freddie Mac through their adapters, where the folder that holds them is present. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pmms from '../../sources/benchmarks/freddie_pmms/source.ts';
import fred from '../../sources/benchmarks/fred_rates/source.ts';
import type { Page, SourceSpec } from '../../sources/contract.ts';
import type { Values } from '../../pipelines/ingest/stage/check_rows.ts';
import { parsed } from './parsed.ts';
import { bytesOf, cellsOf, skip } from './real_cells.ts';
import { pageOf } from './recorded.ts';

const FOLDER = 'underwriting/rates/';
const WEEKLY = 'fred_MORTGAGE30US_1971-04-02_2026-08-13.csv';
const YEAR = 'fred_MORTGAGE30US_2026_ytd.csv';
/** By file: rows, those without a figure, and the newest row. */
const SERIES: Readonly<Record<string, readonly [rows: number, blank: number, newest: string]>> = {
  [WEEKLY]: [2890, 0, 'MORTGAGE30US 2026-08-13 6.67'],
  [YEAR]: [39, 0, 'MORTGAGE30US 2026-10-01 7.28'],
  'DGS10_full_to_2025-12-30.csv': [12_001, 502, 'DGS10 2025-12-30 4.14'],
  'fred_DGS10_2026_excerpt.csv': [29, 4, 'DGS10 2026-09-10 4.95'],
  'fred_SOFR_2026_excerpt.csv': [25, 2, 'SOFR 2026-09-11 3.62'],
};

/** A recorded file as if the operator had dropped it. */
function dropped(spec: SourceSpec, file: string, name = file): Page {
  const format = spec.drop?.find(({ pattern }) => pattern.test(name.toLowerCase()));
  assert.ok(format, `${spec.name} knows no file named ${name}`);
  return pageOf(bytesOf(FOLDER + file), {
    kind: format.kind,
    url: `file:///drop/${spec.name}/${name}`,
    context: { file: name },
  });
}

const shown = (row: Values | undefined): string =>
  `${String(row?.['series'])} ${String(row?.['observed_on'])} ${String(row?.['rate_pct'])}`;

for (const [file, [count, blank, newest]] of Object.entries(SERIES)) {
  test(`${file}: every row is read as printed, none refused`, { skip }, async () => {
    const { rows, rejects, rowsIn, merged } = await parsed(fred, [dropped(fred, file)]);
    assert.deepEqual(
      { rowsIn, rows: rows.length, rejects, merged },
      { rowsIn: count, rows: count, rejects: [], merged: 0 },
    );
    assert.equal(rows.filter((row) => row['rate_pct'] === null).length, blank);
    assert.equal(shown(rows.at(-1)), newest);
    const printed = cellsOf(FOLDER + file).map((cells) => Object.values(cells));
    for (const [index, row] of rows.entries()) {
      const [day, rate = ''] = printed[index] ?? [];
      assert.equal(row['observed_on'], day);
      assert.equal(row['rate_pct'] === null ? '' : Number(row['rate_pct']), rate === '' ? '' : Number(rate));
      assert.equal(row['is_made_up'], false);
    }
  });
}

test('both files of the mortgage rate agree in their 32 common weeks', { skip }, async () => {
  const { rows, rejects, rowsIn, merged } = await parsed(fred, [dropped(fred, WEEKLY), dropped(fred, YEAR)]);
  assert.deepEqual(
    { rowsIn, rows: rows.length, rejects, merged },
    { rowsIn: 2890 + 39, rows: 2890 + 39 - 32, rejects: [], merged: 32 },
  );
});

test("Freddie Mac's rows are those of FRED", { skip }, async () => {
  const file = dropped(pmms, 'freddie_pmms_history_csv_layout.csv', 'PMMS_history.csv');
  const { rows, rejects } = await parsed(pmms, [file]);
  assert.deepEqual(rejects, []);
  const ofFred = (await parsed(fred, [dropped(fred, WEEKLY), dropped(fred, YEAR)])).rows.map(shown);
  assert.equal(rows.length, 3);
  for (const row of rows) assert.ok(ofFred.includes(shown(row)), shown(row));
});
