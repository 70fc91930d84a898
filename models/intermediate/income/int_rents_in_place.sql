-- One row per property: from HUD's asking rents to the rent that sitting tenants pay the landlord, in three steps.
--   market    HUD's rents by bedrooms, weighted by the mix of the building
--   in place  each rent times the census's gross rent over HUD's rent of the metropolitan area
--   contract  less the utilities that tenants pay themselves, by the county's contract rent over its gross rent
-- Key: id
-- Not null: in_place_ratio_0br, in_place_ratio_1br, in_place_ratio_2br, in_place_ratio_3br, in_place_ratio_4br
-- Not null: utility_share_used, in_place_basis, contract_basis

with

inputs as (
  select *
  from int_market_rents
  join int_unit_mixes using (id)
  join int_deal_census using (id)
  cross join terms
),

-- The census's rent over HUD's, for the whole area. Sitting tenants do not pay more than new ones.
measured as (
  select
    *,
    in_place_ratio_of(gross_rent_0, area_rent_0br, in_place_least) as measured_0br,
    in_place_ratio_of(gross_rent_1, area_rent_1br, in_place_least) as measured_1br,
    in_place_ratio_of(gross_rent_2, area_rent_2br, in_place_least) as measured_2br,
    in_place_ratio_of(gross_rent_3, area_rent_3br, in_place_least) as measured_3br,
    in_place_ratio_of(gross_rent_4, area_rent_4br, in_place_least) as measured_4br,
    share_of(county_gross_rent - county_contract_rent, county_gross_rent) as measured_utility_share
  from inputs
),

-- A number of bedrooms without its own figure uses the ratio of 2 bedrooms
ratios as (
  select
    *,
    case when measured_2br is null then in_place_ratio else coalesce(measured_0br, measured_2br) end
      as in_place_ratio_0br,
    case when measured_2br is null then in_place_ratio else coalesce(measured_1br, measured_2br) end
      as in_place_ratio_1br,
    coalesce(measured_2br, in_place_ratio) as in_place_ratio_2br,
    case when measured_2br is null then in_place_ratio else coalesce(measured_3br, measured_2br) end
      as in_place_ratio_3br,
    case when measured_2br is null then in_place_ratio else coalesce(measured_4br, measured_2br) end
      as in_place_ratio_4br,
    case
      when measured_utility_share is null then utility_share
      else least(utility_share_most, greatest(utility_share_least, measured_utility_share))
    end as utility_share_used
  from measured
),

in_place as (
  select
    *,
    rounded(wide(market_rent_0br) * in_place_ratio_0br) as rent_in_place_0br,
    rounded(wide(market_rent_1br) * in_place_ratio_1br) as rent_in_place_1br,
    rounded(wide(market_rent_2br) * in_place_ratio_2br) as rent_in_place_2br,
    rounded(wide(market_rent_3br) * in_place_ratio_3br) as rent_in_place_3br,
    rounded(wide(market_rent_4br) * in_place_ratio_4br) as rent_in_place_4br
  from ratios
),

weighted as (
  select
    *,
    quotient(
      wide(market_rent_0br) * mix_0br + wide(market_rent_1br) * mix_1br + wide(market_rent_2br) * mix_2br
        + wide(market_rent_3br) * mix_3br + wide(market_rent_4br) * mix_4br,
      mix_sum
    ) as market_rent_mix,
    quotient(
      wide(rent_in_place_0br) * mix_0br + wide(rent_in_place_1br) * mix_1br + wide(rent_in_place_2br) * mix_2br
        + wide(rent_in_place_3br) * mix_3br + wide(rent_in_place_4br) * mix_4br,
      mix_sum
    ) as rent_in_place
  from in_place
)

select
  id, market_rent_mix, rent_in_place,
  rounded(wide(rent_in_place) * (1 - utility_share_used)) as contract_rent,
  in_place_ratio_0br, in_place_ratio_1br, in_place_ratio_2br, in_place_ratio_3br, in_place_ratio_4br,
  utility_share_used,
  case when measured_2br is null then 'declared' else metro_basis end as in_place_basis,
  case when measured_utility_share is null then 'declared' else county_basis end as contract_basis
from weighted;

-- audit never_above_market: sitting tenants do not pay more than new ones, and contract rent is below gross rent
select * from int_rents_in_place
where rent_in_place > market_rent_mix + 0.01 or contract_rent > rent_in_place;
