/**
 * Precision and recall of the joins of rows to properties, in pairs: listings of one property, county records of a
 * property for sale, and the records that leads of sales and of debts cite.
 */
import type { AuctionOnDay, ListingOnDay, World, WorldDay } from '../world/types.ts';
import type { Comparison, Difference, Row } from './compare.ts';
import { listingKey, listingKeyOf } from './listings.ts';
import { deriveTruth, parcelKey, withSnapshot, type ReadTable, type Truth } from './truth.ts';

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

const pair = (one: string, other: string): string => `${one} + ${other}`;
const DIFFER = 'their normalized addresses or parcel numbers differ';

/** @param why why a true pair may be missed */
function countPairs(
  what: string,
  same: readonly string[],
  joined: readonly string[],
  why: (missed: string) => string = () => DIFFER,
): PairCounts {
  const [truth, found] = [new Set(same), new Set(joined)];
  return {
    what,
    same: truth.size,
    found: found.size,
    right: found.intersection(truth).size,
    wrong: [...found.difference(truth)],
    missed: [...truth.difference(found)].map((missed) => `${missed}: ${why(missed)}`),
  };
}

/** All pairs within each group. */
const pairsOf = (groups: Iterable<readonly string[]>): string[] =>
  [...groups].flatMap((members) =>
    members.toSorted().flatMap((member, index, all) => all.slice(index + 1).map((other) => pair(member, other))),
  );

/** Listings by deal, as last shown. A version has source, listing_id and deal_id. */
export function listingPairs(versions: readonly Row[], { listings }: Pick<WorldDay, 'listings'>): PairCounts {
  // Missing rows are counted by reconcile, not here.
  const published = new Set(versions.map(listingKeyOf));
  const shown = listings
    .map(({ site, listingId, propertyId }) => ({ key: listingKey(site, listingId), propertyId }))
    .filter(({ key }) => published.has(key));
  const byProperty = Map.groupBy(shown, ({ propertyId }) => propertyId).values();
  const byDeal = Map.groupBy(versions, (version) => String(version['deal_id'])).values();
  return countPairs(
    'listings of one property',
    pairsOf([...byProperty].map((group) => group.map(({ key }) => key))),
    pairsOf([...byDeal].map((group) => group.map(listingKeyOf))),
  );
}

/** A published debt, record or sale, with its true building. */
interface CountyRow {
  readonly name: string;
  readonly isDebt: boolean;
  readonly building: string | undefined;
  /** Why a true pair of it may be missed. */
  readonly why: string;
}

/** Finds the property of a published sale or signal. Parcels distinguish the sales of a case on a day. */
function propertyFinder(truth: Truth): (row: Row) => string | undefined {
  const { auctions, distress } = truth.on(truth.asOf);
  const keyOf = (...parts: readonly unknown[]): string => parts.join(' ');
  const bySale = Map.groupBy(auctions, (sale) => keyOf(sale.countyFips, sale.caseNumber, sale.saleDate));
  const byNumber = new Map(distress.map((one) => [keyOf(one.kind, one.countyFips, one.number), one.propertyId]));
  return (row) => {
    const { county_fips: fips, parcel_id: parcel, item_id: item, signal_type: kind } = row;
    if (kind === 'tax_delinquent') return truth.propertyOf(fips, parcel);
    if (kind !== undefined) return byNumber.get(keyOf(kind, fips, row['record_number']));
    const items = bySale.get(keyOf(fips, row['case_number'], row['sale_date'])) ?? [];
    const isItem = (sale: AuctionOnDay): boolean =>
      item === null
        ? parcelKey(sale.countyFips, sale.parcel) === parcelKey(sale.countyFips, String(parcel))
        : sale.aid === item;
    return (items.length < 2 ? items[0] : items.find(isItem))?.propertyId;
  };
}

function countyRows(truth: Truth, rows: readonly Row[]): ReadonlyMap<unknown, CountyRow> {
  const find = propertyFinder(truth);
  return new Map(
    rows.map((row) => {
      const property = truth.world.properties.get(find(row) ?? '');
      const hasStreet = row['has_address'] === true || ('sale_date' in row && row['address_key'] !== null);
      const lacksUnit = row['unit_key'] === null && typeof property?.address.unit === 'string';
      const lacks = !hasStreet ? 'street' : row['zip'] === null ? 'ZIP' : lacksUnit ? 'unit' : null;
      const parts = ['signal_type', 'county_fips', 'case_number', 'record_number', 'parcel_id', 'sale_date'];
      return [
        row['id'],
        {
          name: parts.flatMap((part) => (row[part] === undefined || row[part] === null ? [] : [row[part]])).join(' '),
          isDebt: row['signal_type'] === 'tax_delinquent',
          building: property?.building,
          why: lacks === null ? DIFFER : `no page prints its ${lacks}`,
        },
      ];
    }),
  );
}

