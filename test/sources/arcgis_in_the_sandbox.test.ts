/**
 * Cases, rolls, debts and sales outside Ohio's lists, read from the sandbox's map servers, against what the world
 * knows. The pages are written by one hand and read by another.
 */
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import type { SandboxResponse } from '../../sandbox/http.ts';
import { sites } from '../../sandbox/pages/index.ts';
import { spellStreet } from '../../sandbox/world/streets.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import type { DistressOnDay } from '../../sandbox/world/distress_types.ts';
import type { Property } from '../../sandbox/world/types.ts';
import type { FetchContext, SourceSpec } from '../../sources/contract.ts';
import bexarForeclosures from '../../sources/auctions/tx_bexar_foreclosures/source.ts';
import bexarTaxSales from '../../sources/auctions/tx_bexar_tax_sales/source.ts';
import detroitBlight from '../../sources/distress/mi_detroit_blight/source.ts';
import stLouisVacant from '../../sources/distress/mo_st_louis_vacant/source.ts';
import charlotte from '../../sources/distress/nc_charlotte_code/source.ts';
import clevelandCondemned from '../../sources/distress/oh_cleveland_condemned/source.ts';
import clevelandViolations from '../../sources/distress/oh_cleveland_violations/source.ts';
import columbus from '../../sources/distress/oh_columbus_code/source.ts';
import marionParcels from '../../sources/parcels/in_marion_parcels/source.ts';
import detroitParcels from '../../sources/parcels/mi_detroit_parcels/source.ts';
import stLouisParcels from '../../sources/parcels/mo_st_louis_parcels/source.ts';
import hamilton from '../../sources/parcels/oh_hamilton_parcels/source.ts';
import clevelandParcels from '../../sources/parcels/oh_cleveland_parcels/source.ts';
import stLouisTax from '../../sources/tax/mo_st_louis_tax/source.ts';
import { parsed, type Parsed } from './parsed.ts';
import { readFrom } from './site_double.ts';

const DAY = '2026-11-20';
const day = worldOn(makeWorld({ listings: 200, parcels: 1200, auctions: 40, filings: 40 }), DAY);

/** A page of the sandbox, without a network. */
const answer = (url: URL): SandboxResponse | null | undefined =>
  sites.get(url.host)?.(day, {
    method: 'GET',
    host: url.host,
    publicHost: url.host,
    path: url.pathname,
    query: url.searchParams,
    headers: {},
    cookies: {},
    firstVisit: false,
  });

/** A source's rows, read from the sandbox's pages. */
async function read(spec: SourceSpec): Promise<Parsed> {
  const { pages } = await readFrom(spec, (url) => {
    const response = answer(url);
    return response?.status === 200 ? response.body : response?.status;
  });
  const result = await parsed(spec, pages);
  assert.equal(result.rows.length + result.rejects.length + result.merged, result.rowsIn);
  return result;
}

const bare = (value: unknown): string => String(value).replaceAll(/[^A-Z0-9]/giu, '');
const streetOf = (property: Property): string => spellStreet(property.address, 'upper_abbreviated');

interface Cases {
  readonly spec: SourceSpec;
  /** Rejects of other kinds, by reason. */
  readonly rejects?: readonly string[];
  readonly showsClosed: boolean;
  readonly shows?: readonly ('filed_on' | 'last_activity_on' | 'amount')[];
  /** The parcel number as the layer prints it. */
  readonly parcel?: (property: Property) => string;
}

const CASES: readonly Cases[] = [
  { spec: clevelandViolations, showsClosed: true, shows: ['filed_on'] },
  { spec: clevelandCondemned, showsClosed: true, shows: ['filed_on'] },
  {
    spec: columbus,
    rejects: ['out_of_scope'],
    showsClosed: false,
    shows: ['filed_on', 'last_activity_on'],
    parcel: ({ parcel }) => bare(parcel).slice(0, 9),
  },
  { spec: charlotte, showsClosed: false, shows: ['filed_on'] },
  { spec: detroitBlight, showsClosed: false, shows: ['filed_on', 'last_activity_on', 'amount'] },
  { spec: stLouisVacant, showsClosed: false },
];

