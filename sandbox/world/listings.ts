/** Listings of the made-up world: when each appears, its price and claims, price changes, and when it disappears. */
import { dayText, DEFAULT_DAY, dollars, FIRST_DAY, LAST_DAY } from './days.ts';
import { listingMetros, placesOfMetro } from './places.ts';
import { type PropertyBook, roundPrice, yearlyNet } from './properties.ts';
import { Draw } from './random.ts';
import { type Spelling, spellStreet } from './streets.ts';
import type { ClaimKind, ListingOnDay, mainSites, PriceKind, Property, Site } from './types.ts';
import { drawStated, type Stated } from './unit_mixes.ts';

/** First asking price, and its peculiarity. */
function drawPrice(draw: Draw, property: Property): Pick<SpellPlan, 'priceKind'> & { price: number; net: number } {
  const { units, rent2br } = property;
  const net = yearlyNet(units, rent2br);
  const plain = roundPrice(net / draw.bell(0.061, 0.0135, 0.039, 0.108));
  const unit = units * rent2br;
  if (units <= 4 && draw.chance(0.06))
    return { price: roundPrice(unit * draw.int(150, 260)), priceKind: 'above_proxy', net };
  if (unit * 25 < 66_000 && draw.chance(0.2))
    return { price: Math.round(draw.int(unit * 25, 66_000) / 100) * 100, priceKind: 'below_minimum_loan', net };
  if (draw.chance(0.009)) return { price: Math.round(plain / 10), priceKind: 'typo_low', net };
  return { price: plain, priceKind: draw.chance(0.05) ? 'call_for_price' : 'plain', net };
}

/** Price cuts every few weeks, and sometimes an increase. */
function drawPrices(draw: Draw, price: number, from: number, to: number | null): [number, number][] {
  const prices: [number, number][] = [[from, price]];
  let current = price;
  for (let day = from + draw.int(12, 100); day < (to ?? LAST_DAY + 1); day += draw.int(22, 130)) {
    const factor = draw.chance(0.04) ? 1 + draw.int(1, 4) / 100 : 1 - draw.int(15, 65) / 1000;
    const next = current < 20_000 ? Math.round(current * factor) : roundPrice(current * factor);
    if (next !== current) prices.push([day, next]);
    current = next;
  }
  return prices;
}

/** Some sellers cut the price again within days. Their later prices are lower in proportion. */
function cutAgain(draw: Draw, prices: readonly [number, number][]): [number, number][] {
  if (!draw.chance(0.08)) return [...prices];
  let factor = 1;
  const priceOf = (price: number): number => {
    if (factor === 1) return price;
    return price < 20_000 ? Math.round(price * factor) : roundPrice(price * factor);
  };
  return prices.flatMap(([day, price], at): [number, number][] => {
    const first: [number, number] = [day, priceOf(price)];
    const again = day + draw.int(1, 4);
    if (at === 0 || again >= (prices[at + 1]?.[0] ?? LAST_DAY)) return [first];
    factor *= 0.96;
    return [first, [again, priceOf(price)]];
  });
}

function drawClaim(draw: Draw, net: number, price: number): { claim: ClaimKind; claimedNet: number } {
  const claim = draw.among(['fair', 'inflated', 'modest', 'none'], [48, 17, 8, 27]);
  const points = (low: number, high: number): number => Math.round((price * draw.int(low, high)) / 10_000);
  const claimedNet =
    claim === 'inflated'
      ? net + points(105, 350)
      : claim === 'modest'
        ? Math.max(Math.round(net * 0.4), net - points(105, 250))
        : Math.round((net * draw.int(96, 105)) / 100);
  return { claim, claimedNet };
}

/** The main sites' listings that a site repeats, and its numbers and spellings. */
interface Repeats {
  readonly site: Site;
  /** States that it covers. */
  readonly states: readonly string[];
  /** Share of the listings in those states that it shows. */
  readonly share: number;
  readonly spellings: readonly (readonly [Spelling, number])[];
  readonly listingId: (serial: number) => string;
  readonly path: (listingId: string) => string;
  /** Whether it keeps showing sold listings. */
  readonly showsSold: boolean;
}

/** Sites that repeat listings of the two main sites. Their own random streams change no other site. */
const SITES: readonly Repeats[] = [
  {
    site: 'reso_sandbox_mls',
    states: ['AL', 'AZ', 'FL', 'GA', 'NC', 'TN', 'TX'],
    share: 0.45,
    spellings: [
      ['upper_words', 3],
      ['abbreviated', 4],
      ['upper_abbreviated', 2],
    ],
    listingId: (serial) => `SMLS-${7_000_000 + serial}`,
    // A feed of Data Dictionary 1.7 has no page per listing: the path of the record.
    path: (id) => `/v2/Property('${id}')`,
    showsSold: false,
  },
  {
    site: 'crescent_brokerage',
    states: ['IL', 'IN', 'KS', 'KY', 'MI', 'MO', 'WI'],
    share: 0.7,
    spellings: [
      ['words', 3],
      ['abbreviated', 3],
      ['upper_words', 2],
    ],
    listingId: (serial) => `CB-${300_000 + serial}`,
    path: (id) => `/deals/${id}`,
    showsSold: true,
  },
];

