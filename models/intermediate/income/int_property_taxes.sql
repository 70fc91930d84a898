-- One row per property: the property tax of today, and the tax after a sale at the asking price. The state's rule says
-- whether a sale sets the value anew, and how rental buildings are taxed against homes of owners. A sale never lowers a
-- known bill: a county that assesses a building above its price may have to lower it on appeal, which is a figure of
-- its own. At any price P, the tax after a sale is max(tax_floor, tax_fixed + tax_per_dollar x P); offers use it at
-- their own price.
-- Key: id
-- Not null: tax_rate_pct, tax_rate_basis, tax_class_factor, tax_at_sale, tax_reset_share, tax_per_dollar
-- Not null: tax_rule_basis, tax_current_basis, tax_after_basis, tax_appeal_basis

with

inputs as (
  select
    properties.id,
    properties.list_price,
    parcels.annual_taxes as parcel_bill,
    rolls.assessed_market_value,
    case when rules.at_sale = 'uncapped' and rolls.assessed_market_value is not null then parcels.taxed_value end
      as tax_taxed_value,
    -- The county's bill of the property's own parcel takes precedence over the broker's figure
    coalesce(parcels.annual_taxes, properties.annual_taxes) as tax_bill,
    case when parcels.annual_taxes is null then properties.source else parcels.source end as tax_bill_source,
    case when parcels.annual_taxes is null then properties.source_url else parcels.source_url end as tax_bill_url,
    case when parcels.annual_taxes is null then properties.last_verified else parcels.observed_at end
      as tax_bill_observed_at,
    case when parcels.annual_taxes is null then properties.listing_id else parcels.parcel_id end as tax_bill_row,
    coalesce(census.tax_rate_pct, terms.default_tax_rate_pct) as tax_rate_pct,
    census.tax_rate_basis,
    case when properties.units >= rules.class_factor_from_units then rules.class_factor else 1 end::decimal(16, 4)
      as tax_class_factor,
    coalesce(rules.at_sale, 'unknown') as tax_at_sale,
    case
      when rules.at_sale in ('uncapped', 'valued_yearly') then 1
      when rules.at_sale = 'not_reset' then 0
      else terms.tax_reset_share_may
    end::decimal(16, 4) as tax_reset_share,
    case
      when rules.state is null then 'declared'
      when rules.confirmed then 'confirmed'
      else 'unconfirmed'
    end as tax_rule_basis,
    rules.statute as tax_rule_statute,
    terms.*
  from int_properties as properties
  join int_deal_census as census on census.id = properties.id
  left join ref_tax_rules as rules on rules.state = properties.state
  left join int_property_rolls as rolls on rolls.id = properties.id
  left join stg_parcels as parcels
    on parcels.county_fips = rolls.county_fips
    and parcels.parcel_key = rolls.parcel_key
  cross join terms
),

-- Where a sale resets nothing, a bill far below the tax at the price has an exemption that ends. Without a bill, the
-- whole tax follows the price.
taxes as (
  select
    *,
    rounded(wide(list_price) * as_share(tax_rate_pct) * tax_class_factor) as tax_at_price,
    case
      when list_price is null then null
      when tax_bill is null then tax_at_price
      else tax_bill
    end as tax_current,
    case
      when list_price is null then null
      when tax_bill is null then rounded(0)
      else tax_bill
    end as tax_floor,
    -- Where the county publishes how much of its value is taxed, that part becomes the whole, at any price
    case
      when list_price is null then null
      when tax_bill is not null and tax_taxed_value is not null
        then quotient(wide(tax_bill) * assessed_market_value, tax_taxed_value)
      when tax_bill is null then 0
      when tax_reset_share = 0 then 0
      else wide(tax_bill) * (1 - tax_reset_share)
    end as tax_fixed,
    case
      when tax_bill is null then tax_class_factor * as_share(tax_rate_pct)
      when tax_taxed_value is not null then 0
      when tax_reset_share = 0 then tax_class_factor * as_share(tax_rate_pct) * tax_bill_least_multiple
      else tax_class_factor * as_share(tax_rate_pct) * tax_reset_share
    end as tax_per_dollar,
    rounded(tax_fixed + wide(list_price) * tax_per_dollar) as tax_of_line,
    case
      when list_price is null then null
      when tax_bill is null then tax_at_price
      when tax_of_line > tax_floor then tax_of_line
      else tax_floor
    end as tax_after_reset,
    case
      when assessed_market_value > list_price then quotient(wide(tax_bill) * list_price, assessed_market_value)
    end as tax_if_appealed
  from inputs
)

select
  id, tax_rate_pct, tax_rate_basis, tax_class_factor, tax_at_sale, tax_reset_share, tax_rule_basis, tax_rule_statute,
  tax_at_price, tax_bill, tax_bill_source, tax_bill_url, tax_bill_observed_at, tax_bill_row, tax_current,
  case
    when list_price is null then 'unknown'
    when tax_bill is null then 'estimated'
    when parcel_bill is null then 'listing'
    else 'parcel'
  end as tax_current_basis,
  tax_floor, tax_fixed, tax_per_dollar, tax_after_reset,
  case
    when list_price is null then 'unknown'
    when tax_bill is null then 'estimated'
    when tax_after_reset = tax_bill then 'bill'
    when tax_reset_share = 0 then 'exemption_ends'
    when tax_taxed_value is not null then 'uncapped_to_assessment'
    else 'reset'
  end as tax_after_basis,
  tax_taxed_value,
  tax_if_appealed,
  case
    when list_price is null then 'price_missing'
    when tax_bill is null then 'bill_missing'
    when assessed_market_value is null then 'assessment_missing'
    when assessed_market_value > list_price then 'assessment_above_price'
    else 'assessment_not_above_price'
  end as tax_appeal_basis
from taxes;

-- audit never_below_a_bill: no tax after a sale is below a known bill, and one above it has a reason in tax_after_basis
select * from int_property_taxes
where tax_after_reset < tax_bill
  or (tax_after_basis = 'bill') <> coalesce(tax_after_reset = tax_bill, false);

-- audit reset_follows_the_law: a bill rises above the exemption's limit only where the state lets a price count
select * from int_property_taxes
where tax_after_basis = 'reset' and tax_at_sale = 'not_reset';
