/**
 * The declared assumptions: key, value, type and the reason for the value in one sentence. A value is a proposal of
 * ours unless its row says evidence (read in a public source) or computed (from the other values).
 */
import { words } from '../../lib/record.ts';
import { LOAN_RATES, LOAN_YEARS } from '../references.ts';

/** Units of assumptions. */
export const UNITS = words(
  'share percent percent_points usd usd_per_unit usd_per_unit_year months years days multiple points',
  'factor score units year quarters characters method',
);

/** The type of a value. */
interface ValueType {
  readonly unit: (typeof UNITS)[number];
  /** Type of its column in the table `terms`. */
  readonly sql: string;
  /** Decimals in which an operator writes it: 0 for a whole number. */
  readonly decimals: 0 | 2;
  readonly least: number;
  readonly most: number;
  /** The only accepted numbers. */
  readonly options?: readonly number[];
}

export interface Declaration extends ValueType {
  readonly key: string;
  /** COMPUTED if models/assumptions.ts computes it from the other values. */
  readonly value: string;
  readonly kind: 'evidence' | 'proposal' | 'computed';
  /** Reason for the value, in one sentence. */
  readonly basis: string;
  /** Zero is refused: the value is a divisor. */
  readonly isPositive: boolean;
  /** Published words, names of keys or the law fix the value. */
  readonly isFixed: boolean;
}

/** The value of a row that follows from the other values. */
export const COMPUTED = 'of_rate_and_years';

/** Decimals of money, percents and multiples. */
const DECIMAL = { sql: 'DECIMAL(14, 2)', decimals: 2, least: 0, most: 99.99 } as const;
const WHOLE = { ...DECIMAL, decimals: 0 } as const;
const COUNT = { sql: 'INTEGER', decimals: 0, least: 0, most: 9999 } as const;
const MONEY = { ...WHOLE, most: 1_000_000 } as const;
const SHARE = { ...DECIMAL, unit: 'share', sql: 'DECIMAL(6, 4)', most: 0.99 } as const;

/** Types by the name in a row; a count has the name of its unit. */
const TYPES: Readonly<Record<string, ValueType>> = {
  share: SHARE,
  change: { ...SHARE, least: -0.99 },
  weight: { ...SHARE, sql: DECIMAL.sql },
  percent: { ...DECIMAL, unit: 'percent' },
  // The table of loan factors must have the rate.
  loan_rate: {
    ...DECIMAL,
    unit: 'percent',
    least: Number(LOAN_RATES.least) / 100,
    most: Number(LOAN_RATES.most) / 100,
  },
  whole_percent: { ...WHOLE, unit: 'percent', most: 100 },
  percent_points: { ...DECIMAL, unit: 'percent_points' },
  rate_points: { ...DECIMAL, unit: 'percent_points', most: 5 },
  whole_percent_points: { ...WHOLE, unit: 'percent_points' },
  multiple: { ...DECIMAL, unit: 'multiple' },
  whole_multiple: { ...WHOLE, unit: 'multiple' },
  factor: { ...DECIMAL, unit: 'factor', sql: 'DECIMAL(22, 20)' },
  divisor: { ...DECIMAL, unit: 'factor', sql: 'DECIMAL(6, 4)' },
  whole_factor: { ...DECIMAL, unit: 'factor', sql: 'INTEGER' },
  usd: { ...MONEY, unit: 'usd' },
  whole_usd: { ...MONEY, unit: 'usd', sql: 'INTEGER' },
  usd_per_unit: { ...MONEY, unit: 'usd_per_unit' },
  usd_per_unit_year: { ...MONEY, unit: 'usd_per_unit_year' },
  points_of_share: { ...COUNT, unit: 'points', sql: 'DECIMAL(6, 2)' },
  years: { ...COUNT, unit: 'years', most: 40 },
  loan_years: { ...COUNT, unit: 'years', most: 40, options: LOAN_YEARS },
  method: { ...COUNT, unit: 'method', sql: 'VARCHAR' },
};

const MANAGEMENT = 'Management fee over effective income: the median of the landlords in the survey who pay one.';
const OTHER =
  'Payroll, grounds, security, professional and other costs in dollars of 2024: the sum of their means in the rental ' +
  'housing survey (2011), the highest 2 % of each line top-coded';
const RESERVES =
  'Replacement reserves below NOI, by size: 200 to 300 in securitized loans, more for small old buildings.';
