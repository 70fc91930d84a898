-- One row per property: repairs by age of building, the yield on price and repairs, and the share of yield and coverage
-- points that count. The share tapers from all to nothing on the way to a price that means a typing error or a ruin,
-- and to a price at which HUD's rent no longer fits, so that no limit is a cliff.
-- Key: id

with

inputs as (
  select
    underwriting.id,
    underwriting.list_price,
    underwriting.units,
    underwriting.price_per_unit,
    underwriting.market_rent_2br,
    underwriting.noi_scoring,
    underwriting.cap_rate_underwritten,
    -- A future year is a typing error
    case when properties.year_built <= extract(year from properties.as_of) then properties.year_built end as year_built,
    terms.*
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
  cross join terms
),

repairs as (
  select
    *,
    case
      when year_built is null then upfront_repairs_age_unknown
      when year_built < old_before_year then upfront_repairs_old
      when year_built >= new_from_year then upfront_repairs_new
      else upfront_repairs_middle
    end as upfront_repairs_per_unit,
    rounded(upfront_repairs_per_unit * units) as upfront_repairs,
    percentage(noi_scoring, list_price + upfront_repairs) as yield_on_cost_pct,
    case when noi_scoring is not null then quotient(price_per_unit, market_rent_2br) end as price_to_rent
  from inputs
),

shares as (
  select
    *,
    share_pct(price_per_unit, taper_price_per_unit_from, taper_price_per_unit_span) as price_share,
    share_below_pct(cap_rate_underwritten, taper_cap_to_pct, taper_cap_span_pct) as cap_share,
    share_pct(price_to_rent, proxy_low_multiple, taper_low_multiple_span) as low_multiple_share,
    share_below_pct(price_to_rent, proxy_high_multiple, taper_high_multiple_span) as high_multiple_share,
    case when noi_scoring is not null then least(price_share, cap_share, low_multiple_share) end as condition_share,
    case
      when noi_scoring is not null then least(price_share, cap_share, low_multiple_share, high_multiple_share)
    end as score_share_pct
  from repairs
)

select
  id,
  upfront_repairs_per_unit,
  upfront_repairs,
  yield_on_cost_pct,
  price_to_rent,
  score_share_pct,
  case
    when noi_scoring is null then 'not_scored'
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
from shares
