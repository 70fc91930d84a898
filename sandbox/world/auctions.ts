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

/**
 * All items of the world. On the default day about `count` of them are posted for that day or later; about half as many
 * are past.
 */
export function planAuctions(
  seed: number,
  count: number,
  forSale: readonly Property[],
  debts: readonly DebtPlan[],
  book: PropertyBook,
): AuctionPlan[] {
  const plans: AuctionPlan[] = [];
  const withCounty = new Set(counties.map(({ fips }) => fips));
  const owing = new Map(debts.filter(({ to }) => to === null).map((debt) => [debt.property.id, debt]));
  const listed = forSale.filter(
    ({ id, countyFips }) =>
      withCounty.has(countyFips) && new Draw(seed, 'sued', id).chance(owing.has(id) ? 0.35 : 0.13),
  );
  const stock = {
    listed: groupStock(listed),
    // A property for sale must not be used twice, and a vacant lot has no mortgage.
    owing: groupStock(
      [...owing.values()]
        .filter(({ from, property }) => from < DEFAULT_DAY - 60 && property.id.startsWith('T') && property.units > 0)
        .map(({ property }) => property),
    ),
  };
  let made = 0;

  const propertyOf = (draw: Draw, county: CountySales, kind: SaleKind, id: string): Property => {
    if (kind === 'mortgage_foreclosure' && draw.chance(0.3)) {
      const property = stock.listed(county.fips);
      if (property) return property;
    }
    if (county.hasTaxList && (kind === 'tax_foreclosure' || draw.chance(0.2))) {
      const property = stock.owing(county.fips);
      if (property) return property;
    }
    return book.make(`A${id}`, { place: draw.weighted(placesOfCounty(county.fips)), multifamily: draw.chance(0.2) });
  };

  /** Add a case with a first sale around `day`, and its consequences. */
  const add = (day: number, postedBy: number | null, postedFrom: number | null): void => {
    const id = String(made);
    made += 1;
    const draw = new Draw(seed, 'case', id);
    const county = draw.weighted(counties.map((each) => [each, each.weight] as const));
    const wanted: SaleKind = draw.chance(0.22) ? 'tax_foreclosure' : 'mortgage_foreclosure';
    const property = propertyOf(draw, county, wanted, id);
    const debt = owing.get(property.id) ?? null;
    // In a county with a tax list, a tax foreclosure is always of a parcel on it.
    const kind = wanted === 'tax_foreclosure' && county.hasTaxList && debt === null ? 'mortgage_foreclosure' : wanted;
    const one: Case = draft(draw, { id, county, kind, property, debt, day, postedBy, postedFrom });
    plans.push(...one.items);
    const sold = one.items.find(({ outcome, change }) => change === null && outcome.status === 'sold');
    // The sale pays the taxes some weeks later, and the parcel leaves the list.
    if (sold && debt) debt.to = Math.max(DEFAULT_DAY + 1, sold.saleDay + 14 + (Number(id) % 17));
  };

  const upcoming = (): number =>
    plans.filter(({ saleDay, posted }) => saleDay >= DEFAULT_DAY && posted <= DEFAULT_DAY).length;
  const past = Math.round(count * 0.6);
  for (let i = 0; i < past; i += 1) add(DEFAULT_DAY - 1 - new Draw(seed, 'past', i).int(0, 48), null, null);
  let shown = upcoming();
  for (let i = 0; shown < count; i += 1) {
    const before = plans.length;
    add(DEFAULT_DAY + new Draw(seed, 'soon', i).int(0, 42), DEFAULT_DAY, null);
    shown += plans
      .slice(before)
      .filter(({ saleDay, posted }) => saleDay >= DEFAULT_DAY && posted <= DEFAULT_DAY).length;
  }
  const weeks = { from: DEFAULT_DAY + 33, to: LAST_DAY + 28 };
  const later = Math.round((count * (weeks.to - weeks.from)) / 42);
  for (let i = 0; i < later; i += 1) add(new Draw(seed, 'later', i).int(weeks.from, weeks.to), null, DEFAULT_DAY + 1);
  return plans;
}
