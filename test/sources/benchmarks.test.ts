/** The census: its API with a key that is missing or rejected, and the tables of its survey of vacancies. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { type Page, Quarantine, SourceUnavailable } from '../../sources/contract.ts';
import census from '../../sources/benchmarks/census_acs.ts';
import { rents } from '../../sandbox/world/rents.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';
import { type Answer, quarantined, readFrom } from './site_double.ts';
import hvs, { parseVacancies, tablesOn } from '../../sources/benchmarks/census_hvs.ts';

const KEY = { CENSUS_API_KEY: 'a-key-of-the-operator' };
const VARIABLES = [
  'B25064_001E',
  'B25058_001E',
  ...[2, 3, 4, 5, 6].map((line) => `B25031_00${line}E`),
  'B25103_001E',
  'B25077_001E',
];
const METRO = 'metropolitan statistical area/micropolitan statistical area';
const rejectedKey = '<html><head><title>Invalid Key</title></head><body>Invalid Key</body></html>';

/** An answer with one area for each code. */
const answerFor = (url: URL): string => {
  const state = /^state:(\d\d)$/u.exec(url.searchParams.get('in') ?? '')?.[1];
  const figures = VARIABLES.map(() => '900').map((figure, at) => (at === 8 ? '150000' : figure));
  return JSON.stringify(
    state === undefined
      ? [
          ['NAME', ...VARIABLES, METRO],
          ['Akron, OH Metro Area', ...figures, '10420'],
        ]
      : [
          ['NAME', ...VARIABLES, 'state', 'county'],
          ['A County', ...figures, state, '001'],
        ],
  );
};

/** An API that has one vintage. */
const api =
  (vintage: number) =>
  (url: URL): Answer =>
    url.pathname === `/data/${vintage}/acs/acs5` ? answerFor(url) : undefined;

test('the newest existing vintage is read: the metros, then the counties of each state', async () => {
  const { asked, pages } = await readFrom(census, api(2024), '2026-11-20', KEY);
  assert.equal(
    asked[0],
    `https://api.census.gov/data/2025/acs/acs5?get=NAME,${VARIABLES.join(',')}&for=${encodeURI(METRO)}:*`,
  );
  assert.deepEqual(
    [...new Set(asked.map((url) => new URL(url).pathname))],
    ['/data/2025/acs/acs5', '/data/2024/acs/acs5'],
  );
  const states = asked.slice(2).map((url) => /&for=county:\*&in=state:(\d\d)$/u.exec(url)?.[1]);
  assert.deepEqual(states, [...new Set(rents.map(({ fips }) => fips.slice(0, 2)))].sort());
  const { rows } = await parsed(census, pages);
  assert.equal(rows.length, 1 + states.length);
  assert.ok(rows.every(({ vintage }) => vintage === 2024));
});

test('without any vintage the years are named, and a state without a response fails the read', async () => {
  await assert.rejects(
    readFrom(census, () => undefined, '2026-11-20', KEY),
    /no 5-year estimates of 2025, 2024, 2023/u,
  );
  const noOhio = (url: URL): Answer => (url.search.endsWith('state:39') ? undefined : api(2024)(url));
  await assert.rejects(readFrom(census, noOhio, '2026-11-20', KEY), /no counties of state 39 in 2024/u);
});

test('a key that is missing or rejected is reported by the name of its setting, never by its value', async () => {
  const refused = (detail: RegExp) => (error: unknown) =>
    error instanceof SourceUnavailable &&
    error.reason === 'refused' &&
    detail.test(error.message) &&
    !`${error.message} ${error.pageUrl}`.includes(KEY.CENSUS_API_KEY);
  await assert.rejects(
    readFrom(census, api(2024), '2026-11-20'),
    refused(/^CENSUS_API_KEY is not set\. A key is free.*key_signup/u),
  );
  await assert.rejects(
    readFrom(census, () => rejectedKey, '2026-11-20', KEY),
    refused(/^the Census Bureau rejects the key in CENSUS_API_KEY: it is not valid or not activated/u),
  );
});

test('a table with -666666666 in every row is refused; in a fifth of the rows it is null', () => {
  const page = (missing: number) => {
    const rows = Array.from({ length: 10 }, (_, at) => [
      `Area ${at}, OH Metro Area`,
      ...VARIABLES.map((name) => (at < missing ? '-666666666' : name === 'B25077_001E' ? '150000' : '900')),
      String(10_000 + at),
    ]);
    return pageOf(new TextEncoder().encode(JSON.stringify([['NAME', ...VARIABLES, METRO], ...rows])), {
      kind: 'areas',
      url: 'https://api.census.gov/data/2024/acs/acs5',
      context: { vintage: '2024' },
    });
  };
  const accepted = [...(census.parse(page(2)) as readonly { readonly values?: Record<string, unknown> }[])];
  assert.deepEqual(accepted.map(({ values }) => values?.['median_gross_rent'] === null).indexOf(false), 2);
  for (const missing of [3, 10])
    assert.throws(
      () => census.parse(page(missing)),
      quarantined('template_changed', new RegExp(`^${missing} of 10 areas have no median_gross_rent`, 'u')),
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
