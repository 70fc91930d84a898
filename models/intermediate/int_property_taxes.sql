-- One row per property: the property tax of today, and the tax after a sale at the asking price. The state's rule says
-- which share of the value is set anew by a sale, and how rental buildings are taxed against homes of owners.

with

terms as (
  select
    assumption('default_tax_rate_pct')::decimal(14, 2) as default_rate_pct,
    assumption('default_tax_reset_share')::decimal(6, 4) as default_reset_share,
    assumption('tax_bill_least_pct')::decimal(14, 2) as tax_bill_least_pct,
    assumption('tax_bill_most_pct')::decimal(14, 2) as tax_bill_most_pct
),

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

rates as (
  select
    properties.id,
    properties.list_price,
    properties.units,
    properties.annual_taxes as listing_bill,
    parcel_bills.annual_taxes as parcel_bill,
    coalesce(census.county_tax_rate_pct, census.metro_tax_rate_pct, terms.default_rate_pct) as tax_rate_pct,
    case
      when census.county_tax_rate_pct is not null and census.is_only_county then 'county'
      when census.county_tax_rate_pct is not null then 'largest_county_of_area'
      when census.metro_tax_rate_pct is not null then census.metro_basis
      else 'declared'
    end as tax_rate_basis,
    case when properties.units >= rules.class_factor_from_units then rules.class_factor else 1 end::decimal(16, 4)
      as tax_class_factor,
    coalesce(rules.reset_share, terms.default_reset_share)::decimal(16, 4) as tax_reset_share,
    case
      when rules.state is null then 'declared'
      when rules.confirmed then 'confirmed'
      else 'unconfirmed'
    end as tax_rule_basis,
    rules.statute as tax_rule_statute
  from int_properties as properties
  cross join terms
  join int_market_rents as rents on rents.id = properties.id
  left join int_census_areas as census on census.hud_area_code = rents.rent_area_code
  left join ref_tax_rules as rules on rules.state = properties.state
  left join parcel_bills on parcel_bills.id = properties.id
),

estimates as (
  select
    rates.*,
    rounded(wide(list_price) * tax_rate_pct * 0.01 * tax_class_factor) as tax_at_price,
    listing_bill between wide(list_price) * tax_bill_least_pct * 0.01 and wide(list_price) * tax_bill_most_pct * 0.01
      as is_listing_bill_plausible,
    parcel_bill between wide(list_price) * tax_bill_least_pct * 0.01 and wide(list_price) * tax_bill_most_pct * 0.01
      as is_parcel_bill_plausible
  from rates
  cross join terms
),

-- Today's bill: the county's own figure before the broker's. An implausible one is a typing error or an exemption.
bills as (
  select
    *,
    case
      when is_parcel_bill_plausible then parcel_bill
      when is_listing_bill_plausible then listing_bill
      else tax_at_price
    end as tax_current,
    case
      when list_price is null then 'unknown'
      when is_parcel_bill_plausible then 'parcel'
      when is_listing_bill_plausible then 'listing'
      when parcel_bill is not null or listing_bill is not null then 'estimated_bill_implausible'
      else 'estimated'
    end as tax_current_basis
  from estimates
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
  tax_current,
  tax_current_basis,
  rounded(wide(tax_at_price) * tax_reset_share + wide(tax_current) * (1 - tax_reset_share)) as tax_after_reset
from bills
