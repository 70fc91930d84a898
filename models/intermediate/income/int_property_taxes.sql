-- One row per property: the property tax of today, and the tax after a sale at the asking price. The state's rule says
-- which share of the value is set anew by a sale, and how rental buildings are taxed against homes of owners. At any
-- price P, the tax after a sale is max(tax_floor, tax_fixed + tax_per_dollar x P); offers use it at their own price.
-- Key: id
-- Not null: tax_rate_pct, tax_rate_basis, tax_class_factor, tax_reset_share, tax_per_dollar, tax_rule_basis
-- Not null: tax_current_basis

with

-- The bill of the one parcel at exactly this address
parcel_bills as (
  select
    properties.id,
    any_value(parcels.annual_taxes) as annual_taxes,
    any_value(parcels.source) as source
  from int_properties as properties
  join stg_parcels as parcels
    on parcels.address_key = properties.address_key
    and parcels.zip = properties.zip
  where parcels.annual_taxes > 0
  group by properties.id
  having count(*) = 1
),

inputs as (
  select
    properties.id,
    properties.list_price,
    parcel_bills.annual_taxes as parcel_bill,
    -- The county's own bill takes precedence over the broker's figure
    coalesce(parcel_bills.annual_taxes, properties.annual_taxes) as tax_bill,
    coalesce(census.county_tax_rate_pct, census.metro_tax_rate_pct, terms.default_tax_rate_pct) as tax_rate_pct,
    case
      when census.county_tax_rate_pct is not null and census.is_only_county then 'county'
      when census.county_tax_rate_pct is not null then 'largest_county_of_area'
      when census.metro_tax_rate_pct is not null then census.metro_basis
      else 'declared'
    end as tax_rate_basis,
    case when properties.units >= rules.class_factor_from_units then rules.class_factor else 1 end::decimal(16, 4)
      as tax_class_factor,
    coalesce(rules.reset_share, terms.default_tax_reset_share)::decimal(16, 4) as tax_reset_share,
    case
      when rules.state is null then 'declared'
      when rules.confirmed then 'confirmed'
      else 'unconfirmed'
    end as tax_rule_basis,
    rules.statute as tax_rule_statute,
    terms.*
  from int_properties as properties
  join int_market_rents as rents on rents.id = properties.id
  left join int_census_areas as census on census.hud_area_code = rents.rent_area_code
  left join ref_tax_rules as rules on rules.state = properties.state
  left join parcel_bills on parcel_bills.id = properties.id
  cross join terms
),

-- A bill far from the tax at the price is a typing error, or an exemption that a sale ends: it counts up to a limit
limits as (
  select
    *,
    rounded(wide(list_price) * as_share(tax_rate_pct) * tax_class_factor) as tax_at_price,
    rounded(wide(tax_at_price) * tax_bill_least_multiple) as tax_bill_least,
    rounded(wide(tax_at_price) * tax_bill_most_multiple) as tax_bill_most
  from inputs
),

taxes as (
  select
    *,
    case
      when list_price is null then null
      when tax_bill is null then tax_at_price
      else least(tax_bill_most, greatest(tax_bill_least, tax_bill))
    end as tax_current,
    wide(tax_current) * (1 - tax_reset_share) as tax_fixed,
    tax_class_factor * as_share(tax_rate_pct) * tax_reset_share as tax_per_dollar,
    -- No known bill is a floor yet
    case when list_price is not null then rounded(0) end as tax_floor,
    case
      when list_price is null then null
      else greatest(tax_floor, rounded(tax_fixed + wide(list_price) * tax_per_dollar))
    end as tax_after_reset
  from limits
)

select
  id,
  tax_rate_pct,
  tax_rate_basis,
  tax_class_factor,
  tax_reset_share,
  tax_rule_basis,
  tax_rule_statute,
  tax_at_price,
  tax_bill,
  tax_current,
  case
    when list_price is null then 'unknown'
    when tax_bill is null then 'estimated'
    when tax_bill between tax_bill_least and tax_bill_most
      then case when parcel_bill is null then 'listing' else 'parcel' end
    else case when parcel_bill is null then 'listing_limited' else 'parcel_limited' end
  end as tax_current_basis,
  tax_floor,
  tax_fixed,
  tax_per_dollar,
  tax_after_reset
from taxes;

-- audit reset_is_between: the tax after a sale is between the bill of today and the tax at the price
select * from int_property_taxes
where tax_after_reset not between least(tax_current, tax_at_price) and greatest(tax_current, tax_at_price);
