/**
 * The declared assumption sets. Every number that underwriting, scores and leads are made of stands here once:
 * the SQL reads the table, `/api/meta` and the report publish it, and a record names its set. Changing a value
 * makes a new set id; older records keep theirs.
 */
import { createHash } from 'node:crypto';
import { date, defineRecord, oneOf, text, type RowOf } from '../lib/record.ts';

export const Assumption = defineRecord(
  'assumption',
  'One row per value of the declared assumption set.',
  ['assumption_set_id', 'key'],
  {
    assumption_set_id: text('The set the value belongs to.'),
    key: text('Name of the value, as formulas and rationales use it.'),
    value: text('The value, as a decimal string or a whole number.'),
    unit: oneOf(
      [
        'share',
        'percent',
        'percent_points',
        'usd',
        'usd_per_unit',
        'usd_per_unit_year',
        'months',
        'years',
        'days',
        'multiple',
        'points',
        'factor',
        'score',
        'units',
        'year',
      ],
      'What the value counts. share: part of one; factor: multiplier of the loan.',
    ),
    kind: oneOf(
      ['evidence', 'proposal', 'computed', 'override'],
      'evidence: read in a public source; proposal: a declared choice of ours; computed: follows from the other values; override: set by the operator in ASSUMPTIONS_FILE.',
    ),
    basis: text('Why this value, in one sentence.'),
    declared_on: date('Day the set was declared.'),
  },
);

export type AssumptionRow = RowOf<typeof Assumption>;

export interface AssumptionSet {
  readonly id: string;
  readonly rows: readonly AssumptionRow[];
}

/** Digits after the point of the computed factors. */
const DIGITS = 20n;

/** n / d to `digits` decimals, rounded half away from zero, as a decimal string. Both positive. */
export function divideExactly(n: bigint, d: bigint, digits: bigint): string {
  const scaled = (2n * n * 10n ** digits + d) / (2n * d);
  const text_ = scaled.toString().padStart(Number(digits) + 1, '0');
  return `${text_.slice(0, -Number(digits))}.${text_.slice(-Number(digits))}`;
}

/**
 * Monthly payment per dollar of loan: m / (1 - (1 + m)^-n) with m = rate / 12. Computed as one fraction of
 * whole numbers, so that only the last of the twenty decimals is rounded.
 * @param annualRate whole hundredths of a percent: 700n is 7.00 %
 */
export function monthlyFactor(annualRate: bigint, years: bigint): string {
  const [n, scale] = [years * 12n, 120_000n];
  const grown = (scale + annualRate) ** n;
  const one = scale ** n;
  // m / (1 - one/grown) = annualRate * grown / (scale * (grown - one))
  return divideExactly(annualRate * grown, scale * (grown - one), DIGITS);
}

/** Yearly payments per dollar of loan: twelve monthly payments. */
export function annualConstant(annualRate: bigint, years: bigint): string {
  const [n, scale] = [years * 12n, 120_000n];
  const grown = (scale + annualRate) ** n;
  return divideExactly(12n * annualRate * grown, scale * (grown - scale ** n), DIGITS);
}

/** Looks up the value of another key of the same set. */
type Lookup = (key: string) => string;
/** A computed value follows from others of its set, so that it stays true when they change. */
type Line = readonly [
  key: string,
  value: string | ((of: Lookup) => string),
  unit: AssumptionRow['unit'],
  kind: AssumptionRow['kind'],
  basis: string,
];

/** A percentage of at most two decimals in whole hundredths: "7.00" is 700n. */
const hundredths = (percent: string): bigint => {
  const [whole = '', decimals = ''] = percent.split('.');
  return BigInt(whole + decimals.padEnd(2, '0'));
};
const monthly =
  (rate: string, years: string) =>
  (of: Lookup): string =>
    monthlyFactor(hundredths(of(rate)), BigInt(of(years)));
