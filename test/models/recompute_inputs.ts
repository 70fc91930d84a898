/** Random listings with their debts, sheriff sales and earlier prices, as staged rows. */
import fc from 'fast-check';
import { fraction } from '../../lib/fraction.ts';
import { DAY_MS } from '../../lib/time.ts';
import { thorough } from '../thorough.ts';
import {
  debtRow,
  earlierListing,
  listingRow,
  recordRow,
  saleRow,
  uuid5,
  type InputRow,
  type Inputs,
  hudRow,
} from './build_models.ts';

const ORDINARY = thorough(150, 400);
/** Buildings of large units, at prices at which their income covers a loan. */
const LARGE = thorough(40, 100);
export const DEALS = ORDINARY + LARGE;
export const AS_OF = '2026-11-21';

const house = {
  bedrooms: fc.constant(null as 4 | null),
  pricePerUnit: fc.oneof(
    fc.integer({ min: 20_000, max: 38_000 }),
    fc.integer({ min: 38_000, max: 60_000 }),
    fc.integer({ min: 60_000, max: 260_000 }),
  ),
  oddCents: fc.integer({ min: 0, max: 9999 }),
  units: fc.integer({ min: 1, max: 70 }),
  yearBuilt: fc.option(fc.integer({ min: 1900, max: 2028 })),
  capRate: fc.option(fc.integer({ min: 300, max: 1200 })),
  noi: fc.option(fc.integer({ min: -2_000_000, max: 40_000_000 }), { freq: 2 }),
  // One in twenty has no price, one in twenty no units.
  hidden: fc.integer({ min: 1, max: 20 }).map((n) => (n === 1 ? 'price' : n === 2 ? 'units' : 'nothing')),
  isLand: fc.integer({ min: 1, max: 30 }).map((n) => n === 1),
  priceCut: fc.option(fc.integer({ min: 1, max: 2000 }), { freq: 2 }),
  daysListed: fc.integer({ min: 0, max: 250 }),
  debt: fc.option(fc.integer({ min: 1, max: 4_000_000 }), { freq: 3 }),
  daysToSale: fc.option(fc.integer({ min: 0, max: 80 }), { freq: 3 }),
  condition: fc.option(
    fc.constantFrom(
      ['condemned', null],
      ['vacant_building', 'Boarded'],
      ['code_violation', 'Order to vacate'],
      ['code_violation', 'Roof in disrepair'],
      ['code_violation', 'High grass and weeds'],
    ),
    { freq: 2 },
  ),
  recordAge: fc.integer({ min: 0, max: 7 }),
  countyValue: fc.option(fc.integer({ min: 4_000_000, max: 60_000_000 })),
  yearsDelinquent: fc.option(fc.integer({ min: 0, max: 9 })),
  mailStreet: fc.constantFrom('1 FAR RD', null),
  mailState: fc.constantFrom('OH', 'FL'),
};
const large = {
  ...house,
  bedrooms: fc.constant(4 as const),
  pricePerUnit: fc.oneof(fc.integer({ min: 38_000, max: 52_000 }), fc.integer({ min: 52_000, max: 64_000 })),
  units: fc.integer({ min: 2, max: 14 }),
  yearBuilt: fc.integer({ min: 1900, max: 1990 }),
  capRate: fc.constant(null),
  debt: fc.constant(null),
  daysToSale: fc.constant(null),
  noi: fc.constant(null),
  hidden: fc.constant('nothing'),
  isLand: fc.constant(false),
  condition: fc.constant(null),
};
/** At a price that their income covers and their claim does not. */
const claimed = {
  ...large,
  pricePerUnit: fc.integer({ min: 76_000, max: 88_000 }),
  capRate: fc.integer({ min: 590, max: 630 }),
};
const houses = [
  ...fc.sample(fc.record(house), { numRuns: ORDINARY, seed: 11 }),
  ...fc.sample(fc.oneof(fc.record(large), fc.record(claimed)), { numRuns: LARGE, seed: 11 }),
];
type House = (typeof houses)[number];

const daysAgo = (days: number): string =>
  `${new Date(Date.parse(AS_OF) - days * DAY_MS).toISOString().slice(0, 10)}T09:00:00Z`;
const amount = (cents: number): string => fraction(cents).over(fraction(100)).rounded(2);
const amountOrNull = (cents: number | null): string | null => (cents === null ? null : amount(cents));

const addressOf = (i: number) => ({ street: `${i + 1} LINDEN AVE`, zip: '44102' });
const parcelOf = (i: number): string => `700-01-${String(i).padStart(3, '0')}`;
const priceOf = (h: House): number => h.pricePerUnit * h.units * 100 + h.oddCents;

