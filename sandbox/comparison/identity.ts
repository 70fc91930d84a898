/**
 * Precision and recall of the joins of rows to properties, in pairs: listings of one property, county records of a
 * property for sale, and the records that leads of sales and of debts cite.
 */
import type { ListingOnDay, WorldDay } from '../world/types.ts';
import type { Comparison, Difference, Row } from './compare.ts';
import { debtsOfCounties, type CountyDebts } from './truth/debts.ts';
import { listingKey } from './listings.ts';
import { withSnapshot, type ReadTable } from './snapshot.ts';
import { trueSales, trueSignals } from './truth/records.ts';
import { deriveTruth, type Truth } from './truth/truth.ts';

export interface PairCounts {
  readonly what: string;
  /** True pairs: both rows are one property. */
  readonly same: number;
  /** Pairs that the snapshot joins. */
  readonly found: number;
  /** Joined pairs that are true. */
  readonly right: number;
  readonly wrong: readonly string[];
  /** True pairs that are not joined, each with the reason. */
  readonly missed: readonly string[];
}

/** Share of joined pairs that are true; 1 without any. */
export const precisionOf = ({ found, right }: PairCounts): number => (found === 0 ? 1 : right / found);
/** Share of true pairs that are joined; 1 without any. */
export const recallOf = ({ same, right }: PairCounts): number => (same === 0 ? 1 : right / same);

interface Pairs {
  readonly what: string;
  readonly truth: ReadonlySet<string>;
  readonly found: ReadonlySet<string>;
  /** Why a true pair may be missed. */
  readonly whyMissed: (pair: string) => string;
}

function countPairs({ what, truth, found, whyMissed }: Pairs): PairCounts {
  return {
    what,
    same: truth.size,
    found: found.size,
    right: [...found].filter((pair) => truth.has(pair)).length,
    wrong: [...found].filter((pair) => !truth.has(pair)),
    missed: [...truth].filter((pair) => !found.has(pair)).map((pair) => `${pair}: ${whyMissed(pair)}`),
  };
}

/** All pairs within each group. */
const pairsOf = (groups: Iterable<readonly string[]>): Set<string> =>
  new Set(
    [...groups].flatMap((members) =>
      members.toSorted().flatMap((member, index, all) => all.slice(index + 1).map((other) => `${member} + ${other}`)),
    ),
  );

/** A published debt, record or sale. */
interface CountyRow {
  readonly name: string;
  /** The true building. */
  readonly building: string | undefined;
  readonly hasStreet: boolean;
  readonly hasZip: boolean;
  /** Its address has a unit, which no page prints. */
  readonly lacksUnit: boolean;
}

/** Ids in a published list of matches, of all kinds or of one. */
const idsIn = (json: unknown, only?: string): string[] =>
  (JSON.parse(String(json)) as { id: string; kind: string }[]).flatMap(({ id, kind }) =>
    only === undefined || kind === only ? [id] : [],
  );

/** Listings as last shown. */
type Listings = Pick<WorldDay, 'listings'>;

/** Listings by deal. A version has source, listing_id and deal_id. */
export function listingPairs(versions: readonly Row[], day: Listings): PairCounts {
  // Missing rows are counted by reconcile, not here.
  const published = new Set(versions.map((version) => listingKey(version['source'], version['listing_id'])));
  const shown = day.listings.filter((listing) => published.has(listingKey(listing.site, listing.listingId)));
  const byProperty = [...Map.groupBy(shown, (line) => line.propertyId).values()];
  const byDeal = [...Map.groupBy(versions, (version) => String(version['deal_id'])).values()];
  return countPairs({
    what: 'listings of one property',
    truth: pairsOf(byProperty.map((group) => group.map((line) => listingKey(line.site, line.listingId)))),
    found: pairsOf(byDeal.map((group) => group.map((version) => listingKey(version['source'], version['listing_id'])))),
    whyMissed: () => 'their normalized addresses differ',
  });
}

/** Rows of a snapshot about properties, with what is true about them. */
interface PropertyRows {
  readonly truth: Truth;
  readonly counties: readonly CountyDebts[];
  readonly signals: readonly Row[];
  readonly auctions: readonly Row[];
}

