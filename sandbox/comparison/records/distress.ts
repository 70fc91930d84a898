/** Published records of distress other than tax debts and sales, by kind. */
import type { DistressOnDay } from '../../world/types.ts';
import { DISTRESS_TYPES } from '../../../sources/kinds.ts';
import { anyOf, type Row, type TrueRow } from '../compare.ts';
import type { RecordTable } from '../snapshot.ts';
import { placeFromOthers, printedPlace } from '../truth/printed_places.ts';
import type { SourceReads, Truth } from '../truth/truth.ts';

/** Sources whose pages print no address of a property. */
const WITHOUT_ADDRESS = new Set(['pa_allegheny_foreclosures', 'pa_allegheny_liens']);
/** Sources whose pages print no day of filing. */
const WITHOUT_DAY = new Set(['mo_kansas_city_code']);
/** Sources whose pages print the year of filing only. */
const WITH_YEAR = new Set(['mo_st_louis_vacant']);

/** Sources whose pages do not say whether a record is in force. It counts for two years after its latest event. */
const WITHOUT_STATE = new Set(['pa_allegheny_foreclosures']);

const isCertificate = (source: string): boolean => source.endsWith('_certificates');

/** A record with the source that shows it. */
export interface ShownRecord {
  readonly record: DistressOnDay;
  readonly reads: SourceReads;
}

export const distressKey = ({ kind, countyFips, number }: DistressOnDay): string => `${kind} ${countyFips} ${number}`;
export const distressKeyOf = (row: Row): string =>
  [row['signal_type'], row['county_fips'], row['record_number']].map(String).join(' ');

const sourcesOf = (truth: Truth, kind: string): SourceReads[] =>
  [...truth.sources.values()].filter(({ kinds }) => kinds.includes(kind));

/** Records of one kind that a source shows on a day. */
const recordsOn = (truth: Truth, kind: string, countyFips: string | null, day: string): DistressOnDay[] =>
  truth.on(day).distress.filter((record) => record.kind === kind && record.countyFips === countyFips);

/** Records of one kind as of the last good read of their sources. Two sources of a city may show one record. */
function shownRecords(truth: Truth, kind: string): ShownRecord[] {
  const shown = sourcesOf(truth, kind).flatMap((reads) =>
    recordsOn(truth, kind, reads.countyFips, reads.lastGood).map((record): ShownRecord => ({ record, reads })),
  );
  return [...new Map(shown.map((one) => [distressKey(one.record), one])).values()];
}

/** All records of all kinds, as of the last good read of their sources. */
export const distressShown = (truth: Truth): ShownRecord[] =>
  DISTRESS_TYPES.flatMap((kind) => shownRecords(truth, kind));

/** In force: still open, and with something owed if an amount is. */
const isInForce = ({ isOpen, amount }: DistressOnDay): boolean => isOpen && (amount === null || Number(amount) > 0);

function stateOf({ record, reads }: ShownRecord, { asOf }: Truth): 'listed' | 'removed' | 'unknown' {
  if (!isInForce(record)) return 'removed';
  const yearsAgo = (years: number): string => `${Number(asOf.slice(0, 4)) - years}${asOf.slice(4)}`;
  // A register of vacant buildings that says when one begins and never that it ends
  if (reads.source === 'wi_milwaukee_vacant') return record.filedOn < yearsAgo(3) ? 'unknown' : 'listed';
  return WITHOUT_STATE.has(reads.source) && record.lastActivityOn < yearsAgo(2) ? 'unknown' : 'listed';
}

function filedOn({ filedOn: day, flaw }: DistressOnDay, { source }: SourceReads): Row {
  if (WITH_YEAR.has(source) || isCertificate(source)) return {};
  return { filed_on: WITHOUT_DAY.has(source) || flaw === 'corrupt_year' ? null : day };
}

function trueRecord(shown: ShownRecord, truth: Truth): TrueRow {
  const { record, reads } = shown;
  const property = truth.on(reads.lastGood).property(record.propertyId);
  const isPrinted = property.hasAddress && record.flaw !== 'no_address' && !WITHOUT_ADDRESS.has(reads.source);
  return {
    key: distressKey(record),
    columns: {
      signal_state: stateOf(shown, truth),
      ...filedOn(record, reads),
      // A closed record is read without its amount where its publisher returns those that changed.
      amount: isInForce(record) ? record.amount : anyOf(null, record.amount),
      plaintiff: record.plaintiff,
      tax_year: record.taxYear,
      ...(isPrinted && !isCertificate(reads.source) ? printedPlace(property) : placeFromOthers(property)),
    },
    // Some sources return open records only.
    isOptional: !isInForce(record),
  };
}

export const DISTRESS: readonly RecordTable[] = DISTRESS_TYPES.map((kind) => ({
  record: `signals of ${kind}`,
  table: 'signals',
  where: `signal_type = '${kind}'`,
  keyOf: distressKeyOf,
  truth({ truth }) {
    const shown = shownRecords(truth, kind);
    const isShown = new Set(shown.map(({ record }) => distressKey(record)));
    const ever = sourcesOf(truth, kind).flatMap(({ countyFips, days }) =>
      days.flatMap((day) => recordsOn(truth, kind, countyFips, day).map(distressKey)),
    );
    return [
      ...shown.map((one) => trueRecord(one, truth)),
      ...[...new Set(ever).difference(isShown)].map((key) => ({
        key,
        columns: { signal_state: 'removed' },
        isOptional: true,
      })),
    ];
  },
}));
