/**
 * A consistent made-up world: properties for sale, in debt and at auction, and businesses in two registers, from
 * October 2026 to January 2027. Pure: the same options and day give the same world, in any order of days.
 */
import { SettingError } from '../../lib/settings.ts';
import { auctionsOn, planAuctions, type AuctionPlan } from './auctions.ts';
import { coloradoOn, planColorado, type ColoradoPlan } from './colorado.ts';
import { dayNumber, DEFAULT_DAY } from './days.ts';
import { delinquentOn, planDebts, type DebtPlan } from './debts.ts';
import { delinquentElsewhereOn, planDebtsElsewhere, type LevyPlan } from './debts_elsewhere.ts';
import { distressOn, planDistress, type DistressPlan } from './distress.ts';
import type { RollEntry } from './distress_types.ts';
import { isShown, listingEventsOn, listingOn, planListings, type ListingPlan } from './listings.ts';
import { ohioOn } from './ohio.ts';
import { PropertyBook } from './properties.ts';
import { rents } from './rents.ts';
import { planRepeats } from './repeats.ts';
import { addRollParcels, rollOf } from './rolls.ts';
import { planSalesElsewhere, salesElsewhereOn, type SalePlan } from './sales_elsewhere.ts';
import { planNotice } from './summit.ts';
import type { Link, PrintedDebt, World, WorldDay, WorldOptions } from './types.ts';

interface Plans {
  readonly book: PropertyBook;
  readonly listings: readonly ListingPlan[];
  readonly debts: readonly DebtPlan[];
  readonly auctions: readonly AuctionPlan[];
  readonly printedDebts: readonly PrintedDebt[];
  readonly debtsElsewhere: readonly LevyPlan[];
  readonly salesElsewhere: readonly SalePlan[];
  readonly distress: readonly DistressPlan[];
  readonly colorado: () => ColoradoPlan;
}

const plansOf = new WeakMap<World, Plans>();

/** Compute a value on first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Default sizes, which a run reads in seconds. */
const defaultOptions: WorldOptions = {
  seed: 20_261_120,
  listings: 600,
  parcels: 4000,
  auctions: 250,
  filings: 4000,
  distress: 100,
};

/** Parcels on Ohio's tax lists for each record of distress per kind. */
const PARCELS_PER_RECORD = 40;

/** Parcels in Summit's notice, as a share of those on the other counties' lists. */
const NOTICE_SHARE = 0.1;

/** Make a world. Sizes may be 0. */
export function makeWorld(options: Partial<WorldOptions> = {}): World {
  const parcels = options.parcels ?? defaultOptions.parcels;
  const distressSize = Math.round(parcels / PARCELS_PER_RECORD);
  const chosen: WorldOptions = { ...defaultOptions, distress: distressSize, ...options };
  const { seed } = chosen;
  const book = new PropertyBook(seed);
  const listings = planListings(seed, chosen.listings, book);
  // Debts and cases pick properties for sale on the default day first.
  const now = listings.filter((plan) => isShown(plan, DEFAULT_DAY));
  const forSale = [...new Set([...now, ...listings].map((plan) => plan.property))];
  const forSaleNow = [...new Set(now.map((plan) => plan.property))];
  const debts = planDebts(seed, chosen.parcels, forSale, book);
  const auctions = planAuctions(seed, chosen.auctions, { forSale, debts }, book);
  const printedDebts = planNotice(seed, Math.round(chosen.parcels * NOTICE_SHARE), auctions, book);
  // Other states are made last, so that they change nothing of the above.
  const debtsElsewhere = planDebtsElsewhere(seed, chosen.distress, forSaleNow, book);
  const salesElsewhere = planSalesElsewhere(seed, chosen.auctions, forSaleNow, book);
  const inTrouble = [...debts, ...debtsElsewhere, ...salesElsewhere, ...auctions.map((plan) => plan.case)];
  const stock = { forSale: forSaleNow, inTrouble: inTrouble.map(({ property }) => property) };
  const distress = planDistress(seed, chosen.distress, stock, book);
  addRollParcels(seed, chosen.distress, book);
  const world: World = { options: chosen, properties: book.all };
  plansOf.set(world, {
    book,
    listings: [...listings, ...planRepeats(seed, listings)],
    debts,
    auctions,
    printedDebts,
    debtsElsewhere,
    salesElsewhere,
    distress,
    colorado: once(() => planColorado(seed, chosen.filings)),
  });
  return world;
}

function findLinks(day: Pick<WorldDay, 'listings' | 'delinquent' | 'auctions'>): Link[] {
  const seen = new Map<
    string,
    {
      listings: Link['listings'][number][];
      delinquentParcel: string | null;
      auctions: string[];
      sources: number;
    }
  >();
  const of = (propertyId: string) => {
    const link = seen.get(propertyId) ?? { listings: [], delinquentParcel: null, auctions: [], sources: 0 };
    seen.set(propertyId, link);
    return link;
  };
  for (const { propertyId, site, listingId } of day.listings) of(propertyId).listings.push({ site, listingId });
  for (const { propertyId, parcel } of day.delinquent) of(propertyId).delinquentParcel = parcel;
  for (const { propertyId, aid } of day.auctions) of(propertyId).auctions.push(aid);
  return [...seen]
    .map(([propertyId, { listings, delinquentParcel, auctions }]) => ({
      propertyId,
      listings,
      delinquentParcel,
      auctions,
    }))
    .filter(
      (link) =>
        link.listings.length + (link.delinquentParcel === null ? 0 : 1) + (link.auctions.length > 0 ? 1 : 0) > 1,
    );
}

/** The world on a day. */
export function worldOn(world: World, day: string): WorldDay {
  const plans = plansOf.get(world);
  if (!plans) throw new Error('world was not created by makeWorld');
  const on = dayNumber(day);
  if (!Number.isInteger(on)) throw new SettingError(`DAY is ${JSON.stringify(day)}, expected a day as YYYY-MM-DD`);
  const listings = once(() => plans.listings.filter((plan) => isShown(plan, on)).map((plan) => listingOn(plan, on)));
  const events = once(() => listingEventsOn(plans.listings, on));
  const gone = once(
    () => new Set(plans.listings.filter(({ to }) => to !== null && to <= on).map(({ listingId }) => listingId)),
  );
  const delinquent = once(() => [...delinquentOn(plans.debts, on), ...delinquentElsewhereOn(plans.debtsElsewhere, on)]);
  const auctions = once(() => [...auctionsOn(plans.auctions, on), ...salesElsewhereOn(plans.salesElsewhere, on)]);
  const distress = once(() => distressOn(plans.distress, on));
  const rolls = new Map<string, RollEntry[]>();
  const ohio = once(() => ohioOn(world.options.seed, world.options.filings, on));
  const colorado = once(() => coloradoOn(plans.colorado(), on));
  const links = once(() => findLinks({ listings: listings(), delinquent: delinquent(), auctions: auctions() }));
  return {
    world,
    day,
    rents,
    printedDebts: plans.printedDebts,
    get listings() {
      return listings();
    },
    get listingEvents() {
      return events();
    },
    get goneListings() {
      return gone();
    },
    get delinquent() {
      return delinquent();
    },
    get auctions() {
      return auctions();
    },
    get distress() {
      return distress();
    },
    get ohio() {
      return ohio();
    },
    get colorado() {
      return colorado();
    },
    get links() {
      return links();
    },
    property: (id) => plans.book.get(id),
    roll: (countyFips) => {
      const roll = rolls.get(countyFips) ?? rollOf(world.options.seed, plans.book.all.values(), countyFips);
      rolls.set(countyFips, roll);
      return roll;
    },
  };
}