/** Records and sales by id, with their true property. */
function countyRows({ truth, counties, signals, auctions }: PropertyRows): Map<unknown, CountyRow> {
  const records = new Map([...trueSignals(signals, truth, counties), ...trueSales(auctions, truth)]);
  const rowOf = (row: Row, hasStreet: boolean): readonly [unknown, CountyRow] => {
    const { name = 'a record', propertyId = null } = records.get(row['id']) ?? {};
    const property = propertyId === null ? undefined : truth.world.properties.get(propertyId);
    return [
      row['id'],
      {
        name,
        building: property?.building,
        lacksUnit: row['unit_key'] === null && typeof property?.address.unit === 'string',
        hasStreet,
        hasZip: row['zip'] !== null,
      },
    ];
  };
  return new Map([
    ...signals.map((signal) => rowOf(signal, signal['has_address'] === true)),
    ...auctions.map((auction) => rowOf(auction, auction['address_key'] !== null)),
  ]);
}

function whyNotAttached(row: CountyRow | undefined): string {
  if (row?.hasStreet === false) return 'no page prints its street';
  if (row?.hasZip === false) return 'no page prints its ZIP';
  if (row?.lacksUnit === true) return 'no page prints its unit';
  return 'their normalized addresses differ';
}

/** The true property of each deal; undefined if no site shows it. */
function propertiesOfDeals(versions: readonly Row[], day: Listings): Map<unknown, string> {
  const propertyOf = new Map(
    day.listings.map((listing) => [listingKey(listing.site, listing.listingId), listing.propertyId]),
  );
  return new Map(
    versions.map((version) => [
      version['deal_id'],
      propertyOf.get(listingKey(version['source'], version['listing_id'])) ?? 'unknown property',
    ]),
  );
}

const pairName = (property: string, name: string): string => `${property} + ${name}`;

function distressPairs(
  deals: readonly Row[],
  propertyOfDeal: ReadonlyMap<unknown, string>,
  rows: ReadonlyMap<unknown, CountyRow>,
): PairCounts {
  const forSale = new Set(propertyOfDeal.values());
  const byName = new Map([...rows.values()].map((row) => [row.name, row]));
  return countPairs({
    what: 'debts and sales of a property for sale',
    truth: new Set(
      [...rows.values()].flatMap(({ building, name }) =>
        building !== undefined && forSale.has(building) ? [pairName(building, name)] : [],
      ),
    ),
    found: new Set(
      deals.flatMap((deal) => {
        const property = propertyOfDeal.get(deal['id']);
        if (property === undefined) return [];
        return idsIn(deal['distress_matches']).map((id) =>
          pairName(property, rows.get(id)?.name ?? `a record that is not published: ${id}`),
        );
      }),
    ),
    whyMissed: (missed) => whyNotAttached(byName.get(missed.slice(missed.indexOf(' + ') + 3))),
  });
}

/** A lead of a sale names one debt of its building; any of them is right. */
function debtsOfSales(leads: readonly Row[], rows: ReadonlyMap<unknown, CountyRow>): PairCounts {
  const debtOf = (building: string | undefined): string => `a debt of ${building ?? 'an unknown property'}`;
  const inDebt = new Set([...rows.values()].filter(({ name }) => name.startsWith('debt')).map((row) => row.building));
  const auctionLeads = leads.filter((lead) => lead['lead_type'] === 'sheriff_sale_auction');
  return countPairs({
    what: 'a debt and a sale of one property (leads of sales)',
    truth: new Set(
      auctionLeads.flatMap((lead) => {
        const sale = rows.get(lead['auction_id']);
        return sale && inDebt.has(sale.building) ? [pairName(sale.name, debtOf(sale.building))] : [];
      }),
    ),
    found: new Set(
      auctionLeads.flatMap((lead) =>
        idsIn(lead['corroboration'], 'tax_delinquent').map((id) =>
          pairName(rows.get(lead['auction_id'])?.name ?? '', debtOf(rows.get(id)?.building)),
        ),
      ),
    ),
    whyMissed: () => 'their normalized parcel numbers differ',
  });
}

