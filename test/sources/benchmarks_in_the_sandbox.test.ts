/** The sandbox's census and SEC pages through their adapters; the key stays out of the archive. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { rents } from '../../sandbox/world/rents.ts';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import census from '../../sources/benchmarks/census_acs/source.ts';
import absee from '../../sources/benchmarks/sec_absee/source.ts';
import { SourceUnavailable, type Page, type SourceSpec } from '../../sources/contract.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { parsed, type Parsed } from './parsed.ts';

const DAY = '2026-11-20';
const KEY = 'key-of-the-operator';
let folder = '';
let sandbox: Sandbox;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchmarks-'));
  sandbox = await startSandbox({ day: DAY, listings: 0, parcels: 0, auctions: 0, filings: 0 });
});
after(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

async function read(spec: SourceSpec, run: string, key: string | undefined): Promise<Parsed> {
  const observedAt = `${DAY}T12:00:00Z`;
  const fetcher = createFetcher({
    archive: await openArchive(folder),
    clock: { nowMs: () => Date.parse(observedAt), observedAt: () => observedAt },
    sandboxUrl: sandbox.url,
    secrets: { CENSUS_API_KEY: key },
  });
  const pages: Page[] = [];
  try {
    const ctx = fetcher.contextFor(spec, {
      asOf: DAY,
      runId: run,
      lastGoodOn: null,
      onUnreadable: () => assert.fail('no page is unreadable'),
    });
    for await (const page of spec.fetch?.(ctx) ?? []) pages.push(page);
  } finally {
    await fetcher.close();
  }
  return parsed(spec, pages);
}

test("the census has made-up medians of every metro and county of the world's HUD areas", async () => {
  const { rows, rejects, merged } = await read(census, 'census', KEY);
  assert.deepEqual([rejects, merged], [[], 0]);
  const cbsas = new Set(rents.map(({ hudAreaCode }) => hudAreaCode.slice(5, 10)));
  const codes = (geography: string): unknown[] =>
    rows.filter((row) => row['geography'] === geography).map((row) => row['area_code']);
  assert.deepEqual(codes('metro').sort(), [...cbsas].sort());
  assert.deepEqual(codes('county').sort(), rents.map(({ fips }) => fips.slice(0, 5)).sort());
  const byCounty = new Map(rents.map((county) => [county.fips.slice(0, 5), county]));
  let missing = 0;
  for (const row of rows.filter(({ geography }) => geography === 'county')) {
    const { fmr } = byCounty.get(String(row['area_code'])) ?? { fmr: [] };
    for (const [rooms, rent] of fmr.entries()) {
      const gross = row[`gross_rent_${rooms}`];
      if (gross === null) missing += 1;
      // Figures are whole dollars.
      else assert.ok(Math.abs(Number(gross) / rent - 0.9) <= 0.1 + 1 / rent, `${String(row['area_code'])} ${rooms}`);
    }
    const [gross, tax, value] = ['median_gross_rent', 'median_tax', 'median_value'].map((name) => Number(row[name]));
    const share = Number(row['median_contract_rent'] ?? 0.9 * (gross ?? 0)) / (gross ?? 1);
    assert.ok(share >= 0.799 && share <= 0.951, `contract rent is ${share} of gross rent`);
    const rate = (tax ?? 0) / (value ?? 1);
    assert.ok(rate >= 0.0049 && rate <= 0.0221, `the tax is ${rate} of the value`);
  }
  assert.ok(missing > 0 && rows.some((row) => row['median_contract_rent'] === null), 'some have no estimate');
});

test('the key is sent and not archived', async () => {
  const lists = join(folder, 'archive', 'requests', 'census_acs');
  const texts = await Promise.all((await readdir(lists)).map((name) => readFile(join(lists, name), 'utf8')));
  assert.ok(texts.join('').includes('/data/2024/acs/acs5?get=NAME'));
  assert.ok(!texts.join('').includes(KEY));
});

test('a key that the census rejects is named by its setting', async () => {
  await assert.rejects(
    read(census, 'rejected', 'invalid'),
    (error) => error instanceof SourceUnavailable && /rejects the key in CENSUS_API_KEY/u.test(error.message),
  );
});

test('two trusts have filed: buildings, summaries of portfolios and a statement of three months', async () => {
  const { rows, rejects } = await read(absee, 'filings', undefined);
  assert.deepEqual(
    rows.map((row) => [row['trust'], row['asset_number'], row['reported_on'], row['recent_period']]),
    [
      ['Made-up Commercial Mortgage Trust 1', '2', '2026-10-11', 'full_year'],
      ['Made-up Commercial Mortgage Trust 1', '3', '2026-10-11', 'full_year'],
      ['Made-up Commercial Mortgage Trust 2', '4', '2026-10-11', 'other_period'],
      ['Made-up Commercial Mortgage Trust 2', '5', '2026-10-11', 'full_year'],
    ],
  );
  assert.deepEqual(Map.groupBy(rejects, ({ reason }) => reason).get('part_of_portfolio')?.length, 4);
  for (const row of rows) {
    const [revenue, expenses, noi, ncf] = ['revenue', 'expenses', 'noi', 'ncf'].map((name) =>
      Number(row[`underwritten_${name}`]),
    );
    assert.equal((revenue ?? 0) - (expenses ?? 0), noi);
    assert.ok((ncf ?? 0) < (noi ?? 0) && Number(row['underwritten_coverage']) > 1);
  }
});
