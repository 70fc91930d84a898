/**
 * A sceptic with nothing but a published record, the published assumptions and the snapshot's day: makes every figure
 * of it again, in whole-number fractions, by the formulas of docs/underwriting.md.
 */
import { clamped, least, q, type Q } from './fractions.ts';
import { uuid5 } from './given.ts';

/** A record in JSON form; JSON columns parsed. */
export type Shown = Readonly<Record<string, unknown>>;
type Made = Record<string, unknown>;

/** The published assumptions by key. */
export type Assumed = (key: string) => string;

const dayOf = (instant: unknown): number => Date.parse(`${String(instant).slice(0, 10)}T00:00:00Z`) / 86_400_000;
const percent = (n: Q, d: Q): string => n.over(d).times(q(100)).rounded(2);
const smaller = (a: number, b: number): number => Math.min(a, b);

/** Every figure, status and reason of a deal that follows from others it shows. */
export function dealAgain(r: Shown, a: Assumed, asOf: string): Made {
  const out: Made = {};
  const given = (...fields: string[]): boolean => fields.every((f) => r[f] !== null);
  const v = (field: string): Q => q(String(r[field]));
  const A = (key: string): Q => q(a(key));
  const n = (key: string): number => Number(a(key));
  const when = <T>(condition: boolean, make: () => T): T | null => (condition ? make() : null);
  const units = Number(r['units']);
  const [priced, rented] = [given('list_price'), given('units', 'market_rent_2br')];

  // Property and time
  out['id'] = uuid5(
    r['address_key'] === null
      ? `listing|${String(r['source'])}|${String(r['listing_id'])}`
      : `deal|${String(r['address_key'])}|${String(r['zip'])}`,
  );
  out['days_on_feed'] = Math.max(0, dayOf(r['delisted_on'] ?? asOf) - dayOf(r['first_seen']));
  out['price_per_unit'] = when(priced && given('units'), () => v('list_price').over(q(units)).rounded(2));
  out['price_reduction_pct'] = when(priced, () =>
    v('first_price').below(v('list_price'))
      ? '0.00'
      : percent(v('first_price').minus(v('list_price')), v('first_price')),
  );

  // Income
  const band =
    units <= n('small_units_max')
      ? '2_4'
      : units <= n('medium_units_max')
        ? '5_12'
        : units <= n('large_units_max')
          ? '13_50'
          : '51_up';
  const year = r['year_built'] === null ? null : Number(r['year_built']);
  const age =
    year === null
      ? q(0)
      : year < n('old_before_year')
        ? A('expense_old_adjustment')
        : year >= n('new_from_year')
          ? A('expense_new_adjustment')
          : q(0);
  out['expense_ratio_pct'] = when(given('units'), () => A(`expense_ratio_${band}`).plus(age).times(q(100)).rounded(2));
  const gross = when(rented, () =>
    q(units)
      .times(v('market_rent_2br'))
      .times(q(1).minus(A('utility_share')))
      .times(A('months_per_year')),
  );
  const income = gross && gross.times(q(1).minus(A('vacancy')));
  out['gross_potential_rent'] = gross && gross.rounded(2);
  out['effective_gross_income'] = income && income.rounded(2);
  out['noi_underwritten'] =
    income &&
    income
      .times(q(100).minus(v('expense_ratio_pct')))
      .over(q(100))
      .rounded(2);
  out['cap_rate_underwritten'] = when(rented && priced, () => percent(v('noi_underwritten'), v('list_price')));
  out['gross_rent_multiplier'] = when(rented && priced, () =>
    v('list_price').over(v('gross_potential_rent')).rounded(2),
  );

  // Claim
  const [stated, advertised] = [r['noi_source'] === 'stated', r['cap_rate_source'] === 'advertised'];
  const claimed = r['noi_source'] === 'stated' || r['noi_source'] === 'derived_from_advertised_cap';
  out['noi'] = stated
    ? r['noi']
    : advertised && priced
      ? v('list_price').times(v('cap_rate')).over(q(100)).rounded(2)
      : r['noi_underwritten'];
  out['noi_source'] = stated
    ? 'stated'
    : advertised && priced
      ? 'derived_from_advertised_cap'
      : rented
        ? 'underwritten'
        : null;
  out['cap_rate'] = advertised ? r['cap_rate'] : when(stated && priced, () => percent(v('noi'), v('list_price')));
  out['cap_gap_pct'] = when(given('cap_rate', 'cap_rate_underwritten'), () =>
    v('cap_rate').minus(v('cap_rate_underwritten')).rounded(2),
  );
  const apart = stated && advertised && priced ? q(percent(v('noi'), v('list_price'))).minus(v('cap_rate')) : null;
  out['claim_consistency'] =
    apart === null
      ? 'not_checkable'
      : A('claim_tolerance').below(apart) || A('claim_tolerance').below(q(0).minus(apart))
        ? 'inconsistent'
        : 'consistent';

  // Does the proxy fit
  const perUnit = (multiple: string): Q => A(multiple).times(v('market_rent_2br')).times(q(units));
  out['underwrite_reason'] = !priced
    ? 'price_missing'
    : !given('units')
      ? 'units_missing'
      : !given('market_rent_2br')
        ? 'rent_missing'
        : perUnit('proxy_high_multiple').below(v('list_price'))
          ? 'price_per_unit_above_144x_monthly_2br_rent'
          : v('list_price').below(perUnit('proxy_low_multiple'))
            ? 'price_per_unit_below_24x_monthly_2br_rent'
            : null;
  out['underwrite_reliability'] =
    out['underwrite_reason'] === null
      ? 'ok'
      : out['underwrite_reason'] === 'price_per_unit_above_144x_monthly_2br_rent'
        ? 'proxy_out_of_range'
        : 'unknown';
  const ok = r['underwrite_reliability'] === 'ok';

  // Debt
  out['loan_amount'] = when(priced, () => v('list_price').times(A('loan_to_value')).rounded(2));
  out['monthly_payment'] = when(priced, () => v('loan_amount').times(A('loan_monthly_factor')).rounded(2));
  out['annual_debt_service'] = when(priced, () => v('monthly_payment').times(q(12)).rounded(2));
  const isLand = /\b(?:land|lot|vacant)\b/iu.test(String(r['property_type'] ?? ''));
  out['dscr_reason'] =
    given('units') && units < n('minimum_units')
      ? 'single_unit'
      : isLand
        ? 'not_income_property'
        : priced && v('loan_amount').below(A('minimum_loan'))
          ? 'loan_below_minimum'
          : !priced
            ? given('noi')
              ? 'price_missing'
              : 'price_and_noi_missing'
            : given('noi')
              ? null
              : 'noi_missing';
  const noIncome = ['single_unit', 'not_income_property'].includes(String(out['dscr_reason']));
  out['dscr_status'] =
    out['dscr_reason'] === null
      ? 'computed'
      : noIncome || out['dscr_reason'] === 'loan_below_minimum'
        ? 'not_applicable'
        : 'insufficient_data';
  const computed = r['dscr_status'] === 'computed';
  out['dscr'] = when(computed, () => v('noi').over(v('annual_debt_service')).rounded(2));
  out['debt_yield_pct'] = when(computed, () => percent(v('noi'), v('loan_amount')));
  const figured = r['dscr_status'] !== 'not_applicable' && rented && priced;
  out['dscr_underwritten'] = when(figured, () => v('noi_underwritten').over(v('annual_debt_service')).rounded(2));
  out['break_even_occupancy_pct'] = when(figured, () =>
    percent(
      v('effective_gross_income').minus(v('noi_underwritten')).plus(v('annual_debt_service')),
      v('gross_potential_rent'),
    ),
  );

  // What scores use
  const scored = ok && !noIncome;
  out['noi_scoring'] = when(scored, () =>
    least(
      v('noi_underwritten'),
      q((claimed ? v('noi') : v('noi_underwritten')).plus(v('noi_underwritten')).over(q(2)).rounded(2)),
    ).rounded(2),
  );
  out['cap_scoring_pct'] = when(scored, () => percent(v('noi_scoring'), v('list_price')));
  const afterReserves = (): Q => v('noi_scoring').minus(A('reserves_per_unit').times(q(units)));
  out['coverage_scoring'] = when(scored, () => afterReserves().over(v('annual_debt_service')).rounded(2));

  // Motivation and distress
  const cut = priced ? Number(A('motivation_points_per_cut_pct').times(v('price_reduction_pct')).rounded(0)) : 0;
  out['motivation_price_cut'] = smaller(n('motivation_cut_max'), cut);
  out['motivation_days'] = smaller(
    n('motivation_days_max'),
    Number(
      A('motivation_days_max')
        .times(q(Number(r['days_on_feed'])))
        .over(A('motivation_days_full'))
        .rounded(0),
    ),
  );
  out['motivation_score'] = Number(r['motivation_price_cut']) + Number(r['motivation_days']);
  const matches = r['distress_matches'] as { kind: string; amount: string | null; sale_date: string | null }[];
  const [debts, sales] = [
    matches.filter((m) => m.kind === 'tax_delinquent'),
    matches.filter((m) => m.kind === 'sheriff_sale'),
  ];
  const owed = debts.reduce((sum, m) => (m.amount === null ? sum : sum.plus(q(m.amount))), q(0));
  const forAmount =
    priced && debts.some((m) => m.amount !== null)
      ? Number(
          A('distress_tax_points_per_pct')
            .times(q(percent(owed, v('list_price'))))
            .rounded(0),
        )
      : 0;
  const soonest = Math.min(...sales.map((m) => dayOf(m.sale_date) - dayOf(asOf)));
  out['distress_score'] = smaller(
    n('distress_max'),
    (debts.length > 0 ? n('distress_tax') + smaller(n('distress_tax_amount_max'), forAmount) : 0) +
      (sales.length > 0
        ? n('distress_sale') + (soonest <= n('distress_sale_soon_days') ? n('distress_sale_soon') : 0)
        : 0),
  );
  const coverage = Object.values(r['distress_coverage'] as Record<string, string>).filter(
    (c) => c === 'covered',
  ).length;
  out['distress_status'] =
    matches.length > 0
      ? 'matched'
      : r['address_key'] === null
        ? 'address_unknown'
        : ['county_not_covered', 'partly_covered', 'none_found'][coverage];

  // Deal score
  const part = (value: () => Q, what: string, from: string, span: string): number =>
    scored
      ? Number(
          clamped(value().minus(A(from)).over(A(span)))
            .times(A(`score_${what}_weight`))
            .rounded(0),
        )
      : 0;
  out['deal_score_yield'] = part(() => v('cap_scoring_pct'), 'yield', 'score_yield_from_pct', 'score_yield_span_pct');
  out['deal_score_coverage'] = part(
    () => v('coverage_scoring'),
    'coverage',
    'score_coverage_from',
    'score_coverage_span',
  );
  out['deal_score_motivation'] = Number(
    v('motivation_score').times(A('score_motivation_weight')).over(q(100)).rounded(0),
  );
  out['deal_score_distress'] = Number(v('distress_score').times(A('score_distress_weight')).over(q(100)).rounded(0));
  out['deal_score'] = ['yield', 'coverage', 'motivation', 'distress'].reduce(
    (sum, what) => sum + Number(r[`deal_score_${what}`]),
    0,
  );

  // Confidence
  const old = dayOf(asOf) - dayOf(r['last_verified']);
  const gap =
    r['cap_gap_pct'] === null ? null : v('cap_gap_pct').below(q(0)) ? q(0).minus(v('cap_gap_pct')) : v('cap_gap_pct');
  const zip = String(r['rent_basis']).startsWith('zip');
  const parts = {
    price_verified: !priced
      ? '0'
      : old <= n('confidence_fresh_days')
        ? a('confidence_price_fresh')
        : old <= n('confidence_recent_days')
          ? a('confidence_price_recent')
          : a('confidence_price_old'),
    units_known: given('units') ? a('confidence_units') : '0',
    rent_proxy: ok ? a(zip ? 'confidence_rent_zip' : 'confidence_rent_metro') : '0',
    noi_source:
      r['noi_source'] === null
        ? '0'
        : a(
            `confidence_noi_${r['noi_source'] === 'derived_from_advertised_cap' ? 'derived' : String(r['noi_source'])}`,
          ),
    agreement: !ok
      ? '0'
      : gap === null
        ? a('confidence_gap_none')
        : !A('confidence_gap_small_points').below(gap)
          ? a('confidence_gap_small')
          : !A('confidence_gap_medium_points').below(gap)
            ? a('confidence_gap_medium')
            : '0',
    reliability: ok
      ? a('confidence_reliable')
      : r['underwrite_reliability'] === 'unknown'
        ? a('confidence_reliability_unknown')
        : '0',
    year_built: year === null ? '0' : a('confidence_year_built'),
  };
  out['confidence_parts'] = Object.fromEntries(Object.entries(parts).map(([k, x]) => [k, q(x).rounded(2)]));
  out['confidence_score'] = Object.values(parts)
    .reduce((sum, x) => sum.plus(q(x)), q(0))
    .rounded(2);

  // Paths
  const reaches = (value: Q, key: string): boolean => !value.below(A(key));
  out['rental_status'] = !scored
    ? 'Pass'
    : reaches(v('coverage_scoring'), 'rental_hot_coverage') && reaches(v('cap_scoring_pct'), 'rental_hot_cap_pct')
      ? 'Hot'
      : reaches(v('coverage_scoring'), 'rental_warm_coverage') && reaches(v('cap_scoring_pct'), 'rental_warm_cap_pct')
        ? 'Warm'
        : 'Pass';
  const mao = when(rented, () =>
    q(
      q(v('noi_underwritten').over(A('wholesale_arv_cap_pct')).times(q(100)).rounded(2))
        .times(A('wholesale_share'))
        .minus(A('wholesale_repairs_per_unit').times(q(units)))
        .minus(A('wholesale_fee'))
        .rounded(2),
    ),
  );
  out['wholesale_status'] =
    !scored || mao === null
      ? 'Pass'
      : !mao.below(v('list_price'))
        ? 'Hot'
        : !mao.times(A('wholesale_warm_multiple')).below(v('list_price')) &&
            Number(r['motivation_score']) >= n('wholesale_warm_motivation')
          ? 'Warm'
          : 'Pass';
  const pressure = Math.max(Number(r['motivation_score']), Number(r['distress_score']));
  const sellerPayment = when(priced, () =>
    q(
      q(
        v('list_price')
          .times(q(1).minus(A('seller_down_share')))
          .rounded(2),
      )
        .times(A('seller_monthly_factor'))
        .rounded(2),
    ),
  );
  const sellerCoverage =
    scored && sellerPayment
      ? q(
          afterReserves()
            .over(sellerPayment.times(q(12)))
            .rounded(2),
        )
      : q(0);
  out['creative_finance_status'] = !scored
    ? 'Pass'
    : reaches(sellerCoverage, 'creative_hot_coverage') && pressure >= n('creative_hot_motivation')
      ? 'Hot'
      : reaches(sellerCoverage, 'creative_warm_coverage') && pressure >= n('creative_warm_motivation')
        ? 'Warm'
        : 'Pass';

  // Offer
  const basis =
    scored && q(0).below(v('noi_scoring'))
      ? v('noi_scoring')
      : !scored && !noIncome && r['underwrite_reliability'] === 'proxy_out_of_range' && claimed && q(0).below(v('noi'))
        ? v('noi')
        : null;
  out['offer_status'] = noIncome
    ? 'not_applicable'
    : scored
      ? basis
        ? 'computed'
        : 'noi_not_positive'
      : r['underwrite_reliability'] === 'proxy_out_of_range'
        ? basis
          ? 'claimed_basis_unverified'
          : 'proxy_out_of_range_without_claim'
        : r['underwrite_reason'] === 'price_per_unit_below_24x_monthly_2br_rent'
          ? 'price_below_proxy_range'
          : 'insufficient_data';
  const [target, lenders] = [
    A('target_cap_pct').over(q(100)),
    A('offer_coverage').times(A('loan_to_value')).times(A('loan_annual_constant')),
  ];
  const down = (x: Q): Q => q(String((x.n / (x.d * BigInt(a('offer_step')))) * BigInt(a('offer_step'))));
  const ratio = given('expense_ratio_pct') ? v('expense_ratio_pct').over(q(100)) : q(0);
  const high = basis && down(least(v('list_price'), least(basis.over(target), basis.over(lenders))));
  const stressed =
    basis &&
    basis
      .over(target)
      .times(q(1).plus(A('stress_rent')))
      .times(
        q(1)
          .minus(A('vacancy'))
          .minus(A('stress_vacancy'))
          .over(q(1).minus(A('vacancy'))),
      )
      .times(q(1).minus(ratio).minus(A('stress_expenses')).over(q(1).minus(ratio)));
  out['offer_high'] = high && high.rounded(2);
  out['offer_low'] = high && stressed && least(high, down(stressed)).rounded(2);
  const fits = (divisor: Q): boolean => basis !== null && !basis.below(v('list_price').times(divisor));
  out['offer_binding'] =
    basis && (fits(target) && fits(lenders) ? 'list_price' : target.below(lenders) ? 'debt_coverage' : 'target_cap');
  out['ask_at_or_below_target_value'] = basis && fits(target);
  return out;
}

