/**
 * Precision and recall of the joins of rows to properties, in pairs: listings of one property, county records of a
 * property for sale, and the records that leads of sales and of debts cite.
 */
import type { ListingOnDay, World, WorldDay } from '../world/types.ts';
import type { Comparison, Difference, Row } from './compare.ts';
import { listingKey, listingKeyOf } from './records/listings.ts';
import { withSnapshot, type ReadTable } from './snapshot.ts';
import { debtsOfCounties } from './truth/debts.ts';
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

/** @param whyMissed why a true pair may be missed */
function countPairs(
  what: string,
  trueGroups: readonly string[],
  joined: readonly string[],
  whyMissed: (pair: string) => string,
): PairCounts {
  const [truth, found] = [new Set(trueGroups), new Set(joined)];
  return {
    what,
    same: truth.size,
    found: found.size,
    right: found.intersection(truth).size,
    wrong: [...found.difference(truth)],
    missed: [...truth.difference(found)].map((pair) => `${pair}: ${whyMissed(pair)}`),
  };
}

const NOT_NORMALIZED = 'their normalized addresses differ';

/** All pairs within each group. */
const pairsOf = (groups: Iterable<readonly string[]>): string[] =>
  [...groups].flatMap((members) =>
    members.toSorted().flatMap((member, index, all) => all.slice(index + 1).map((other) => `${member} + ${other}`)),
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
    () => NOT_NORMALIZED,
  );
}

/** A published debt, record or sale, with its true building. */
interface CountyRow {
  readonly name: string;
  readonly building: string | undefined;
  /** Why no page allows to join it to a listing; null if the addresses must join. */
  readonly whyMissed: string | null;
}

/** Published rows by id. */
type Rows = ReadonlyMap<unknown, CountyRow>;

function countyRows(truth: Truth, signals: readonly Row[], auctions: readonly Row[]): Rows {
  const records = new Map([...trueSignals(signals, truth, debtsOfCounties(truth)), ...trueSales(auctions, truth)]);
  const rowOf = (row: Row): readonly [unknown, CountyRow] => {
    const { name = 'a record', propertyId } = records.get(row['id']) ?? {};
    const property = truth.world.properties.get(propertyId ?? '');
    const hasStreet = row['has_address'] === true || ('sale_date' in row && row['address_key'] !== null);
    const lacksUnit = row['unit_key'] === null && typeof property?.address.unit === 'string';
    const lacks = !hasStreet ? 'street' : row['zip'] === null ? 'ZIP' : lacksUnit ? 'unit' : null;
    return [
      row['id'],
      { name, building: property?.building, whyMissed: lacks === null ? null : `no page prints its ${lacks}` },
    ];
  };
  return new Map([...signals, ...auctions].map(rowOf));
}

/** Ids in a published list of matches, of all kinds or of one. */
const idsIn = (json: unknown, only?: string): string[] =>
  (JSON.parse(String(json)) as { id: string; kind: string }[]).flatMap(({ id, kind }) =>
    only === undefined || kind === only ? [id] : [],
  );

const pairName = (property: string, name: string): string => `${property} + ${name}`;

/** Pairs of a building for sale and a county record of it. */
function pairsForSale(
  what: string,
  forSale: ReadonlyMap<unknown, string>,
  rows: readonly CountyRow[],
  joined: readonly { readonly building: string | undefined; readonly name: string }[],
): PairCounts {
  const buildings = new Set(forSale.values());
  const byPair = new Map(rows.map((row) => [pairName(row.building ?? '', row.name), row]));
  return countPairs(
    what,
    [...byPair].flatMap(([pair, { building }]) => (building !== undefined && buildings.has(building) ? [pair] : [])),
    joined.flatMap(({ building, name }) => (building === undefined ? [] : [pairName(building, name)])),
    (pair) => byPair.get(pair)?.whyMissed ?? NOT_NORMALIZED,
  );
}

