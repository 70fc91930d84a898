/** Published tax debts, county by county: what its pages print, and what other sources of the county add. */
import { landUse, rollPlace } from '../pages/montgomery.ts';
import { spellStreet } from '../world/streets.ts';
import type { PrintedDebt } from '../world/summit.ts';
import type { DelinquentParcel, Owner, Property } from '../world/types.ts';
import { anyOf, type AnyOf, type Row, type TrueRow } from './compare.ts';
import { postedOn } from './sales.ts';
import {
  placeFromOthers,
  printedPlace,
  sourcesOf,
  type Facts,
  type RecordTable,
  type SourceReads,
  type Truth,
} from './truth.ts';

type Debt = DelinquentParcel | PrintedDebt;

/** A county's list, and its properties that are on its parcel layer or tax roll on a day that was read. */
interface List {
  readonly truth: Truth;
  readonly reads: SourceReads;
  readonly mapped: ReadonlySet<string>;
}

const [CUYAHOGA, HAMILTON, MONTGOMERY, STARK, SUMMIT] = ['39035', '39061', '39113', '39151', '39153'] as const;
const [MILWAUKEE, ST_LOUIS, ALLEGHENY, SHELBY] = ['55079', '29510', '42003', '47157'] as const;

const debtsOn = (truth: Truth, fips: string, day: string): readonly Debt[] => {
  const { delinquent, printedDebts } = truth.on(day);
  return fips === SUMMIT ? printedDebts : delinquent.filter(({ countyFips }) => countyFips === fips);
};

const idsOf = (rows: readonly { readonly propertyId: string }[]): Set<string> =>
  new Set(rows.map(({ propertyId }) => propertyId));

function listOf(truth: Truth, reads: SourceReads): List {
  const { countyFips: fips } = reads;
  const roll = sourcesOf(truth, 'parcels', fips)[0]?.days ?? [];
  const onMap = roll.flatMap((day) =>
    truth.on(day).delinquent.filter((debt) => debt.countyFips === fips && debt.isMapped),
  );
  return { truth, reads, mapped: idsOf(onMap) };
}

/** A debt as the pages of an Ohio county print it. Null: not printed. */
interface Printed {
  readonly street: string | null;
  readonly city: string | null;
  readonly zip: string | null;
  readonly owner: string | null;
  readonly mailing: Owner['mailing'] | null;
  readonly county_value: string | null;
  readonly property_class: string | null;
  readonly property_kind: string;
  readonly certified_year: number | null;
}

/** Hamilton's layer has a number, a street and a suffix, and no unit; its AV is not of Publication 28. */
function hamiltonStreet({ low, high, pre, name, suffix }: Property['address']): string {
  const number = high === null ? String(low) : `${low}-${high}`;
  return [number, pre, name, suffix === 'AVE' ? 'AV' : suffix].filter((part) => part !== null).join(' ');
}

/** What each county prints other than the rest of them. */
const OHIO: Readonly<Record<string, (debt: DelinquentParcel, property: Property, isMapped: boolean) => object>> = {
  [CUYAHOGA]: (_, { zip }) => ({ zip }),
  [STARK]: (debt, { units, zip }) => ({
    zip,
    property_class: `${units > 3 ? 'C' : 'R'} - ${debt.propertyClass}`,
    certified_year: debt.certifiedYear,
  }),
  [MONTGOMERY](debt, property, isMapped) {
    const { city, zip } = rollPlace(property);
    return {
      // A township is not the city of an address.
      city: isMapped && !city.endsWith(' TWP') ? city : null,
      zip: isMapped && zip !== '' ? zip : null,
      property_class: landUse(property.units),
      certified_year: debt.certifiedYear,
    };
  },
  [HAMILTON]: (_, { address, hasAddress, value }, isMapped) => ({
    street: hasAddress && isMapped ? hamiltonStreet(address) : null,
    city: null,
    county_value: isMapped ? `${value}.00` : null,
  }),
  // The notice prints neither an address nor the owner apart from the legal description.
  [SUMMIT]: () => ({
    street: null,
    city: null,
    owner: null,
    mailing: null,
    county_value: null,
    property_class: null,
    property_kind: 'unknown',
  }),
};

