/** Published tax debts, county by county: what its pages print, and what other sources of the county add. */
import { landUse, rollPlace } from '../pages/montgomery.ts';
import { spellStreet } from '../world/streets.ts';
import type { PrintedDebt } from '../world/summit.ts';
import type { DelinquentParcel, Property } from '../world/types.ts';
import { anyOf, type Row, type TrueRow } from './compare.ts';
import { postedOn } from './sales.ts';
import { placeOf, type RecordTable, type SourceReads, type Truth } from './truth.ts';

type Debt = DelinquentParcel & Partial<PrintedDebt>;

const [SUMMIT, ST_LOUIS, ALLEGHENY, SHELBY] = ['39153', '29510', '42003', '47157'] as const;

const debtsOn = (truth: Truth, fips: string, day: string): readonly Debt[] => {
  const { delinquent, printedDebts } = truth.on(day);
  return fips === SUMMIT ? (printedDebts as unknown as Debt[]) : delinquent.filter((one) => one.countyFips === fips);
};
const idsOf = (rows: readonly { readonly propertyId: string }[]): Set<string> =>
  new Set(rows.map(({ propertyId }) => propertyId));

/** A debt as the pages of most counties of Ohio print it. Null: not printed. */
const usual = ({ propertyClass }: Debt, { owner, hasAddress, address, city, value, units }: Property) => ({
  address: hasAddress ? spellStreet(address, 'upper_abbreviated') : null,
  city: city.toUpperCase() as string | null,
  zip: null as string | null,
  owner_name: owner.second === null ? owner.name : `${owner.name} & ${owner.second}`,
  mailing: owner.mailing as Property['owner']['mailing'] | null,
  county_value: `${value}.00`,
  property_class: propertyClass,
  // "APARTMENTS 4-19 UNITS" does not tell 4 units from 5.
  property_kind: ['vacant_lot', 'one_family', 'two_to_four', 'two_to_four'][units] ?? 'five_up',
  certified_year: null as number | null,
});
type Printed = ReturnType<typeof usual>;

/** What each county prints other than the rest of them. */
const OHIO: Readonly<Record<string, (debt: Debt, property: Property, isMapped: boolean) => object>> = {
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
  // Hamilton's layer has a number, a street and a suffix, and no unit; its AV is not of Publication 28.
  '39061'(_, { address: { low, high, pre, name, suffix }, hasAddress, value }, isMapped) {
    const line = [high === null ? low : `${low}-${high}`, pre, name, suffix === 'AVE' ? 'AV' : suffix];
    const address = hasAddress && isMapped ? line.filter((part) => part !== null).join(' ') : null;
    return { address, city: null, county_value: isMapped ? `${value}.00` : null };
  },
  // The notice prints neither an address nor the owner apart from the legal description.
  [SUMMIT]: () => ({
    address: null,
    city: null,
    owner_name: null,
    mailing: null,
    county_value: null,
    property_class: null,
    property_kind: 'unknown',
  }),
};

/** Where the owner lives, according to the pages. A post office box in the state does not tell. */
function ownerLocation({ state, owner }: Property, { mailing, address }: Printed): unknown {
  if (mailing !== null && mailing.state !== state) return 'out_of_state';
  if (mailing === null || mailing.street.startsWith('PO BOX')) return 'unknown';
  const known = owner.occupies ? 'at_property' : 'in_state';
  // A sheriff's sale may print the address that the list lacks.
  return address === null ? anyOf('unknown', known) : known;
}

const mailColumns = (mailing: Printed['mailing']): Row =>
  Object.fromEntries(
    (['street', 'city', 'state', 'zip'] as const).map((part) => [`mail_${part}`, mailing?.[part] ?? null]),
  );

/** A county's list, and its properties that are on its parcel layer or tax roll on a day that was read. */
interface List extends SourceReads {
  readonly mapped: ReadonlySet<string>;
}

function ohioColumns(debt: Debt, property: Property, truth: Truth, { countyFips: fips, days, mapped }: List): Row {
  const printed: Printed = { ...usual(debt, property), ...OHIO[fips]?.(debt, property, mapped.has(property.id)) };
  const { mailing, address, city, zip, certified_year: certified, ...others } = printed;
  const place = placeOf(property, false);
  const [year = 0, month = 0, day = 0] = truth.asOf.split('-').map(Number);
  // Since the ninth of September, thirty days after the settlement of August 10.
  const months = certified && Math.max(0, (year - certified) * 12 + month - 9 - (day < 9 ? 1 : 0));
  return {
    ...others,
    ...mailColumns(mailing),
    address: address ?? place['address'],
    city: city ?? place['city'],
    zip: zip ?? place['zip'],
    certified_year: certified,
    years_delinquent: months === null ? null : Math.floor(months / 12),
    years_basis: months === null ? 'unknown' : 'since_certified_year',
    months_delinquent: months,
    owner_location: ownerLocation(property, printed),
    ...(address === null ? {} : { has_address: true }),
    state: 'OH',
    first_seen: days.find((one) => idsOf(debtsOn(truth, fips, one)).has(property.id)),
  };
}

