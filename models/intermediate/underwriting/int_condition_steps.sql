-- One row per property: repairs, taper and stressed coverage as formulas over named inputs, each with its result.
-- Figures and assumptions are columns under the names that formulas use.
-- Key: id

with

terms as (
  select
    assumption('old_before_year') as old_before_year,
    assumption('new_from_year') as new_from_year,
    assumption('upfront_repairs_old') as upfront_repairs_old,
    assumption('upfront_repairs_middle') as upfront_repairs_middle,
    assumption('upfront_repairs_new') as upfront_repairs_new,
    assumption('upfront_repairs_age_unknown') as upfront_repairs_age_unknown,
    assumption('proxy_low_multiple') as proxy_low_multiple,
    assumption('proxy_high_multiple') as proxy_high_multiple,
    assumption('taper_price_per_unit_from') as taper_price_per_unit_from,
    assumption('taper_price_per_unit_span') as taper_price_per_unit_span,
    assumption('taper_cap_to_pct') as taper_cap_to_pct,
    assumption('taper_cap_span_pct') as taper_cap_span_pct,
    assumption('taper_low_multiple_span') as taper_low_multiple_span,
    assumption('taper_high_multiple_span') as taper_high_multiple_span,
    assumption('months_per_year') as months_per_year,
    assumption('loan_coverage') as loan_coverage,
    as_text(annual_constant) as annual_constant,
    assumption('stress_coverage_rent') as stress_coverage_rent,
    as_text(stressed_monthly_factor) as stressed_monthly_factor
  from int_loan_rates
),

figures as (
  select
    condition.*,
    stressed.* exclude (id),
    underwriting.list_price,
    underwriting.units,
    underwriting.price_per_unit,
    underwriting.market_rent_2br,
    underwriting.effective_gross_income,
    underwriting.variable_expenses,
    underwriting.reserves,
    underwriting.noi_underwritten,
    underwriting.noi_scoring,
    underwriting.cap_rate_underwritten,
    underwriting.loan_amount,
    case when properties.year_built <= extract(year from properties.as_of) then properties.year_built end as year_built
  from int_condition as condition
  join int_stressed_coverage as stressed on stressed.id = condition.id
  join int_underwriting as underwriting on underwriting.id = condition.id
  join int_properties as properties on properties.id = condition.id
),

-- Formulas take every value as text
texts as (
  select cast(columns(*) as varchar)
  from figures
)

select
  id,
  steps_of([
    -- Repairs and yield on cost
    step(
      'upfront_repairs_per_unit',
      case
        when year_built is null then 'upfront_repairs_age_unknown'
        when cast(year_built as integer) < cast(old_before_year as integer) then 'upfront_repairs_old'
        when cast(year_built as integer) >= cast(new_from_year as integer) then 'upfront_repairs_new'
        else 'upfront_repairs_middle'
      end,
      struct_pack(upfront_repairs_age_unknown, upfront_repairs_old, upfront_repairs_middle, upfront_repairs_new),
      upfront_repairs_per_unit
    ),
    step(
      'upfront_repairs',
      'round2(upfront_repairs_per_unit * units)',
      struct_pack(upfront_repairs_per_unit, units),
      upfront_repairs
    ),
    step(
      'yield_on_cost_pct',
      'round2(noi_scoring / (list_price + upfront_repairs) * 100)',
      struct_pack(noi_scoring, list_price, upfront_repairs),
      yield_on_cost_pct
    ),

    -- Share of the points that counts
    step(
      'price_to_rent',
      'round2(price_per_unit / market_rent_2br)',
      struct_pack(price_per_unit, market_rent_2br),
      price_to_rent
    ),
    step(
      'score_share_pct',
      'round2(100 * min(min('
        || 'clamp((price_per_unit - taper_price_per_unit_from) / taper_price_per_unit_span), '
        || 'clamp((taper_cap_to_pct - cap_rate_underwritten) / taper_cap_span_pct)), min('
        || 'clamp((price_to_rent - proxy_low_multiple) / taper_low_multiple_span), '
        || 'clamp((proxy_high_multiple - price_to_rent) / taper_high_multiple_span))))',
      struct_pack(
        price_per_unit, taper_price_per_unit_from, taper_price_per_unit_span, taper_cap_to_pct,
        cap_rate_underwritten, taper_cap_span_pct, price_to_rent, proxy_low_multiple, taper_low_multiple_span,
        proxy_high_multiple, taper_high_multiple_span
      ),
      score_share_pct
    ),

    -- Stressed coverage
    step(
      'noi_stressed',
      'round2(noi_underwritten + stress_coverage_rent * (effective_gross_income - variable_expenses))',
      struct_pack(noi_underwritten, stress_coverage_rent, effective_gross_income, variable_expenses),
      noi_stressed
    ),
    step(
      'loan_supported',
      'min(loan_amount, floor_to(max(0, noi_underwritten - reserves)'
        || ' / (loan_coverage * annual_constant), 1))',
      struct_pack(loan_amount, noi_underwritten, reserves, loan_coverage, annual_constant),
      loan_supported
    ),
    step(
      'payment_stressed',
      'round2(loan_supported * stressed_monthly_factor)',
      struct_pack(loan_supported, stressed_monthly_factor),
      payment_stressed
    ),
    step(
      'debt_service_stressed',
      'round2(months_per_year * payment_stressed)',
      struct_pack(months_per_year, payment_stressed),
      debt_service_stressed
    ),
    step(
      'dscr_stressed',
      'round2((noi_stressed - reserves) / debt_service_stressed)',
      struct_pack(noi_stressed, reserves, debt_service_stressed),
      dscr_stressed
    )
  ]) as steps
from texts
cross join terms