/** The kind that the class of a building means. "APARTMENTS 4-19 UNITS" does not tell 4 units from 5. */
const kindOf = (units: number): string =>
  ['vacant_lot', 'one_family', 'two_to_four', 'two_to_four'][units] ?? 'five_up';

function printedBy(fips: string, debt: Debt, property: Property, isMapped: boolean): Printed {
  const { owner, hasAddress, address, city, value, units } = property;
  return {
    street: hasAddress ? spellStreet(address, 'upper_abbreviated') : null,
    city: city.toUpperCase(),
    zip: null,
    owner: owner.second === null ? owner.name : `${owner.name} & ${owner.second}`,
    mailing: owner.mailing,
    county_value: `${value}.00`,
    property_class: 'propertyClass' in debt ? debt.propertyClass : null,
    property_kind: kindOf(units),
    certified_year: null,
    ...OHIO[fips]?.(debt as DelinquentParcel, property, isMapped),
  };
}

/** Where the owner lives, according to the pages. A post office box in the state does not tell. */
function ownerLocation({ state, owner }: Property, { mailing, street }: Printed): string | AnyOf {
  if (mailing === null) return 'unknown';
  if (mailing.state !== state) return 'out_of_state';
  if (mailing.street.startsWith('PO BOX')) return 'unknown';
  const known = owner.occupies ? 'at_property' : 'in_state';
  // A sheriff's sale may print the address that the list lacks.
  return street === null ? anyOf('unknown', known) : known;
}

/** Whole months since the ninth of September of a year, thirty days after the settlement of August 10. */
function monthsSince(certifiedYear: number, asOf: string): number {
  const [year = 0, month = 0, day = 0] = asOf.split('-').map(Number);
  return Math.max(0, (year - certifiedYear) * 12 + month - 9 - (day < 9 ? 1 : 0));
}

const mailColumns = (mailing: Owner['mailing'] | null): Row =>
  Object.fromEntries(
    (['street', 'city', 'state', 'zip'] as const).map((part) => [`mail_${part}`, mailing?.[part] ?? null]),
  );

function ohioColumns(debt: Debt, property: Property, { truth, reads, mapped }: List): Row {
  const printed = printedBy(reads.countyFips, debt, property, mapped.has(property.id));
  const { street, city, zip, owner, mailing, ...own } = printed;
  const others = placeFromOthers(property);
  const months = printed.certified_year === null ? null : monthsSince(printed.certified_year, truth.asOf);
  return {
    ...own,
    address: street ?? others.address,
    city: city ?? others.city,
    zip: zip ?? others.zip,
    years_delinquent: months === null ? null : Math.floor(months / 12),
    years_basis: months === null ? 'unknown' : 'since_certified_year',
    months_delinquent: months,
    owner_name: owner,
    owner_location: ownerLocation(property, printed),
    ...mailColumns(mailing),
    ...(street === null ? {} : { has_address: true }),
    state: 'OH',
    first_seen: reads.days.find((day) => idsOf(debtsOn(truth, reads.countyFips, day)).has(property.id)),
  };
}

const ownerColumns = ({ owner }: Property): Row => ({ owner_name: owner.name, ...mailColumns(owner.mailing) });
const yearColumns = (debt: Debt): Row => ({
  years_delinquent: 'levies' in debt ? debt.levies.length : null,
  years_basis: 'published',
});
const whereOf = (property: Property, isPrinted: boolean): Row =>
  isPrinted && property.hasAddress ? printedPlace(property) : placeFromOthers(property);