const ownerColumns = ({ owner }: Property): Row => ({ owner_name: owner.name, ...mailColumns(owner.mailing) });
const yearColumns = ({ levies }: Debt): Row => ({ years_delinquent: levies.length, years_basis: 'published' });

/** Columns of a debt on the list of each county. */
const LISTS: Readonly<Record<string, typeof ohioColumns>> = {
  ...Object.fromEntries(Object.keys(OHIO).map((fips) => [fips, ohioColumns])),
  '55079': (debt, property) => ({
    amount_basis: 'principal',
    ...yearColumns(debt),
    ...ownerColumns(property),
    ...placeOf(property, property.hasAddress),
  }),
  // Vacancies and debts are one row, with its gaps.
  [ST_LOUIS]: (_, property, truth, { lastGood }) => ({
    amount_basis: 'principal',
    ...ownerColumns(property),
    ...placeOf(property, property.hasAddress && !truth.lacksAddress(lastGood, ST_LOUIS, property.id)),
  }),
  [ALLEGHENY]: (debt, property) => ({ amount_basis: 'net', ...yearColumns(debt), ...placeOf(property, false) }),
};

/** The debts of a list, rows that earlier lists had, and bills that are paid. */
function trueDebts(truth: Truth, reads: SourceReads): TrueRow[] {
  const { countyFips: fips, lastGood, days } = reads;
  // A parcel that owes nothing is on the list and is no debt.
  const debts = debtsOn(truth, fips, lastGood).filter(({ amount }) => Number(amount) > 0);
  const listed = idsOf(debts);
  const gone = idsOf(days.flatMap((day) => debtsOn(truth, fips, day))).difference(listed);
  // Allegheny's table keeps them.
  const paid = fips === ALLEGHENY ? idsOf(truth.on(truth.asOf).roll(fips)).difference(listed).difference(gone) : [];
  const roll = truth.sourcesOf('parcels', fips)[0]?.days ?? [];
  const onRoll = roll.flatMap((day) => debtsOn(truth, fips, day));
  const list = { ...reads, mapped: idsOf(onRoll.filter(({ isMapped }) => isMapped)) };
  const removed = (isOptional: boolean) => (key: string) => ({ key, columns: { signal_state: 'removed' }, isOptional });
  return [
    ...debts.map((debt) => {
      const own = LISTS[fips]?.(debt, truth.on(lastGood).property(debt.propertyId), truth, list);
      const columns = { signal_state: 'listed', last_seen: lastGood, amount: debt.amount, ...own };
      return { key: debt.propertyId, columns };
    }),
    ...[...gone].map(removed(false)),
    ...[...paid].map(removed(true)),
  ];
}

/** The file of Shelby's tax sales has no suffix of a street. */
function trueParcels(truth: Truth, reads: SourceReads): TrueRow[] {
  return postedOn(truth, reads, ({ countyFips }) => countyFips === SHELBY).map(({ propertyId }) => {
    const { low, pre, name } = truth.on(truth.asOf).property(propertyId).address;
    const street = [low, pre, name].filter((part) => part !== null).join(' ');
    return { key: propertyId, columns: { amount: null, address: anyOf(null, street), zip: null } };
  });
}

export const OF_DEBTS = [...Object.keys(LISTS), SHELBY].map((fips): RecordTable => ({
  record: fips === SHELBY ? 'parcels of tax sales' : `tax debts of ${fips}`,
  table: 'signals',
  where: `county_fips = '${fips}' AND signal_${fips === SHELBY ? "state = 'listed'" : "type = 'tax_delinquent'"}`,
  /** The property that a published parcel number is of. */
  keyOf: ({ county_fips: county, parcel_id: parcel }, { propertyOf }) =>
    propertyOf(county, parcel) ?? `unknown parcel ${String(county)} ${String(parcel)}`,
  truth: (truth) =>
    truth
      .sourcesOf('tax', fips)
      .flatMap((reads) => (fips === SHELBY ? trueParcels(truth, reads) : trueDebts(truth, reads))),
}));
