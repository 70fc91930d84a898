/**
 * Compares a snapshot with the truth of its world. The kinds of records are a table: which published rows, by which
 * key, against which true rows with which columns. The joins of rows to properties are compared as pairs: listings of
 * one property, county records of a property for sale, and what leads of sales and of debts cite. A pair that no page
 * allows to join, such as a debt without a street, may be absent.
 */
import { DISTRESS_TYPES } from '../../sources/kinds.ts';
import { dayNumber } from '../world/days.ts';
import type { OhioRelease } from '../world/ohio.ts';
import type { DistressOnDay, World } from '../world/types.ts';
import { anyOf, columnsOf, compare, deriveTruth, inOrder, parcelKey, placeOf, withSnapshot } from './compare.ts';
import type { Comparison, RecordTable, Row, SourceReads, TrueRow, Truth } from './compare.ts';
import { OF_DEBTS, OF_SALES } from './debts_and_sales.ts';
import { listingKey, listingKeyOf, OF_LISTINGS } from './listings.ts';

/** What the pages of a source leave out of a record of distress. */
const LEFT_OUT: Readonly<Record<string, readonly ('address' | 'day' | 'state')[]>> = {
  // It counts for two years after its latest event.
  pa_allegheny_foreclosures: ['address', 'state'],
  pa_allegheny_liens: ['address'],
  mo_kansas_city_code: ['day'],
};

/** In force: still open, and with something owed if an amount is. */
const isInForce = ({ isOpen, amount }: DistressOnDay): boolean => isOpen && (amount === null || Number(amount) > 0);

function stateOf(record: DistressOnDay, source: string, asOf: string): string {
  if (!isInForce(record)) return 'removed';
  const yearsAgo = (years: number): string => `${Number(asOf.slice(0, 4)) - years}${asOf.slice(4)}`;
  // A register of vacant buildings that says when one begins and never that it ends
  if (source === 'wi_milwaukee_vacant') return record.filedOn < yearsAgo(3) ? 'unknown' : 'listed';
  return LEFT_OUT[source]?.includes('state') && record.lastActivityOn < yearsAgo(2) ? 'unknown' : 'listed';
}

function distressColumns(record: DistressOnDay, { source, lastGood }: SourceReads, truth: Truth): Row {
  const leftOut = LEFT_OUT[source] ?? [];
  const property = truth.on(lastGood).property(record.propertyId);
  const isCertificate = source.endsWith('_certificates');
  const isPrinted = property.hasAddress && record.flaw !== 'no_address' && !leftOut.includes('address');
  const hasNoDay = leftOut.includes('day') || record.flaw === 'corrupt_year';
  return {
    ...columnsOf(record, 'plaintiff tax_year'),
    ...placeOf(property, isPrinted && !isCertificate),
    signal_state: stateOf(record, source, truth.asOf),
    // These lists print the year only.
    ...(isCertificate || source === 'mo_st_louis_vacant' ? {} : { filed_on: hasNoDay ? null : record.filedOn }),
    // A closed record is read without its amount where its publisher returns those that changed.
    amount: isInForce(record) ? record.amount : anyOf(null, record.amount),
  };
}

const OF_DISTRESS = DISTRESS_TYPES.map((kind): RecordTable => ({
  record: `signals of ${kind}`,
  table: 'signals',
  where: `signal_type = '${kind}'`,
  keyOf: (row) => `${String(row['county_fips'])} ${String(row['record_number'])}`,
  isOf: ({ kinds }) => kinds.includes(kind),
  truth(truth, sources) {
    const rows = new Map<string, TrueRow>();
    // Two sources of a city may show one record. Some return open records only.
    const show = (reads: SourceReads, day: string, columns?: typeof distressColumns): void => {
      for (const record of truth.on(day).distress) {
        if (record.kind !== kind || record.countyFips !== reads.countyFips) continue;
        const key = `${record.countyFips} ${record.number}`;
        const shown = columns?.(record, reads, truth) ?? { signal_state: 'removed' };
        rows.set(key, { key, columns: shown, isOptional: columns === undefined || !isInForce(record) });
      }
    };
    for (const reads of sources) for (const day of reads.days) show(reads, day);
    for (const reads of sources) show(reads, reads.lastGood, distressColumns);
    return [...rows.values()];
  },
}));

/** Ohio posts one month at a time: the rows with a name of all months that were posted on a day of a read. */
function postedIn<K extends 'filings' | 'amendments'>(truth: Truth, { days }: SourceReads, list: K) {
  const rows = days.flatMap((day) => truth.on(day).ohio[list] as readonly OhioRelease[K][number][]);
  const byNumber = new Map(rows.map((row) => [row.documentNumber, row]));
  return [...byNumber.values()].filter(({ businessName }) => businessName !== null);
}

function ohioFilings(truth: Truth, reads: SourceReads): TrueRow[] {
  const changes = truth.sources.find(({ source }) => source === 'ohio_sos_amendments');
  const amendments = (changes ? postedIn(truth, changes, 'amendments') : []).toSorted(
    inOrder((row) => [row.effectiveDate, row.documentNumber]),
  );
  return postedIn(truth, reads, 'filings').map((filing) => {
    const latest = amendments.findLast(
      (one) => one.charterNumber === filing.charterNumber && one.effectiveDate >= filing.effectiveDate,
    );
    const columns = {
      ...columnsOf(filing, 'business_name filing_date=effectiveDate'),
      ...columnsOf(
        latest ?? { kind: null, effectiveDate: null, documentNumber: null },
        'amendment_kind=kind amendment_date=effectiveDate amendment_document=documentNumber',
      ),
    };
    return { key: filing.documentNumber, columns };
  });
}

