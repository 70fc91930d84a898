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

const [SUMMIT, ST_LOUIS, ALLEGHENY, SHELBY] = ['39153', '29510', '42003', '47157'] as const;

const debtsOn = (truth: Truth, fips: string, day: string): readonly Debt[] => {
  const { delinquent, printedDebts } = truth.on(day);
  return fips === SUMMIT ? printedDebts : delinquent.filter(({ countyFips }) => countyFips === fips);
};

const idsOf = (rows: readonly { readonly propertyId: string }[]): Set<string> =>
  new Set(rows.map(({ propertyId }) => propertyId));

/** The kind that the class of a building means. "APARTMENTS 4-19 UNITS" does not tell 4 units from 5. */
const kindOf = (units: number): string =>
  ['vacant_lot', 'one_family', 'two_to_four', 'two_to_four'][units] ?? 'five_up';

/** A debt as the pages of an Ohio county print it. Null: not printed. */
const usual = (debt: Debt, { owner, hasAddress, address, city, value, units }: Property) => ({
  street: hasAddress ? spellStreet(address, 'upper_abbreviated') : null,
  city: city.toUpperCase() as string | null,
  zip: null as string | null,
  owner: owner.second === null ? owner.name : `${owner.name} & ${owner.second}`,
  mailing: owner.mailing as Owner['mailing'] | null,
  county_value: `${value}.00` as string | null,
  property_class: 'propertyClass' in debt ? debt.propertyClass : null,
  property_kind: kindOf(units),
  certified_year: null as number | null,
});
type Printed = ReturnType<typeof usual>;

/** Hamilton's layer has a number, a street and a suffix, and no unit; its AV is not of Publication 28. */
function hamiltonStreet({ low, high, pre, name, suffix }: Property['address']): string {
  const number = high === null ? String(low) : `${low}-${high}`;
  return [number, pre, name, suffix === 'AVE' ? 'AV' : suffix].filter((part) => part !== null).join(' ');
}

/** What each county prints other than the rest of them. */
const OHIO: Readonly<Record<string, (debt: DelinquentParcel, property: Property, isMapped: boolean) => object>> = {
  '39035': (_, { zip }) => ({ zip }),
  '39151': ({ propertyClass, certifiedYear }, { units, zip }) => ({
    zip,
    property_class: `${units > 3 ? 'C' : 'R'} - ${propertyClass}`,
    certified_year: certifiedYear,
  }),
  '39113'({ certifiedYear }, property, isMapped) {
    const { city, zip } = rollPlace(property);
    return {
      // A township is not the city of an address.
      city: isMapped && !city.endsWith(' TWP') ? city : null,
      zip: isMapped && zip !== '' ? zip : null,
      property_class: landUse(property.units),
      certified_year: certifiedYear,
    };
  },
  '39061': (_, { address, hasAddress, value }, isMapped) => ({
    street: hasAddress && isMapped ? hamiltonStreet(address) : null,
    city: null,
    county_value: isMapped ? `${value}.00` : null,
  }),
  // The notice prints neither an address nor the owner apart from the legal description.
  [SUMMIT]: () => ({
    ...Object.fromEntries(
      ['street', 'city', 'owner', 'mailing', 'county_value', 'property_class'].map((name) => [name, null]),
    ),
    property_kind: 'unknown',
  }),
};

/** Where the owner lives, according to the pages. A post office box in the state does not tell. */
function ownerLocation({ state, owner }: Property, { mailing, street }: Printed): string | AnyOf {
  if (mailing !== null && mailing.state !== state) return 'out_of_state';
  if (mailing === null || mailing.street.startsWith('PO BOX')) return 'unknown';
  const known = owner.occupies ? 'at_property' : 'in_state';
  // A sheriff's sale may print the address that the list lacks.
  return street === null ? anyOf('unknown', known) : known;
}

/** Whole months since the ninth of September of a year, thirty days after the settlement of August 10. */
function monthsSince(certifiedYear: number, asOf: string): number {
  const [year = 0, month = 0, day = 0] = asOf.split('-').map(Number);
  return Math.max(0, (year - certifiedYear) * 12 + month - 9 - (day < 9 ? 1 : 0));
}

const ownerColumns = (name: string, mailing: Owner['mailing'] | null): Row => ({
  owner_name: name,
  ...Object.fromEntries(
    (['street', 'city', 'state', 'zip'] as const).map((part) => [`mail_${part}`, mailing?.[part] ?? null]),
  ),
});

