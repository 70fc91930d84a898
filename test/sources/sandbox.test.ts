/**
 * Listings, rents and parcels of the sandbox's sites, through the real fetcher, against what the world knows. The
 * pages are written by one hand and read by another, both from the sources' documentation.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { Unreadable } from '../../pipelines/ingest/stage/check_rows.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { startSandbox, type Alter, type Sandbox } from '../../sandbox/server.ts';
import { SANDBOX_SOURCES } from '../../sandbox/settings.ts';
import { spellStreet } from '../../sandbox/world/streets.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { type Page, Quarantine } from '../../sources/contract.ts';
import { openArchive } from '../../lib/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { findSources } from '../../sources/index.ts';
import { parsed } from './parsed.ts';

const DAY = '2026-11-20';
const OBSERVED = `${DAY}T12:00:00Z`;
const world = makeWorld({ listings: 200, parcels: 1200, auctions: 20, filings: 50 });
const specs = new Map((await findSources(SANDBOX_SOURCES)).map(({ spec }) => [spec.name, spec]));
let folder = '';
let faults: Alter | undefined;
let sandbox: Sandbox;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'));
  sandbox = await startSandbox({ world, day: DAY, alter: (request, response) => faults?.(request, response) });
});
after(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

type Row = Readonly<Record<string, unknown>>;

const runOf = (name: string): string => `run-${name}`;

async function read(
  name: string,
  lastGoodOn: string | null = null,
): Promise<{ rows: readonly Row[]; reasons: readonly string[]; rowsIn: number; merged: number }> {
  const spec = specs.get(name);
  assert.ok(spec?.fetch, name);
  const archive = await openArchive(folder);
  const fetcher = createFetcher({
    archive,
    clock: { nowMs: () => Date.parse(OBSERVED), observedAt: () => OBSERVED },
    sandboxUrl: sandbox.url,
    secrets: SANDBOX_SECRETS,
  });
  const unreadable: Unreadable[] = [];
  const pages: Page[] = [];
  try {
    const ctx = fetcher.contextFor(spec, {
      asOf: DAY,
      runId: runOf(name),
      lastGoodOn,
      mayRevalidate: () => false,
      onUnreadable: (key, error) =>
        unreadable.push({ key, url: spec.home, reason: 'unreadable', detail: String(error) }),
    });
    for await (const page of spec.fetch(ctx)) pages.push(page);
  } finally {
    await fetcher.close();
    await archive.close();
  }
  const { rows, rejects, rowsIn, merged } = await parsed(spec, pages, unreadable);
  return { rows, reasons: rejects.map(({ reason }) => reason), rowsIn, merged };
}

for (const site of ['heartland_multifamily', 'buckeye_income_property', 'reso_sandbox_mls', 'crescent_brokerage']) {
  test(`${site}: every listing, every field`, async () => {
    const { rows, reasons } = await read(site);
    const truth = sandbox.day.listings.filter((l) => l.site === site);
    assert.deepEqual(reasons, []);
    assert.ok(truth.length > 15);
    assert.deepEqual(rows.map((row) => row['listing_id']).sort(), truth.map((l) => l.listingId).sort());
    const byId = new Map(truth.map((l) => [l.listingId, l]));
    for (const row of rows) {
      const l = byId.get(String(row['listing_id']));
      assert.ok(l);
      const { street, city, state, zip, list_price, units, cap_rate, noi, year_built, listed_on, availability } = row;
      const { annual_taxes } = row;
      const mix = [row['units_0br'], row['units_1br'], row['units_2br'], row['units_3br'], row['units_4br']];
      assert.deepEqual(mix, l.unitMix ?? [null, null, null, null, null], l.listingId);
      assert.deepEqual(
        {
          street,
          city,
          state,
          zip,
          list_price,
          units,
          cap_rate,
          noi,
          annual_taxes,
          year_built,
          listed_on,
          availability,
        },
        {
          street: l.street,
          city: l.city,
          state: l.state,
          zip: l.zip,
          list_price: l.price,
          units: l.units,
          cap_rate: l.capRate,
          noi: l.noi,
          annual_taxes: l.annualTaxes,
          year_built: l.yearBuilt,
          listed_on: l.postedOn,
          availability: l.availability,
        },
      );
      assert.equal(new URL(String(row['source_url'])).pathname, l.path);
    }
  });
}

const comparable = (parcel: unknown): string =>
  String(parcel)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '');

for (const county of ['cuyahoga', 'hamilton', 'stark', 'montgomery']) {
  test(`${county}'s list: every debt to the cent`, async () => {
    const { rows, rowsIn, reasons, merged } = await read(`oh_${county}_tax`);
    const fips = specs.get(`oh_${county}_tax`)?.county?.fips;
    const truth = new Map(
      sandbox.day.delinquent.filter((d) => d.countyFips === fips).map((d) => [comparable(d.parcel), d]),
    );
    assert.ok(truth.size > 50);
    assert.equal(rows.length + reasons.length + merged, rowsIn);
    // Identical rows of one parcel.
    assert.equal(merged > 0, county === 'cuyahoga' || county === 'stark');
    // Montgomery has lines that are no records.
    assert.deepEqual(
      [...new Set(reasons)].filter((reason) => !['wrong_field_count'].includes(reason)),
      [],
    );
    const owing = rows.filter((row) => row['amount'] !== '0.00');
    assert.deepEqual(owing.map((row) => comparable(row['parcel_raw'])).sort(), [...truth.keys()].sort());
    for (const row of owing) {
      const debt = truth.get(comparable(row['parcel_raw']));
      assert.ok(debt);
      const { hasAddress, owner, zip, city, address } = sandbox.day.property(debt.propertyId);
      const { amount, county_value, mail_city, mail_state, mail_zip } = row;
      assert.deepEqual(
        { amount, county_value, mail_city, mail_state, mail_zip },
        {
          // Hamilton's list has the owner's address only; value and street are on its map.
          amount: debt.amount,
          county_value: county === 'hamilton' ? null : `${debt.marketValue}.00`,
          mail_city: owner.mailing.city,
          mail_state: owner.mailing.state,
          mail_zip: owner.mailing.zip,
        },
      );
      assert.equal(row['street'] !== null, hasAddress && county !== 'hamilton');
      if (county === 'stark' || county === 'cuyahoga')
        assert.deepEqual(
          [row['street'], row['city'], row['zip']],
          [hasAddress ? spellStreet(address, 'upper_abbreviated') : null, city.toUpperCase(), zip],
        );
    }
  });
}

test("Hamilton's map: addresses of the delinquent parcels that it has", async () => {
  const { rows, reasons, merged } = await read('oh_hamilton_parcels');
  assert.ok(merged > 0 && rows.some((row) => row['is_lot']));
  assert.deepEqual(
    [...new Set(reasons)].filter((reason) => reason !== 'parcel_gone'),
    [],
  );
  const byParcel = new Map(rows.map((row) => [comparable(row['parcel_raw']), row]));
  const debts = sandbox.day.delinquent.filter((d) => d.countyFips === '39061');
  assert.ok(debts.some((d) => !d.isMapped) && debts.some((d) => d.isMapped));
  for (const debt of debts) {
    const row = byParcel.get(debt.parcel) ?? byParcel.get(debt.parcel.slice(0, 11));
    assert.equal(row !== undefined, debt.isMapped, debt.parcel);
    if (!row) continue;
    const { hasAddress, annualTaxes } = sandbox.day.property(debt.propertyId);
    assert.equal(row['street'] !== null, hasAddress);
    assert.equal(row['county_value'], `${debt.marketValue}.00`);
    assert.equal(row['annual_taxes'], `${annualTaxes}.00`);
  }
});

test("Montgomery's tax roll: city and ZIP of every listed parcel, and of no other", async () => {
  const { rows, reasons } = await read('oh_montgomery_parcels');
  assert.deepEqual(reasons, []);
  const debts = sandbox.day.delinquent.filter((d) => d.countyFips === '39113');
  const byParcel = new Map(rows.map((row) => [row['parcel_raw'], row]));
  assert.deepEqual([...byParcel.keys()].sort(), debts.map((d) => d.parcel).sort());
  const seen = { townships: 0, withoutZip: 0, both: 0 };
  for (const { parcel, propertyId } of debts) {
    const property = sandbox.day.property(propertyId);
    const row = byParcel.get(parcel);
    assert.ok(row);
    assert.ok(row['zip'] === null || row['zip'] === property.zip);
    assert.ok(row['city'] === null || row['city'] === property.city.toUpperCase());
    assert.equal(row['city_is_municipality'], row['city'] !== null);
    seen.townships += row['city'] === null ? 1 : 0;
    seen.withoutZip += row['zip'] === null ? 1 : 0;
    seen.both += row['city'] !== null && row['zip'] !== null ? 1 : 0;
  }
  assert.ok(Object.values(seen).every((n) => n > 0) && seen.both > debts.length / 2, JSON.stringify(seen));
});

test("Summit's notice: every printed debt, no owner guessed", async () => {
  const { rows, reasons } = await read('oh_summit_tax');
  assert.deepEqual(reasons, []);
  const truth = sandbox.day.printedDebts;
  assert.ok(truth.length > 50 && new Set(truth.map((d) => d.section)).size > 1);
  assert.deepEqual(
    rows.map((row) => [row['parcel_raw'], row['amount'], row['owner_name']]).sort(),
    truth.map((d) => [d.parcel, d.amount, null]).sort(),
  );
});

test("HUD's workbook of the previous year is read until the new one is posted", async () => {
  const { rows, reasons } = await read('hud_fmr');
  assert.deepEqual(reasons, []);
  assert.ok(rows.length > 100);
  assert.ok(rows.every((row) => row['fiscal_year'] === 2026));
  // HUD's pages of the sandbox have the counties of the metros, not those outside.
  const counties = new Set(sandbox.day.rents.map(({ fips }) => fips.slice(0, 5)));
  for (const property of world.properties.values()) {
    if (!counties.has(property.countyFips)) continue;
    assert.equal(rows.find((row) => row['county_fips'] === property.countyFips)?.['fmr_2'], `${property.rent2br}.00`);
  }
});

for (const name of ['oh_columbus_code', 'mi_detroit_blight']) {
  test(`${name}: records closed since a month before the last good read are read as closed`, async () => {
    const { rows } = await read(name, '2026-08-01');
    const spec = specs.get(name);
    const closed = sandbox.day.distress.filter(
      ({ countyFips, kind, isOpen, lastActivityOn }) =>
        countyFips === spec?.county?.fips &&
        kind === spec.covers?.kinds[0] &&
        !isOpen &&
        lastActivityOn >= '2026-07-25',
    );
    const found = rows.filter((row) => row['record_state'] === 'closed');
    assert.ok(closed.length > 0);
    assert.deepEqual(found.map((row) => row['record_number']).sort(), closed.map(({ number }) => number).sort());
    assert.ok(found.every((row) => row['amount'] === null));
  });
}

test("each page that Stark's form brings is archived", async () => {
  await read('oh_stark_sheriff_page');
  const archive = await openArchive(folder);
  const records = await archive.records('oh_stark_sheriff_page', runOf('oh_stark_sheriff_page'));
  const [first, ...others] = records.filter(({ kind }) => kind !== 'robots');
  assert.equal(first?.method, 'GET');
  assert.ok(others.length > 0 && others.every(({ method, sha256 }) => method === 'POST' && sha256 !== null));
});

test('a county site that drops its cookies is quarantined, as its list would look empty', async (t) => {
  t.after(() => {
    faults = undefined;
  });
  faults = (_request, { headers, ...response }) => ({
    ...response,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'set-cookie')),
  });
  await assert.rejects(
    read('oh_cuyahoga_sheriff'),
    (error) => error instanceof Quarantine && error.reason === 'count_mismatch',
  );
});

test('three broken pages of a site are three refused rows', async (t) => {
  const broken = sandbox.day.listings
    .filter((l) => l.site === 'heartland_multifamily')
    .map((l) => l.path)
    .sort()
    .filter((_, at) => at % 20 === 3)
    .slice(0, 3);
  const [soft = '', cut = '', down = ''] = broken;
  t.after(() => {
    faults = undefined;
  });
  faults = ({ path }, response) => {
    if (path === soft) return { ...response, body: new TextEncoder().encode('<html><h1>Oops</h1></html>') };
    if (path === cut) return { ...response, truncateAt: 40 };
    return path === down ? { ...response, status: 404 } : undefined;
  };
  const { rows, rowsIn, reasons } = await read('heartland_multifamily');
  assert.equal(reasons.length, 3);
  assert.equal(rows.length, rowsIn - 3);
});