function truthOf({ spec, showsClosed }: Cases): Map<string, DistressOnDay> {
  const kind = spec.covers?.kinds[0];
  const found = day.distress.filter(
    (d) => d.countyFips === spec.county?.fips && d.kind === kind && (d.isOpen || showsClosed),
  );
  return new Map(found.map((d) => [d.number, d]));
}

describe('cases and tickets', () => {
  for (const cases of CASES) {
    const { spec, rejects: reasons = [], shows = [], parcel = (p: Property) => p.parcel } = cases;
    test(`${spec.name}: every record, every field that the layer has`, async () => {
      const truth = truthOf(cases);
      const { rows, rejects, merged } = await read(spec);
      assert.ok(truth.size >= 15, `${truth.size} records`);
      assert.deepEqual([...new Set(rejects.map(({ reason }) => reason))], reasons);
      assert.deepEqual(rows.map((row) => row['record_number']).sort(), [...truth.keys()].sort());
      assert.equal(merged, [...truth.values()].filter(({ flaw }) => flaw === 'repeated').length);
      for (const row of rows) {
        const fact = truth.get(String(row['record_number']));
        assert.ok(fact);
        const property = day.property(fact.propertyId);
        assert.equal(row['record_state'], fact.isOpen ? 'open' : 'closed');
        const hasAddress = property.hasAddress && fact.flaw !== 'no_address';
        assert.equal(row['street'], hasAddress ? streetOf(property) : null);
        if (hasAddress) assert.equal(row['zip'], property.zip);
        const number = fact.flaw === 'no_parcel' ? null : parcel(property);
        assert.equal(
          row['parcel_raw'] === null ? null : bare(row['parcel_raw']),
          number === null ? null : bare(number),
        );
        const facts = {
          filed_on: fact.flaw === 'corrupt_year' ? null : fact.filedOn,
          last_activity_on: fact.lastActivityOn,
          amount: fact.amount,
        };
        for (const field of shows) assert.equal(row[field], facts[field], `${field} of ${fact.number}`);
      }
    });
  }
});

describe('records that their publisher closes', () => {
  for (const spec of [columbus, detroitBlight]) {
    test(`${spec.name}: those changed since the last good read are read as closed`, async () => {
      const { fetch } = spec;
      assert.ok(fetch);
      const later = { ...spec, fetch: (ctx: FetchContext) => fetch({ ...ctx, lastGoodOn: '2026-08-01' }) };
      const since = '2026-07-25';
      const kind = spec.covers?.kinds[0];
      const closed = day.distress.filter(
        (d) => d.countyFips === spec.county?.fips && d.kind === kind && !d.isOpen && d.lastActivityOn >= since,
      );
      const { rows } = await read(later);
      const found = rows.filter((row) => row['record_state'] === 'closed');
      assert.ok(closed.length > 0);
      assert.deepEqual(found.map((row) => row['record_number']).sort(), closed.map((d) => d.number).sort());
      assert.ok(found.every((row) => row['amount'] === null));
    });
  }

  test('a map server refuses a date without the word timestamp', () => {
    const where = "B1_FILE_DD >= '2026-07-25'";
    const response = answer(new URL(`${columbus.home}/query?${new URLSearchParams({ where, f: 'json' })}`));
    assert.match(new TextDecoder().decode(response?.body), /"code":400/u);
  });
});