const ofGrid = (what: string): string =>
  `${what} in the report's grid. If a deal's ${what === 'Vacancy' ? 'vacancy' : 'rate'} differs from the declared ` +
  'one, the grid shifts by the difference.';

/** `key value type [evidence | computed] [positive] [fixed]: reason`; a line that begins with spaces continues it. */
const TABLE = `
# Rent and expenses
utility_share 0.12 share: HUD rents include utilities: contract rent is assumed to be 88 % of gross rent in the simple
    proxy, and in counties without a census figure.
vacancy 0.07 share: Vacancy and credit loss, above the 5 % floor of bank underwriting.
months_per_year 12 months computed: Rents are monthly, income is yearly.
expense_ratio_2_4 0.42 share: Operating expenses over effective income, 2 to 4 units: the rental housing survey's 38 %
    plus professional management.
expense_ratio_5_12 0.45 share: The same for 5 to 12 units; small multifamily is quoted at 35 to 45 %.
expense_ratio_13_50 0.47 share: The same for 13 to 50 units.
expense_ratio_51_up 0.48 share: The same for 51 units and more; 40 to 50 % is considered stabilized.
small_units_max 4 units fixed: Largest property of the first expense band.
medium_units_max 12 units fixed: Largest property of the second expense band.
large_units_max 50 units fixed: Largest property of the third expense band.
old_before_year 1960 year: Buildings older than this cost more to run.
new_from_year 2000 year: Buildings of this year and later cost less to run.
expense_old_adjustment 0.03 share: Added to the expense ratio of old buildings; the direction is evidence, the size is
    our choice.
expense_new_adjustment -0.03 change: Added to the expense ratio of new buildings.
claim_tolerance 0.10 percent_points fixed: A stated NOI is consistent with the advertised cap rate if it gives that rate
    to within this difference.
# Proxy limits
proxy_high_multiple 144 multiple fixed: Price per unit above this many monthly 2-bedroom rents means a better or larger
    unit than the proxy.
proxy_low_multiple 24 multiple fixed: Price per unit below this many monthly 2-bedroom rents counts as a typing error or
    a building in ruins.
# Rent
in_place_ratio 0.89 share evidence: Census rent over HUD rent for 2 bedrooms: the median of 38 metros, used if a metro
    has no figure of its own.
in_place_least 0.70 share: Minimum ratio of rent in place to HUD rent. A lower measured ratio is replaced by it.
utility_share_least 0.03 share: Minimum share of gross rent that pays for utilities.
utility_share_most 0.20 share: Maximum share of gross rent that pays for utilities.
# Vacancy
vacancy_least 0.05 share: The floor of bank underwriting.
credit_loss 0.015 share: Rent that is owed and never paid, on top of vacancy.
vacancy_most 0.15 share: Maximum vacancy, including credit loss.
loss_of_small 0.038 share evidence: Income that owners of up to small_loss_units lose beyond the 7 % of the simple
    proxy: 290 owners of that size in the rental housing survey (2011) lost 12.0 % at the weighted mean, 10.6 % of all
    dollars and 3.5 % at the median; 10.8 % in all is between the two means.
small_loss_units 12 units evidence fixed: Units up to which loss_of_small counts in full.
small_loss_span 24 units fixed: Units over which it falls to nothing.
vacancy_spread_points 2.00 percent_points: Spread of true vacancy between metros of a region.
vacancy_margin_divisor 1.645 divisor evidence: The survey states 90 % margins of error: 1.645 standard errors.
vacancy_quarters 4 quarters: Newest quarters of the vacancy survey that count.
# Expenses
insurance_per_unit 671 usd_per_unit_year evidence: Median insurance per apartment in 2024: FEDS Notes, 2025-09-19, 12 x
    55.88.
management_share_2_4 0.08 share evidence: ${MANAGEMENT}
management_share_5_12 0.08 share evidence: ${MANAGEMENT}
management_share_25_49 0.065 share evidence: ${MANAGEMENT}
management_share_50_up 0.05 share evidence: ${MANAGEMENT}
other_per_unit_2_4 570 usd_per_unit_year evidence: ${OTHER}, 203 to 233 owners.
other_per_unit_5_12 484 usd_per_unit_year evidence: ${OTHER}, 146 to 170 owners.
other_per_unit_25_49 150 usd_per_unit_year: Grounds, security, licenses and similar costs.
other_per_unit_50_up 150 usd_per_unit_year: The same for 50 units and more.
reserves_per_unit_2_4 450 usd_per_unit_year: ${RESERVES}
reserves_per_unit_5_12 400 usd_per_unit_year: ${RESERVES}
reserves_per_unit_25_49 400 usd_per_unit_year: ${RESERVES}
reserves_per_unit_50_up 300 usd_per_unit_year: ${RESERVES}
typical_weight 0.50 share: Share of the expenses other than tax that is the typical ratio of such buildings instead of
    lines, which are tables of sizes and say nothing of this building.
typical_tax_share 0.12 share evidence: Tax in the typical ratio: the median of 1,175 owners' tax over collected rent
    (2011), 0.15 to 0.08 by size.
# What owners earned
range_small_units 8 units fixed: Units up to which the owners of 2 to 12 units alone give the range of NOI.
range_units_span 16 units fixed: Units over which the owners of 13 units and more take their place.
# Property tax
default_tax_rate_pct 1.50 percent positive: Tax over value if neither county nor metro has a figure.
tax_reset_share_may 0.50 share: Share of the tax that follows the price where the law lets the price count, or where its
    rule is not known.
tax_bill_least_multiple 0.25 multiple: Minimum tax after a sale, as a multiple of the tax at the price. A smaller bill
    has an exemption that ends, or is an error.
# Loans
loan_to_value 0.75 share positive: Within the 60 to 75 % that banks quote.
loan_rate_method survey method: survey: the newest week of MORTGAGE30US at or before the day, plus loan_rate_spread;
    loan_rate_pct if there is none. declared: loan_rate_pct.
loan_rate_spread 0.25 rate_points: Added to the survey rate, which covers home loans: a small commercial loan costs at
    least as much.
loan_rate_pct 7.00 loan_rate: Within the 6.00 to 7.50 % that banks quote in 2026. Used if loan_rate_method is declared
    or no survey is known.
loan_years 30 loan_years: Amortization, paid monthly: 20, 25 or 30.
loan_coverage 1.25 multiple evidence: Net cash flow over debt service at which a lender sizes a loan: 1.25 for Fannie
    Mae small loans (term sheet of 2026-02-26, second hand) and for Freddie Mac small balance loans in standard markets
    (broker page, 2022); 1.20 in top, 1.30 in small and 1.40 in very small markets. No public list assigns the markets.
closing_cost_share 0.03 share: Buyer's closing costs over price, the low end of the 3 to 5 % that buyers of apartments
    report.
minimum_loan 50000 usd: Smallest loan that a lender is assumed to make.
seller_down_share 0.15 share: Down payment in seller financing, within the quoted 5 to 30 %.
seller_rate_pct 5.00 percent positive: Rate of seller financing, within the quoted 4 to 8 %.
seller_years 30 years positive: Amortization of seller financing.
seller_monthly_factor of_rate_and_years factor computed: m / (1 - (1 + m)^-n) with m = seller_rate_pct / 1200 and n = 12
    x seller_years, to twenty decimals.
# Repairs
upfront_repairs_before_1960 15000 usd_per_unit: Repairs that the buyer of a building of about 1940 or older pays on top
    of the price; between the years, blended.
upfront_repairs_1960_1999 8000 usd_per_unit: The same for a building of about 1978.
upfront_repairs_from_2000 3000 usd_per_unit: The same for a building of about 2005 or newer.
upfront_repairs_any 8000 usd_per_unit: The same if the year of construction is unknown or after the data clock.
# Condition risk: yield and coverage points taper
taper_price_per_unit_from 20000 usd_per_unit: Price per unit up to which yield and coverage earn nothing: such a price
    suggests a vacant or damaged building.
taper_price_per_unit_span 15000 usd_per_unit positive: Range above taper_price_per_unit_from over which the points grow
    to their full value, at $35,000 per unit.
taper_cap_to_pct 20.00 percent: Underwritten cap rate from which yield and coverage earn nothing: no intact building
    sells at such a yield.
taper_cap_span_pct 8.00 percent_points positive: Range below taper_cap_to_pct over which the points fall from their full
    value, at 12 %, to 0.
taper_low_multiple_span 12 whole_multiple positive: Monthly rents above proxy_low_multiple over which the points grow
    from 0 to their full value.
taper_high_multiple_span 12 whole_multiple positive: Monthly rents below proxy_high_multiple over which the points fall
    from their full value to 0.
# Condition by record
condition_score_cap 10 points: Most points of a deal whose building is condemned, ordered to be vacated or registered as
    vacant: it is not let, so its yield and coverage do not exist. Low enough that no such deal is in the first third of
    the feed.
condition_case_points 8 points: Subtracted for an open code case whose words name a fault of structure, roof, heat,
    sewage or smoke alarms.
condition_months 36 months: A condemnation or vacancy registration counts for this long after its latest event if its
    list never says that one has ended.
# Motivation and distress
motivation_points_per_cut_pct 6 points_of_share: Points for each percent of observed price reduction.
motivation_cut_max 60 points: Maximum points from price reductions.
motivation_days_max 40 points: Maximum points from days on the feed.
motivation_days_full 180 days positive: Days on the feed that earn motivation_days_max.
distress_tax 40 points: A tax delinquency of the same property.
distress_tax_points_per_pct 4 points_of_share: Points for each percent of the asking price that is owed.
distress_tax_amount_max 20 points: Maximum points from the amount.
distress_sale 40 points: A sheriff sale of the same property.
distress_sale_soon 20 points: A sheriff sale within distress_sale_soon_days.
distress_sale_soon_days 30 days: Days before a sheriff sale within which it earns distress_sale_soon.
distress_max 100 points: Largest distress score.
# Deal score
score_yield_weight 35 points: Maximum points from the yield.
score_yield_from_pct 2.00 percent: Yield that earns nothing.
score_yield_span_pct 5.00 percent_points positive: Range above score_yield_from_pct over which the points grow to
    score_yield_weight.
score_coverage_weight 30 points: Maximum points from debt coverage.
score_coverage_from 1.00 multiple: Coverage that earns nothing: below it, what owners typically earn does not pay the
    loan.
score_coverage_span 0.50 multiple positive: Range above score_coverage_from over which the points grow to their maximum.
score_motivation_weight 20 points: Maximum points from motivation.
score_distress_weight 15 points: Maximum points from distress.
material_gap 1.00 percent_points: Difference between claimed and underwritten cap rate that why_this_is_interesting
    states first.
line_characters 80 characters fixed: Most characters of why_this_is_interesting: a line of a terminal.
line_price_cut_pct 5.00 percent: Observed price reduction from which why_this_is_interesting names it.
line_far_coverage 0.60 multiple: DSCR below which why_this_is_interesting says that the income does not cover the debt
    by far.
line_tax_rise 1.25 multiple: Tax after a sale over a known bill of today from which why_this_is_interesting names it.
claim_contradiction 0.50 percent_points: A stated NOI and an advertised cap rate that are further apart contradict each
    other.
# Confidence: the weight of each input
confidence_price 0.08 weight: The asking price, verified within confidence_fresh_days.
confidence_units 0.08 weight: The number of units, which the listing states.
confidence_year_built 0.04 weight: The year of construction, which the listing states.
confidence_bedrooms 0.16 weight: The units by bedrooms, which the listing states and which add up.
confidence_rent 0.12 weight: HUD's current rent of the ZIP.
confidence_in_place 0.06 weight: The census's rent of sitting tenants, as the census publishes it.
confidence_utilities 0.06 weight: The share of utilities in the rent of the county.
confidence_vacancy 0.06 weight: The vacancy of a survey of the metropolitan area.
confidence_tax_bill 0.14 weight: The tax after a sale, known from a bill and a confirmed rule.
confidence_tax_rate 0.06 weight: The tax rate of the county.
confidence_loan_rate 0.04 weight: The loan rate of a survey week of the last confidence_rate_stale_days.
confidence_claim 0.04 weight: The NOI, which the broker states.
confidence_agreement 0.06 weight: Claim and underwriting within confidence_gap_small_points.
confidence_partly 0.50 share: Share of its weight that an input earns if it is known in part: older, of a wider area,
    implied or limited.
confidence_fresh_days 2 days: A price verified within this many days is known.
confidence_recent_days 7 days: A price verified within this many days is known in part.
confidence_rate_stale_days 14 days: A loan rate is known in part if its survey week is older.
confidence_rate_old_days 60 days: A loan rate earns nothing if its survey week is older.
confidence_gap_small_points 1 whole_percent_points: Largest gap that earns all of confidence_agreement.
confidence_gap_medium_points 2 whole_percent_points: Largest gap that earns a part of it.
confidence_condition_risk 0.10 weight: Subtracted in proportion to the yield and coverage points that condition risk
    removes.
confidence_condition_record 0.20 weight: Subtracted if the building is condemned, ordered to be vacated or registered as
    vacant: no rent is paid.
# Paths
minimum_units 2 units fixed: A property with fewer units is not an income property.
rental_hot_coverage 1.00 multiple: What owners of such buildings typically earn pays the loan of loan_to_value after
    reserves. At loan_coverage, a lender then makes a loan of 60 % of the price; half of the agency loans of 5 to 12
    units are at 62 to 75 %.
rental_hot_cap_pct 6.50 percent positive: Minimum of the owners' cap rate of a Hot rental.
rental_warm_coverage 0.85 multiple: Coverage that a lower price may lift to that of a Hot rental.
rental_warm_cap_pct 5.50 percent positive: Minimum cap rate of a Warm rental.
wholesale_arv_cap_pct 5.70 percent evidence positive: Cap rate at which a repaired building sells: the median NOI over
    value of 14 securitized loans (EX-102).
wholesale_share 0.70 share evidence: The 70 % rule, applied to an income value.
wholesale_repairs_per_unit 0 usd_per_unit: Repairs that a wholesaler expects in addition to upfront_repairs_per_unit.
wholesale_fee 10000 usd: Assignment fee.
wholesale_warm_multiple 1.15 multiple: Asking price over the wholesale offer up to which the path is Warm: the price may
    still fall.
wholesale_warm_motivation 40 score: Minimum motivation_score for a Warm wholesale path.
creative_hot_coverage 1.00 multiple: Coverage at seller terms.
creative_hot_motivation 50 score: Minimum of the larger of motivation_score and distress_score.
creative_warm_coverage 0.90 multiple: Coverage at seller terms.
creative_warm_motivation 25 score: Minimum of the larger of motivation_score and distress_score.
# Offers
target_cap_pct 8.00 percent positive: Minimum cap rate of an offer.
offer_coverage 1.25 multiple evidence positive: Minimum debt coverage of an offer at the declared loan.
offer_step 500 whole_usd positive: Offers are rounded down to a multiple of this sum.
stress_rent -0.05 change: Change of rent in the low offer.
stress_vacancy 0.03 share: Added to vacancy in the low offer.
stress_expenses 0.00 share: Added to the expense ratio in the low offer.
# Sensitivity grid of the report
grid_rent_1 -0.10 change: Change of rent in the grid of the report.
grid_rent_2 -0.05 change: Change of rent in the grid of the report.
grid_rent_3 0.00 change: Change of rent in the grid of the report.
grid_rent_4 0.05 change: Change of rent in the grid of the report.
grid_vacancy_1 0.05 share: ${ofGrid('Vacancy')}
grid_vacancy_2 0.07 share: ${ofGrid('Vacancy')}
grid_vacancy_3 0.10 share: ${ofGrid('Vacancy')}
grid_expenses_1 -0.05 change: Added to the expense ratio in the grid of the report.
grid_expenses_2 0.00 change: Added to the expense ratio in the grid of the report.
grid_expenses_3 0.05 change: Added to the expense ratio in the grid of the report.
grid_rate_1_pct 6.00 loan_rate: ${ofGrid('Loan rate')}
grid_rate_2_pct 7.00 loan_rate: ${ofGrid('Loan rate')}
grid_rate_3_pct 8.00 loan_rate: ${ofGrid('Loan rate')}
# Opening bids
opening_bid_numerator 2 whole_factor evidence fixed: ORC 2329.20: not less than two thirds of the appraised value.
opening_bid_denominator 3 whole_factor evidence fixed: ORC 2329.20: not less than two thirds of the appraised value.
opening_bid_round_up 1.00 usd evidence fixed: Sheriffs print two thirds rounded up to the dollar; a published figure
    that is higher by less than this counts as two thirds.
# Leads
lead_max_age_days 7 days evidence fixed: Every lead has a signal verified within seven days.
lead_fresh_days 1 days fixed: A signal verified within this many days is fresh.
lead_recent_days 3 days fixed: A signal verified within this many days is recent.
lead_kind_vacant_lot 0 points: property_kind is vacant_lot: there is no building to rent out.
lead_kind_one_family 4 points: property_kind is one_family: one home, possibly rented out.
lead_kind_two_to_four 10 points: property_kind is two_to_four: a small rental building.
lead_kind_five_up 10 points: property_kind is five_up: an apartment building.
lead_kind_other 0 points: property_kind is other: no home, or public property.
lead_kind_unknown 2 points: property_kind is unknown: fewer points than a home, because it may be a vacant lot.
auction_base 15 points: A sheriff sale or another auction of the property is scheduled.
auction_equity_max 30 points: Maximum points for the share of the value that the known debts leave; none where they
    leave nothing.
auction_equity_full_pct 100 whole_percent positive: Equity that earns auction_equity_max.
auction_equity_unknown 4 points: The debt or the value of a foreclosure is not published: more than a debt above the
    value, fewer than an equity of 15 %. A minimum bid of two thirds of the appraisal is set by law and adds nothing.
auction_equity_unknown_taxes 10 points: The same of a sale for unpaid taxes, which are usually a small part of the
    value.
auction_days_1 7 days: Sale within this many days: auction_urgency_1.
auction_days_2 14 days: Sale within this many days: auction_urgency_2.
auction_days_3 30 days: Sale within this many days: auction_urgency_3.
auction_days_4 60 days: Sale within this many days: auction_urgency_4; later: auction_urgency_5.
auction_urgency_1 5 points: First-Class Mail takes one to five business days: a letter may arrive after the sale.
auction_urgency_2 15 points: A letter arrives in time, but the owner has few days to answer.
auction_urgency_3 25 points: There is time for a letter, an answer and a contract.
auction_urgency_4 12 points: There is time for several letters; the owner may still wait.
auction_urgency_5 5 points: The sale is far off and may be called off.
auction_corroboration 10 points: The property is on a tax delinquency list too.
auction_absentee 5 points: The owner gets mail elsewhere.
auction_fresh 5 points: Verified within lead_fresh_days.
auction_recent 3 points: Verified within lead_recent_days.
auction_old 1 points: Verified within lead_max_age_days.
tax_base 10 points: The parcel is on a delinquency list.
tax_value_max 25 points: Maximum points from debt over county value.
tax_value_from_pct 1 whole_percent: Debt over value that earns nothing.
tax_value_span_pct 19 whole_percent_points positive: Range above tax_value_from_pct over which the points grow to
    tax_value_max.
tax_equity_span_pct 40 whole_percent_points positive: Range up to a debt of the whole value over which the points fall
    to 0: an owner without equity sells nothing.
tax_amount_max 15 points: Maximum points from the amount if the county value is unknown.
tax_amount_per_point 1000 usd positive: Dollars of debt that earn one point if the county value is unknown.
tax_points_per_year 5 points: Points for each year of delinquency, prorated by month.
tax_certified_month 9 months evidence fixed: Month of the year by which a delinquency is certified: ORC 5721.011, within
    thirty days after the settlement of August 10 (ORC 321.24 (C)).
tax_certified_day 9 days evidence fixed: Day of tax_certified_month by which a delinquency is certified.
tax_months_step 1 months positive: Step in which the months since certification count, so that no day moves the scores
    of all parcels by a year.
tax_years_max 20 points: Maximum points from years of delinquency.
tax_absentee_out_of_state 10 points: The owner gets mail in another state.
tax_absentee_in_state 6 points: The owner gets mail elsewhere in the state.
tax_corroboration_sale 15 points: A sheriff sale of the same parcel is scheduled.
tax_corroboration_listing 10 points: The property is listed for sale.
tax_fresh 10 points: Verified within lead_fresh_days.
tax_recent 7 points: Verified within lead_recent_days.
tax_old 4 points: Verified within lead_max_age_days.
stacked_unpaid_tax 5 points: A sale has a lien or a sale for unpaid taxes too, and no tax list shows the debt.
stacked_foreclosure 5 points: A tax debt has a foreclosure filing too. No more than a sale adds, so that the sale never
    lowers the score.
stacked_code_case 5 points: The city has an open code case or an unpaid blight judgment.
unsure_months 24 months: A record whose publisher does not say whether it is in force counts for this long after its
    latest event.
stacked_building 8 points: The building is registered as vacant, or is condemned.
# History
relisting_days 90 days: A property that comes back on the same site within this many days keeps its days and price
    history.
change_days 90 days: Days for which the changes of a list are published.
`;

export const DECLARED: readonly Declaration[] = TABLE.replaceAll(/\n +/gu, ' ')
  .split('\n')
  .filter((row) => row !== '' && !row.startsWith('#'))
  .map((row) => {
    const [, declared = '', basis = ''] = /^(.*?): (.*)$/u.exec(row) ?? [];
    const [key = '', value = '', type = '', ...marks] = declared.split(' ');
    return {
      key,
      value,
      kind: (['evidence', 'computed'] as const).find((kind) => marks.includes(kind)) ?? 'proposal',
      basis,
      ...(TYPES[type] ?? { ...COUNT, unit: type as Declaration['unit'] }),
      isPositive: marks.includes('positive'),
      isFixed: marks.includes('fixed'),
    };
  });
