/**
 * Sites that repeat listings of the two main sites: the same properties at the same prices, with their own numbers and
 * spellings. They use their own random streams, so that adding a site changes no other.
 */
import { Draw } from './random.ts';
import type { ListingPlan } from './listings.ts';
import { spellStreet, type Spelling } from './streets.ts';
import type { Site } from './types.ts';
import { drawStated } from './unit_mixes.ts';

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
  const last = new Map<
    string,
    {
      turn: number;
      to: number | null;
      listingId: string;
    }
  >();
  return plans.flatMap((plan): ListingPlan[] => {
    const { property } = plan;
    const before = last.get(property.id);
    if (before && (before.to === null || plan.from <= before.to)) return [];
    const draw = new Draw(seed, 'repeat', repeats.site, plan.site, plan.listingId);
    if (!repeats.states.includes(property.state) || !draw.chance(repeats.share)) return [];
    const turn = before === undefined ? 0 : before.turn + 1;
    const listingId = repeats.listingId(Number(property.id.slice(1)) * 3 + turn);
    last.set(property.id, { turn, to: plan.to, listingId });
    const late = draw.int(0, 6);
    const to = !repeats.showsSold && plan.soldFrom !== null ? Math.max(plan.from + 1, plan.soldFrom) : plan.to;
    const from = to === null ? plan.from + late : Math.max(plan.from, Math.min(plan.from + late, to - 1));
    return [
      {
        ...plan,
        site: repeats.site,
        listingId,
        path: repeats.path(listingId),
        street: spellStreet(property.address, draw.weighted(repeats.spellings)),
        from,
        to,
        soldFrom: repeats.showsSold ? plan.soldFrom : null,
        prices: plan.prices.map(([day, amount]) => [Math.max(from, day), amount] as const),
        relistOf: before?.listingId ?? null,
        showsUnits: !draw.chance(0.08),
        showsYear: !draw.chance(0.2),
        ...drawStated(seed, repeats.site, listingId, property),
      },
    ];
  });
}

/** Listings of all sites that repeat others. */
export const planRepeats = (seed: number, plans: readonly ListingPlan[]): ListingPlan[] =>
  SITES.flatMap((repeats) => repeatedBy(seed, repeats, plans));
