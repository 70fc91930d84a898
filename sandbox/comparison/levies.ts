/** Published tax debts outside Ohio against the world. */
import type { DelinquentParcel, Property } from '../world/types.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { withDays, type ReadTable } from './snapshot.ts';
import { placeFromOthers, printedPlace, propertiesByParcel } from './truth/printed_places.ts';
import { sourceOf, type SourceReads, type Truth } from './truth/truth.ts';

/** Contents of a list besides the parcel and the amount owed. */
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
const REMOVED = { state: { signal_state: 'removed' } };

const LISTS: readonly List[] = [
  { fips: '55079', amountBasis: 'principal', hasYears: true, hasOwner: true, hasAddress: true },
  { fips: ST_LOUIS, amountBasis: 'principal', hasYears: false, hasOwner: true, hasAddress: true },
  { fips: ALLEGHENY, amountBasis: 'net', hasYears: true, hasOwner: false, hasAddress: false },
];

export const LEVY_COUNTIES: readonly string[] = LISTS.map(({ fips }) => fips);

/** A debt on a list outside Ohio. */
export interface TrueLevy {
  readonly list: List;
  readonly reads: SourceReads;
  readonly debt: DelinquentParcel;
  readonly property: Property;
}

/** Whether the list prints where the property is. St. Louis prints vacancies and debts in one row, with its gaps. */
export function printsPlace(truth: Truth, { list, reads, property }: TrueLevy): boolean {
  const isBlank = truth
    .on(reads.lastGood)
    .distress.some(
      ({ countyFips, propertyId, flaw }) =>
        countyFips === ST_LOUIS && list.fips === ST_LOUIS && propertyId === property.id && flaw === 'no_address',
    );
  return list.hasAddress && property.hasAddress && !isBlank;
}

/** The debts of the latest lists. */
export const listLevies = (truth: Truth): TrueLevy[] =>
  LISTS.flatMap((list) => {
    const reads = sourceOf(truth, 'tax', list.fips);
    if (reads === undefined) return [];
    const day = truth.on(reads.lastGood);
    return day.delinquent
      .filter(({ countyFips }) => countyFips === list.fips)
      .map((debt): TrueLevy => ({ list, reads, debt, property: day.property(debt.propertyId) }));
  });

/** Columns of signals and of leads about the owner. */
export const levyOwner = ({ owner }: Property): Row => ({
  owner_name: owner.name,
  mail_street: owner.mailing.street,
  mail_city: owner.mailing.city,
  mail_state: owner.mailing.state,
  mail_zip: owner.mailing.zip,
});

function trueRow(levy: TrueLevy, truth: Truth): TrueRow {
  const { list, reads, debt, property } = levy;
  return {
    key: property.id,
    fields: {
      state: { signal_state: 'listed', last_seen: reads.lastGood },
      debt: {
        amount: debt.amount,
        amount_basis: list.amountBasis,
        ...(list.hasYears ? { years_delinquent: debt.levies.length, years_basis: 'published' } : {}),
      },
      ...(list.hasOwner ? { owner: levyOwner(property) } : {}),
      place: printsPlace(truth, levy) ? printedPlace(property) : placeFromOthers(property),
    },
  };
}

/** Properties that were on a list on an earlier read and are no longer. */
function left(truth: Truth, listed: ReadonlySet<string>): string[] {
  const before = LISTS.flatMap(({ fips }) =>
    (sourceOf(truth, 'tax', fips)?.days ?? []).flatMap((day) =>
      truth
        .on(day)
        .delinquent.filter(({ countyFips }) => countyFips === fips)
        .map(({ propertyId }) => propertyId),
    ),
  );
  return [...new Set(before)].filter((id) => !listed.has(id));
}

export async function compareLevies(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const propertyOf = propertiesByParcel(truth.world);
  const keyOf = (row: Row): string =>
    propertyOf(row['county_fips'], row['parcel_id']) ??
    `unknown parcel ${String(row['county_fips'])} ${String(row['parcel_id'])}`;
  const counties = LEVY_COUNTIES.map((fips) => `'${fips}'`).join(', ');
  const published = await read('signals', `signal_type = 'tax_delinquent' AND county_fips IN (${counties})`);
  const listed = listLevies(truth);
  // Lists from before the oldest snapshot are not known.
  // Allegheny's table keeps bills that are paid.
  const paid = truth
    .on(truth.asOf)
    .roll(ALLEGHENY)
    .filter(({ propertyId }) => !listed.some(({ property }) => property.id === propertyId))
    .map(({ propertyId }) => propertyId);
  const gone = truth.isComplete ? left(truth, new Set(listed.map(({ property }) => property.id))) : [];
  const rows = published.map(withDays);
  return compare({
    what: 'signals of tax by year',
    published: truth.isComplete ? rows : rows.filter((row) => row['signal_state'] === 'listed'),
    keyOf,
    truth: [
      ...listed.map((levy) => trueRow(levy, truth)),
      ...gone.map((key) => ({ key, fields: REMOVED })),
      ...paid.filter((id) => !gone.includes(id)).map((key) => ({ key, fields: REMOVED, isOptional: true })),
    ],
  });
}
