/** Tables of open data portals in the sandbox, through the real fetcher, against what the world knows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import type { DistressOnDay } from '../../sandbox/world/distress_types.ts';
import { spellStreet } from '../../sandbox/world/streets.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import type { Page } from '../../sources/contract.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { findSources } from '../../sources/index.ts';
import { parsed, type Parsed } from './parsed.ts';

const DAY = '2026-11-20';
const OBSERVED = `${DAY}T12:00:00Z`;
const world = makeWorld({ listings: 60, parcels: 40, auctions: 10, filings: 10, distress: 40 });
const specs = new Map((await findSources()).map(({ spec }) => [spec.name, spec]));
let folder = '';
let sandbox: Sandbox;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'open-data-'));
  sandbox = await startSandbox({ world, day: DAY });
});
after(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

async function read(name: string): Promise<Parsed & { readonly pages: readonly Page[] }> {
  const spec = specs.get(name);
  assert.ok(spec?.fetch, name);
  const fetcher = createFetcher({
    archive: await openArchive(folder),
    clock: { nowMs: () => Date.parse(OBSERVED), observedAt: () => OBSERVED },
    sandboxUrl: sandbox.url,
  });
  const pages: Page[] = [];
  try {
    const ctx = fetcher.contextFor(spec, {
      asOf: DAY,
      runId: `run-${name}`,
      lastGoodOn: null,
      mayRevalidate: () => false,
      onUnreadable: (_key, error) => {
        throw error;
      },
    });
    for await (const page of spec.fetch(ctx)) pages.push(page);
  } finally {
    await fetcher.close();
  }
  const result = await parsed(spec, pages);
  assert.equal(result.rowsIn, result.rows.length + result.rejects.length + result.merged);
  const share = result.rejects.filter(({ reason }) => !spec.expect.uncountedRejects?.includes(reason));
  assert.deepEqual(share, [], name);
  return { ...result, pages };
}

const byParcel = (rows: Parsed['rows']) => new Map(rows.map((row) => [row['parcel_raw'], row]));

for (const [name, fips, basis] of [
  ['wi_milwaukee_tax', '55079', 'principal'],
  ['pa_allegheny_tax', '42003', 'net'],
] as const) {
  test(`${name}: a parcel's debt is the sum of its years, to the cent`, async () => {
    const { rows, merged } = await read(name);
    const truth = sandbox.day.delinquent.filter((debt) => debt.countyFips === fips);
    assert.ok(truth.length > 10 && merged > 0);
    assert.deepEqual(
      rows
        .map((row) => [row['parcel_raw'], row['amount'], row['years_delinquent'], row['amount_basis']].join(' '))
        .sort(),
      truth.map(({ parcel, amount, levies }) => `${parcel} ${amount} ${levies.length} ${basis}`).sort(),
    );
  });
}

for (const [name, fips] of [
  ['wi_milwaukee_parcels', '55079'],
  ['pa_allegheny_parcels', '42003'],
] as const) {
  test(`${name}: address, value and last sale of every parcel`, async () => {
    const rows = byParcel((await read(name)).rows);
    const truth = sandbox.day.roll(fips);
    assert.ok(truth.length > 20);
    assert.deepEqual([...rows.keys()].sort(), truth.map(({ parcel }) => parcel).sort());
    for (const entry of truth) {
      const row = rows.get(entry.parcel);
      const { address, hasAddress, zip, yearBuilt } = sandbox.day.property(entry.propertyId);
      // The file of Milwaukee has no column for units.
      const unit = fips === '55079' ? null : address.unit;
      const { street, last_sale_date, last_sale_price, county_value, year_built } = row ?? {};
      assert.deepEqual(
        { street, zip: row?.['zip'], last_sale_date, last_sale_price, county_value, year_built },
        {
          street: hasAddress ? spellStreet({ ...address, unit }, 'upper_abbreviated') : null,
          zip,
          last_sale_date: entry.lastSaleDate,
          last_sale_price: entry.lastSalePrice,
          county_value: `${entry.assessedValue}.00`,
          year_built: yearBuilt,
        },
      );
      const isMarket = row?.['last_sale_basis'] === 'market';
      assert.equal(isMarket, fips === '42003' && entry.isMarketSale, "only Allegheny's roll has a validity code");
    }
  });
}

interface Expected {
  readonly fips: string;
  readonly kind: DistressOnDay['kind'];
  /** Whether the table has closed records too; the state distinguishes them from open ones. */
  readonly hasClosed: boolean;
  readonly state: 'open' | 'unknown';
}