/** Ids in a published list of matches, of all kinds or of one. */
const idsIn = (json: unknown, only?: string): string[] =>
  (JSON.parse(String(json)) as { id: string; kind: string }[]).flatMap(({ id, kind }) =>
    only === undefined || kind === only ? [id] : [],
  );

/** Pairs of a building for sale and a county record of it. */
function pairsForSale(
  what: string,
  forSale: ReadonlyMap<unknown, string>,
  rows: readonly CountyRow[],
  joined: readonly string[],
): PairCounts {
  const buildings = new Set(forSale.values());
  const ofSale = rows.filter(({ building = '' }) => buildings.has(building));
  const why = new Map(ofSale.map((row) => [pair(row.building ?? '', row.name), row.why]));
  return countPairs(what, [...why.keys()], joined, (missed) => why.get(missed) ?? DIFFER);
}

/** Pairs of a snapshot that are one property, by its rows and by the truth. */
export async function pairCounts(read: ReadTable, truth: Truth): Promise<PairCounts[]> {
  const versions = await read('listing_history', 'is_latest AND gone_on IS NULL');
  const records = [
    ...(await read('signals', "signal_state = 'listed'")),
    ...(await read('auctions', "sale_status = 'scheduled'")),
  ];
  const [deals, leads] = [await read('deals'), await read('leads')];
  const listings = truth.sources.flatMap(({ source, family, lastGood }): ListingOnDay[] =>
    family === 'listings' ? truth.on(lastGood).listings.filter(({ site }) => site === source) : [],
  );
  const propertyOf = new Map(listings.map((line) => [listingKey(line.site, line.listingId), line.propertyId]));
  const ofDeal = new Map(
    versions.map((version) => [version['deal_id'], propertyOf.get(listingKeyOf(version)) ?? 'unknown property']),
  );
  const isActive = new Set(deals.filter((deal) => deal['listing_status'] === 'active').map((deal) => deal['id']));
  const rows = countyRows(truth, records);
  const nameOf = (id: unknown): string => rows.get(id)?.name ?? `a record that is not published: ${String(id)}`;
  const debtOf = (building = 'an unknown property'): string => `a debt of ${building}`;
  const inDebt = new Set([...rows.values()].filter(({ isDebt }) => isDebt).map(({ building }) => building));
  const saleLeads = leads.filter((lead) => lead['lead_type'] === 'sheriff_sale_auction');
  const taxLeads = leads.filter((lead) => rows.get(lead['signal_id'])?.isDebt);
  return [
    listingPairs(versions, { listings }),
    pairsForSale(
      'debts and sales of a property for sale',
      ofDeal,
      [...rows.values()],
      deals.flatMap(({ id: deal, distress_matches: matches }) =>
        idsIn(matches).flatMap((id) => (ofDeal.has(deal) ? [pair(ofDeal.get(deal) ?? '', nameOf(id))] : [])),
      ),
    ),
    // A lead of a sale names one debt of its building; any of them is right.
    countPairs(
      'a debt and a sale of one property (leads of sales)',
      saleLeads.flatMap(({ auction_id: id }) => {
        const building = rows.get(id)?.building;
        return inDebt.has(building) ? [pair(nameOf(id), debtOf(building))] : [];
      }),
      saleLeads.flatMap(({ auction_id: sale, corroboration }) =>
        idsIn(corroboration, 'tax_delinquent').map((id) => pair(nameOf(sale), debtOf(rows.get(id)?.building))),
      ),
    ),
    pairsForSale(
      'a debt and a listing of one property (leads of debts)',
      new Map([...ofDeal].filter(([id]) => isActive.has(id))),
      taxLeads.flatMap(({ signal_id: id }) => rows.get(id) ?? []),
      taxLeads.flatMap(({ signal_id: debt, corroboration }) =>
        idsIn(corroboration, 'listing').flatMap((id) =>
          isActive.has(id) && ofDeal.has(id) ? [pair(ofDeal.get(id) ?? '', nameOf(debt))] : [],
        ),
      ),
    ),
  ];
}

/** Compare the snapshot in `folder` with the world. */
export async function compareIdentity(folder: string, world: World): Promise<PairCounts[]> {
  const truth = await deriveTruth(folder, world);
  return withSnapshot(folder, (read) => pairCounts(read, truth));
}

/** Pairs as comparisons. A pair that no page allows to join, such as a debt without a street, is not missing. */
export const comparePairs = (counts: readonly PairCounts[]): Comparison[] =>
  counts.map(({ what, same, wrong, missed }) => {
    const difference =
      (kind: 'missing' | 'extra') =>
      (key: string): Difference => ({ kind, key, column: 'rows', expected: 'a pair or none', found: kind, page: '' });
    return {
      record: `joins of ${what}`,
      compared: same,
      differences: [
        ...missed.filter((one) => one.endsWith(DIFFER)).map(difference('missing')),
        ...wrong.map(difference('extra')),
      ],
    };
  });
