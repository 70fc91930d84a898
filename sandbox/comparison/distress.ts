/** Published records of distress other than tax debts and sales against the world, by kind. */
import { DISTRESS_TYPES } from '../../sources/kinds.ts';
import type { DistressOnDay } from '../world/distress_types.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { withDays, type ReadTable } from './snapshot.ts';
import { placeFromOthers, printedPlace } from './truth/printed_places.ts';
import type { SourceReads, Truth } from './truth/truth.ts';

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

/** Records of one kind as of the last good read of their sources. */
function shownRecords(truth: Truth, kind: DistressOnDay['kind']): ShownRecord[] {
  const sources = [...truth.sources.values()].filter(({ kinds }) => kinds.includes(kind));
  const shown = sources.flatMap((reads) =>
    truth
      .on(reads.lastGood)
      .distress.filter((record) => record.kind === kind && record.countyFips === reads.countyFips)
      .map((record): ShownRecord => ({ record, reads })),
  );
  // Two sources of a city may show one record.
  return [...new Map(shown.map((one) => [distressKey(one.record), one])).values()];
}

/** All records of all kinds, as of the last good read of their sources. */
export const distressShown = (truth: Truth): ShownRecord[] =>
  DISTRESS_TYPES.flatMap((kind) => shownRecords(truth, kind));

/** In force: still open, and with something owed if an amount is. */
const isInForce = ({ isOpen, amount }: DistressOnDay): boolean => isOpen && (amount === null || Number(amount) > 0);

function stateOf({ record, reads }: ShownRecord, { asOf }: Truth): 'listed' | 'removed' | 'unknown' {
  if (!isInForce(record)) return 'removed';
  const twoYearsAgo = `${Number(asOf.slice(0, 4)) - 2}${asOf.slice(4)}`;
  return WITHOUT_STATE.has(reads.source) && record.lastActivityOn < twoYearsAgo ? 'unknown' : 'listed';
}

function filedOn({ filedOn: day, flaw }: DistressOnDay, { source }: SourceReads): Row {
  if (WITH_YEAR.has(source) || isCertificate(source)) return {};
  return { filed_on: WITHOUT_DAY.has(source) || flaw === 'corrupt_year' ? null : day };
}

function trueRow(shown: ShownRecord, truth: Truth): TrueRow {
  const { record, reads } = shown;
  const property = truth.on(reads.lastGood).property(record.propertyId);
  const isPrinted = property.hasAddress && record.flaw !== 'no_address' && !WITHOUT_ADDRESS.has(reads.source);
  return {
    key: distressKey(record),
    fields: {
      state: { signal_state: stateOf(shown, truth) },
      record: {
        ...filedOn(record, reads),
        amount: record.amount,
        plaintiff: record.plaintiff,
        tax_year: record.taxYear,
      },
      place: isPrinted && !isCertificate(reads.source) ? printedPlace(property) : placeFromOthers(property),
    },
    // Some sources return open records only.
    isOptional: !isInForce(record),
  };
}

/** Keys of records that earlier reads showed and the last one does not. */
function leftTheList(truth: Truth, kind: DistressOnDay['kind'], shown: ReadonlySet<string>): string[] {
  const sources = [...truth.sources.values()].filter(({ kinds }) => kinds.includes(kind));
  const before = sources.flatMap(({ countyFips, days }) =>
    days.flatMap((day) =>
      truth
        .on(day)
        .distress.filter((record) => record.kind === kind && record.countyFips === countyFips)
        .map(distressKey),
    ),
  );
  return [...new Set(before)].filter((key) => !shown.has(key));
}

export async function compareDistress(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const signals = (await read('signals', "signal_type <> 'tax_delinquent'")).map(withDays);
  return DISTRESS_TYPES.flatMap((kind) => {
    const shown = shownRecords(truth, kind);
    const left = leftTheList(truth, kind, new Set(shown.map(({ record }) => distressKey(record))));
    return compare({
      what: `signals of ${kind}`,
      published: signals.filter((row) => row['signal_type'] === kind),
      keyOf: distressKeyOf,
      truth: [
        ...shown.map((one) => trueRow(one, truth)),
        ...left.map((key) => ({ key, fields: { state: { signal_state: 'removed' } }, isOptional: true })),
      ],
    });
  });
}
