/**
 * Compares a snapshot with the truth of its world. The kinds of records are a table: which published rows, by which
 * key, against which true rows with which columns.
 */
import { DISTRESS_TYPES } from '../../sources/kinds.ts';
import { dayNumber } from '../world/days.ts';
import type { OhioAmendment } from '../world/ohio.ts';
import type { DistressOnDay, World } from '../world/types.ts';
import { anyOf, compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { OF_DEBTS } from './debts.ts';
import { compareIdentity } from './identity.ts';
import { listingKey, OF_LISTINGS } from './listings.ts';
import { OF_SALES } from './sales.ts';
import {
  deriveTruth,
  inOrder,
  placeFromOthers,
  printedPlace,
  withSnapshot,
  type Facts,
  type ReadTable,
  type RecordTable,
  type SourceReads,
  type Truth,
} from './truth.ts';

/** What the pages of a source leave out of a record of distress. */
const LEFT_OUT: Readonly<Record<string, readonly ('address' | 'day' | 'state')[]>> = {
  // It counts for two years after its latest event.
  pa_allegheny_foreclosures: ['address', 'state'],
  pa_allegheny_liens: ['address'],
  mo_kansas_city_code: ['day'],
};

const distressKey = ({ kind, countyFips, number }: DistressOnDay): string => `${kind} ${countyFips} ${number}`;
const distressKeyOf = (row: Row): string =>
  [row['signal_type'], row['county_fips'], row['record_number']].map(String).join(' ');

/** Records of one kind that a source shows on a day. */
const recordsOn = (truth: Truth, kind: string, { countyFips }: SourceReads, day: string): DistressOnDay[] =>
  truth.on(day).distress.filter((record) => record.kind === kind && record.countyFips === countyFips);

/** In force: still open, and with something owed if an amount is. */
const isInForce = ({ isOpen, amount }: DistressOnDay): boolean => isOpen && (amount === null || Number(amount) > 0);

function stateOf(record: DistressOnDay, source: string, asOf: string): string {
  if (!isInForce(record)) return 'removed';
  const yearsAgo = (years: number): string => `${Number(asOf.slice(0, 4)) - years}${asOf.slice(4)}`;
  // A register of vacant buildings that says when one begins and never that it ends
  if (source === 'wi_milwaukee_vacant') return record.filedOn < yearsAgo(3) ? 'unknown' : 'listed';
  return LEFT_OUT[source]?.includes('state') && record.lastActivityOn < yearsAgo(2) ? 'unknown' : 'listed';
}

function trueDistress(record: DistressOnDay, { source, lastGood }: SourceReads, truth: Truth): TrueRow {
  const leftOut = LEFT_OUT[source] ?? [];
  const property = truth.on(lastGood).property(record.propertyId);
  const isCertificate = source.endsWith('_certificates');
  const isPrinted = property.hasAddress && record.flaw !== 'no_address' && !leftOut.includes('address');
  // Its list prints the year only.
  const hasDay = !isCertificate && source !== 'mo_st_louis_vacant';
  const filedOn = leftOut.includes('day') || record.flaw === 'corrupt_year' ? null : record.filedOn;
  return {
    key: distressKey(record),
    columns: {
      signal_state: stateOf(record, source, truth.asOf),
      ...(hasDay ? { filed_on: filedOn } : {}),
      // A closed record is read without its amount where its publisher returns those that changed.
      amount: isInForce(record) ? record.amount : anyOf(null, record.amount),
      plaintiff: record.plaintiff,
      tax_year: record.taxYear,
      ...(isPrinted && !isCertificate ? printedPlace(property) : placeFromOthers(property)),
    },
    // Some sources return open records only.
    isOptional: !isInForce(record),
  };
}

const OF_DISTRESS = DISTRESS_TYPES.map((kind): RecordTable => ({
  record: `signals of ${kind}`,
  table: 'signals',
  where: `signal_type = '${kind}'`,
  keyOf: distressKeyOf,
  truth(truth) {
    const sources = truth.sources.filter(({ kinds }) => kinds.includes(kind));
    const shown = sources.flatMap((reads) =>
      recordsOn(truth, kind, reads, reads.lastGood).map((record) => trueDistress(record, reads, truth)),
    );
    const ever = sources.flatMap((reads) => reads.days.flatMap((day) => recordsOn(truth, kind, reads, day)));
    const removed = ever.map((record) => ({
      key: distressKey(record),
      columns: { signal_state: 'removed' },
      isOptional: true,
    }));
    // Two sources of a city may show one record.
    return [...new Map([...removed, ...shown].map((row) => [row.key, row])).values()];
  },
}));

const earliest = inOrder((row: OhioAmendment) => [row.effectiveDate, row.documentNumber]);

/** Ohio posts one month at a time: the filings of all months that were posted on a day of a read. */
function ohioFilings(truth: Truth): TrueRow[] {
  const rowsOf = <T extends { readonly documentNumber: string }>(
    source: string,
    of: (day: string) => readonly T[],
  ): T[] => {
    const days = truth.sources.find((reads) => reads.source === source)?.days ?? [];
    return [...new Map(days.flatMap(of).map((row) => [row.documentNumber, row])).values()];
  };
  const filings = rowsOf('ohio_sos', (day) => truth.on(day).ohio.filings);
  const amendments = rowsOf('ohio_sos_amendments', (day) => truth.on(day).ohio.amendments).toSorted(earliest);
  const byBusiness = Map.groupBy(amendments, ({ charterNumber }) => charterNumber);
  return filings
    .filter(({ businessName }) => businessName !== null)
    .map(({ documentNumber, businessName, effectiveDate, charterNumber }) => {
      const latest = byBusiness
        .get(charterNumber)
        ?.findLast((amendment) => amendment.businessName !== null && amendment.effectiveDate >= effectiveDate);
      return {
        key: documentNumber,
        columns: {
          business_name: businessName,
          filing_date: effectiveDate,
          amendment_kind: latest?.kind ?? null,
          amendment_date: latest?.effectiveDate ?? null,
          amendment_document: latest?.documentNumber ?? null,
        },
      };
    });
}

const coloradoFilings = (truth: Truth): TrueRow[] =>
  truth.sources
    .filter(({ source }) => source === 'colorado_sos')
    .flatMap(({ lastGood }) => truth.on(lastGood).colorado)
    .map(({ entityId, name, formedOn, row }) => ({
      key: entityId,
      columns: { business_name: name, filing_date: formedOn, entity_status: row['entitystatus'] ?? null },
    }));

const OF_FILINGS = ['ohio_sos', 'colorado_sos'].map((source): RecordTable => ({
  record: `filings of ${source}`,
  table: 'filings',
  where: `source = '${source}'`,
  keyOf: (row) => String(row['document_number']),
  truth: source === 'ohio_sos' ? ohioFilings : coloradoFilings,
}));

/** Columns that a lead has from its debt or sale. */
const OF_DEBT = `amount county_value amount_to_value_pct years_delinquent months_delinquent certified_year owner_name
  owner_location mail_street mail_city mail_state mail_zip address city state zip county_fips parcel_key`.split(/\s+/u);
const OF_SALE = `auction_type sale_kind sale_date case_number appraised_value opening_bid opening_bid_basis
  opening_bid_derived opening_bid_mismatch deposit property_address city state zip county_fips`.split(/\s+/u);

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
    const trueLead = (type: string, names: readonly string[]) => (row: Row) => ({
      key: String(row['id']),
      columns: {
        lead_type: type,
        last_verified: row['last_seen'],
        ...Object.fromEntries(names.map((name) => [name, row[name]])),
      },
      // A sold lead is left out, and the snapshot does not tell which.
      isOptional: soldLeads > 0,
    });
    return [
      ...debts.filter(isFresh).map(trueLead('tax_delinquent', OF_DEBT)),
      ...next.map(trueLead('sheriff_sale_auction', OF_SALE)),
    ];
  },
};

