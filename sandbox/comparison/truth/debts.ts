/** The true rows of signals: debts on the counties' lists as read, completed from other sources of the county. */
import type { Money, Property } from '../../world/types.ts';
import { CUYAHOGA, HAMILTON, MONTGOMERY, parcelKey, STARK, SUMMIT } from './parcels.ts';
import { NOTICE, printedDebt, type PrintedDebt } from './printed_debts.ts';
import { anyOf, type AnyOf } from '../compare.ts';
import { auctionSite, propertiesAtSale } from './sales.ts';
import { sourceOf, type SourceReads, type Truth } from './truth.ts';
import { spellStreet } from '../../world/streets.ts';

/** Counties of the world with a list of debts. */
const COUNTIES = [CUYAHOGA, HAMILTON, MONTGOMERY, STARK, SUMMIT];

/** A value of a place: certain, or one of several. */
type PlaceValue = string | null | AnyOf;

export interface TrueAddress {
  readonly address: string | null;
  readonly basis: string | null;
  readonly city: PlaceValue;
  readonly cityBasis: PlaceValue;
  readonly zip: PlaceValue;
  readonly zipBasis: PlaceValue;
}

/** A debt on a county's list. */
export interface TrueDebt {
  readonly countyFips: string;
  readonly key: string;
  readonly property: Property;
  readonly amount: Money;
  readonly printed: PrintedDebt;
  readonly place: TrueAddress;
  /** First day on which the list was read with the debt. */
  readonly firstSeen: string;
  /** Day of the list in use. */
  readonly lastSeen: string;
  /** Whole months since the last day on which the law lets the delinquency be certified, where its year is printed. */
  readonly months: number | null;
}

/** Which properties are where on which days, for one county. */
interface CountyReads {
  readonly truth: Truth;
  readonly list: SourceReads;
  /** On the county's parcel layer or tax roll, on a day that was read. */
  readonly isOnMap: (property: Property) => boolean;
  /** With a sale on the auction site: as last read, and as read on any day. */
  readonly isAtSale: (property: Property) => boolean;
  readonly wasAtSale: (property: Property) => boolean;
}

/** Properties that a county's layer or roll has as delinquent on a day of its reads. */
function mappedProperties(truth: Truth, countyFips: string): Set<string> {
  const layer = sourceOf(truth, 'parcels', countyFips);
  return new Set(
    (layer?.days ?? []).flatMap((day) =>
      truth
        .on(day)
        .delinquent.filter((debt) => debt.countyFips === countyFips && debt.isMapped)
        .map(({ propertyId }) => propertyId),
    ),
  );
}

function countyReads(truth: Truth, list: SourceReads, countyFips: string): CountyReads {
  const mapped = mappedProperties(truth, countyFips);
  const site = auctionSite(truth, countyFips);
  const now = site ? propertiesAtSale(truth, countyFips, site.lastGood) : new Set<string>();
  // Reads before the oldest snapshot left no manifest, so every sale posted by then counts as read.
  const ever = truth.isComplete
    ? new Set((site?.days ?? []).flatMap((day) => [...propertiesAtSale(truth, countyFips, day)]))
    : new Set(truth.on(truth.asOf).auctions.map(({ propertyId }) => propertyId));
  return {
    truth,
    list,
    isOnMap: ({ id }) => mapped.has(id),
    isAtSale: ({ id }) => now.has(id),
    wasAtSale: ({ id }) => ever.has(id),
  };
}

/**
 * Where the debt's property is, as far as the sources print it. In this order: the county's own pages, a sheriff's sale
 * of the parcel, and the owner's mail where it goes to the property itself. A place known from an earlier sale stays.
 */
function derivePlace(property: Property, printed: PrintedDebt, reads: CountyReads): TrueAddress {
  const isAtSale = reads.isAtSale(property);
  const isFromSale = printed.street === null && isAtSale;
  const address = isFromSale ? spellStreet(property.address, 'upper_words') : printed.street;
  const basis = isFromSale ? 'sheriff_sale' : address === null ? null : printed.streetBasis;
  // Hamilton's layer omits units, so its address is not that of the sale.
  const isSameAddress = isFromSale || property.countyFips !== HAMILTON || property.address.unit === null;
  // If no page of the county prints the ZIP, it comes from the owner's mail, and the city with it.
  const givesMail = address !== null && printed.mailing !== null && property.owner.occupies && printed.zip === null;
  const mayBeKept = reads.wasAtSale(property);
  const known = (own: string | null, ownBasis: string, value: string): readonly [PlaceValue, PlaceValue] => {
    if (own !== null) return [own, ownBasis];
    if (isAtSale && isSameAddress) return [value, 'published'];
    if (givesMail) return [value, mayBeKept ? anyOf('published', 'owner_mail') : 'owner_mail'];
    return mayBeKept ? [anyOf(null, value), anyOf(null, 'published')] : [null, null];
  };
  const [city, cityBasis] = known(printed.city, printed.cityBasis, property.city.toUpperCase());
  const [zip, zipBasis] = known(printed.zip, 'published', property.zip);
  return { address, basis, city, cityBasis, zip, zipBasis };
}

