/** Recomputes a deal's income, taxes, expenses and NOI. */
import { fraction, type Fraction } from '../../../lib/fraction.ts';
import { blend, weightsBySize } from './blend.ts';
import { cents, isPriced, isRented, percent, valueIf, type Recomputed, type Values } from './record.ts';

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
  const { of, assumed } = values;
  const ratio = assumed(`expense_ratio_${proxySize(values)}`).plus(ageAdjustment(values));
  return of('units')
    .times(of('market_rent_2br'))
    .times(fraction(1).minus(assumed('utility_share')))
    .times(assumed('months_per_year'))
    .times(fraction(1).minus(assumed('vacancy')))
    .times(fraction(1).minus(ratio))
    .rounded(2);
}

/** Gross potential rent and effective income. */
export function recomputeIncome(values: Values): Recomputed {
  const { of, assumed } = values;
  const noiOfProxy = valueIf(isRented(values), () => proxyNoi(values));
  if (noiOfProxy === null) return { noi_hud_2br: null, gross_potential_rent: null, effective_gross_income: null };
  if (!values.has('contract_rent')) return { noi_hud_2br: noiOfProxy };
  const gross = of('units').times(of('contract_rent')).times(assumed('months_per_year')).rounded(2);
  const income = fraction(gross).times(fraction(1).minus(share(of('vacancy_pct'))));
  return { noi_hud_2br: noiOfProxy, gross_potential_rent: gross, effective_gross_income: income.rounded(2) };
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
    values
      .of('units')
      .times(cents(bySize(values, 'reserves_per_unit')))
      .rounded(2),
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
  const taxed = values
    .of('list_price')
    .times(share(fraction(tax.rate_pct)))
    .times(fraction(tax.class_factor));
  const atPrice = taxed.rounded(2);
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
  (record['expense_lines'] as readonly ExpenseLine[])
    .filter(({ line }) => line !== 'property_tax')
    .reduce((sum, { amount }) => sum.plus(fraction(amount)), fraction(0));

const typicalTax = ({ of, assumed }: Values): Fraction =>
  cents(of('effective_gross_income').times(assumed('typical_tax_share')));

/** The lines other than the tax, drawn toward the typical ratio. */
function expensesWithoutTax(values: Values): Fraction {
  const { of, assumed } = values;
  const typical = of('effective_gross_income')
    .times(share(of('expense_typical_pct')))
    .minus(typicalTax(values));
  const weight = assumed('typical_weight');
  return cents(otherLines(values).times(fraction(1).minus(weight)).plus(typical.times(weight)));
}

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
