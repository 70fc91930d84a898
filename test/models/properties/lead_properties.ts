/** Properties 13 and 14: random sheriff sales and tax debts, and their leads. */
import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../../lib/time.ts';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, debtRow, saleRow, builtBefore, type InputRow } from '../build_models.ts';
import { DEALS, property, SEED } from './checked.ts';
import { maybe } from './random_deals.ts';
import { decimal, hundredths, number } from './underwrite.ts';

interface Sale {
  readonly appraised: number;
  readonly inDays: number;
  readonly age: number;
  readonly bidPct: number;
}
interface Debt {
  readonly amount: number;
  readonly value: number | null;
  readonly years: number | null;
  readonly age: number;
}

const sales: readonly Sale[] = fc.sample(
  fc.record({
    appraised: fc.integer({ min: 100, max: 99_999_999 }),
    inDays: fc.integer({ min: 0, max: 70 }),
    age: fc.integer({ min: 0, max: 6 }),
    bidPct: fc.integer({ min: 1, max: 120 }),
  }),
  { numRuns: DEALS, seed: SEED },
);
const debts: readonly Debt[] = fc.sample(
  fc.record({
    amount: fc.integer({ min: 1, max: 9_000_000 }),
    value: maybe(fc.integer({ min: 100_000, max: 90_000_000 }), 40),
    years: maybe(fc.integer({ min: 0, max: 12 }), 40),
    age: fc.integer({ min: 0, max: 6 }),
  }),
  { numRuns: DEALS, seed: SEED },
);

/** From this day before the sale on, urgency falls. */
const PEAK = Number(currentAssumptions().rows.find(({ key }) => key === 'auction_days_2')?.value) + 1;

const SALE_VARIANTS: Readonly<Record<string, (s: Sale) => Sale>> = {
  base: (s) => s,
  later: (s) => ({ ...s, inDays: s.inDays + 5 }),
  older: (s) => ({ ...s, age: s.age + 1 }),
  lowerBid: (s) => ({ ...s, bidPct: Math.max(1, s.bidPct - 7) }),
};
const DEBT_VARIANTS: Readonly<Record<string, (d: Debt) => Debt>> = {
  base: (d) => d,
  moreYears: (d) => ({ ...d, years: (d.years ?? 0) + 1 }),
  largerDebt: (d) => ({ ...d, amount: d.amount + 50_000 }),
  older: (d) => ({ ...d, age: d.age + 1 }),
};

/** Whether a lead may have these scores, before and after a variation. */
type Check = (base: number, other: number, i: number) => boolean;

const dayAfter = (days: number): string => new Date(Date.UTC(2026, 10, 21) + days * DAY_MS).toISOString().slice(0, 10);
const readAt = (age: number): string => `${dayAfter(-age)}T09:00:00Z`;

function saleRows([name, vary]: readonly [string, (s: Sale) => Sale], variant: number): InputRow[] {
  return sales.map(vary).map(({ appraised, inDays, age, bidPct }, i) =>
    saleRow(`S-${name}-${i}`, {
      street: `${i + 1} SALE${variant} ST`,
      sale_kind: 'tax_foreclosure',
      sale_round: null,
      sale_date: dayAfter(inDays),
      appraised_value: decimal(appraised),
      opening_bid: decimal(Math.max(1, Math.floor((appraised * bidPct) / 100))),
      observed_at: readAt(age),
    }),
  );
}

/** First mortgage sales, whose opening bid follows from the appraisal. */
const mortgageRows = (): InputRow[] =>
  sales.map(({ appraised }, i) =>
    saleRow(`F-${i}`, {
      zip: null,
      sale_date: dayAfter(9),
      appraised_value: decimal(appraised),
      observed_at: readAt(0),
    }),
  );

function debtRows([name, vary]: readonly [string, (d: Debt) => Debt], variant: number): InputRow[] {
  return debts.map(vary).map(({ amount, value, years, age }, i) =>
    debtRow(`D-${name}-${i}`, {
      street: `${i + 1} DEBT${variant} ST`,
      zip: '44102',
      amount: decimal(amount),
      county_value: decimal(value),
      years_delinquent: years,
      observed_at: readAt(age),
    }),
  );
}

describe('random sheriff sales and debts', () => {
  const scores = new Map<string, number>();
  const built = builtBefore(() =>
    buildTables(
      {
        staged_auction: [...Object.entries(SALE_VARIANTS).flatMap(saleRows), ...mortgageRows()],
        staged_tax_parcel: Object.entries(DEBT_VARIANTS).flatMap(debtRows),
      },
      ['leads', 'auctions'],
      LISTINGS,
    ),
  );
  before(async () => {
    for (const lead of await built.rows('leads'))
      scores.set(String(lead['case_number'] ?? lead['parcel_id']), number(lead, 'lead_score'));
  });

  /** Compare the score of every lead with that of a variant. @returns the number of leads */
  function compare(kind: 'S' | 'D', variant: string, check: Check): number {
    const leads = kind === 'S' ? sales : debts;
    for (const [i, lead] of leads.entries()) {
      const [base, other] = [scores.get(`${kind}-base-${i}`), scores.get(`${kind}-${variant}-${i}`)];
      assert.ok(base !== undefined && other !== undefined, `lead ${i} of ${variant}`);
      assert.ok(check(base, other, i), `${variant}: ${base} becomes ${other} for ${JSON.stringify(lead)}`);
    }
    return leads.length;
  }
  const neverRaises = (kind: 'S' | 'D', variant: string): number =>
    compare(kind, variant, (base, other) => other <= base);
  const neverLowers = (kind: 'S' | 'D', variant: string): number =>
    compare(kind, variant, (base, other) => other >= base);

  property(13, '', async () => {
    const derived = await built.rows('auctions', 'opening_bid_derived');
    const wrong = derived.filter((a) => {
      const [bid, appraised] = [hundredths(a['opening_bid']), hundredths(a['appraised_value'])];
      return 3 * bid < 2 * appraised || 3 * (bid - 1) >= 2 * appraised;
    });
    assert.deepEqual(wrong, []);
    return derived.length;
  });
  property(14, 'later sale', () =>
    compare('S', 'later', (base, other, i) => (sales[i]?.inDays ?? 0) < PEAK || other <= base),
  );
  property(14, 'sale that leaves more days for a letter', () =>
    compare('S', 'later', (base, other, i) => (sales[i]?.inDays ?? 0) + 5 > PEAK || other >= base),
  );
  property(14, 'older verification', () => neverRaises('S', 'older') + neverRaises('D', 'older'));
  property(14, 'lower bid', () => neverLowers('S', 'lowerBid'));
  property(14, 'more years', () => neverLowers('D', 'moreYears'));
  property(14, 'larger debt', () =>
    compare('D', 'largerDebt', (base, other, i) => {
      const debt = debts[i] ?? assert.fail('no debt');
      const isHigh = debt.value !== null && debt.amount + 50_000 > 0.6 * debt.value;
      return isHigh || other >= base;
    }),
  );
});
