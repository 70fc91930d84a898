/** Leads computed by hand, and which sales are leads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildTables, debtRow, listingRow, saleRow, builtBefore, type InputRow } from '../build_models.ts';

const daysAgo = (days: number): string => `2026-11-${21 - days}T09:00:00Z`;
const homeOf = (house: number) => ({ street: `${house} ELM ST`, city: 'CLEVELAND', zip: '44102' });

/** A sheriff sale at a house, with the case number CV<house>. */
const sale = (house: number, row: InputRow): InputRow =>
  saleRow(`CV${house}`, {
    ...homeOf(house),
    parcel_raw: `${house}-000`,
    sale_round: null,
    appraised_value: null,
    ...row,
  });
const debt = (house: number, row: InputRow): InputRow =>
  debtRow(`${house}-000`, { owner_name: 'OWNER', ...homeOf(house), ...row });
const MORTGAGE = { sale_kind: 'mortgage_foreclosure', sale_round: 1 };

const WORKED_SALES = [
  sale(101, { ...MORTGAGE, appraised_value: '150000.00' }),
  sale(102, { ...MORTGAGE, appraised_value: '100001.00', sale_date: '2026-11-26', observed_at: daysAgo(2) }),
  sale(103, {
    sale_kind: 'tax_foreclosure',
    appraised_value: '95000.00',
    opening_bid: '12486.17',
    sale_date: '2027-01-05',
  }),
  sale(104, {
    ...MORTGAGE,
    sale_round: 2,
    appraised_value: '90000.00',
    sale_date: '2026-12-18',
    observed_at: daysAgo(5),
  }),
  sale(105, { sale_kind: 'tax_foreclosure', appraised_value: '1.00', opening_bid: '9999999999.99' }),
];
const DEBTS = [
  debt(102, {
    amount: '900.00',
    property_class: '520',
    mail_street: '9 FAR RD',
    mail_city: 'PARMA',
    mail_state: 'OH',
    mail_zip: '44129',
  }),
  debt(201, {
    amount: '18450.00',
    county_value: '123000.00',
    years_delinquent: 4,
    property_class: '2-FAMILY DWELLING',
    mail_street: '1 GULF BLVD',
    mail_city: 'TAMPA',
    mail_state: 'FL',
    mail_zip: '33602',
  }),
  debt(202, { amount: '2300.00', observed_at: daysAgo(6) }),
];
const LISTING = listingRow('L1', { street: '202 Elm Street', list_price: '100000.00', units: 2 });

/** Whether a sale is a lead; the n-th is at house 300 + n. */
const ELIGIBILITY: readonly (readonly [title: string, row: InputRow, leads: number])[] = [
  ['a scheduled sale is a lead', {}, 1],
  ['a sale without a street address is no lead', { street: null }, 0],
  ['a sale at a street with the number 0 is no lead', { street: '0 ELM ST' }, 0],
  ['a sale that is read after midnight of the day of the run is a lead', { observed_at: '2026-11-22T00:04:00Z' }, 1],
];

const built = builtBefore(() =>
  buildTables(
    {
      staged_auction: [
        ...WORKED_SALES,
        ...ELIGIBILITY.map(([, row], i) => sale(300 + i, { ...MORTGAGE, appraised_value: '1000.00', ...row })),
      ],
      staged_tax_parcel: DEBTS,
      staged_listing: [LISTING],
    },
    ['leads'],
  ),
);

interface Worked {
  readonly name: string;
  readonly where: string;
  readonly parts: readonly number[];
  readonly columns: InputRow;
}
/** By hand: the parts of a lead's score in order, and columns of it. */
const WORKED: readonly Worked[] = [
  {
    name: 'A1: a first mortgage sale opens at two thirds of its appraisal',
    where: "case_number = 'CV101'",
    parts: [15, 4, 25, 0, 0, 5, 2, 0],
    columns: {
      lead_score: 51,
      opening_bid: '100000.00',
      opening_bid_basis: 'two_thirds_of_appraisal',
      opening_bid_derived: true,
      statute_ref: 'ORC 2329.20',
    },
  },
  {
    name: 'A2: two thirds is rounded up, and a tax debt with mail elsewhere adds points',
    where: "case_number = 'CV102'",
    parts: [15, 4, 5, 10, 5, 3, 10, 0],
    columns: { lead_score: 52, opening_bid: '66667.34', verified_age_days: 2 },
  },
  {
    name: 'A3: a tax sale opens at the published minimum',
    where: "case_number = 'CV103'",
    parts: [15, 26, 12, 0, 0, 5, 2, 0],
    columns: {
      lead_score: 60,
      opening_bid: '12486.17',
      opening_bid_basis: 'published_minimum',
      opening_bid_derived: false,
      equity_pct: '86.86',
    },
  },
  {
    name: 'A4: a second sale has no minimum',
    where: "case_number = 'CV104'",
    parts: [15, 4, 25, 0, 0, 1, 2, 0],
    columns: { lead_score: 47, opening_bid: null, opening_bid_basis: 'no_minimum_second_sale' },
  },
  {
    name: 'A5: a bid far above its appraisal leaves no equity, and does not stop the build',
    where: "case_number = 'CV105'",
    parts: [15, 0, 25, 0, 0, 5, 2, 0],
    columns: { equity_pct: '0.00' },
  },
  {
    name: 'T1: debt, value, years and an owner out of state add points',
    where: "address = '201 ELM ST'",
    parts: [10, 18, 20, 10, 0, 10, 10, 0],
    columns: { lead_score: 78, amount_to_value_pct: '15.00' },
  },
  {
    name: 'T2: an unknown value earns no points',
    where: "address = '202 ELM ST'",
    parts: [10, 2, 0, 0, 10, 4, 2, 0],
    columns: { lead_score: 28, amount_to_value_pct: null },
  },
];

describe('worked leads', () => {
  for (const { name, where, parts, columns } of WORKED)
    it(name, async () => {
      const lead = await built.one('leads', where);
      assert.deepEqual(Object.values(JSON.parse(String(lead['score_parts'])) as Record<string, number>), parts);
      assert.deepEqual(Object.fromEntries(Object.keys(columns).map((column) => [column, lead[column]])), columns);
    });
});

describe('eligibility', () => {
  for (const [i, [title, , leads]] of ELIGIBILITY.entries())
    it(title, async () => assert.equal((await built.rows('leads', `case_number = 'CV${300 + i}'`)).length, leads));
});