/** Columns of a debt on the list of each county. */
const LISTS: Readonly<Record<string, (debt: Debt, property: Property, list: List) => Row>> = {
  ...Object.fromEntries(Object.keys(OHIO).map((fips) => [fips, ohioColumns])),
  [MILWAUKEE]: (debt, property) => ({
    amount_basis: 'principal',
    ...yearColumns(debt),
    ...ownerColumns(property),
    ...whereOf(property, true),
  }),
  // Vacancies and debts are one row, with its gaps.
  [ST_LOUIS]: (_, property, { truth, reads }) => {
    const isBlank = ({ countyFips, propertyId, flaw }: { countyFips: string; propertyId: string; flaw: unknown }) =>
      countyFips === ST_LOUIS && propertyId === property.id && flaw === 'no_address';
    const isPrinted = !truth.on(reads.lastGood).distress.some(isBlank);
    return { amount_basis: 'principal', ...ownerColumns(property), ...whereOf(property, isPrinted) };
  },
  [ALLEGHENY]: (debt, property) => ({ amount_basis: 'net', ...yearColumns(debt), ...whereOf(property, false) }),
};

/** The property that a published parcel number is of. */
const parcelOf = ({ county_fips: fips, parcel_id: parcel }: Row, { propertyOf }: Facts): string =>
  propertyOf(fips, parcel) ?? `unknown parcel ${String(fips)} ${String(parcel)}`;

/** The debts of a list, rows that earlier lists had, and bills that are paid. */
function trueDebts(list: List): TrueRow[] {
  const { truth, reads } = list;
  const { countyFips: fips, lastGood, days } = reads;
  const debts = debtsOn(truth, fips, lastGood);
  const listed = new Set(debts.filter(({ amount }) => Number(amount) > 0).map(({ propertyId }) => propertyId));
  // A parcel that owes nothing is on the list and is no debt.
  const gone = idsOf(days.flatMap((day) => debtsOn(truth, fips, day))).difference(listed);
  // Allegheny's table keeps them.
  const paid = fips === ALLEGHENY ? idsOf(truth.on(truth.asOf).roll(fips)).difference(listed).difference(gone) : [];
  const removed = (isOptional: boolean) => (key: string) => ({ key, columns: { signal_state: 'removed' }, isOptional });
  return [
    ...debts.flatMap((debt) => {
      const property = truth.on(lastGood).property(debt.propertyId);
      const common = { signal_state: 'listed', last_seen: lastGood, amount: debt.amount };
      const columns = { ...common, ...LISTS[fips]?.(debt, property, list) };
      return listed.has(property.id) ? [{ key: property.id, columns }] : [];
    }),
    ...[...gone].map(removed(false)),
    ...[...paid].map(removed(true)),
  ];
}

const OF_LISTS = Object.keys(LISTS).map((fips): RecordTable => ({
  record: `tax debts of ${fips}`,
  table: 'signals',
  where: `signal_type = 'tax_delinquent' AND county_fips = '${fips}'`,
  keyOf: parcelOf,
  truth: (facts) => sourcesOf(facts, 'tax', fips).flatMap((reads) => trueDebts(listOf(facts, reads))),
}));

const OF_SHELBY: RecordTable = {
  record: 'parcels of tax sales',
  table: 'signals',
  where: `county_fips = '${SHELBY}' AND signal_state = 'listed'`,
  keyOf: parcelOf,
  truth: (facts) =>
    sourcesOf(facts, 'tax', SHELBY).flatMap((reads) =>
      postedOn(facts, reads, ({ countyFips }) => countyFips === SHELBY).map(({ propertyId }) => {
        const { low, pre, name } = facts.on(facts.asOf).property(propertyId).address;
        // The file has no suffix of a street.
        const street = [String(low), pre, name].filter((part) => part !== null).join(' ');
        return { key: propertyId, columns: { amount: null, address: anyOf(null, street), zip: null } };
      }),
    ),
};

export const OF_DEBTS: readonly RecordTable[] = [...OF_LISTS, OF_SHELBY];
