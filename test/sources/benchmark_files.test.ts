/** The census bureau's list of its tables, and a quarter that does not belong into one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import hvs, { parseVacancies, tablesOn } from '../../sources/benchmarks/census_hvs.ts';
import { type Page, Quarantine } from '../../sources/contract.ts';
import { pageOf } from './recorded.ts';

const index = (...links: readonly string[]): Page =>
  pageOf(new TextEncoder().encode(links.map((link) => `<a href="/housing/hvs/data/rates/${link}">x</a>`).join('\n')), {
    kind: 'index',
    url: hvs.home,
  });

test("the census bureau's table of the newest year and its latest history are read", () => {
  const others = ['tab1_state05_2026_rvr.xlsx', 'tab5_msa_26_hvr.xlsx', 'tab4a_msa_05_2014_rvr.xlsx'];
  assert.deepEqual(tablesOn(index('tab4_msa_26_rvr.xlsx', ...others, 'tab4b_msa_15_25_rvr.xlsx')), [
    'tab4b_msa_15_25_rvr.xlsx',
    'tab4_msa_26_rvr.xlsx',
  ]);
  assert.deepEqual(tablesOn(index('tab4_msa_26_rvr.xlsx', 'tab4_msa_27_rvr.xlsx')), ['tab4_msa_27_rvr.xlsx']);
  assert.throws(
    () => tablesOn(index(...others)),
    (error: unknown) => error instanceof Quarantine && error.reason === 'template_changed',
  );
});

test("a quarter of a year that the table's name excludes refuses the table", () => {
  const of = (quarter: string): unknown =>
    parseVacancies(
      [
        {
          name: 'Table 4',
          rows: [
            ['', 'Metropolitan Statistical Area', quarter, 'Margin of Error'],
            ['', 'Akron, OH', '5.1', '1.2'],
          ],
        },
      ],
      { url: 'file:///tab4_msa_26_rvr.xlsx', readOn: '2026-11-20', years: [2026, 2026], isMadeUp: false },
    );
  assert.equal((of('First Quarter 2026') as unknown[]).length, 1);
  assert.throws(() => of('First Quarter 2020'), /names First Quarter 2020, expected quarters of 2026/u);
});