/** Every figure of a lead that follows from others it shows. */
export function leadAgain(r: Shown, a: Assumed, asOf: string): Made {
  const n = (key: string): number => Number(a(key));
  const A = (key: string): Q => q(a(key));
  const [age, sale] = [dayOf(asOf) - dayOf(r['last_verified']), r['lead_type'] === 'sheriff_sale_auction'];
  const kind = sale ? 'auction' : 'tax';
  const fresh = n(
    age <= n('lead_fresh_days') ? `${kind}_fresh` : age <= n('lead_recent_days') ? `${kind}_recent` : `${kind}_old`,
  );
  const others = (r['corroboration'] as { kind: string }[]).map((c) => c.kind);
  const away = r['owner_location'];
  const out: Made = {
    verified_age_days: age,
    freshness: age <= 1 ? 'within_1_day' : age <= 3 ? 'within_3_days' : 'within_7_days',
  };
  if (sale) {
    const [appraised, bid] = [r['appraised_value'], r['opening_bid']];
    const gap =
      appraised === null || bid === null
        ? null
        : percent(q(String(appraised)).minus(q(String(bid))), q(String(appraised)));
    out['appraisal_discount_pct'] = gap;
    const days = dayOf(r['sale_date']) - dayOf(asOf);
    const step = [1, 2, 3, 4].find((s) => days <= n(`auction_days_${s}`)) ?? 5;
    out['score_parts'] = {
      base: n('auction_base'),
      equity_gap:
        r['opening_bid_basis'] === 'no_minimum_second_sale'
          ? n('auction_gap_max')
          : gap === null
            ? 0
            : Math.max(
                0,
                smaller(n('auction_gap_max'), Number(A('auction_gap_points_per_pct').times(q(gap)).rounded(0))),
              ),
      urgency: n(`auction_urgency_${step}`),
      corroboration: others.length > 0 ? n('auction_corroboration') : 0,
      absentee: away === 'in_state' || away === 'out_of_state' ? n('auction_absentee') : 0,
      freshness: fresh,
    };
  } else {
    const [amount, value] = [q(String(r['amount'])), r['county_value']];
    const ratio = value === null ? null : percent(amount, q(String(value)));
    out['amount_to_value_pct'] = ratio;
    out['score_parts'] = {
      base: n('tax_base'),
      amount_to_value:
        ratio === null
          ? smaller(n('tax_amount_max'), Number(amount.over(A('tax_amount_per_point')).rounded(0)))
          : Number(
              clamped(q(ratio).minus(A('tax_value_from_pct')).over(A('tax_value_span_pct')))
                .times(A('tax_value_max'))
                .rounded(0),
            ),
      years_delinquent:
        r['years_delinquent'] === null
          ? 0
          : smaller(n('tax_years_max'), n('tax_points_per_year') * Number(r['years_delinquent'])),
      absentee_owner:
        away === 'out_of_state' ? n('tax_absentee_out_of_state') : away === 'in_state' ? n('tax_absentee_in_state') : 0,
      corroboration: others.includes('sheriff_sale')
        ? n('tax_corroboration_sale')
        : others.includes('listing')
          ? n('tax_corroboration_listing')
          : 0,
      freshness: fresh,
    };
  }
  out['lead_score'] = Object.values(out['score_parts'] as Record<string, number>).reduce((sum, p) => sum + p, 0);
  return out;
}
