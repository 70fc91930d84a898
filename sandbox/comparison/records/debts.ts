/** Published tax debts: Ohio's lists, lists outside Ohio that bill by year, and parcels of tax sales to come. */
import type { DelinquentParcel, Property } from '../../world/types.ts';
import { anyOf, type Row, type TrueRow } from '../compare.ts';
import type { Facts, RecordTable } from '../snapshot.ts';
import { debtKey, ownerLocation, type TrueDebt } from '../truth/debts.ts';
import { placeFromOthers, printedPlace } from '../truth/printed_places.ts';
import { sourceOf, type SourceReads, type Truth } from '../truth/truth.ts';
import { postedOn } from './sales.ts';

const debtKeyOf = (row: Row): string => `${String(row['county_fips'])} ${String(row['parcel_key'])}`;

function trueDebt(debt: TrueDebt, truth: Truth): TrueRow {
  const { amount, months, place, printed } = debt;
  const { countyValue, mailing } = printed;
  return {
    key: debtKey(debt),
    columns: {
      amount,
      county_value: countyValue,
      years_delinquent: months === null ? null : Math.floor(months / 12),
      years_basis: months === null ? 'unknown' : 'since_certified_year',
      months_delinquent: months,
      certified_year: printed.certifiedYear,
      property_class: printed.propertyClass,
      property_kind: printed.propertyKind,
      owner_name: printed.owner,
      owner_location: ownerLocation(debt),
      mail_street: mailing?.street ?? null,
      mail_city: mailing?.city ?? null,
      mail_state: mailing?.state ?? null,
      mail_zip: mailing?.zip ?? null,
      address: place.address,
      address_basis: place.basis,
      has_address: place.address !== null,
      city: place.city,
      city_basis: place.cityBasis,
      state: 'OH',
      zip: place.zip,
      zip_basis: place.zipBasis,
      last_seen: debt.lastSeen,
      ...(truth.isComplete ? { first_seen: debt.firstSeen } : {}),
    },
  };
}

/** A parcel that owes nothing is on the list and is no debt. */
const owes = ({ amount }: TrueDebt): boolean => Number(amount) > 0;

/** Contents of a list outside Ohio besides the parcel and the amount owed. */
interface List {
  readonly fips: string;
  readonly amountBasis: 'principal' | 'net';
  /** Whether it has a row or column for each unpaid year. */
  readonly hasYears: boolean;
  readonly hasOwner: boolean;
  readonly hasAddress: boolean;
}

const ST_LOUIS = '29510';
const ALLEGHENY = '42003';
const SHELBY = '47157';

const LISTS: readonly List[] = [
  { fips: '55079', amountBasis: 'principal', hasYears: true, hasOwner: true, hasAddress: true },
  { fips: ST_LOUIS, amountBasis: 'principal', hasYears: false, hasOwner: true, hasAddress: true },
  { fips: ALLEGHENY, amountBasis: 'net', hasYears: true, hasOwner: false, hasAddress: false },
];

/** A debt on a list outside Ohio. */
interface TrueLevy {
  readonly list: List;
  readonly reads: SourceReads;
  readonly debt: DelinquentParcel;
  readonly property: Property;
}

/** The debts of a list on a day. */
const debtsOn = (truth: Truth, fips: string, day: string): DelinquentParcel[] =>
  truth.on(day).delinquent.filter(({ countyFips }) => countyFips === fips);

/** The debts of the latest lists outside Ohio. */
export const listLevies = (truth: Truth): TrueLevy[] =>
  LISTS.flatMap((list) => {
    const reads = sourceOf(truth, 'tax', list.fips);
    if (reads === undefined) return [];
    const property = (id: string): Property => truth.on(reads.lastGood).property(id);
    return debtsOn(truth, list.fips, reads.lastGood).map((debt): TrueLevy => ({
      list,
      reads,
      debt,
      property: property(debt.propertyId),
    }));
  });

/** Whether the list prints where the property is. St. Louis prints vacancies and debts in one row, with its gaps. */
function printsPlace(truth: Truth, { list, reads, property }: TrueLevy): boolean {
  const isBlank = truth
    .on(reads.lastGood)
    .distress.some(
      ({ countyFips, propertyId, flaw }) =>
        countyFips === ST_LOUIS && list.fips === ST_LOUIS && propertyId === property.id && flaw === 'no_address',
    );
  return list.hasAddress && property.hasAddress && !isBlank;
}