function ohioColumns(debt: Debt, property: Property, { truth, reads, mapped }: List): Row {
  const own = OHIO[reads.countyFips]?.(debt as DelinquentParcel, property, mapped.has(property.id));
  const printed: Printed = { ...usual(debt, property), ...own };
  const { street, city, zip, owner, mailing, ...others } = printed;
  const place = placeFromOthers(property);
  const months = printed.certified_year === null ? null : monthsSince(printed.certified_year, truth.asOf);
  return {
    ...others,
    address: street ?? place.address,
    city: city ?? place.city,
    zip: zip ?? place.zip,
    years_delinquent: months === null ? null : Math.floor(months / 12),
    years_basis: months === null ? 'unknown' : 'since_certified_year',
    months_delinquent: months,
    owner_location: ownerLocation(property, printed),
    ...ownerColumns(owner, mailing),
    ...(street === null ? {} : { has_address: true }),
    state: 'OH',
    first_seen: reads.days.find((day) => idsOf(debtsOn(truth, reads.countyFips, day)).has(property.id)),
  };
}

const yearColumns = (debt: Debt): Row => ({
  years_delinquent: 'levies' in debt ? debt.levies.length : null,
  years_basis: 'published',
});
const whereOf = (property: Property, isPrinted: boolean): Row =>
  isPrinted && property.hasAddress ? printedPlace(property) : placeFromOthers(property);

/** Columns of a debt on the list of each county. */
const LISTS: Readonly<Record<string, (debt: Debt, property: Property, list: List) => Row>> = {
  ...Object.fromEntries(Object.keys(OHIO).map((fips) => [fips, ohioColumns])),
  '55079': (debt, property) => ({
    amount_basis: 'principal',
    ...yearColumns(debt),
    ...ownerColumns(property.owner.name, property.owner.mailing),
    ...whereOf(property, true),
  }),
  // Vacancies and debts are one row, with its gaps.
  [ST_LOUIS]: (_, property, { truth, reads }) => ({
    amount_basis: 'principal',
    ...ownerColumns(property.owner.name, property.owner.mailing),
    ...whereOf(property, !truth.lacksAddress(reads.lastGood, ST_LOUIS, property.id)),
  }),
  [ALLEGHENY]: (debt, property) => ({ amount_basis: 'net', ...yearColumns(debt), ...whereOf(property, false) }),
};

/** The property that a published parcel number is of. */
const parcelOf = ({ county_fips: fips, parcel_id: parcel }: Row, { propertyOf }: Facts): string =>
  propertyOf(fips, parcel) ?? `unknown parcel ${String(fips)} ${String(parcel)}`;

/** The debts of a list, rows that earlier lists had, and bills that are paid. */
function trueDebts(truth: Truth, reads: SourceReads): TrueRow[] {
  const { countyFips: fips, lastGood, days } = reads;
  const roll = sourcesOf(truth, 'parcels', fips)[0]?.days ?? [];
  const onMap = roll.flatMap((day) => truth.on(day).delinquent).filter((debt) => debt.countyFips === fips);
  const list = { truth, reads, mapped: idsOf(onMap.filter(({ isMapped }) => isMapped)) };
  // A parcel that owes nothing is on the list and is no debt.
  const debts = debtsOn(truth, fips, lastGood).filter(({ amount }) => Number(amount) > 0);
  const listed = idsOf(debts);
  const gone = idsOf(days.flatMap((day) => debtsOn(truth, fips, day))).difference(listed);
  // Allegheny's table keeps them.
  const paid = fips === ALLEGHENY ? idsOf(truth.on(truth.asOf).roll(fips)).difference(listed).difference(gone) : [];
  const removed = (isOptional: boolean) => (key: string) => ({ key, columns: { signal_state: 'removed' }, isOptional });
  return [
    ...debts.map((debt) => {
      const common = { signal_state: 'listed', last_seen: lastGood, amount: debt.amount };
      const own = LISTS[fips]?.(debt, truth.on(lastGood).property(debt.propertyId), list);
      return { key: debt.propertyId, columns: { ...common, ...own } };
    }),
    ...[...gone].map(removed(false)),
    ...[...paid].map(removed(true)),
  ];
}

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

export const OF_DEBTS: readonly RecordTable[] = [
  ...Object.keys(LISTS).map((fips): RecordTable => ({
    record: `tax debts of ${fips}`,
    table: 'signals',
    where: `signal_type = 'tax_delinquent' AND county_fips = '${fips}'`,
    keyOf: parcelOf,
    truth: (facts) => sourcesOf(facts, 'tax', fips).flatMap((reads) => trueDebts(facts, reads)),
  })),
  OF_SHELBY,
];
