/**
 * The versions of each site's listings on the days on which it was read: the rules of listing_history, applied to the
 * world by independent code.
 */
import { dayNumber } from '../../world/days.ts';
import type { Day, ListingOnDay, Money } from '../../world/types.ts';
import type { Truth } from './truth.ts';

/** A listing as long as its site showed the same values. */
export interface TrueVersion {
  readonly listing: ListingOnDay;
  readonly version: number;
  readonly change: string;
  readonly firstSeen: Day;
  lastSeen: Day;
  /** First sighting and first price, of the ended listing too that this one continues. */
  readonly listingFirstSeen: Day;
  readonly firstPrice: Money | null;
  readonly relisted: boolean;
  goneOn: Day | null;
}

/** The listings of one site, each with its versions in order. */
export type SiteHistory = ReadonlyMap<string, readonly TrueVersion[]>;

/** Columns whose change begins a version. */
const shownValues = (listing: ListingOnDay): string =>
  JSON.stringify([
    listing.path,
    listing.street,
    listing.city,
    listing.state,
    listing.zip,
    listing.price,
    listing.units,
    listing.capRate,
    listing.noi,
    listing.yearBuilt,
  ]) + JSON.stringify([listing.unitMix, listing.annualTaxes, listing.postedOn, listing.availability]);

function changeOf(now: ListingOnDay, before: ListingOnDay): string {
  if (now.price !== null && before.price !== null && now.price !== before.price)
    return Number(now.price) < Number(before.price) ? 'price_cut' : 'price_rise';
  if (now.price !== null && before.price === null) return 'price_published';
  if (now.price === null && before.price !== null) return 'price_hidden';
  return now.availability === before.availability ? 'details' : 'availability';
}

const daysBetween = (from: Day, to: Day): number => dayNumber(to) - dayNumber(from);

class SiteReader {
  readonly listings = new Map<string, TrueVersion[]>();
  readonly #relistingDays: number;

  constructor(relistingDays: number) {
    this.#relistingDays = relistingDays;
  }

  /** Read the site on a day. */
  read(day: Day, shown: readonly ListingOnDay[]): void {
    const ids = new Set(shown.map(({ listingId }) => listingId));
    const returned = new Map<string, TrueVersion>();
    for (const [id, versions] of this.listings) {
      const latest = versions.at(-1);
      if (latest === undefined) continue;
      if (!ids.has(id)) latest.goneOn ??= day;
      else if (latest.goneOn !== null) returned.set(id, latest);
    }
    const added = shown.map((listing) => this.#next(day, listing, returned.get(listing.listingId)));
    for (const version of added) {
      if (version === null) continue;
      const { listingId } = version.listing;
      this.listings.set(listingId, [...(this.listings.get(listingId) ?? []), version]);
    }
  }

  /** The version that begins on a day; null if the latest one goes on. */
  #next(day: Day, listing: ListingOnDay, returned: TrueVersion | undefined): TrueVersion | null {
    const before = this.listings.get(listing.listingId)?.at(-1);
    if (before && !returned && shownValues(before.listing) === shownValues(listing)) {
      before.lastSeen = day;
      return null;
    }
    const continued = before ? this.#continuation(before, day) : this.#ended(day, listing);
    const isRelisted = before && !returned ? before.relisted : continued !== null;
    return {
      listing,
      version: (before?.version ?? 0) + 1,
      change: returned || (!before && continued) ? 'relisted' : before ? changeOf(listing, before.listing) : 'added',
      firstSeen: day,
      lastSeen: day,
      listingFirstSeen: continued?.listingFirstSeen ?? day,
      firstPrice: continued?.firstPrice ?? listing.price,
      relisted: isRelisted,
      goneOn: null,
    };
  }

  /** The version itself, unless it was gone for too long to be the same offer. */
  #continuation(before: TrueVersion, day: Day): TrueVersion | null {
    return before.goneOn === null || daysBetween(before.goneOn, day) <= this.#relistingDays ? before : null;
  }

  /** The listing of the same property on this site that ended last, not too long ago. */
  #ended(day: Day, { propertyId }: ListingOnDay): TrueVersion | null {
    const ended = [...this.listings.values()].flatMap((versions): TrueVersion[] => {
      const latest = versions.at(-1);
      if (latest === undefined || latest.goneOn === null || latest.listing.propertyId !== propertyId) return [];
      return daysBetween(latest.goneOn, day) <= this.#relistingDays ? [latest] : [];
    });
    const order = (version: TrueVersion): string => `${version.goneOn ?? ''} ${version.lastSeen}`;
    return (
      ended.toSorted((a, b) =>
        order(a) === order(b) ? (a.listing.listingId < b.listing.listingId ? -1 : 1) : order(a) < order(b) ? 1 : -1,
      )[0] ?? null
    );
  }
}

/** The history of each listing site that was read. */
export function siteHistories(truth: Truth, relistingDays: number): Map<string, SiteHistory> {
  const histories = new Map<string, SiteHistory>();
  for (const { source, family, days } of truth.sources.values()) {
    if (family !== 'listings') continue;
    const reader = new SiteReader(relistingDays);
    for (const day of days) {
      const shown = truth.on(day).listings.filter(({ site }) => site === source);
      reader.read(day, shown);
    }
    histories.set(source, reader.listings);
  }
  return histories;
}

/** The latest version of each listing. */
export const latestVersions = (history: SiteHistory): TrueVersion[] =>
  [...history.values()].flatMap((versions) => versions.slice(-1));