/** A lead of a sale names one debt of its building; any of them is right. */
function debtsOfSales(leads: readonly Row[], rows: Rows): PairCounts {
  const debtOf = (building: string | undefined): string => `a debt of ${building ?? 'an unknown property'}`;
  const inDebt = new Set([...rows.values()].filter(({ name }) => name.startsWith('debt')).map((row) => row.building));
  const auctionLeads = leads.filter((lead) => lead['lead_type'] === 'sheriff_sale_auction');
  return countPairs(
    'a debt and a sale of one property (leads of sales)',
    auctionLeads.flatMap((lead) => {
      const sale = rows.get(lead['auction_id']);
      return sale && inDebt.has(sale.building) ? [pairName(sale.name, debtOf(sale.building))] : [];
    }),
    auctionLeads.flatMap((lead) =>
      idsIn(lead['corroboration'], 'tax_delinquent').map((id) =>
        pairName(rows.get(lead['auction_id'])?.name ?? '', debtOf(rows.get(id)?.building)),
      ),
    ),
    () => 'their normalized parcel numbers differ',
  );
}

/** Pairs of a snapshot that are one property, by its rows and by the truth. */
export async function pairCounts(read: ReadTable, truth: Truth): Promise<PairCounts[]> {
  const versions = await read('listing_history', 'is_latest AND gone_on IS NULL');
  const signals = await read('signals', "signal_state = 'listed'");
  const auctions = await read('auctions', "sale_status = 'scheduled'");
  const [deals, leads] = [await read('deals'), await read('leads')];
  const listings = [...truth.sources.values()].flatMap(({ source, family, lastGood }): ListingOnDay[] =>
    family === 'listings' ? truth.on(lastGood).listings.filter(({ site }) => site === source) : [],
  );
  const propertyOf = new Map(listings.map((line) => [listingKey(line.site, line.listingId), line.propertyId]));
  const ofDeal = new Map(
    versions.map((version) => [version['deal_id'], propertyOf.get(listingKeyOf(version)) ?? 'unknown property']),
  );
  const isActive = new Set(deals.filter((deal) => deal['listing_status'] === 'active').map((deal) => deal['id']));
  const ofActive = new Map([...ofDeal].filter(([id]) => isActive.has(id)));
  const rows = countyRows(truth, signals, auctions);
  const taxLeads = leads.flatMap((lead) => {
    const row = lead['lead_type'] === 'tax_delinquent' ? rows.get(lead['signal_id']) : undefined;
    return row ? [{ cited: idsIn(lead['corroboration'], 'listing'), row }] : [];
  });
  const nameOf = (id: string): string => rows.get(id)?.name ?? `a record that is not published: ${id}`;
  return [
    listingPairs(versions, { listings }),
    pairsForSale(
      'debts and sales of a property for sale',
      ofDeal,
      [...rows.values()],
      deals.flatMap((deal) =>
        idsIn(deal['distress_matches']).map((id) => ({ building: ofDeal.get(deal['id']), name: nameOf(id) })),
      ),
    ),
    debtsOfSales(leads, rows),
    pairsForSale(
      'a debt and a listing of one property (leads of debts)',
      ofActive,
      taxLeads.map(({ row }) => row),
      taxLeads.flatMap(({ cited, row: { name } }) => cited.map((id) => ({ building: ofActive.get(id), name }))),
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
    const difference = (kind: 'missing' | 'extra', key: string): Difference => ({
      kind,
      key,
      column: null,
      expected: kind === 'missing' ? 1 : 0,
      found: kind === 'missing' ? 0 : 1,
      page: null,
    });
    return {
      record: `joins of ${what}`,
      compared: same,
      differences: [
        ...missed.filter((pair) => pair.endsWith(' differ')).map((pair) => difference('missing', pair)),
        ...wrong.map((pair) => difference('extra', pair)),
      ],
    };
  });