/** Days on which a property was on its county's list, by property. */
function listedDays({ truth, list }: CountyReads, countyFips: string): Map<string, string[]> {
  const days = new Map<string, string[]>();
  for (const day of list.days)
    for (const debt of truth.on(day).delinquent)
      if (debt.countyFips === countyFips) days.set(debt.propertyId, [...(days.get(debt.propertyId) ?? []), day]);
  return days;
}

/** Whole months since the ninth of September of a year, thirty days after the settlement of August 10. */
function monthsSince(certifiedYear: number, asOf: string): number {
  const [year = 0, month = 0, day = 0] = asOf.split('-').map(Number);
  return Math.max(0, (year - certifiedYear) * 12 + month - 9 - (day < 9 ? 1 : 0));
}

function noticeDebts(reads: CountyReads): TrueDebt[] {
  const { truth, list } = reads;
  return truth.on(list.lastGood).printedDebts.map((debt) => {
    const property = truth.on(list.lastGood).property(debt.propertyId);
    return {
      countyFips: SUMMIT,
      key: parcelKey(SUMMIT, debt.parcel),
      property,
      amount: debt.amount,
      printed: NOTICE,
      place: derivePlace(property, NOTICE, reads),
      firstSeen: list.days[0] ?? list.lastGood,
      lastSeen: list.lastGood,
      months: null,
    };
  });
}

export interface CountyDebts {
  readonly countyFips: string;
  /** On the list in use. */
  readonly listed: readonly TrueDebt[];
  /** Keys of debts that only earlier lists had. */
  readonly left: readonly string[];
}

/** The debts of all counties whose list was read. */
export const debtsOfCounties = (truth: Truth): CountyDebts[] =>
  COUNTIES.flatMap((fips) => listDebts(truth, fips) ?? []);

/** The debts of a county's list; null if it was never read. */
function listDebts(truth: Truth, countyFips: string): CountyDebts | null {
  const list = sourceOf(truth, 'tax', countyFips);
  if (list === undefined) return null;
  const reads = countyReads(truth, list, countyFips);
  const { lastGood } = list;
  if (countyFips === SUMMIT) return { countyFips, listed: noticeDebts(reads), left: [] };
  const days = listedDays(reads, countyFips);
  const keyOf = ({ parcel }: Property): string => debtKey({ countyFips, key: parcelKey(countyFips, parcel ?? '') });
  const now = truth.on(lastGood);
  const debts = now.delinquent.filter((debt) => debt.countyFips === countyFips);
  const listed = debts.map((debt): TrueDebt => {
    const property = now.property(debt.propertyId);
    const printed = printedDebt(debt, property, reads.isOnMap(property));
    const { certifiedYear } = printed;
    return {
      countyFips,
      key: parcelKey(countyFips, debt.parcel),
      property,
      amount: debt.amount,
      printed,
      place: derivePlace(property, printed, reads),
      firstSeen: days.get(property.id)?.[0] ?? lastGood,
      lastSeen: lastGood,
      months: certifiedYear === null ? null : monthsSince(certifiedYear, truth.asOf),
    };
  });
  const isListed = new Set(listed.map(({ property }) => property.id));
  const left = [...days.keys()].filter((id) => !isListed.has(id)).map((id) => keyOf(now.property(id)));
  return { countyFips, listed, left };
}

export const debtKey = ({ countyFips, key }: Pick<TrueDebt, 'countyFips' | 'key'>): string => `${countyFips} ${key}`;

/** Where the owner lives, according to the pages. A post office box in the state does not tell. */
export function ownerLocation({ property, printed, place }: TrueDebt): string {
  const { mailing } = printed;
  if (mailing === null) return 'unknown';
  if (mailing.state !== property.state) return 'out_of_state';
  if (mailing.street.startsWith('PO BOX') || place.address === null) return 'unknown';
  return property.owner.occupies ? 'at_property' : 'in_state';
}
