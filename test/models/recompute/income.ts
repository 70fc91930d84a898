/** Recomputes a deal's rents, income, expenses and NOI, the claim, and its loans. */
import { fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import {
  annualConstantOf,
  blend,
  cents,
  dayNumber,
  hasNoIncome,
  isPriced,
  isRented,
  monthlyFactorOf,
  percent,
  valueIf,
  weightsBySize,
  type Recomputed,
  type Values,
} from './values.ts';

const BEDROOMS = ['br_0', 'br_1', 'br_2', 'br_3', 'br_4'] as const;
type ByBedrooms = Readonly<Record<(typeof BEDROOMS)[number], string>>;

interface RentSteps {
  readonly mix: { readonly weights: ByBedrooms; readonly sum: string };
  readonly market: { readonly rents: ByBedrooms };
  readonly in_place: { readonly ratios: ByBedrooms };
  readonly contract: { readonly utility_share: string };
}

const sum = (values: readonly Fraction[]): Fraction => values.reduce((total, value) => total.plus(value), fraction(0));

export function recomputeRents(values: Values): Recomputed {
  const { mix, market, in_place: inPlace, contract } = values.record['rent_steps'] as RentSteps;
  const weighted = (rentOf: (bedrooms: (typeof BEDROOMS)[number]) => string): string =>
    sum(BEDROOMS.map((bedrooms) => fraction(mix.weights[bedrooms]).times(fraction(rentOf(bedrooms)))))
      .over(fraction(mix.sum))
      .rounded(2);
  const isKnown = isRented(values);
  const rentInPlace = valueIf(isKnown, () =>
    weighted((bedrooms) => fraction(market.rents[bedrooms]).times(fraction(inPlace.ratios[bedrooms])).rounded(2)),
  );
  return {
    market_rent_mix: valueIf(isKnown, () => weighted((bedrooms) => market.rents[bedrooms])),
    rent_in_place: rentInPlace,
    contract_rent:
      rentInPlace &&
      values.to2('rent * (1 - share)', { rent: fraction(rentInPlace), share: fraction(contract.utility_share) }),
  };
}

export function recomputeListing(values: Values): Recomputed {
  const { record, has, to2 } = values;
  return {
    days_on_feed: Math.max(0, dayNumber(record['delisted_on'] ?? values.asOf) - dayNumber(record['first_seen'])),
    price_per_unit: valueIf(isPriced(values) && has('units'), () => to2('list_price / units')),
    price_reduction_pct: valueIf(isPriced(values), () => to2('max(0, (first_price - list_price) / first_price) * 100')),
  };
}

export function recomputeYield(values: Values): Recomputed {
  const { to2 } = values;
  const isUnderwritten = isRented(values) && isPriced(values);
  return {
    report_status: isUnderwritten ? 'available' : 'no_underwriting',
    cap_rate_underwritten: valueIf(isUnderwritten, () => to2('noi_underwritten / list_price * 100')),
    cap_rate_hud_2br: valueIf(isUnderwritten, () => to2('noi_hud_2br / list_price * 100')),
    gross_rent_multiplier: valueIf(isUnderwritten, () => to2('list_price / gross_potential_rent')),
  };
}

/** NOI and cap rate as the broker states them, or as they follow from each other. */
export function recomputeClaim(values: Values): Recomputed {
  const { record, of, assumed, to2 } = values;
  const [priced, rented] = [isPriced(values), isRented(values)];
  const [stated, advertised] = [record['noi_source'] === 'stated', record['cap_rate_source'] === 'advertised'];
  const capRate = (): string => to2('noi / list_price * 100');
  const fromCap = (): Recomputed => ({
    noi: to2('list_price * cap_rate / 100'),
    noi_source: 'derived_from_advertised_cap',
  });
  const underwritten = { noi: record['noi_underwritten'], noi_source: rented ? 'underwritten' : null };
  const difference = stated && advertised && priced ? fraction(capRate()).minus(of('cap_rate')) : null;
  return {
    ...(stated ? { noi: record['noi'], noi_source: 'stated' } : advertised && priced ? fromCap() : underwritten),
    cap_rate_derived: valueIf(!advertised && stated && priced, capRate),
    claim_consistency: consistency(difference, assumed('claim_tolerance')),
  };
}

/** The claimed cap rate less the underwritten one, and which claim that is. */
export function recomputeCapGap({ record, has, of }: Values): Recomputed {
  const claim = ['cap_rate', 'cap_rate_derived'].find((name) => has(name));
  const isUnderwritten = has('cap_rate_underwritten');
  if (claim === undefined || !isUnderwritten) {
    const missing = [claim === undefined ? 'no_claim' : '', isUnderwritten ? '' : 'no_underwriting'];
    return { cap_gap_pct: null, cap_gap_basis: missing.filter(Boolean).join('_and_') };
  }
  return {
    cap_gap_pct: of(claim).minus(of('cap_rate_underwritten')).rounded(2),
    cap_gap_basis: record['cap_rate_source'] === 'advertised' ? 'advertised_cap_rate' : 'derived_cap_rate',
  };
}

/** Whether the underwriting agrees with the claimed cap rate. */
export function recomputeAgreement({ record, has, of, assumed }: Values): Recomputed {
  const agreement = (): string => {
    if (record['cap_rate_source'] === 'none') return 'no_claim';
    if (!has('cap_rate_underwritten')) return 'no_underwriting';
    if (String(record['claim_issue']).startsWith('noi_')) return 'contradicted';
    if (record['underwrite_reliability'] !== 'ok') return 'unreliable';
    const [gap, material] = [of('cap_gap_pct'), assumed('material_gap')];
    if (!gap.isBelow(material)) return 'claim_too_high';
    if (!fraction(0).minus(gap).isBelow(material)) return 'claim_too_low';
    return record['rental_status'] === 'Pass' ? 'rated_pass' : 'agrees';
  };
  return { underwriting_agreement: agreement() };
}

function consistency(difference: Fraction | null, tolerance: Fraction): string {
  if (difference === null) return 'not_checkable';
  const isWithin = !tolerance.isBelow(difference) && !tolerance.isBelow(fraction(0).minus(difference));
  return isWithin ? 'consistent' : 'inconsistent';
}

/** Whether the HUD rent fits the price per unit. */
export function recomputeReliability(values: Values): Recomputed {
  const reason = underwriteReason(values);
  const isOutOfRange = reason === 'price_per_unit_above_144x_monthly_2br_rent';
  return {
    underwrite_reason: reason,
    underwrite_reliability: reason === null ? 'ok' : isOutOfRange ? 'proxy_out_of_range' : 'unknown',
  };
}

function underwriteReason(values: Values): string | null {
  const { has, is } = values;
  if (!isPriced(values)) return 'price_missing';
  if (!has('units')) return 'units_missing';
  if (!has('market_rent_2br')) return 'rent_missing';
  const above = 'list_price > proxy_high_multiple * market_rent_2br * units';
  if (is(above)) return 'price_per_unit_above_144x_monthly_2br_rent';
  const isBelow = is('list_price < proxy_low_multiple * market_rent_2br * units');
  return isBelow ? 'price_per_unit_below_24x_monthly_2br_rent' : null;
}

const HUNDRED = fraction(100);
const share = (pct: Fraction): Fraction => pct.over(HUNDRED);

function proxySize({ record, count }: Values): string {
  const units = Number(record['units']);
  if (units <= count('small_units_max')) return '2_4';
  if (units <= count('medium_units_max')) return '5_12';
  return units <= count('large_units_max') ? '13_50' : '51_up';
}

function ageAdjustment({ record, count, assumed }: Values): Fraction {
  if (record['year_built'] === null) return fraction(0);
  const year = Number(record['year_built']);
  if (year < count('old_before_year')) return assumed('expense_old_adjustment');
  return year >= count('new_from_year') ? assumed('expense_new_adjustment') : fraction(0);
}

/** NOI by the simple proxy. */
function proxyNoi(values: Values): string {
  const ratio = values.assumed(`expense_ratio_${proxySize(values)}`).plus(ageAdjustment(values));
  return values.to2('units * market_rent_2br * (1 - utility_share) * months_per_year * (1 - vacancy) * (1 - ratio)', {
    ratio,
  });
}

/** Gross potential rent and effective income. */
export function recomputeIncome(values: Values): Recomputed {
  const noiOfProxy = valueIf(isRented(values), () => proxyNoi(values));
  if (noiOfProxy === null) return { noi_hud_2br: null, gross_potential_rent: null, effective_gross_income: null };
  if (!values.has('contract_rent')) return { noi_hud_2br: noiOfProxy };
  const gross = values.to2('units * contract_rent * months_per_year');
  const income = values.to2('gross * (1 - vacancy_pct / 100)', { gross: fraction(gross) });
  return { noi_hud_2br: noiOfProxy, gross_potential_rent: gross, effective_gross_income: income };
}

interface PropertyTax {
  readonly rate_pct: string;
  readonly class_factor: string;
  readonly at_sale: string;
  readonly taxed_value: string | null;
  readonly bill: string | null;
  readonly current: string | null;
  readonly current_basis: string;
}

const taxOf = ({ record }: Values): PropertyTax => record['property_tax'] as PropertyTax;

/** An assumption that is declared by size of building. */
const bySize = (values: Values, key: string): Fraction =>
  blend(weightsBySize(values), (size) => values.assumed(`${key}_${size}`));

export const managementShare = (values: Values): Fraction => fraction(bySize(values, 'management_share').rounded(4));

/** Replacement reserves of a year. */
export const recomputeReserves = (values: Values): Recomputed => ({
  reserves: valueIf(values.has('units'), () =>
    values.to2('units * round2(a_unit)', { a_unit: bySize(values, 'reserves_per_unit') }),
  ),
});

/** Share of the tax that follows the price, by what a sale does in the state. */
function resetShare({ assumed }: Values, atSale: string): Fraction {
  if (atSale === 'uncapped' || atSale === 'valued_yearly') return fraction(1);
  return atSale === 'not_reset' ? fraction(0) : assumed('tax_reset_share_may');
}

/** The tax after a sale over the price: at least the bill, and on a line above it. */
interface TaxLine {
  readonly bill: Fraction;
  readonly fixed: Fraction;
  readonly perDollar: Fraction;
}

function taxLine(values: Values, bill: string | null): TaxLine {
  const { rate_pct: rate, class_factor: factor, at_sale: atSale, taxed_value: taxed } = taxOf(values);
  const ofPrice = share(fraction(rate)).times(fraction(factor));
  const zero = fraction(0);
  if (bill === null) return { bill: zero, fixed: zero, perDollar: ofPrice };
  if (taxed !== null) {
    const uncapped = fraction(bill).times(values.of('assessed_market_value')).over(fraction(taxed));
    return { bill: fraction(bill), fixed: cents(uncapped), perDollar: zero };
  }
  const reset = resetShare(values, atSale);
  if (reset.equals(zero)) {
    return { bill: fraction(bill), fixed: zero, perDollar: ofPrice.times(values.assumed('tax_bill_least_multiple')) };
  }
  const kept = fraction(1).minus(reset).times(fraction(bill));
  return { bill: fraction(bill), fixed: kept, perDollar: ofPrice.times(reset) };
}

/** The tax after a sale with a known bill, and why it is what it is. */
function taxAfterSale(values: Values, bill: string): readonly [tax: string, basis: string] {
  const { fixed, perDollar } = taxLine(values, bill);
  const line = cents(fixed.plus(perDollar.times(values.of('list_price'))));
  if (!fraction(bill).isBelow(line)) return [bill, 'bill'];
  const { at_sale: atSale, taxed_value: taxed } = taxOf(values);
  const raised = taxed === null ? 'reset' : 'uncapped_to_assessment';
  return [line.rounded(2), atSale === 'not_reset' ? 'exemption_ends' : raised];
}

/** The bill after an appeal of an assessment above the price. */
function appeal({ of, has }: Values, bill: string | null): readonly [string | null, string] {
  if (bill === null) return [null, 'bill_missing'];
  if (!has('assessed_market_value')) return [null, 'assessment_missing'];
  const [price, assessed] = [of('list_price'), of('assessed_market_value')];
  if (!price.isBelow(assessed)) return [null, 'assessment_not_above_price'];
  return [fraction(bill).times(price).over(assessed).rounded(2), 'assessment_above_price'];
}

/** The tax of today, after a sale, and after an appeal. */
export function recomputeTax(values: Values): Recomputed {
  const tax = taxOf(values);
  // A bill is the listing's unless the county's is known
  const isListed = ['listing', 'estimated'].includes(tax.current_basis);
  const bill = isListed ? ((values.record['annual_taxes'] ?? null) as string | null) : tax.bill;
  const computed = { reset_share: resetShare(values, tax.at_sale).rounded(4), bill };
  if (!isPriced(values)) {
    const unknown = { at_price: null, current: null, current_basis: 'unknown', after_basis: 'unknown' };
    const after = { if_appealed: null, appeal_basis: 'price_missing' };
    return { tax_after_reset: null, property_tax: { ...tax, ...computed, ...unknown, ...after } };
  }
  const [rate, factor] = [fraction(tax.rate_pct), fraction(tax.class_factor)];
  const atPrice = values.to2('list_price * rate / 100 * factor', { rate, factor });
  const [after, basis] = bill === null ? ([atPrice, 'estimated'] as const) : taxAfterSale(values, bill);
  const [ifAppealed, appealBasis] = appeal(values, bill);
  return {
    tax_after_reset: after,
    property_tax: {
      ...tax,
      ...computed,
      at_price: atPrice,
      current: bill ?? atPrice,
      current_basis: bill === null ? 'estimated' : isListed ? 'listing' : 'parcel',
      after_basis: basis,
      if_appealed: ifAppealed,
      appeal_basis: appealBasis,
    },
  };
}

interface ExpenseLine {
  readonly line: string;
  readonly amount: string;
}

/** The lines other than the property tax. */
const otherLines = ({ record }: Values): Fraction =>
  sum(
    (record['expense_lines'] as readonly ExpenseLine[]).flatMap(({ line, amount }) =>
      line === 'property_tax' ? [] : [fraction(amount)],
    ),
  );

const typicalTax = ({ by }: Values): Fraction => by('round2(effective_gross_income * typical_tax_share)');

/** The lines other than the tax, drawn toward the typical ratio. */
const expensesWithoutTax = (values: Values): Fraction =>
  values.by(
    'round2(lines * (1 - typical_weight) + ' +
      '(effective_gross_income * expense_typical_pct / 100 - typical_tax) * typical_weight)',
    { lines: otherLines(values), typical_tax: typicalTax(values) },
  );

/** NOI over the price: at most what a known bill leaves, and on a line below it. */
export interface NoiLine {
  readonly highest: Fraction;
  readonly untaxed: Fraction;
  readonly perDollar: Fraction;
}

export function noiLine(values: Values): NoiLine {
  const { bill, fixed, perDollar } = taxLine(values, taxOf(values).bill);
  const left = values.of('effective_gross_income').minus(expensesWithoutTax(values));
  return { highest: left.minus(bill), untaxed: cents(left.minus(fixed)), perDollar };
}

/** NOI after and before the reset of the tax, and the one that counts. */
export function recomputeNoi(values: Values): Recomputed {
  const { of, has } = values;
  if (!has('effective_gross_income', 'expense_typical_pct')) {
    return {
      noi_after_reset: null,
      noi_at_current_tax: null,
      noi_underwritten: null,
      operating_expenses: null,
      expense_ratio_pct: null,
    };
  }
  const income = of('effective_gross_income');
  const left = income.minus(expensesWithoutTax(values));
  const noiAt = (tax: Fraction | null): string => left.minus(tax ?? typicalTax(values)).rounded(2);
  const isTaxed = has('tax_after_reset');
  const noi = noiAt(valueIf(isTaxed, () => of('tax_after_reset')));
  const expenses = income.minus(fraction(noi));
  return {
    noi_after_reset: noi,
    noi_at_current_tax: noiAt(valueIf(isTaxed, () => fraction(String(taxOf(values).current)))),
    noi_underwritten: noi,
    operating_expenses: expenses.rounded(2),
    expense_ratio_pct: percent(expenses, income),
  };
}

function dscrReason(values: Values): string | null {
  const { record, has, of, count, assumed } = values;
  if (has('units') && Number(record['units']) < count('minimum_units')) return 'single_unit';
  if (/\b(?:land|lot|vacant)\b/iu.test(String(record['property_type'] ?? ''))) return 'not_income_property';
  if (!isPriced(values)) return has('noi') ? 'price_missing' : 'price_and_noi_missing';
  if (of('loan_amount').isBelow(assumed('minimum_loan'))) return 'loan_below_minimum';
  return has('noi') ? null : 'noi_missing';
}

export const recomputeLoan = (values: Values): Recomputed => ({
  loan_amount: valueIf(isPriced(values), () => values.to2('list_price * loan_to_value')),
});

export const recomputePayment = (values: Values): Recomputed => ({
  monthly_payment: valueIf(isPriced(values), () => values.of('loan_amount').times(monthlyFactorOf(values)).rounded(2)),
});

export const recomputeDebtService = (values: Values): Recomputed => ({
  annual_debt_service: valueIf(isPriced(values), () => values.to2('monthly_payment * 12')),
  dscr_reason: dscrReason(values),
});

export function recomputeDscrStatus(values: Values): Recomputed {
  const { dscr_reason: reason } = values.record;
  if (reason === null) return { dscr_status: 'computed' };
  const isNotApplicable = hasNoIncome(values) || reason === 'loan_below_minimum';
  return { dscr_status: isNotApplicable ? 'not_applicable' : 'insufficient_data' };
}

export function recomputeCoverage(values: Values): Recomputed {
  const { record, to2 } = values;
  const isComputed = record['dscr_status'] === 'computed';
  const isUnderwritten = record['dscr_status'] !== 'not_applicable' && isRented(values) && isPriced(values);
  const costs = 'effective_gross_income - noi_underwritten + annual_debt_service';
  return {
    dscr: valueIf(isComputed, () => to2('noi / annual_debt_service')),
    debt_yield_pct: valueIf(isComputed, () => to2('noi / loan_amount * 100')),
    dscr_underwritten: valueIf(isUnderwritten, () => to2('noi_underwritten / annual_debt_service')),
    break_even_occupancy_pct: valueIf(isUnderwritten, () => to2(`(${costs}) / gross_potential_rent * 100`)),
  };
}

/** Rent over the payment, taxes and insurance, of 2 to 4 units whose expenses are known line by line. */
function rentOverPitia(values: Values): string {
  const lines = values.record['expense_lines'] as readonly ExpenseLine[];
  const insurance = fraction(lines.find(({ line }) => line === 'insurance')?.amount ?? '0');
  return values.to2('gross_potential_rent / (annual_debt_service + tax_after_reset + insurance)', { insurance });
}

/** The loan that a lender sizes, and which limit gives it. */
function sizeLoan(values: Values): { readonly loan: string; readonly binding: string } {
  const { of, assumed } = values;
  const income = of('net_cash_flow');
  if (!fraction(0).isBelow(income)) return { loan: '0.00', binding: 'none' };
  const covered = income.over(assumed('loan_coverage').times(annualConstantOf(values)));
  const loan = minimum(of('loan_amount'), fraction(String(covered.numerator / covered.denominator)));
  if (loan.isBelow(assumed('minimum_loan'))) return { loan: '0.00', binding: 'minimum_loan' };
  return { loan: loan.rounded(2), binding: loan.isBelow(of('loan_amount')) ? 'debt_coverage' : 'loan_to_value' };
}

export const recomputeNetCashFlow = (values: Values): Recomputed => ({
  net_cash_flow: valueIf(values.has('noi_underwritten'), () => values.to2('noi_underwritten - reserves')),
});

export function recomputeSizedLoan(values: Values): Recomputed {
  const { record, of, has, count, by } = values;
  const isSized = has('dscr_underwritten');
  const sized = valueIf(isSized, () => sizeLoan(values));
  const payment = sized && fraction(fraction(sized.loan).times(monthlyFactorOf(values)).rounded(2));
  const service = payment && payment.times(fraction(12));
  const cashFlow = service && of('net_cash_flow').minus(service);
  const cash =
    sized && by('list_price - loan + round2(list_price * closing_cost_share)', { loan: fraction(sized.loan) });
  const isSmall = has('units') && Number(record['units']) <= count('small_units_max');
  const hasPitia = isSized && isSmall;
  return {
    rent_over_pitia: valueIf(hasPitia, () => rentOverPitia(values)),
    loan_sized: sized && sized.loan,
    loan_binding: sized && sized.binding,
    debt_service_sized: service && service.rounded(2),
    cash_flow_after_debt: cashFlow && cashFlow.rounded(2),
    cash_needed: cash && cash.rounded(2),
    cash_on_cash_pct: cashFlow && cash && percent(cashFlow, cash),
  };
}
