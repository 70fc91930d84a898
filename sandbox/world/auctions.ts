/** Ohio's sheriff sales of the made-up world: cases, sale days, rounds and outcomes. */
import { counties, draft, type AuctionPlan, type Case, type CountySales } from './auction_cases.ts';
import { dayText, DEFAULT_DAY, dollars, LAST_DAY } from './days.ts';
import type { DebtPlan } from './debts.ts';
import { undashed } from './parcels.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import { Draw } from './random.ts';
import type { AuctionOnDay, Property, SaleKind, SaleStatus } from './types.ts';

export type { AuctionPlan } from './auction_cases.ts';

function statusOn(plan: AuctionPlan, day: number): SaleStatus {
  if (plan.change !== null && plan.change.on <= day) return plan.change.status;
  return plan.saleDay < day ? plan.outcome.status : 'scheduled';
}

function slotWords(plan: AuctionPlan, status: SaleStatus): string | null {
  if (status === 'unsold') return 'NO BID NO SALE';
  return plan.change !== null && status === plan.change.status ? plan.change.words : null;
}

/** The items posted by a day, as of that day. */
export function auctionsOn(plans: readonly AuctionPlan[], day: number): AuctionOnDay[] {
  return plans
    .filter(({ posted }) => posted <= day)
    .map((plan) => {
      const { county, property } = plan.case;
      const status = statusOn(plan, day);
      const money = (amount: number | null): string | null => (amount === null ? null : dollars(amount));
      return {
        aid: plan.aid,
        countyFips: county.fips,
        county: county.name,
        propertyId: property.id,
        caseNumber: plan.case.number,
        internalId: plan.internalId,
        auctionType: 'sheriff_sale',
        parcel: undashed(property.parcel ?? ''),
        showsParcel: true,
        showsAddress: true,
        saleDate: dayText(plan.saleDay),
        startsAt: county.startsAt,
        postedOn: dayText(plan.posted),
        kind: plan.case.kind,
        round: plan.round,
        status,
        slotWords: slotWords(plan, status),
        caseStatus:
          status === 'sold'
            ? 'SOLD'
            : plan.change?.inCaseStatus && status === plan.change.status
              ? status.toUpperCase()
              : 'ACTIVE',
        appraised: money(plan.appraised),
        openingBid: money(plan.openingBid),
        deposit: dollars(plan.deposit),
        judgment: null,
        assessed: null,
        maxBid: null,
        certificate: null,
        soldFor: status === 'sold' ? money(plan.outcome.price) : null,
        plaintiff: plan.case.plaintiff,
        defendant: property.owner.name,
      };
    });
}

/** Properties for cases, by county. Each is used once. */
function groupStock(properties: readonly Property[]): (countyFips: string) => Property | undefined {
  const byCounty = Map.groupBy(properties, ({ countyFips }) => countyFips);
  const used = new Map<string, number>();
  return (countyFips) => {
    const next = used.get(countyFips) ?? 0;
    used.set(countyFips, next + 1);
    return byCounty.get(countyFips)?.[next];
  };
}

/** Properties of the world that may come to auction. */
export interface AuctionStock {
  readonly forSale: readonly Property[];
  readonly debts: readonly DebtPlan[];
}

/** Makes cases, each of a property of the stock or of a new one. */
class CasePlanner {
  readonly plans: AuctionPlan[] = [];
  /** Number of items posted on the default day, of that day or later. */
  upcoming = 0;
  readonly #seed: number;
  readonly #book: PropertyBook;
  readonly #debts: ReadonlyMap<string, DebtPlan>;
  readonly #takeListed: (countyFips: string) => Property | undefined;
  readonly #takeOwing: (countyFips: string) => Property | undefined;
  #made = 0;

