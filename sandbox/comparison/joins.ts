/**
 * The joins of rows to properties, as pairs: listings of one property, county records of a property for sale, and what
 * leads of sales and of debts cite. A pair that no page allows to join, such as a debt without a street, may be absent.
 */
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { listingKey, listingKeyOf } from './listings.ts';
import { parcelKey, type Truth } from './truth.ts';

const pair = (one: string, other: string): string => `${one} + ${other}`;

/** All pairs within each group. */
const pairsOf = (groups: Iterable<readonly string[]>): string[] =>
  [...groups].flatMap((members) =>
    members.toSorted().flatMap((member, index, all) => all.slice(index + 1).map((other) => pair(member, other))),
  );

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
    const printed = parcelKey(String(fips), String(parcel));
    return items.find(
      (sale) =>
        items.length < 2 || (item === null ? parcelKey(sale.countyFips, sale.parcel) === printed : sale.aid === item),
    )?.propertyId;
  };
}

const NAME = ['signal_type', 'county_fips', 'case_number', 'record_number', 'parcel_id', 'sale_date'];

/** Ids in a published list of matches, of all kinds or of one. */
const idsIn = (json: unknown, only?: string): string[] =>
  (JSON.parse(String(json)) as { id: string; kind: string }[]).flatMap(({ id, kind }) =>
    only === undefined || kind === only ? [id] : [],
  );

/** A published debt, record or sale, with its true building. */
function countyRow(row: Row, property: ReturnType<Truth['world']['properties']['get']>) {
  const hasStreet = row['has_address'] === true || ('sale_date' in row && row['address_key'] !== null);
  const lacksUnit = row['unit_key'] === null && typeof property?.address.unit === 'string';
  return {
    name: NAME.flatMap((part) => row[part] ?? []).join(' '),
    isDebt: row['signal_type'] === 'tax_delinquent',
    building: property?.building,
    /** No page prints its street, ZIP or unit. */
    lacksPlace: !hasStreet || row['zip'] === null || lacksUnit,
  };
}
type CountyRow = ReturnType<typeof countyRow>;

/** Pairs of a building for sale and a county record of it. */
const pairsForSale = (forSale: Iterable<string>, rows: readonly CountyRow[]): TrueRow[] => {
  const buildings = new Set(forSale);
  return rows.flatMap(({ building = '', name, lacksPlace }) =>
    buildings.has(building) ? [{ key: pair(building, name), columns: {}, isOptional: lacksPlace }] : [],
  );
};

/** The joins of a snapshot, compared with the truth. */
export async function compareJoins(truth: Truth): Promise<Comparison[]> {
  const { read } = truth;
  const versions = await read('listing_history', 'is_latest AND gone_on IS NULL');
  const records = [
    ...(await read('signals', "signal_state = 'listed'")),
    ...(await read('auctions', "sale_status = 'scheduled'")),
  ];
  const [deals, leads] = [await read('deals'), await read('leads')];
  const shown = truth.sources.flatMap(({ source, family, lastGood }) =>
    family === 'listings' ? truth.on(lastGood).listings.filter(({ site }) => site === source) : [],
  );
  const propertyOf = new Map(shown.map((listing) => [listingKey(listing), listing.propertyId]));
  const ofDeal = new Map(
    versions.map((version) => [version['deal_id'], propertyOf.get(listingKeyOf(version)) ?? 'unknown property']),
  );
  const active = deals.filter((deal) => deal['listing_status'] === 'active' && ofDeal.has(deal['id']));
  const activeOf = new Map(active.map(({ id }) => [id, ofDeal.get(id) ?? '']));
  const find = propertyFinder(truth);
  const rows = new Map(records.map((row) => [row['id'], countyRow(row, truth.world.properties.get(find(row) ?? ''))]));
  const nameOf = (id: unknown): string => rows.get(id)?.name ?? `a record that is not published: ${String(id)}`;
  const debtOf = (building = 'an unknown property'): string => `a debt of ${building}`;
  const inDebt = new Set([...rows.values()].filter(({ isDebt }) => isDebt).map(({ building }) => building));
  const saleLeads = leads.filter((lead) => lead['lead_type'] === 'sheriff_sale_auction');
  const taxLeads = leads.filter((lead) => rows.get(lead['signal_id'])?.isDebt);
  const certain = (key: string): TrueRow => ({ key, columns: {} });
  const joins: readonly (readonly [what: string, joined: readonly string[], same: readonly TrueRow[]])[] = [
    [
      'listings of one property',
      pairsOf([...Map.groupBy(versions, (one) => one['deal_id']).values()].map((group) => group.map(listingKeyOf))),
      // Missing listings are compared with the listings, not here.
      pairsOf(
        Map.groupBy(
          versions.map(listingKeyOf).filter((key) => propertyOf.has(key)),
          (key) => propertyOf.get(key),
        ).values(),
      ).map(certain),
    ],
    [
      'debts and sales of a property for sale',
      deals.flatMap(({ id, distress_matches: matches }) =>
        ofDeal.has(id) ? idsIn(matches).map((record) => pair(ofDeal.get(id) ?? '', nameOf(record))) : [],
      ),
      pairsForSale(ofDeal.values(), [...rows.values()]),
    ],
    [
      // A lead of a sale names one debt of its building; any of them is right.
      'a debt and a sale of one property (leads of sales)',
      saleLeads.flatMap(({ auction_id: sale, corroboration }) =>
        idsIn(corroboration, 'tax_delinquent').map((id) => pair(nameOf(sale), debtOf(rows.get(id)?.building))),
      ),
      saleLeads.flatMap(({ auction_id: id }) => {
        const building = rows.get(id)?.building;
        return inDebt.has(building) ? [certain(pair(nameOf(id), debtOf(building)))] : [];
      }),
    ],
    [
      'a debt and a listing of one property (leads of debts)',
      taxLeads.flatMap(({ signal_id: debt, corroboration }) =>
        idsIn(corroboration, 'listing').flatMap((id) =>
          activeOf.has(id) ? [pair(activeOf.get(id) ?? '', nameOf(debt))] : [],
        ),
      ),
      pairsForSale(
        activeOf.values(),
        taxLeads.flatMap(({ signal_id: id }) => rows.get(id) ?? []),
      ),
    ],
  ];
  return joins.map(([what, joined, same]) =>
    compare(`joins of ${what}`, new Map(joined.map((key) => [key, [{}]])), same),
  );
}