const coloradoFilings = (truth: Truth, { lastGood }: SourceReads): TrueRow[] =>
  truth.on(lastGood).colorado.map((entity) => {
    const named = columnsOf(entity, 'business_name=name filing_date=formedOn');
    return { key: entity.entityId, columns: { ...named, entity_status: entity.row['entitystatus'] ?? null } };
  });

const OF_FILINGS = Object.entries({ ohio_sos: ohioFilings, colorado_sos: coloradoFilings }).map(
  ([register, filings]): RecordTable => ({
    record: `filings of ${register}`,
    table: 'filings',
    where: `source = '${register}'`,
    keyOf: (row) => String(row['document_number']),
    isOf: ({ source }) => source === register,
    truth: (truth, sources) => sources.flatMap((reads) => filings(truth, reads)),
  }),
);

/** Columns that a lead has from its debt or sale. */
const OF_DEBT =
  'last_verified=last_seen amount county_value amount_to_value_pct years_delinquent months_delinquent certified_year ' +
  'owner_name owner_location mail_street mail_city mail_state mail_zip address city state zip county_fips parcel_key';
const OF_SALE =
  'last_verified=last_seen auction_type sale_kind sale_date case_number appraised_value opening_bid ' +
  'opening_bid_basis opening_bid_derived opening_bid_mismatch deposit property_address city state zip county_fips';

const nextSale = inOrder((sale: Row) => [String(sale['sale_date']), String(sale['case_number'])]);

/** One lead for each debt, and each next sale of a parcel, that the snapshot has and that a buyer can use. */
const LEADS: RecordTable = {
  record: 'leads',
  table: 'leads',
  keyOf: (lead) => String(lead['signal_id'] ?? lead['auction_id']),
  async truth({ read, asOf, soldLeads, assumption }) {
    // An older record is not published as a lead.
    const isFresh = ({ last_seen: lastSeen }: Row): boolean =>
      dayNumber(asOf) - dayNumber(String(lastSeen)) <= assumption('lead_max_age_days');
    const isDebt = "signal_type = 'tax_delinquent' AND signal_state = 'listed' AND has_address AND amount > 0";
    const isSale = `sale_status = 'scheduled' AND sale_date >= DATE '${asOf}' AND property_address IS NOT NULL`;
    const [debts, sales] = [await read('signals', isDebt), await read('auctions', isSale)];
    const ofParcel = Map.groupBy(sales.filter(isFresh), (sale) =>
      [sale['county_fips'], sale['parcel_key'] ?? `case ${String(sale['case_number'])}`].join(' '),
    );
    const next = [...ofParcel.values()].flatMap((rows) => rows.toSorted(nextSale).slice(0, 1));
    // A sold lead is left out, and the snapshot does not tell which.
    const trueLead = (lead_type: string, names: string) => (row: Row) => ({
      key: String(row['id']),
      columns: { lead_type, ...columnsOf(row, names) },
      isOptional: soldLeads > 0,
    });
    return [
      ...debts.filter(isFresh).map(trueLead('tax_delinquent', OF_DEBT)),
      ...next.map(trueLead('sheriff_sale_auction', OF_SALE)),
    ];
  },
};

// Joins

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
  return rows
    .filter(({ building = '' }) => buildings.has(building))
    .map(({ building = '', name, lacksPlace }) => ({ key: pair(building, name), columns: {}, isOptional: lacksPlace }));
};

/** The joins of a snapshot, compared with the truth. */
async function compareJoins(truth: Truth): Promise<Comparison[]> {
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

const RECORDS = [...OF_LISTINGS, ...OF_DEBTS, ...OF_DISTRESS, ...OF_SALES, LEADS, ...OF_FILINGS];

/** Name of the joins of rows to properties, which are compared together. */
export const JOINS = 'joins';

interface Options {
  /** By the name of a kind of records, or JOINS. Default: all. */
  readonly isCompared?: (record: string) => boolean;
}

/** Compare the snapshot in `folder`, which has the folders of earlier snapshots next to it, with the world. */
export async function reconcile(folder: string, world: World, { isCompared = () => true }: Options = {}) {
  return withSnapshot(folder, async (read) => {
    const truth = await deriveTruth(folder, world, read);
    const comparisons: Comparison[] = [];
    for (const {
      record,
      table,
      where,
      rowOf = (row: Row) => row,
      keyOf,
      isOf = () => false,
      truth: rowsOf,
    } of RECORDS) {
      if (!isCompared(record)) continue;
      const rows = (await read(table, where)).map((row) => rowOf(row, truth)).filter((row) => row !== null);
      const byKey = Map.groupBy(rows, (row) => keyOf(row, truth));
      comparisons.push(compare(record, byKey, await rowsOf(truth, truth.sources.filter(isOf), rows)));
    }
    if (isCompared(JOINS)) comparisons.push(...(await compareJoins(truth)));
    return { truth, comparisons };
  });
}