/** A site's listings. It shows a property once, even if both main sites list it. */
function repeatedBy(seed: number, repeats: Repeats, plans: readonly ListingPlan[]): ListingPlan[] {
  const last = new Map<string, { readonly turn: number; readonly to: number | null }>();
  return plans.flatMap((plan): ListingPlan[] => {
    const { property } = plan;
    const before = last.get(property.id);
    if (before && (before.to === null || plan.from <= before.to)) return [];
    const draw = new Draw(seed, 'repeat', repeats.site, plan.shown.site, plan.shown.listingId);
    if (!repeats.states.includes(property.state) || !draw.chance(repeats.share)) return [];
    const turn = before === undefined ? 0 : before.turn + 1;
    const listingId = repeats.listingId(Number(property.id.slice(1)) * 3 + turn);
    last.set(property.id, { turn, to: plan.to });
    const late = draw.int(0, 6);
    const to = !repeats.showsSold && plan.soldFrom !== null ? Math.max(plan.from + 1, plan.soldFrom) : plan.to;
    const from = to === null ? plan.from + late : Math.max(plan.from, Math.min(plan.from + late, to - 1));
    return [
      {
        ...plan,
        shown: {
          site: repeats.site,
          listingId,
          path: repeats.path(listingId),
          street: spellStreet(property.address, draw.weighted(repeats.spellings)),
          ...drawShown(draw, 0.08, 0.2, property),
          ...drawStated(seed, repeats.site, listingId, property),
        },
        from,
        to,
        soldFrom: repeats.showsSold ? plan.soldFrom : null,
        prices: plan.prices.map(([day, amount]) => [Math.max(from, day), amount] as const),
      },
    ];
  });
}

/** Listings of all sites that repeat others. */
export const planRepeats = (seed: number, plans: readonly ListingPlan[]): ListingPlan[] =>
  SITES.flatMap((repeats) => repeatedBy(seed, repeats, plans));

type MainSite = (typeof mainSites)[number];

/** A listing over time. Days are numbers (days.ts), prices whole dollars. */
export interface ListingPlan {
  readonly property: Property;
  /** What the site shows every day. */
  readonly shown: Pick<ListingOnDay, 'site' | 'listingId' | 'path' | 'street' | 'units' | 'yearBuilt'> & Stated;
  /** First day shown. */
  readonly from: number;
  /** First day no longer shown. */
  readonly to: number | null;
  /** The price from each day on; the first entry is the day posted. */
  readonly prices: readonly (readonly [from: number, price: number])[];
  readonly priceKind: PriceKind;
  /** Yearly net income that the broker claims, whole dollars. */
  readonly claimedNet: number;
  readonly showsCap: boolean;
  readonly showsNoi: boolean;
  /** The stated NOI is lower than the advertised cap rate implies. */
  readonly inconsistent: boolean;
  /** The advertised cap rate is not updated when the price changes. */
  readonly staleCap: boolean;
  readonly capDecimals: 1 | 2;
  readonly contractFrom: number | null;
  readonly soldFrom: number | null;
}

/** What a listing on a site states of the building. */
function drawShown(draw: Draw, noUnits: number, noYear: number, { units, yearBuilt }: Property) {
  const [showsUnits, showsYear] = [!draw.chance(noUnits), !draw.chance(noYear)];
  return { units: showsUnits ? units : null, yearBuilt: showsYear ? yearBuilt : null };
}

interface Spell {
  readonly from: number;
  readonly to: number | null;
}

/** Share of listings that disappear, and that appear, per day. */
const TURNOVER = 0.007;

const SPELLINGS: Readonly<Record<MainSite, readonly (readonly [Spelling, number])[]>> = {
  heartland_multifamily: [
    ['abbreviated', 5],
    ['dotted', 4],
    ['upper_abbreviated', 1],
  ],
  buckeye_income_property: [
    ['words', 6],
    ['abbreviated', 2],
    ['upper_words', 1],
  ],
};