const RECORDS: readonly RecordTable[] = [
  ...OF_LISTINGS,
  ...OF_DEBTS,
  ...OF_DISTRESS,
  ...OF_SALES,
  LEADS,
  ...OF_FILINGS,
];

/** Compare the records that `read` reads with the truth. */
export async function compareRecords(
  read: ReadTable,
  truth: Truth,
  isCompared: (table: RecordTable) => boolean = () => true,
): Promise<Comparison[]> {
  const declared = new Map((await read('assumptions')).map((row) => [row['key'], Number(row['value'])]));
  const shown = truth.on(truth.asOf).listings;
  const facts: Facts = {
    ...truth,
    read,
    assumption: (key) => declared.get(key) ?? NaN,
    forSale: new Map(shown.map(({ site, listingId, propertyId }) => [listingKey(site, listingId), propertyId])),
  };
  const comparisons: Comparison[] = [];
  for (const { record, table, where, rowOf, keyOf, truth: rowsOf } of RECORDS.filter(isCompared)) {
    const all = await read(table, where);
    const rows = rowOf ? all.map((row) => rowOf(row, facts)).filter((row) => row !== null) : all;
    const published = Map.groupBy(rows, (row) => keyOf(row, facts));
    comparisons.push(compare(record, published, await rowsOf(facts, rows)));
  }
  return comparisons;
}

/** Compare the snapshot in `folder`, which has the folders of earlier snapshots next to it, with the world. */
export async function reconcile(folder: string, world: World) {
  const truth = await deriveTruth(folder, world);
  const comparisons = await withSnapshot(folder, async (read) => [
    ...(await compareRecords(read, truth)),
    ...(await compareIdentity(read, truth)),
  ]);
  return { truth, comparisons };
}