const listing = (h: House, i: number): InputRow =>
  listingRow(`L${i}`, {
    street: `${i + 1} Linden Ave`,
    property_type: h.isLand ? 'Vacant land' : 'Multifamily',
    list_price: h.hidden === 'price' ? null : amount(priceOf(h)),
    units: h.hidden === 'units' ? null : h.units,
    ...(h.bedrooms && { units_0br: 0, units_1br: 0, units_2br: 0, units_3br: 0, units_4br: h.units }),
    year_built: h.yearBuilt,
    cap_rate: amountOrNull(h.capRate),
    noi: amountOrNull(h.noi),
  });

/** The listing in the snapshot before, at a higher price. */
function earlierVersion(h: House, i: number): InputRow[] {
  if (h.priceCut === null || h.hidden === 'price') return [];
  const price = amount(Math.round(priceOf(h) * (1 + h.priceCut / 10_000)));
  return [
    earlierListing(listing(h, i), price, daysAgo(h.daysListed), {
      deal_id: uuid5(`deal|${i + 1} LINDEN AVE|44102`),
      version_last_seen: daysAgo(0),
    }),
  ];
}

/** The debt of a house. Every fifth stands on two parcels, which both owe. */
function debt(h: House, i: number): InputRow[] {
  if (h.debt === null) return [];
  const row = debtRow(parcelOf(i), {
    ...addressOf(i),
    source: 'county',
    // Every seventh has an unknown amount.
    amount: i % 7 === 3 ? null : amount(h.debt),
    county_value: amountOrNull(h.countyValue),
    years_delinquent: h.yearsDelinquent,
    mail_street: h.mailStreet,
    mail_city: 'X',
    mail_state: h.mailStreet && h.mailState,
    mail_zip: '44120',
    observed_at: daysAgo(h.recordAge),
  });
  const second = { ...row, parcel_raw: `${parcelOf(i)}-2`, amount: amount(Math.ceil(h.debt / 2)) };
  return i % 5 === 0 ? [row, second] : [row];
}

function sale(h: House, i: number): InputRow[] {
  if (h.daysToSale === null) return [];
  const isMortgage = h.mailStreet === null;
  return [
    saleRow(`CV${i}`, {
      ...addressOf(i),
      parcel_raw: parcelOf(i),
      sale_kind: isMortgage ? 'mortgage_foreclosure' : 'tax_foreclosure',
      sale_round: isMortgage ? 1 + (i % 2) : null,
      sale_date: daysAgo(-h.daysToSale).slice(0, 10),
      appraised_value: i % 2 === 0 ? amountOrNull(h.countyValue) : null,
      assessed_value: amountOrNull(h.countyValue),
      // Two of three are published: one below the value, one above it.
      judgment_amount:
        isMortgage && i % 3 > 0 ? amount(Math.round((h.countyValue ?? 5e6) * (0.3 + 0.4 * (i % 3)))) : null,
      opening_bid: isMortgage ? null : amount(h.debt ?? 5_000),
      observed_at: daysAgo(h.recordAge),
    }),
  ];
}

/** Records of the building: one of the condition, and on every second house an older code case. */
const conditions = ({ condition }: House, i: number): InputRow[] =>
  [condition, i % 2 === 0 && condition !== null ? ['code_violation', 'No heat'] : null].flatMap((found, n) =>
    found === null
      ? []
      : [
          recordRow(String(found[0]), `R${i}-${n}`, {
            ...addressOf(i),
            description: found[1],
            filed_on: n === 0 && i % 3 === 0 ? null : daysAgo(30 + n).slice(0, 10),
            observed_at: daysAgo(0),
          }),
        ],
  );

export const randomInputs = (): Inputs => ({
  staged_fmr_area: [
    hudRow({ fmr_0: '933.00', fmr_1: '1058.00', fmr_2: '1279.00', fmr_3: '1646.00', fmr_4: '1760.00' }),
  ],
  staged_survey_rate: [
    {
      source: 'survey',
      source_url: 'https://rates.example/',
      series: 'MORTGAGE30US',
      observed_on: '2026-11-19',
      rate_pct: '7.28',
    },
  ],
  source_reads: ['tax', 'auctions'].map((family) => ({
    source: family,
    family,
    county_fips: '39035',
    covered_kinds: family === 'tax' ? 'tax_delinquent' : 'sheriff_sale',
    last_good_at: daysAgo(0),
  })),
  staged_listing: houses.map(listing),
  previous_listing_history: houses.flatMap(earlierVersion),
  staged_tax_parcel: houses.flatMap(debt),
  staged_auction: houses.flatMap(sale),
  staged_distress_record: houses.flatMap(conditions),
});