function slugOf(property: Property, spelled: string): string {
  return `${spelled} ${property.city} ${property.state}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '');
}

/** Facts of a spell that its listings on several sites share. */
interface SpellPlan extends Pick<ListingPlan, 'property' | 'prices' | 'priceKind' | 'claimedNet'> {
  readonly claim: ClaimKind;
  readonly seed: number;
  readonly spell: Spell;
  /** Number of earlier spells of the property. */
  readonly turn: number;
  readonly form: 'cap' | 'noi' | 'both';
  readonly isInconsistent: boolean;
  /** Days before the end: under contract, and sold. */
  readonly contract: number | null;
  readonly sold: number | null;
}

/** The street line on a site; the second site may add the building's units. */
function spellOnSite(draw: Draw, property: Property, plain: string, isSecond: boolean): string {
  const { units, address } = property;
  const mayAddUnits = isSecond && address.unit === null && address.high === null;
  return mayAddUnits && draw.chance(0.12) ? plain + draw.pick([`, Units 1-${units}`, ` #1-${units}`] as const) : plain;
}

/** Site, number and address of a listing. Each property has three numbers, of which two spells use two. */
function numberListing(
  site: MainSite,
  property: Property,
  turn: number,
  plain: string,
): Pick<ListingOnDay, 'listingId' | 'path'> {
  // The sites number independently.
  const serial = Number(property.id.slice(1)) * 3 + turn;
  if (site === 'heartland_multifamily') {
    const listingId = `HM-${100_000 + serial}`;
    return { listingId, path: `/listing/${listingId}/${slugOf(property, plain)}` };
  }
  const listingId = `BK${100_000 + (serial ^ 0x2f1b3)}`;
  return { listingId, path: `/properties/${listingId.toLowerCase()}` };
}

/** The listing of a spell on one site. The second site is later, and may state other prices. */
function listOn(site: MainSite, isSecond: boolean, plan: SpellPlan): ListingPlan {
  const { seed, property, turn, claim, form } = plan;
  const { from, to } = plan.spell;
  const draw = new Draw(seed, 'listing', property.id, turn, site);
  const start = from + (isSecond ? draw.int(0, 9) : 0);
  const stop = to === null ? null : Math.max(start + 1, to + (isSecond ? draw.int(0, 2) : 0));
  const lag = isSecond ? draw.int(0, 3) : 0;
  const offset = isSecond && draw.chance(0.2) ? draw.pick([0.98, 0.985, 1.01, 1.02] as const) : 1;
  const shift = (amount: number): number => (offset === 1 ? amount : roundPrice(amount * offset));
  const plain = spellStreet(property.address, draw.weighted(SPELLINGS[site]));
  const street = spellOnSite(draw, property, plain, isSecond);
  const { listingId, path } = numberListing(site, property, turn, plain);
  const [staleCap, capDecimals] = [draw.chance(0.3), draw.chance(0.5) ? 1 : 2] as const;
  return {
    property,
    shown: {
      site,
      listingId,
      path,
      street,
      ...drawShown(draw, 0.04, 0.12, property),
      ...drawStated(seed, site, listingId, property),
    },
    from: start,
    to: stop,
    prices: plan.prices.map(
      ([day, amount], at) => [at === 0 ? start : Math.max(start, day + lag), shift(amount)] as const,
    ),
    priceKind: plan.priceKind,
    claimedNet: plan.claimedNet,
    showsCap: claim !== 'none' && form !== 'noi',
    showsNoi: claim !== 'none' && form !== 'cap',
    inconsistent: plan.isInconsistent && form === 'both',
    staleCap,
    capDecimals,
    contractFrom: stop !== null && plan.contract !== null ? stop - plan.contract : null,
    soldFrom: stop !== null && plan.sold !== null ? stop - plan.sold : null,
  };
}

/** One spell of a property on the market, as one or two listings. */
function planSpell({ seed, property, spell, turn }: Pick<SpellPlan, 'seed' | 'property' | 'spell' | 'turn'>) {
  const draw = new Draw(seed, 'listing', property.id, turn);
  const { price, priceKind, net } = drawPrice(draw, property);
  const { claim, claimedNet } = drawClaim(draw, net, price);
  const sites = draw.weighted<readonly MainSite[]>([
    [['heartland_multifamily'], 46],
    [['buckeye_income_property'], 42],
    [['heartland_multifamily', 'buckeye_income_property'], 6],
    [['buckeye_income_property', 'heartland_multifamily'], 6],
  ]);
  const form = draw.among(['cap', 'noi', 'both'], [55, 15, 30]);
  const isInconsistent = draw.chance(0.1);
  const cuts = new Draw(seed, 'cut again', property.id, turn);
  const prices = cutAgain(cuts, drawPrices(draw, price, spell.from, spell.to));
  const contract = draw.chance(0.25) ? draw.int(5, 20) : null;
  const sold = draw.chance(0.3) ? draw.int(1, 4) : null;
  const offer = { prices, priceKind, claim, claimedNet, form, isInconsistent };
  const plan: SpellPlan = { seed, property, spell, turn, ...offer, contract, sold };
  return sites.map((site, index) => listOn(site, index === 1, plan));
}

