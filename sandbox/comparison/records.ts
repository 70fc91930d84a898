/**
 * Compares a snapshot with the truth of its world. The kinds of records are a table: which published rows, by which
 * key, against which true rows with which columns.
 */
import { DISTRESS_TYPES } from '../../sources/kinds.ts';
import { dayNumber } from '../world/days.ts';
import type { OhioRelease } from '../world/ohio.ts';
import type { DistressOnDay, World } from '../world/types.ts';
import { anyOf, columnsOf, compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { OF_DEBTS } from './debts.ts';
import { compareJoins } from './joins.ts';
import { OF_LISTINGS } from './listings.ts';
import { OF_SALES } from './sales.ts';
import {
  deriveTruth,
  inOrder,
  placeOf,
  withSnapshot,
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
  truth(truth) {
    const rows = new Map<string, TrueRow>();
    const sources = truth.sources.filter(({ kinds }) => kinds.includes(kind));
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
function postedIn<K extends 'filings' | 'amendments'>(truth: Truth, source: string, list: K) {
  const days = truth.sources.find((reads) => reads.source === source)?.days ?? [];
  const rows = days.flatMap((day) => truth.on(day).ohio[list] as readonly OhioRelease[K][number][]);
  const byNumber = new Map(rows.map((row) => [row.documentNumber, row]));
  return [...byNumber.values()].filter(({ businessName }) => businessName !== null);
}

function ohioFilings(truth: Truth): TrueRow[] {
  const amendments = postedIn(truth, 'ohio_sos_amendments', 'amendments').toSorted(
    inOrder((row) => [row.effectiveDate, row.documentNumber]),
  );
  return postedIn(truth, 'ohio_sos', 'filings').map((filing) => {
    const latest = amendments.findLast(
      (one) => one.charterNumber === filing.charterNumber && one.effectiveDate >= filing.effectiveDate,
    );
    const none = { kind: null, effectiveDate: null, documentNumber: null };
    const columns = {
      ...columnsOf(filing, 'business_name filing_date=effectiveDate'),
      ...columnsOf(
        latest ?? none,
        'amendment_kind=kind amendment_date=effectiveDate amendment_document=documentNumber',
      ),
    };
    return { key: filing.documentNumber, columns };
  });
}

const coloradoFilings = (truth: Truth): TrueRow[] =>
  truth.sources
    .filter(({ source }) => source === 'colorado_sos')
    .flatMap(({ lastGood }) => truth.on(lastGood).colorado)
    .map((entity) => {
      const named = columnsOf(entity, 'business_name=name filing_date=formedOn');
      return { key: entity.entityId, columns: { ...named, entity_status: entity.row['entitystatus'] ?? null } };
    });

const OF_FILINGS = ['ohio_sos', 'colorado_sos'].map((source): RecordTable => ({
  record: `filings of ${source}`,
  table: 'filings',
  where: `source = '${source}'`,
  keyOf: (row) => String(row['document_number']),
  truth: source === 'ohio_sos' ? ohioFilings : coloradoFilings,
}));

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

const RECORDS = [...OF_LISTINGS, ...OF_DEBTS, ...OF_DISTRESS, ...OF_SALES, LEADS, ...OF_FILINGS];

/** Name of the joins of rows to properties, which are compared together. */
export const JOINS = 'joins';

interface Options {
  /** By the name of a kind of records, or JOINS. Default: all. */
  readonly isCompared?: (record: string) => boolean;
  /** Changes the published rows before they are compared. */
  readonly alter?: (read: ReadTable) => ReadTable;
}

/** Compare the snapshot in `folder`, which has the folders of earlier snapshots next to it, with the world. */
export async function reconcile(folder: string, world: World, { isCompared = () => true, alter }: Options = {}) {
  return withSnapshot(folder, async (published) => {
    const read = alter?.(published) ?? published;
    const truth = await deriveTruth(folder, world, read);
    const comparisons: Comparison[] = [];
    for (const { record, table, where, rowOf, keyOf, truth: rowsOf } of RECORDS) {
      if (!isCompared(record)) continue;
      const all = await read(table, where);
      const rows = rowOf ? all.map((row) => rowOf(row, truth)).filter((row) => row !== null) : all;
      comparisons.push(
        compare(
          record,
          Map.groupBy(rows, (row) => keyOf(row, truth)),
          await rowsOf(truth, rows),
        ),
      );
    }
    if (isCompared(JOINS)) comparisons.push(...(await compareJoins(truth)));
    return { truth, comparisons };
  });
}
