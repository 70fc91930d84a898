/** Files of the benchmarks that their recorded pages do not show: dropped ones, and the census bureau's list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import hvs, { parseVacancies, tablesOn } from '../../sources/benchmarks/census_hvs/source.ts';
import fred from '../../sources/benchmarks/fred_rates/source.ts';
import { type Page, Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';

/** A file of a drop folder. */
function dropped(spec: SourceSpec, file: string, content: string): Page {
  const format = spec.drop?.find(({ pattern }) => pattern.test(file.toLowerCase()));
  assert.ok(format, `${spec.name} knows no file named ${file}`);
  const url = `file:///drop/${spec.name}/${file}`;
  return pageOf(new TextEncoder().encode(content), { kind: format.kind, url, context: { file } });
}

test("a dropped series is identified by its file's name, with any header", async () => {
  const named = dropped(fred, 'MORTGAGE30US.csv', 'observation_date,MORTGAGE30US\n2026-11-19,6.97\n');
  const nameless = dropped(fred, 'DGS10 (1).csv', 'date,value\n2026-11-19,4.41\n');
  const own = dropped(fred, 'fred_SOFR_2026.csv', 'date,value\n2026-11-19,3.62\n');
  const { rows, rejects } = await parsed(fred, [named, nameless, own]);
  assert.deepEqual(rejects, []);
  assert.deepEqual(
    rows.map((row) => [row['series'], row['rate_pct']]),
    [
      ['MORTGAGE30US', '6.97'],
      ['DGS10', '4.41'],
      ['SOFR', '3.62'],
    ],
  );
  assert.equal(
    fred.drop?.some(({ pattern }) => pattern.test('mortgage15us.csv')),
    false,
    'another series is no file of this source',
  );
});

test('the three series must be dropped together, because a missing one would lose its rows', () => {
  const weekly = dropped(fred, 'MORTGAGE30US.csv', '');
  assert.throws(() => fred.checkDrop?.([weekly]), {
    name: 'Quarantine',
    message: /no file of DGS10 and SOFR: drop all three series together/,
  });
  fred.checkDrop?.([weekly, dropped(fred, 'DGS10.csv', ''), dropped(fred, 'SOFR.csv', '')]);
});

test('two files of a series that state different rates of one day are refused, equal ones merged', async () => {
  const file = (rate: string): Page =>
    dropped(fred, 'MORTGAGE30US.csv', `observation_date,MORTGAGE30US\n2026-11-19,${rate}\n`);
  assert.equal((await parsed(fred, [file('6.97'), file('6.970')])).merged, 1);
  const { rows, rejects } = await parsed(fred, [file('6.97'), file('6.98')]);
  assert.deepEqual(
    [rows.length, rejects.map(({ reason }) => reason)],
    [0, ['contradictory_rows', 'contradictory_rows']],
  );
});

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