const RECORDS: Readonly<Record<string, Expected>> = {
  wi_milwaukee_vacant: { fips: '55079', kind: 'vacant_building', hasClosed: false, state: 'open' },
  mo_kansas_city_code: { fips: '29095', kind: 'code_violation', hasClosed: true, state: 'open' },
  mo_kansas_city_dangerous: { fips: '29095', kind: 'condemned', hasClosed: true, state: 'open' },
  oh_cincinnati_code: { fips: '39061', kind: 'code_violation', hasClosed: false, state: 'open' },
  pa_allegheny_foreclosures: { fips: '42003', kind: 'foreclosure_filing', hasClosed: true, state: 'unknown' },
  pa_allegheny_liens: { fips: '42003', kind: 'tax_lien', hasClosed: false, state: 'open' },
  pa_pittsburgh_violations: { fips: '42003', kind: 'code_violation', hasClosed: true, state: 'open' },
  pa_pittsburgh_condemned: { fips: '42003', kind: 'condemned', hasClosed: false, state: 'open' },
  il_chicago_violations: { fips: '17031', kind: 'code_violation', hasClosed: false, state: 'open' },
  il_chicago_vacant: { fips: '17031', kind: 'vacant_building', hasClosed: false, state: 'open' },
};

for (const [name, { fips, kind, hasClosed, state }] of Object.entries(RECORDS)) {
  test(`${name}: every record once, with its state, amount and days`, async () => {
    const { rows } = await read(name);
    const truth = sandbox.day.distress.filter(
      (record) => record.countyFips === fips && record.kind === kind && (hasClosed || record.isOpen),
    );
    assert.ok(truth.length > 5);
    const hasDay = name !== 'mo_kansas_city_code';
    const describe = (parts: readonly unknown[]): string => parts.map(String).join(' ');
    assert.deepEqual(
      rows
        .map((row) =>
          describe([row['record_number'], row['record_state'], row['amount'], row['filed_on'], row['plaintiff']]),
        )
        .sort(),
      truth
        .map(({ number, isOpen, amount, filedOn, plaintiff }) =>
          describe([number, isOpen ? state : 'closed', amount, hasDay ? filedOn : null, plaintiff]),
        )
        .sort(),
    );
    const byNumber = new Map(truth.map((record) => [record.number, record]));
    for (const row of rows) {
      const record = byNumber.get(String(row['record_number']));
      const property = sandbox.day.property(record?.propertyId ?? '');
      const hasStreet = property.hasAddress && record?.flaw !== 'no_address' && !name.startsWith('pa_allegheny');
      assert.equal(row['street'], hasStreet ? spellStreet(property.address, 'upper_abbreviated') : null);
      const hasParcel = /^(?:pa|wi)_/u.test(name) && record?.flaw !== 'no_parcel';
      assert.equal(row['parcel_raw'], hasParcel ? property.parcel : null);
      assert.match(new URL(String(row['source_url'])).hostname, /\.sandbox\.example$/u);
    }
  });
}

test('pages of one table differ in their context, so the archive distinguishes them', async () => {
  const { pages } = await read('wi_milwaukee_tax');
  assert.deepEqual(
    pages.map(({ kind, context }) => [kind, context['offset']]),
    [['rows', '0']],
  );
});
