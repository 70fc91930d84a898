/**
 * Hold what a snapshot publishes against what the world knows to be true, source by source: how many rows there
 * should be, how many were found, which are missing, which should not be there, which say something wrong.
 * `make reconcile` does it for the current snapshot and the world of its day. What a later snapshot knows from the days
 * before, such as sales that no page shows any more, is not held against that day.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { pipelineSettings, readSettings } from '../lib/settings.ts';
import { literal } from '../lib/sql.ts';
import { Manifest } from '../models/manifest.ts';
import { makeWorld, worldOn } from './world/world.ts';
import type { WorldDay } from './world/types.ts';

export interface Reconciled {
  readonly what: string;
  readonly expected: number;
  readonly found: number;
  readonly missing: readonly string[];
  readonly unexpected: readonly string[];
  /** Rows that are there but differ, each with the field, the published and the true value. */
  readonly wrong: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;
type Truth = ReadonlyMap<string, Row>;

/** Compare rows by key, field by field of the truth. */
function compare(what: string, published: readonly Row[], keyOf: (row: Row) => string, truth: Truth): Reconciled {
  const found = new Map(published.map((row) => [keyOf(row), row]));
  const wrong: string[] = [];
  for (const [key, expected] of truth) {
    const row = found.get(key);
    if (!row) continue;
    const differences = Object.entries(expected)
      .filter(([field, value]) => (row[field] ?? null) !== value)
      .map(([field, value]) => `${field} is ${JSON.stringify(row[field] ?? null)}, true ${JSON.stringify(value)}`);
    if (differences.length > 0) wrong.push(`${key}: ${differences.join('; ')}`);
  }
  return {
    what,
    expected: truth.size,
    found: found.size,
    missing: [...truth.keys()].filter((k) => !found.has(k)),
    unexpected: [...found.keys()].filter((k) => !truth.has(k)),
    wrong,
  };
}

/** Comparable form of a parcel number within its county. Franklin's trailing 00 is a card number. */
export const parcelKey = (countyFips: string, printed: string): string => {
  const key = printed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return countyFips === '39049' && key.length === 11 && key.endsWith('00') ? key.slice(0, 9) : key;
};

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** Sheriff sales are read from a week back to seventy-five days ahead. */
const SALES_FROM = -7;
const SALES_TO = 75;

const HAMILTON = '39061';
const STARK = '39151';
const CERTIFYING: ReadonlySet<string> = new Set(['39113', '39151']);

/** Where the address of a parcel of a list without addresses comes from. */
const addressBasis = (onMap: boolean, atSale: boolean): string | null =>
  onMap ? 'parcel_layer' : atSale ? 'sheriff_sale' : null;