  constructor(seed: number, { forSale, debts }: AuctionStock, book: PropertyBook) {
    this.#seed = seed;
    this.#book = book;
    const owing = new Map(debts.filter(({ to }) => to === null).map((debt) => [debt.property.id, debt]));
    this.#debts = owing;
    const withCounty = new Set(counties.map(({ fips }) => fips));
    this.#takeListed = groupStock(
      forSale.filter(
        ({ id, countyFips }) =>
          withCounty.has(countyFips) && new Draw(seed, 'sued', id).chance(owing.has(id) ? 0.35 : 0.13),
      ),
    );
    // A property for sale must not be used twice, and a vacant lot has no mortgage.
    this.#takeOwing = groupStock(
      [...owing.values()]
        .filter(({ from, property }) => from < DEFAULT_DAY - 60 && property.id.startsWith('T') && property.units > 0)
        .map(({ property }) => property),
    );
  }

  /** Add a case with a first sale around `day`, and its consequences. */
  add(day: number, { by, from }: { readonly by?: number; readonly from?: number } = {}): void {
    const id = String(this.#made);
    this.#made += 1;
    const draw = new Draw(this.#seed, 'case', id);
    const county = draw.weighted(counties.map((each) => [each, each.weight] as const));
    const wanted: SaleKind = draw.chance(0.22) ? 'tax_foreclosure' : 'mortgage_foreclosure';
    const property = this.#chooseProperty(draw, county, wanted, id);
    const debt = this.#debts.get(property.id) ?? null;
    // In a county with a tax list, a tax foreclosure is always of a parcel on it.
    const kind = wanted === 'tax_foreclosure' && county.hasTaxList && debt === null ? 'mortgage_foreclosure' : wanted;
    const posted = { postedBy: by ?? null, postedFrom: from ?? null };
    const one: Case = draft(draw, { id, county, kind, property, debt, day, ...posted });
    this.plans.push(...one.items);
    this.upcoming += one.items.filter((item) => item.saleDay >= DEFAULT_DAY && item.posted <= DEFAULT_DAY).length;
    const sold = one.items.find(({ outcome, change }) => change === null && outcome.status === 'sold');
    // The sale pays the taxes some weeks later, and the parcel leaves the list.
    if (sold && debt) debt.to = Math.max(DEFAULT_DAY + 1, sold.saleDay + 14 + (Number(id) % 17));
  }

  #chooseProperty(draw: Draw, { fips, hasTaxList }: CountySales, kind: SaleKind, id: string): Property {
    if (kind === 'mortgage_foreclosure' && draw.chance(0.3)) {
      const property = this.#takeListed(fips);
      if (property) return property;
    }
    if (hasTaxList && (kind === 'tax_foreclosure' || draw.chance(0.2))) {
      const property = this.#takeOwing(fips);
      if (property) return property;
    }
    return this.#book.make(`A${id}`, { place: draw.weighted(placesOfCounty(fips)), multifamily: draw.chance(0.2) });
  }
}

/**
 * All items of the world. On the default day about `count` of them are posted for that day or later; about half as many
 * are past.
 */
export function planAuctions(seed: number, count: number, stock: AuctionStock, book: PropertyBook): AuctionPlan[] {
  const planner = new CasePlanner(seed, stock, book);
  const past = Math.round(count * 0.6);
  for (let i = 0; i < past; i += 1) planner.add(DEFAULT_DAY - 1 - new Draw(seed, 'past', i).int(0, 48));
  for (let i = 0; planner.upcoming < count; i += 1)
    planner.add(DEFAULT_DAY + new Draw(seed, 'soon', i).int(0, 42), { by: DEFAULT_DAY });
  const weeks = { from: DEFAULT_DAY + 33, to: LAST_DAY + 28 };
  const later = Math.round((count * (weeks.to - weeks.from)) / 42);
  for (let i = 0; i < later; i += 1)
    planner.add(new Draw(seed, 'later', i).int(weeks.from, weeks.to), { from: DEFAULT_DAY + 1 });
  return planner.plans;
}