function trueLevy(levy: TrueLevy, truth: Truth): TrueRow {
  const { list, reads, debt, property } = levy;
  const { name, mailing } = property.owner;
  return {
    key: property.id,
    columns: {
      signal_state: 'listed',
      last_seen: reads.lastGood,
      amount: debt.amount,
      amount_basis: list.amountBasis,
      ...(list.hasYears ? { years_delinquent: debt.levies.length, years_basis: 'published' } : {}),
      ...(list.hasOwner
        ? {
            owner_name: name,
            mail_street: mailing.street,
            mail_city: mailing.city,
            mail_state: mailing.state,
            mail_zip: mailing.zip,
          }
        : {}),
      ...(printsPlace(truth, levy) ? printedPlace(property) : placeFromOthers(property)),
    },
  };
}

/** Rows that earlier lists had, and bills that are paid, which Allegheny's table keeps. */
function removedLevies(truth: Truth, listed: readonly TrueLevy[]): TrueRow[] {
  const isListed = new Set(listed.map(({ property }) => property.id));
  const before = LISTS.flatMap(({ fips }) =>
    (sourceOf(truth, 'tax', fips)?.days ?? []).flatMap((day) => debtsOn(truth, fips, day)),
  );
  const gone = new Set(before.map(({ propertyId }) => propertyId)).difference(isListed);
  const paid = new Set(
    truth
      .on(truth.asOf)
      .roll(ALLEGHENY)
      .map(({ propertyId }) => propertyId),
  );
  const removed = (id: string, isOptional: boolean): TrueRow => ({
    key: id,
    columns: { signal_state: 'removed' },
    isOptional,
  });
  return [
    ...[...gone].map((id) => removed(id, false)),
    ...[...paid.difference(isListed).difference(gone)].map((id) => removed(id, true)),
  ];
}

/** The property that a published parcel number is of. */
const parcelOf = (row: Row, { propertyOf }: Facts): string =>
  propertyOf(row['county_fips'], row['parcel_id']) ??
  `unknown parcel ${String(row['county_fips'])} ${String(row['parcel_id'])}`;

const OF_OHIO = "signal_type = 'tax_delinquent' AND state = 'OH'";
const BY_YEAR = `signal_type = 'tax_delinquent' AND county_fips IN (${LISTS.map(({ fips }) => `'${fips}'`).join()})`;

export const DEBTS: readonly RecordTable[] = [
  {
    record: 'signals',
    table: 'signals',
    where: `${OF_OHIO} AND signal_state = 'listed'`,
    keyOf: debtKeyOf,
    truth: ({ counties, truth }) =>
      counties.flatMap(({ listed }) => listed.filter(owes).map((debt) => trueDebt(debt, truth))),
  },
  {
    record: 'signals off the list',
    table: 'signals',
    where: `${OF_OHIO} AND signal_state <> 'listed'`,
    needsAllReads: true,
    keyOf: debtKeyOf,
    truth: ({ counties }) =>
      counties.flatMap(({ left, listed }) =>
        [...left, ...listed.filter((debt) => !owes(debt)).map(debtKey)].map((key) => ({ key, columns: {} })),
      ),
  },
  {
    record: 'signals of tax by year',
    table: 'signals',
    where: BY_YEAR,
    // Lists from before the oldest snapshot are not known.
    prepare: (row, { truth }) => (truth.isComplete || row['signal_state'] === 'listed' ? row : null),
    keyOf: parcelOf,
    truth({ truth }) {
      const listed = listLevies(truth);
      return [
        ...listed.map((levy) => trueLevy(levy, truth)),
        ...(truth.isComplete ? removedLevies(truth, listed) : []),
      ];
    },
  },
  {
    record: 'parcels of tax sales',
    table: 'signals',
    where: `county_fips = '${SHELBY}' AND signal_state = 'listed'`,
    keyOf: parcelOf,
    truth({ truth }) {
      const reads = sourceOf(truth, 'tax', SHELBY);
      const shown = reads === undefined ? [] : postedOn(truth, reads, ({ countyFips }) => countyFips === SHELBY);
      return shown.map(({ propertyId }) => {
        const { address } = truth.on(truth.asOf).property(propertyId);
        const street = [String(address.low), address.pre, address.name].filter((part) => part !== null).join(' ');
        // The file has no suffix of a street.
        return { key: propertyId, columns: { amount: null, address: anyOf(null, street), zip: null } };
      });
    },
  },
];
