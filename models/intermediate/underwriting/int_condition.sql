-- One row per property: repairs by age of building, the yield on price and repairs, and the share of yield and coverage
-- points that count. The share tapers from all to nothing on the way to a price that means a typing error or a ruin,
-- and to a price at which HUD's rent no longer fits, so that no limit is a cliff.
-- Key: id

with

terms as (
  select
    assumption('old_before_year')::integer as old_before_year,
    assumption('new_from_year')::integer as new_from_year,
    assumption('upfront_repairs_old')::decimal(14, 2) as upfront_repairs_old,
    assumption('upfront_repairs_middle')::decimal(14, 2) as upfront_repairs_middle,
    assumption('upfront_repairs_new')::decimal(14, 2) as upfront_repairs_new,
    assumption('upfront_repairs_age_unknown')::decimal(14, 2) as upfront_repairs_age_unknown,
    assumption('proxy_low_multiple')::decimal(6, 0) as proxy_low_multiple,
    assumption('proxy_high_multiple')::decimal(6, 0) as proxy_high_multiple,
    assumption('taper_price_per_unit_from')::decimal(14, 2) as price_from,
    assumption('taper_price_per_unit_span')::decimal(14, 2) as price_span,
    assumption('taper_cap_to_pct')::decimal(6, 2) as cap_to,
    assumption('taper_cap_span_pct')::decimal(6, 2) as cap_span,
    assumption('taper_low_multiple_span')::decimal(6, 2) as low_multiple_span,
    assumption('taper_high_multiple_span')::decimal(6, 2) as high_multiple_span
),

inputs as (
  select
    underwriting.id,
    underwriting.list_price,
    underwriting.units,
    underwriting.price_per_unit,
    underwriting.noi_scoring,
    underwriting.cap_rate_underwritten,
    quotient(underwriting.price_per_unit, underwriting.market_rent_2br) as price_to_rent,
    -- A future year is a typing error
    case when properties.year_built <= extract(year from properties.as_of) then properties.year_built end as year_built
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
),

repairs as (
  select
    inputs.*,
    case
      when year_built is null then upfront_repairs_age_unknown
      when year_built < old_before_year then upfront_repairs_old
      when year_built >= new_from_year then upfront_repairs_new
      else upfront_repairs_middle
    end as upfront_repairs_per_unit
  from inputs
  cross join terms
),

shares as (
  select
    repairs.*,
    share_pct(price_per_unit, price_from, price_span) as price_share,
    share_pct(cap_to - cap_rate_underwritten, 0, cap_span) as cap_share,
    share_pct(price_to_rent - proxy_low_multiple, 0, low_multiple_span) as low_multiple_share,
    share_pct(proxy_high_multiple - price_to_rent, 0, high_multiple_span) as high_multiple_share,
    least(price_share, cap_share, low_multiple_share) as condition_share
  from repairs
  cross join terms
),

least_shares as (
  select
    shares.*,
    case when noi_scoring is not null then least(condition_share, high_multiple_share) end::decimal(14, 2)
      as score_share_pct
  from shares
)

select
  id,
  upfront_repairs_per_unit,
  rounded(upfront_repairs_per_unit * units) as upfront_repairs,
  percentage(noi_scoring, list_price + rounded(upfront_repairs_per_unit * units)) as yield_on_cost_pct,
  case when noi_scoring is not null then price_to_rent end as price_to_rent,
  score_share_pct,
  case
    when score_share_pct is null then 'not_scored'
    when score_share_pct = 100 then 'none'
    when score_share_pct = condition_share then 'condition_risk'
    else 'near_upper_proxy_limit'
  end as score_limit,
  case
    when noi_scoring is null then 'not_evaluated'
    when condition_share = 100 then 'none'
    when price_share = condition_share then 'low_price_per_unit'
    when cap_share = condition_share then 'high_cap_rate'
    else 'low_price_to_rent'
  end as condition_risk
from least_shares