/** Compare the snapshot in `folder` with the world on its day. */
export async function reconcile(folder: string, day: WorldDay): Promise<Reconciled[]> {
  const duck = await openDuck();
  const all = (table: string, where = 'true'): Promise<Row[]> =>
    rowsOf(duck.connection, `SELECT * FROM read_parquet(${literal(join(folder, `${table}.parquet`))}) WHERE ${where}`);
  try {
    const results: Reconciled[] = [];
    const versions = await all('listing_history', 'is_latest AND gone_on IS NULL');
    for (const [site, shown] of Map.groupBy(day.listings, (l) => l.site)) {
      results.push(
        compare(
          `listings of ${site}`,
          versions.filter((v) => v['source'] === site),
          (v) => String(v['listing_id']),
          new Map(
            shown.map((l) => [
              l.listingId,
              {
                street: l.street,
                city: l.city,
                state: l.state,
                zip: l.zip,
                list_price: l.price,
                units: l.units,
                cap_rate: l.capRate,
                noi: l.noi,
                year_built: l.yearBuilt,
                listed_on: l.postedOn,
                availability: l.availability,
              },
            ]),
          ),
        ),
      );
    }
    results.push(properties(versions, day), rents(await all('deals'), versions, day));

    const signals = await all('signals', "signal_state = 'listed'");
    const auctions = await all('auctions', `sale_date >= DATE ${literal(addDays(day.day, SALES_FROM))}`);
    const inWindow = day.auctions.filter(
      (a) => a.saleDate >= addDays(day.day, SALES_FROM) && a.saleDate <= addDays(day.day, SALES_TO),
    );
    const atSale = new Set(inWindow.map((a) => a.propertyId));
    for (const [county, list] of Map.groupBy(day.delinquent, (d) => d.countyFips)) {
      results.push(
        compare(
          `delinquent parcels of ${county}`,
          signals.filter((s) => s['county_fips'] === county),
          (s) => String(s['parcel_key']),
          new Map(
            list.map((d) => [
              parcelKey(d.countyFips, d.parcel),
              {
                // Hamilton's list has neither value nor street; both come from the map, which is behind for a few parcels.
                amount: d.amount,
                county_value: d.isMapped ? `${d.marketValue}.00` : null,
                // Montgomery and Stark print the year of certification, the others nothing that tells how long it is.
                ...(CERTIFYING.has(d.countyFips)
                  ? {
                      years_delinquent: Number(day.day.slice(0, 4)) - d.certifiedYear,
                      years_basis: 'since_certified_year',
                    }
                  : { years_delinquent: null, years_basis: 'unknown' }),
                // The sheriff prints the street of a parcel for which the county has none.
                has_address: (day.property(d.propertyId).hasAddress && d.isMapped) || atSale.has(d.propertyId),
                ...(d.countyFips === HAMILTON
                  ? {
                      address_basis: addressBasis(
                        day.property(d.propertyId).hasAddress && d.isMapped,
                        atSale.has(d.propertyId),
                      ),
                    }
                  : {}),
              },
            ]),
          ),
        ),
      );
    }
    // Summit's notice has amounts alone; who else prints a street for one of its parcels is the sheriff.
    results.push(
      compare(
        'delinquent parcels of 39153',
        signals.filter((s) => s['county_fips'] === '39153'),
        (s) => String(s['parcel_key']),
        new Map(
          day.printedDebts.map((d) => [
            parcelKey(d.countyFips, d.parcel),
            { amount: d.amount, owner_name: null, county_value: null, has_address: atSale.has(d.propertyId) },
          ]),
        ),
      ),
    );
    for (const [county, items] of Map.groupBy(inWindow, (a) => a.countyFips)) {
      results.push(
        compare(
          `sheriff sales of ${county}`,
          auctions.filter((a) => a['county_fips'] === county),
          (a) => [a['case_number'], a['parcel_key'], a['sale_date']].join(' '),
          new Map(
            items.map((a) => [
              [a.caseNumber, parcelKey(a.countyFips, a.parcel), a.saleDate].join(' '),
              {
                sale_status: a.status,
                appraised_value: a.appraised,
                sale_kind: a.kind,
                sold_amount: a.soldFor,
                // The sheriff's page says the round of a mortgage sale only.
                ...(a.kind === 'mortgage_foreclosure' ? { sale_round: a.round } : {}),
                ...(a.openingBid === null ? {} : { opening_bid: a.openingBid, opening_bid_derived: false }),
                // Stark's own page tells the defendant of sales to come.
                ...(a.countyFips === STARK
                  ? { defendant: a.saleDate >= day.day ? a.defendant : null, plaintiff: null }
                  : {}),
              },
            ]),
          ),
        ),
      );
    }
    const filings = await all('filings');
    results.push(
      compare(
        'filings of ohio_sos',
        filings.filter((f) => f['source'] === 'ohio_sos'),
        (f) => String(f['document_number']),
        new Map(
          day.ohio.filings
            .filter((f) => f.businessName !== null)
            .map((f) => [
              f.documentNumber,
              { business_name: f.businessName, filing_date: f.effectiveDate, ...amendmentOf(day, f) },
            ]),
        ),
      ),
    );
    results.push(
      compare(
        'filings of colorado_sos',
        filings.filter((f) => f['source'] === 'colorado_sos'),
        (f) => String(f['document_number']),
        new Map(
          day.colorado.map((e) => [
            e.entityId,
            { business_name: e.name, filing_date: e.formedOn, entity_status: e.row['entitystatus'] },
          ]),
        ),
      ),
    );
    return results;
  } finally {
    duck.close();
  }
}

/** The last that the month's reports say of a filing's business. */
function amendmentOf(day: WorldDay, filing: WorldDay['ohio']['filings'][number]): Row {
  const [last] = day.ohio.amendments
    .filter(
      (a) =>
        a.charterNumber === filing.charterNumber && a.businessName !== null && a.effectiveDate >= filing.effectiveDate,
    )
    .sort((a, b) => (`${a.effectiveDate} ${a.documentNumber}` < `${b.effectiveDate} ${b.documentNumber}` ? 1 : -1));
  return {
    amendment_kind: last?.kind ?? null,
    amendment_date: last?.effectiveDate ?? null,
    amendment_document: last?.documentNumber ?? null,
  };
}