function listingsOfDebts(
  leads: readonly Row[],
  activeDeals: ReadonlyMap<unknown, string>,
  rows: ReadonlyMap<unknown, CountyRow>,
): PairCounts {
  const forSale = new Set(activeDeals.values());
  const taxLeads = leads.flatMap((lead) => {
    const row = rows.get(lead['signal_id']);
    return row && lead['lead_type'] === 'tax_delinquent' ? [{ lead, row }] : [];
  });
  const byName = new Map(taxLeads.map(({ row }) => [row.name, row]));
  return countPairs({
    what: 'a debt and a listing of one property (leads of debts)',
    truth: new Set(
      taxLeads.flatMap(({ row: { building, name } }) =>
        building !== undefined && forSale.has(building) ? [pairName(building, name)] : [],
      ),
    ),
    found: new Set(
      taxLeads.flatMap(({ lead, row }) =>
        idsIn(lead['corroboration'], 'listing').flatMap((id) => {
          const property = activeDeals.get(id);
          return property === undefined ? [] : [pairName(property, row.name)];
        }),
      ),
    ),
    whyMissed: (missed) => whyNotAttached(byName.get(missed.slice(missed.indexOf(' + ') + 3))),
  });
}

/** Pairs of a snapshot that are one property, by its rows and by the truth. */
export async function pairCounts(
  read: ReadTable,
  truth: Truth,
  counties: readonly CountyDebts[],
): Promise<PairCounts[]> {
  const versions = await read('listing_history', 'is_latest AND gone_on IS NULL');
  const signals = await read('signals', "signal_state = 'listed'");
  const auctions = await read('auctions', "sale_status = 'scheduled'");
  const listings = [...truth.sources.values()].flatMap(({ source, family, lastGood }): ListingOnDay[] =>
    family === 'listings' ? truth.on(lastGood).listings.filter(({ site }) => site === source) : [],
  );
  const rows = countyRows({ truth, counties, signals, auctions });
  const deals = await read('deals');
  const leads = await read('leads');
  const propertyOfDeal = propertiesOfDeals(versions, { listings });
  const active = new Set(deals.filter((deal) => deal['listing_status'] === 'active').map((deal) => deal['id']));
  return [
    listingPairs(versions, { listings }),
    distressPairs(deals, propertyOfDeal, rows),
    debtsOfSales(leads, rows),
    listingsOfDebts(leads, new Map([...propertyOfDeal].filter(([id]) => active.has(id))), rows),
  ];
}

/** Compare the snapshot in `folder` with the world. */
export async function compareIdentity(folder: string, { world }: Pick<WorldDay, 'world'>): Promise<PairCounts[]> {
  const truth = await deriveTruth(folder, world);
  return withSnapshot(folder, (read) => pairCounts(read, truth, debtsOfCounties(truth)));
}

/** Pairs as comparisons. A pair that no page allows to join, such as a debt without a street, is not missing. */
export function pairComparisons(counts: readonly PairCounts[]): Comparison[] {
  const difference = (key: string, isExpected: boolean): Difference => ({
    key,
    field: null,
    expected: isExpected ? 1 : 0,
    found: isExpected ? 0 : 1,
    page: null,
  });
  return counts.map(({ what, same, wrong, missed }) => ({
    what: 'joins',
    group: what,
    compared: same,
    differing: [],
    missing: missed.filter((pair) => pair.endsWith(' differ')).map((pair) => difference(pair, true)),
    extra: wrong.map((pair) => difference(pair, false)),
  }));
}

/** Lines with the figures of each kind of pair, wrong pairs, and the reasons of missed ones. */
export function formatIdentity(counts: readonly PairCounts[]): string[] {
  const width = Math.max(...counts.map((count) => count.what.length));
  const number = (count: number): string => String(count).padStart(5);
  return counts.flatMap((count) => [
    `  ${count.what.padEnd(width)}  same ${number(count.same)}  found ${number(count.found)}  ` +
      `precision ${precisionOf(count).toFixed(4)}  recall ${recallOf(count).toFixed(4)}`,
    ...count.wrong.slice(0, 3).map((wrong) => `      wrong: ${wrong}`),
    ...[...Map.groupBy(count.missed, (missed) => missed.slice(missed.lastIndexOf(': ') + 2))].map(
      ([why, pairs]) => `      missed ${pairs.length}: ${why}`,
    ),
  ]);
}