const yearly =
  (rate: string, years: string) =>
  (of: Lookup): string =>
    annualConstant(hundredths(of(rate)), BigInt(of(years)));

const UW_2026_1: readonly Line[] = [
  // Rent and expenses
  [
    'utility_share',
    '0.12',
    'share',
    'proposal',
    'HUD rents include utilities; contract rent is taken as 88 % of gross rent, to be calibrated by county with the census rent tables.',
  ],
  ['vacancy', '0.07', 'share', 'proposal', 'Vacancy and credit loss, above the 5 % floor of bank underwriting.'],
  ['months_per_year', '12', 'months', 'computed', 'Rents are monthly, income is yearly.'],
  [
    'expense_ratio_2_4',
    '0.42',
    'share',
    'proposal',
    "Operating expenses over effective income, 2 to 4 units: the rental housing survey's 38 % plus professional management.",
  ],
  [
    'expense_ratio_5_12',
    '0.45',
    'share',
    'proposal',
    'The same for 5 to 12 units; small multifamily is quoted at 35 to 45 %.',
  ],
  ['expense_ratio_13_50', '0.47', 'share', 'proposal', 'The same for 13 to 50 units.'],
  [
    'expense_ratio_51_up',
    '0.48',
    'share',
    'proposal',
    'The same for 51 units and more; 40 to 50 % is called stabilised.',
  ],
  ['small_units_max', '4', 'units', 'proposal', 'Largest property of the first expense band.'],
  ['medium_units_max', '12', 'units', 'proposal', 'Largest property of the second expense band.'],
  ['large_units_max', '50', 'units', 'proposal', 'Largest property of the third expense band.'],
  ['old_before_year', '1960', 'year', 'proposal', 'Buildings older than this cost more to run.'],
  ['new_from_year', '2000', 'year', 'proposal', 'Buildings of this year and later cost less to run.'],
  [
    'expense_old_adjustment',
    '0.03',
    'share',
    'proposal',
    'Added to the expense ratio of old buildings; the direction is evidence, the size a choice.',
  ],
  ['expense_new_adjustment', '-0.03', 'share', 'proposal', 'Added to the expense ratio of new buildings.'],
  [
    'reserves_per_unit',
    '300',
    'usd_per_unit_year',
    'proposal',
    "Replacement reserves below NOI; lenders' guideline is about 250.",
  ],
  [
    'claim_tolerance',
    '0.10',
    'percent_points',
    'proposal',
    'A stated NOI that gives the advertised cap rate to within this is consistent with it.',
  ],
  // Proxy limits
  [
    'proxy_high_multiple',
    '144',
    'multiple',
    'proposal',
    'Price per unit above this many monthly 2-bedroom rents means a better or larger unit than the proxy.',
  ],
  [
    'proxy_low_multiple',
    '24',
    'multiple',
    'proposal',
    'Price per unit below this many monthly 2-bedroom rents is read as a price typing error or a ruin.',
  ],
  // Loans
  ['loan_to_value', '0.75', 'share', 'proposal', 'Within the 60 to 75 % that banks quote.'],
  ['loan_rate_pct', '7.00', 'percent', 'proposal', 'Within the 6.00 to 7.50 % that banks quote in 2026.'],
  ['loan_years', '30', 'years', 'proposal', 'Amortisation, paid monthly.'],
  [
    'loan_monthly_factor',
    monthly('loan_rate_pct', 'loan_years'),
    'factor',
    'computed',
    'm / (1 - (1 + m)^-n) with m = loan_rate_pct / 1200 and n = 12 x loan_years, to twenty decimals.',
  ],
  [
    'loan_annual_constant',
    yearly('loan_rate_pct', 'loan_years'),
    'factor',
    'computed',
    'Twelve monthly payments per dollar of loan.',
  ],
  ['minimum_loan', '50000', 'usd', 'proposal', 'Smallest loan a lender is taken to make.'],
  ['seller_down_share', '0.15', 'share', 'proposal', 'Down payment to a carrying seller, inside the quoted 5 to 30 %.'],
  ['seller_rate_pct', '5.00', 'percent', 'proposal', 'Rate of a carrying seller, inside the quoted 4 to 8 %.'],
  ['seller_years', '30', 'years', 'proposal', 'Amortisation of a carrying seller.'],
  [
    'seller_monthly_factor',
    monthly('seller_rate_pct', 'seller_years'),
    'factor',
    'computed',
    'The same with seller_rate_pct and seller_years.',
  ],
  [
    'seller_annual_constant',
    yearly('seller_rate_pct', 'seller_years'),
    'factor',
    'computed',
    'Twelve monthly payments per dollar of seller loan.',
  ],
  // Paths
  ['minimum_units', '2', 'units', 'proposal', 'Fewer units than this are not an income property.'],
  ['rental_hot_coverage', '1.25', 'multiple', 'evidence', 'Debt coverage lenders ask for in standard markets.'],
  ['rental_hot_cap_pct', '8.00', 'percent', 'proposal', 'About the loan constant, so that leverage is positive.'],
  [
    'rental_warm_coverage',
    '1.10',
    'multiple',
    'proposal',
    'Coverage that a better price or rate may lift to lending terms.',
  ],
  ['rental_warm_cap_pct', '6.50', 'percent', 'proposal', 'Cap rate of a rental worth a look.'],
  ['wholesale_arv_cap_pct', '7.50', 'percent', 'proposal', 'Cap rate at which a repaired building is taken to sell.'],
  ['wholesale_share', '0.70', 'share', 'evidence', 'The 70 % rule, applied to an income value.'],
  ['wholesale_repairs_per_unit', '5000', 'usd_per_unit', 'proposal', 'Repairs.'],
  ['wholesale_fee', '10000', 'usd', 'proposal', 'Assignment fee.'],
  [
    'wholesale_warm_multiple',
    '1.15',
    'multiple',
    'proposal',
    'An asking price this far above the offer may still come down.',
  ],
  ['wholesale_warm_motivation', '40', 'score', 'proposal', 'Motivation that makes it plausible.'],
  ['creative_hot_coverage', '1.15', 'multiple', 'proposal', 'Coverage at seller terms.'],
  ['creative_hot_motivation', '50', 'score', 'proposal', 'Motivation or distress, the larger.'],
  ['creative_warm_coverage', '1.00', 'multiple', 'proposal', 'Coverage at seller terms.'],
  ['creative_warm_motivation', '25', 'score', 'proposal', 'Motivation or distress, the larger.'],
  // Motivation and distress
  ['motivation_points_per_cut_pct', '6', 'points', 'proposal', 'Points for each percent of price reduction seen.'],
  ['motivation_cut_max', '60', 'points', 'proposal', 'Most points from price reductions.'],
  ['motivation_days_max', '40', 'points', 'proposal', 'Most points from days on the feed.'],
  ['motivation_days_full', '180', 'days', 'proposal', 'Days on the feed that earn them all.'],
  ['distress_tax', '40', 'points', 'proposal', 'A tax delinquency of the same property.'],
  [
    'distress_tax_points_per_pct',
    '4',
    'points',
    'proposal',
    'Points for each percent that the debt is of the asking price.',
  ],
  ['distress_tax_amount_max', '20', 'points', 'proposal', 'Most points from the amount.'],
  ['distress_sale', '40', 'points', 'proposal', 'A sheriff sale of the same property.'],
  ['distress_sale_soon', '20', 'points', 'proposal', 'The sale is near.'],
  ['distress_sale_soon_days', '30', 'days', 'proposal', 'What near means.'],
  ['distress_max', '100', 'points', 'proposal', 'Largest distress score.'],
  // Deal score
  ['score_yield_weight', '35', 'points', 'proposal', 'Most points from the scoring cap rate.'],
  ['score_yield_from_pct', '4', 'percent', 'proposal', 'Cap rate that earns nothing.'],
  ['score_yield_span_pct', '6', 'percent_points', 'proposal', 'Cap rate above it that earns everything.'],
  ['score_coverage_weight', '30', 'points', 'proposal', 'Most points from debt coverage after reserves.'],
  ['score_coverage_from', '0.90', 'multiple', 'proposal', 'Coverage that earns nothing.'],
  ['score_coverage_span', '0.70', 'multiple', 'proposal', 'Coverage above it that earns everything.'],
  ['score_motivation_weight', '20', 'points', 'proposal', 'Most points from motivation.'],
  ['score_distress_weight', '15', 'points', 'proposal', 'Most points from distress.'],
  [
    'material_gap',
    '1.00',
    'percent_points',
    'proposal',
    'Difference of claimed and underwritten cap rate that is worth leading with.',
  ],
  // Confidence
  ['confidence_price_fresh', '0.15', 'share', 'proposal', 'Price verified within confidence_fresh_days.'],
  ['confidence_price_recent', '0.10', 'share', 'proposal', 'Price verified within confidence_recent_days.'],
  ['confidence_price_old', '0.05', 'share', 'proposal', 'Price verified earlier.'],
  ['confidence_fresh_days', '2', 'days', 'proposal', 'What fresh means.'],
  ['confidence_recent_days', '7', 'days', 'proposal', 'What recent means.'],
  ['confidence_units', '0.15', 'share', 'proposal', 'The number of units is known.'],
  [
    'confidence_rent_zip',
    '0.20',
    'share',
    'proposal',
    'HUD publishes the rent for the ZIP itself; counts only where the proxy fits.',
  ],
  [
    'confidence_rent_metro',
    '0.12',
    'share',
    'proposal',
    'The rent is that of the HUD area; counts only where the proxy fits.',
  ],
  ['confidence_noi_stated', '0.15', 'share', 'proposal', 'NOI stated by the broker.'],
  ['confidence_noi_derived', '0.08', 'share', 'proposal', 'NOI derived from the advertised cap rate.'],
  ['confidence_noi_underwritten', '0.05', 'share', 'proposal', 'NOI underwritten by us.'],
  [
    'confidence_gap_small',
    '0.15',
    'share',
    'proposal',
    'Claim and underwriting agree within confidence_gap_small_points; counts only where the proxy fits.',
  ],
  ['confidence_gap_medium', '0.08', 'share', 'proposal', 'They agree within confidence_gap_medium_points.'],
  ['confidence_gap_none', '0.05', 'share', 'proposal', 'There is no claim to compare.'],
  ['confidence_gap_small_points', '1', 'percent_points', 'proposal', 'Small gap.'],
  ['confidence_gap_medium_points', '2', 'percent_points', 'proposal', 'Medium gap.'],
  ['confidence_reliable', '0.15', 'share', 'proposal', 'The proxy fits.'],
  ['confidence_reliability_unknown', '0.05', 'share', 'proposal', 'Whether it fits cannot be told.'],
  ['confidence_year_built', '0.05', 'share', 'proposal', 'The year of construction is known.'],
  // Offers
  ['target_cap_pct', '8.00', 'percent', 'proposal', 'Cap rate an offer is to reach.'],
  ['offer_coverage', '1.25', 'multiple', 'evidence', 'Coverage an offer is to reach at the declared loan.'],
  ['offer_step', '500', 'usd', 'proposal', 'Offers are rounded down to this.'],
  ['stress_rent', '-0.05', 'share', 'proposal', 'Rent in the low offer.'],
  ['stress_vacancy', '0.03', 'share', 'proposal', 'Added to vacancy in the low offer.'],
  ['stress_expenses', '0.02', 'share', 'proposal', 'Added to the expense ratio in the low offer.'],
  // Sensitivity grid of the report
  ['grid_rent_1', '-0.10', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_rent_2', '-0.05', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_rent_3', '0.00', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_rent_4', '0.05', 'share', 'proposal', 'Change of rent in the grid of the report.'],
  ['grid_vacancy_1', '0.05', 'share', 'proposal', 'Vacancy in the grid of the report.'],
  ['grid_vacancy_2', '0.07', 'share', 'proposal', 'Vacancy in the grid of the report.'],
  ['grid_vacancy_3', '0.10', 'share', 'proposal', 'Vacancy in the grid of the report.'],
  ['grid_expenses_1', '-0.05', 'share', 'proposal', 'Added to the expense ratio in the grid of the report.'],
  ['grid_expenses_2', '0.00', 'share', 'proposal', 'Added to the expense ratio in the grid of the report.'],
  ['grid_expenses_3', '0.05', 'share', 'proposal', 'Added to the expense ratio in the grid of the report.'],
  ['grid_rate_1_pct', '6.00', 'percent', 'proposal', 'Loan rate in the grid of the report.'],
  ['grid_rate_2_pct', '7.00', 'percent', 'proposal', 'Loan rate in the grid of the report.'],
  ['grid_rate_3_pct', '8.00', 'percent', 'proposal', 'Loan rate in the grid of the report.'],
  [
    'grid_monthly_factor_1',
    monthly('grid_rate_1_pct', 'loan_years'),
    'factor',
    'computed',
    'Monthly payment per dollar of loan at grid_rate_1_pct and loan_years.',
  ],
  [
    'grid_monthly_factor_2',
    monthly('grid_rate_2_pct', 'loan_years'),
    'factor',
    'computed',
    'Monthly payment per dollar of loan at grid_rate_2_pct and loan_years.',
  ],
  [
    'grid_monthly_factor_3',
    monthly('grid_rate_3_pct', 'loan_years'),
    'factor',
    'computed',
    'Monthly payment per dollar of loan at grid_rate_3_pct and loan_years.',
  ],
  // Opening bids
  ['opening_bid_numerator', '2', 'factor', 'evidence', 'ORC 2329.20: not less than two thirds of the appraised value.'],
  [
    'opening_bid_denominator',
    '3',
    'factor',
    'evidence',
    'ORC 2329.20: not less than two thirds of the appraised value.',
  ],
  [
    'opening_bid_round_up',
    '1.00',
    'usd',
    'evidence',
    'Sheriffs print two thirds rounded up to the dollar; a published figure less than this above it is still two thirds.',
  ],
  // Leads
  ['lead_max_age_days', '7', 'days', 'evidence', 'Every lead has a signal verified within seven days.'],
  ['lead_fresh_days', '1', 'days', 'proposal', 'Freshness, first step.'],
  ['lead_recent_days', '3', 'days', 'proposal', 'Freshness, second step.'],
  ['auction_base', '25', 'points', 'proposal', 'A sheriff sale is set.'],
  [
    'auction_gap_max',
    '30',
    'points',
    'proposal',
    'Most points from the gap of opening bid and appraisal, and the points where no minimum applies.',
  ],
  ['auction_gap_points_per_pct', '0.6', 'points', 'proposal', 'Points for each percent of gap.'],
  ['auction_days_1', '7', 'days', 'proposal', 'Sale within this many days: auction_urgency_1.'],
  ['auction_days_2', '14', 'days', 'proposal', 'Sale within this many days: auction_urgency_2.'],
  ['auction_days_3', '30', 'days', 'proposal', 'Sale within this many days: auction_urgency_3.'],
  [
    'auction_days_4',
    '60',
    'days',
    'proposal',
    'Sale within this many days: auction_urgency_4; later: auction_urgency_5.',
  ],
  ['auction_urgency_1', '25', 'points', 'proposal', 'Urgency.'],
  ['auction_urgency_2', '20', 'points', 'proposal', 'Urgency.'],
  ['auction_urgency_3', '15', 'points', 'proposal', 'Urgency.'],
  ['auction_urgency_4', '8', 'points', 'proposal', 'Urgency.'],
  ['auction_urgency_5', '3', 'points', 'proposal', 'Urgency.'],
  ['auction_corroboration', '10', 'points', 'proposal', 'The property is on a tax delinquency list too.'],
  ['auction_absentee', '5', 'points', 'proposal', 'The owner gets mail elsewhere.'],
  ['auction_fresh', '5', 'points', 'proposal', 'Verified within lead_fresh_days.'],
  ['auction_recent', '3', 'points', 'proposal', 'Verified within lead_recent_days.'],
  ['auction_old', '1', 'points', 'proposal', 'Verified within lead_max_age_days.'],
  ['tax_base', '20', 'points', 'proposal', 'The parcel is on a delinquency list.'],
  ['tax_value_max', '25', 'points', 'proposal', 'Most points from debt over county value.'],
  ['tax_value_from_pct', '1', 'percent', 'proposal', 'Debt over value that earns nothing.'],
  ['tax_value_span_pct', '19', 'percent_points', 'proposal', 'Debt over value above it that earns everything.'],
  ['tax_amount_max', '15', 'points', 'proposal', 'Most points from the amount where the value is unknown.'],
  ['tax_amount_per_point', '1000', 'usd', 'proposal', 'Dollars that earn one of them.'],
  ['tax_points_per_year', '5', 'points', 'proposal', 'Points for each year of delinquency.'],
  ['tax_years_max', '20', 'points', 'proposal', 'Most points from years.'],
  ['tax_absentee_out_of_state', '10', 'points', 'proposal', 'The owner gets mail in another state.'],
  ['tax_absentee_in_state', '6', 'points', 'proposal', 'The owner gets mail elsewhere in the state.'],
  ['tax_corroboration_sale', '15', 'points', 'proposal', 'A sheriff sale of the same parcel is set.'],
  ['tax_corroboration_listing', '10', 'points', 'proposal', 'The property is listed for sale.'],
  ['tax_fresh', '10', 'points', 'proposal', 'Verified within lead_fresh_days.'],
  ['tax_recent', '7', 'points', 'proposal', 'Verified within lead_recent_days.'],
  ['tax_old', '4', 'points', 'proposal', 'Verified within lead_max_age_days.'],
  // History
  [
    'relisting_days',
    '90',
    'days',
    'proposal',
    'A property that comes back on the same site within this many days goes on with its days and its price history.',
  ],
];

const DECLARED_ID = 'uw-2026.1';

/**
 * The set that new snapshots are underwritten with. Values the operator overrides make a set of their own: its id
 * is the declared one, a plus sign and the hash of what differs, and computed values follow.
 * @param overrides checked values by key, as models/overrides.ts reads them
 */
export function currentAssumptions(overrides: ReadonlyMap<string, string> = new Map()): AssumptionSet {
  const changed = new Map(
    UW_2026_1.filter(([key, value]) => (overrides.get(key) ?? value) !== value).map(([key]) => [
      key,
      overrides.get(key) ?? '',
    ]),
  );
  const hash = createHash('sha256')
    .update(JSON.stringify([...changed].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex');
  const id = changed.size === 0 ? DECLARED_ID : `${DECLARED_ID}+${hash.slice(0, 8)}`;
  const declared = new Map(UW_2026_1.map(([key, value]) => [key, value]));
  const of = (key: string): string => {
    const value = changed.get(key) ?? declared.get(key);
    if (value === undefined) throw new Error(`no assumption is called ${key}`);
    return typeof value === 'string' ? value : value(of);
  };
  const rows = UW_2026_1.map(([key, value, unit, kind, basis]): AssumptionRow => ({
    assumption_set_id: id,
    key,
    value: of(key),
    unit,
    declared_on: '2026-11-21',
    ...(changed.has(key)
      ? { kind: 'override', basis: `Set by the operator; ${DECLARED_ID} declares ${String(value)}.` }
      : { kind, basis }),
  }));
  return { id, rows };
}
