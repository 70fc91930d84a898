/**
 * A consistent made-up world: properties for sale, in debt and at auction, and businesses in two registers, from
 * October 2026 to January 2027. Pure: the same options and day give the same world, in any order of days.
 */
import { SettingError } from '../../lib/settings.ts';
import { auctionsOn, planAuctions, type SalePlan } from './auctions.ts';
import { type ColoradoEntity, coloradoOn, planColorado, type ColoradoPlan } from './colorado.ts';
import { dayNumber, DEFAULT_DAY } from './days.ts';
import {
  type DebtPlan,
  delinquentElsewhereOn,
  delinquentOn,
  type PaidDebt,
  paidElsewhereOn,
  type LevyPlan,
  planDebts,
  planDebtsElsewhere,
} from './debts.ts';
import { distressOn, type DistressPlan, planDistress } from './distress.ts';
import { isShown, listingOn, type ListingPlan, planListings, planRepeats } from './listings.ts';
import { ohioOn, type OhioRelease } from './ohio.ts';
import { PropertyBook } from './properties.ts';
import { type RentCounty, rents } from './rents.ts';
import { addRollParcels, rollOf, type RollEntry } from './rolls.ts';
import { planSalesElsewhere } from './sales_elsewhere.ts';
import { planNotice, type PrintedDebt } from './summit.ts';
import type {
  AuctionOnDay,
  Day,
  DelinquentParcel,
  DistressOnDay,
  ListingOnDay,
  Property,
  World,
  WorldOptions,
} from './types.ts';

/** All facts of one day. Each part is computed on first use. */
export interface WorldDay {
  readonly world: World;
  readonly day: Day;
  readonly listings: readonly ListingOnDay[];
  readonly delinquent: readonly DelinquentParcel[];
  readonly paidDebts: readonly PaidDebt[];
  /** Summit County's notice. */
  readonly printedDebts: readonly PrintedDebt[];
  /** Items of all sale days posted so far, including past ones. */
  readonly auctions: readonly AuctionOnDay[];
  /** Records that publishers show on the day, closed ones among them where the publisher keeps them. */
  readonly distress: readonly DistressOnDay[];
  readonly ohio: OhioRelease;
  readonly colorado: readonly ColoradoEntity[];
  readonly rents: readonly RentCounty[];
  property(id: string): Property;
  /** All parcels of a county's assessment roll, or of its city where only a city publishes one. */
  roll(countyFips: string): readonly RollEntry[];
}

interface Plans {
  readonly book: PropertyBook;
  readonly listings: readonly ListingPlan[];
  readonly debts: readonly DebtPlan[];
  readonly auctions: readonly SalePlan[];
  readonly printedDebts: readonly PrintedDebt[];
  readonly debtsElsewhere: readonly LevyPlan[];
  readonly distress: readonly DistressPlan[];
  readonly colorado: () => ColoradoPlan;
}

const plansOf = new WeakMap<World, Plans>();

/** Compute a value on first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

type Lazy = Pick<WorldDay, 'listings' | 'delinquent' | 'paidDebts' | 'auctions' | 'distress' | 'ohio' | 'colorado'>;

/** An object whose values are computed on first use. */
const lazily = <T extends object>(make: { readonly [K in keyof T]: () => T[K] }): T =>
  Object.defineProperties(
    {} as T,
    Object.fromEntries(
      Object.entries<() => unknown>(make).map(([name, value]) => [name, { enumerable: true, get: once(value) }]),
    ),
  );

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
  const inTrouble = [...debts, ...debtsElsewhere, ...salesElsewhere, ...auctions];
  const stock = { forSale: forSaleNow, inTrouble: inTrouble.map(({ property }) => property) };
  const distress = planDistress(seed, chosen.distress, stock, book);
  addRollParcels(seed, chosen.distress, book);
  const world: World = { options: chosen, properties: book.all };
  plansOf.set(world, {
    book,
    listings: [...listings, ...planRepeats(seed, listings)],
    debts,
    auctions: [...auctions, ...salesElsewhere],
    printedDebts,
    debtsElsewhere,
    distress,
    colorado: once(() => planColorado(seed, chosen.filings)),
  });
  return world;
}

/** The world on a day. */
export function worldOn(world: World, day: string): WorldDay {
  const plans = plansOf.get(world);
  if (!plans) throw new Error('world was not created by makeWorld');
  const on = dayNumber(day);
  if (!Number.isInteger(on)) throw new SettingError(`DAY is ${JSON.stringify(day)}, expected a day as YYYY-MM-DD`);
  const rolls = new Map<string, RollEntry[]>();
  const lazy = lazily<Lazy>({
    listings: () => plans.listings.filter((plan) => isShown(plan, on)).map((plan) => listingOn(plan, on)),
    delinquent: () => [...delinquentOn(plans.debts, on), ...delinquentElsewhereOn(plans.debtsElsewhere, on)],
    paidDebts: () => paidElsewhereOn(plans.debtsElsewhere, on),
    auctions: () => auctionsOn(plans.auctions, on),
    distress: () => distressOn(plans.distress, on),
    ohio: () => ohioOn(world.options.seed, world.options.filings, on),
    colorado: () => coloradoOn(plans.colorado(), on),
  });
  return Object.assign(lazy, {
    world,
    day,
    rents,
    printedDebts: plans.printedDebts,
    property: (id: string) => plans.book.get(id),
    roll: (countyFips: string) => {
      const roll = rolls.get(countyFips) ?? rollOf(world.options.seed, plans.book.all.values(), countyFips);
      rolls.set(countyFips, roll);
      return roll;
    },
  });
}