/** One deal a property: two listings belong to one deal exactly when they show the same property. */
function properties(versions: readonly Row[], day: WorldDay): Reconciled {
  const trueOf = new Map(day.listings.map((l) => [`${l.site} ${l.listingId}`, l.propertyId]));
  const byDeal = Map.groupBy(versions, (v) => String(v['deal_id']));
  const dealsOf = new Map<string, Set<string>>();
  const wrong: string[] = [];
  for (const [deal, members] of byDeal) {
    const shown = new Set(
      members.map(
        (m) => trueOf.get(`${String(m['source'])} ${String(m['listing_id'])}`) ?? 'a listing the world does not have',
      ),
    );
    if (shown.size > 1) wrong.push(`deal ${deal} joins ${[...shown].join(', ')}`);
    for (const property of shown) dealsOf.set(property, (dealsOf.get(property) ?? new Set()).add(deal));
  }
  for (const [property, deals] of dealsOf)
    if (deals.size > 1) wrong.push(`property ${property} is split into ${deals.size} deals`);
  const expected = new Set(trueOf.values());
  return {
    what: 'properties for sale (one deal each)',
    expected: expected.size,
    found: byDeal.size,
    missing: [...expected].filter((p) => !dealsOf.has(p)),
    unexpected: [],
    wrong,
  };
}

/**
 * HUD's rent on each deal is that of the county the property stands in. A ZIP that lies in several HUD areas tells
 * no county: there the deal says so, and its rent must not be above the true one.
 */
function rents(deals: readonly Row[], versions: readonly Row[], day: WorldDay): Reconciled {
  const propertyOf = new Map(day.listings.map((l) => [`${l.site} ${l.listingId}`, l.propertyId]));
  const byId = new Map(deals.map((d) => [String(d['id']), d]));
  const truth = new Map<string, Row>();
  const published: Row[] = [];
  for (const v of versions) {
    const property = propertyOf.get(`${String(v['source'])} ${String(v['listing_id'])}`);
    const deal = byId.get(String(v['deal_id']));
    if (property === undefined || deal === undefined || truth.has(property)) continue;
    const { rent2br } = day.property(property);
    const stated = deal['rent_basis'] === 'metro_lowest_of_several' && Number(deal['market_rent_2br']) <= rent2br;
    truth.set(property, { market_rent_2br: `${rent2br}.00` });
    published.push({ property, market_rent_2br: stated ? `${rent2br}.00` : (deal['market_rent_2br'] ?? null) });
  }
  return compare('HUD 2-bedroom rents of deals', published, (r) => String(r['property']), truth);
}

/** The result as lines: a row each, and the first few faults of each kind. */
export function linesOf(results: readonly Reconciled[], most = 3): string[] {
  const width = Math.max(...results.map((r) => r.what.length));
  return results.flatMap((r) => [
    `  ${r.what.padEnd(width)}  expected ${String(r.expected).padStart(5)}  found ${String(r.found).padStart(5)}  missing ${r.missing.length}  unexpected ${r.unexpected.length}  wrong ${r.wrong.length}`,
    ...[
      ...r.missing.map((m) => `missing ${m}`),
      ...r.unexpected.map((u) => `unexpected ${u}`),
      ...r.wrong.map((w) => `wrong ${w}`),
    ]
      .slice(0, most)
      .map((line) => `      ${line}`),
  ]);
}

if (import.meta.main) {
  const { DATA_DIR, SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS } = readSettings(pipelineSettings);
  const world = makeWorld({ seed: SEED, listings: LISTINGS, parcels: PARCELS, auctions: AUCTIONS, filings: FILINGS });
  const current = join(DATA_DIR, 'current');
  const { as_of } = Manifest.parse(JSON.parse(await readFile(join(current, 'manifest.json'), 'utf8')));
  const results = await reconcile(current, worldOn(world, as_of));
  for (const line of linesOf(results)) process.stdout.write(`${line}\n`);
  if (results.some((r) => r.missing.length + r.unexpected.length + r.wrong.length > 0)) process.exitCode = 1;
}