describe('rolls and debts', () => {
  for (const spec of [clevelandParcels, stLouisParcels, detroitParcels]) {
    test(`${spec.name}: value and last sale of every parcel`, async () => {
      const roll = day.roll(spec.county?.fips ?? '');
      const truth = new Map(roll.map((entry) => [bare(entry.parcel), entry]));
      const { rows, rejects } = await read(spec);
      assert.ok(truth.size > 50);
      assert.deepEqual(rejects, []);
      assert.deepEqual(rows.map((row) => bare(row['parcel_raw'])).sort(), [...truth.keys()].sort());
      for (const row of rows) {
        const entry = truth.get(bare(row['parcel_raw']));
        assert.ok(entry);
        const { owner, yearBuilt } = day.property(entry.propertyId);
        assert.deepEqual(
          [row['county_value'], row['last_sale_date'], row['last_sale_price'], row['mail_zip'], row['year_built']],
          [`${entry.assessedValue}.00`, entry.lastSaleDate, entry.lastSalePrice, owner.mailing.zip, yearBuilt],
        );
      }
    });
  }

  test("Marion's parcels have the address and the value of the roll, and no sale", async () => {
    const truth = new Map(day.roll('18097').map((entry) => [bare(entry.parcel), entry]));
    const { rows, rejects } = await read(marionParcels);
    assert.ok(truth.size > 5, `${truth.size} parcels`);
    assert.deepEqual(rejects, []);
    assert.deepEqual(rows.map((row) => bare(row['parcel_raw'])).sort(), [...truth.keys()].sort());
    for (const row of rows) {
      const entry = truth.get(bare(row['parcel_raw']));
      assert.ok(entry);
      const property = day.property(entry.propertyId);
      assert.deepEqual(
        [row['street'], row['zip'], row['county_value'], row['last_sale_date'], row['last_sale_price']],
        [property.hasAddress ? streetOf(property) : null, property.zip, `${entry.assessedValue}.00`, null, null],
      );
    }
  });

  test("Hamilton's delinquent parcels have the last sale of the roll", async () => {
    const truth = new Map(day.roll('39061').map((entry) => [bare(entry.parcel), entry]));
    const { rows } = await read(hamilton);
    const whole = rows.filter((row) => row['is_lot'] === false);
    assert.ok(whole.length > 50);
    for (const row of whole) {
      const entry = truth.get(bare(row['parcel_raw']));
      assert.deepEqual(
        [row['last_sale_date'], row['last_sale_price']],
        [entry?.lastSaleDate, entry?.lastSalePrice],
        String(row['parcel_raw']),
      );
    }
  });

  test("St. Louis' debts are those past their due date, to the cent", async () => {
    const truth = new Map(day.delinquent.filter((d) => d.countyFips === '29510').map((d) => [d.parcel, d]));
    const { rows, rejects } = await read(stLouisTax);
    assert.ok(truth.size >= 15);
    assert.deepEqual([...new Set(rejects.map(({ reason }) => reason))], ['out_of_scope']);
    assert.deepEqual(
      rows.map((row) => [row['parcel_raw'], row['amount'], row['amount_basis']]).sort(),
      [...truth.values()].map((debt) => [debt.parcel, debt.amount, 'principal']).sort(),
    );
  });
});

describe('sales', () => {
  for (const spec of [bexarForeclosures, bexarTaxSales]) {
    test(`${spec.name}: the upcoming sales, on the first Tuesday, with their addresses`, async () => {
      const type = spec.covers?.kinds[0];
      const truth = new Map(
        day.auctions
          .filter((a) => a.countyFips === '48029' && a.auctionType === type)
          .filter((a) => a.status === 'scheduled' && a.saleDate >= DAY)
          .map((a) => [a.caseNumber, a]),
      );
      const { rows, rejects } = await read(spec);
      assert.ok(truth.size > 3);
      assert.deepEqual(rejects, []);
      assert.deepEqual(rows.map((row) => row['case_number']).sort(), [...truth.keys()].sort());
      for (const row of rows) {
        const sale = truth.get(String(row['case_number']));
        assert.ok(sale);
        const property = day.property(sale.propertyId);
        assert.deepEqual(
          [row['sale_date'], row['auction_type'], row['sale_kind'], row['street'], row['zip']],
          [sale.saleDate, sale.auctionType, sale.kind, sale.showsAddress ? streetOf(property) : null, property.zip],
        );
      }
    });
  }
});