/** The last price on or before a day. */
function priceOn(plan: ListingPlan, day: number): number {
  let price = plan.prices[0]?.[1] ?? 0;
  for (const [from, amount] of plan.prices) if (from <= day) price = amount;
  return price;
}

export const isShown = (plan: ListingPlan, day: number): boolean =>
  plan.from <= day && (plan.to === null || day < plan.to);

/** Days after which a site shows a contract or a sale. */
const SHOWN_LATE = 2;

function offMarketOn({ contractFrom, soldFrom }: ListingPlan, day: number): string | null {
  const from = contractFrom ?? soldFrom;
  return from === null || day < from ? null : dayText(from - SHOWN_LATE);
}

/** The listing on its site on a day. */
export function listingOn(plan: ListingPlan, day: number): ListingOnDay {
  const { property } = plan;
  const price = priceOn(plan, day);
  const capBase = plan.staleCap ? (plan.prices[0]?.[1] ?? price) : price;
  const step = plan.capDecimals === 1 ? 10 : 1;
  const cap = Math.round((plan.claimedNet * 10_000) / capBase / step) * step;
  const statedNoi = plan.inconsistent ? Math.round(plan.claimedNet * 0.88) : plan.claimedNet;
  return {
    ...plan.shown,
    propertyId: property.id,
    city: property.city,
    state: property.state,
    zip: property.zip,
    price: plan.priceKind === 'call_for_price' ? null : dollars(price * 100),
    // The claim was computed with the correct price, not with the mistyped one.
    capRate: plan.showsCap ? dollars(plan.priceKind === 'typo_low' ? Math.round(cap / 10) : cap) : null,
    noi: plan.showsNoi ? dollars(statedNoi * 100) : null,
    postedOn: dayText(plan.from),
    offMarketOn: offMarketOn(plan, day),
    availability:
      plan.soldFrom !== null && day >= plan.soldFrom
        ? 'sold'
        : plan.contractFrom !== null && day >= plan.contractFrom
          ? 'under_contract'
          : 'for_sale',
  };
}

/** All listings of the world. On the default day they show `count` properties. */
export function planListings(seed: number, count: number, book: PropertyBook): ListingPlan[] {
  const plans: ListingPlan[] = [];
  let made = 0;
  let shown = 0;
  /** Add a property. @returns 1 if it is for sale on the default day, else 0 */
  const add = (spellOf: (draw: Draw) => Spell): number => {
    const id = `L${made}`;
    made += 1;
    const draw = new Draw(seed, 'spell', id);
    const place = draw.weighted(placesOfMetro(draw.weighted(listingMetros)));
    const property = book.make(id, { place, multifamily: true });
    const first = spellOf(draw);
    const spells: Spell[] = [first];
    // A few are listed again after some weeks, under a new number.
    if (first.to !== null && first.to < LAST_DAY - 10 && draw.chance(0.12))
      spells.push({ from: first.to + draw.int(7, 28), to: null });
    plans.push(...spells.flatMap((one, turn) => planSpell({ seed, property, spell: one, turn })));
    return spells.some(({ from, to }) => from <= DEFAULT_DAY && (to === null || DEFAULT_DAY < to)) ? 1 : 0;
  };
  const daysOf = (from: number, to: number): number => Math.round(count * TURNOVER * (to - from + 1));
  const longAgo = (draw: Draw): number => FIRST_DAY - draw.int(0, 240);

  for (let i = daysOf(FIRST_DAY + 1, DEFAULT_DAY); i > 0; i -= 1) {
    shown += add((draw) => ({ from: longAgo(draw), to: draw.int(FIRST_DAY + 1, DEFAULT_DAY) }));
  }
  const newBefore = daysOf(FIRST_DAY + 1, DEFAULT_DAY) / Math.max(1, count);
  const goneAfter = daysOf(DEFAULT_DAY + 1, LAST_DAY) / Math.max(1, count);
  while (shown < count) {
    shown += add((draw) => ({
      from: draw.chance(newBefore) ? draw.int(FIRST_DAY + 1, DEFAULT_DAY) : longAgo(draw),
      to: draw.chance(goneAfter) ? draw.int(DEFAULT_DAY + 1, LAST_DAY) : null,
    }));
  }
  for (let i = daysOf(DEFAULT_DAY + 1, LAST_DAY); i > 0; i -= 1)
    add((draw) => ({ from: draw.int(DEFAULT_DAY + 1, LAST_DAY), to: null }));
  return plans;
}
