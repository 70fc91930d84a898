-- One row per property: the figures of claim, yield and the inputs of scores as formulas over named inputs, each
-- with its result. Figures are columns under the names that formulas use.
-- Key: id

with

figures as (
  select
    underwriting.*,
    properties.first_price,
    properties.price_reduction_pct
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
),

-- Formulas take every value as text
texts as (
  select cast(columns(*) as varchar)
  from figures
)

select
  id,
  steps_of([
    -- Claim
    case when noi_source = 'derived_from_advertised_cap' then
      step('claimed_noi', 'round2(list_price * cap_rate / 100)', struct_pack(list_price, cap_rate), claimed_noi)
    end,
    case when cap_rate_source = 'derived_from_stated_noi' then
      step('cap_rate_derived', 'round2(noi / list_price * 100)', struct_pack(noi, list_price), cap_rate_derived)
    end,
    case noi_source
      when 'underwritten' then step('noi', 'noi_underwritten', struct_pack(noi_underwritten), noi)
      when 'derived_from_advertised_cap' then step('noi', 'claimed_noi', struct_pack(claimed_noi), noi)
    end,
    step('price_per_unit', 'round2(list_price / units)', struct_pack(list_price, units), price_per_unit),
    step(
      'price_reduction_pct',
      'max(0, round2((first_price - list_price) / first_price * 100))',
      struct_pack(first_price, list_price),
      price_reduction_pct
    ),

    -- Yield
    step(
      'cap_rate_underwritten',
      'round2(noi_underwritten / list_price * 100)',
      struct_pack(noi_underwritten, list_price),
      cap_rate_underwritten
    ),
    case when cap_rate_source = 'advertised'
      then step(
        'cap_gap_pct',
        'cap_rate - cap_rate_underwritten',
        struct_pack(cap_rate, cap_rate_underwritten),
        cap_gap_pct
      )
      else step(
        'cap_gap_pct',
        'cap_rate_derived - cap_rate_underwritten',
        struct_pack(cap_rate_derived, cap_rate_underwritten),
        cap_gap_pct
      )
    end,
    step(
      'gross_rent_multiplier',
      'round2(list_price / gross_potential_rent)',
      struct_pack(list_price, gross_potential_rent),
      gross_rent_multiplier
    ),

    -- Inputs of scores
    case when claimed_noi is null
      then step('noi_scoring', 'noi_underwritten', struct_pack(noi_underwritten), noi_scoring)
      else step(
        'noi_scoring',
        'min(noi_underwritten, round2((claimed_noi + noi_underwritten) / 2))',
        struct_pack(noi_underwritten, claimed_noi),
        noi_scoring
      )
    end,
    step(
      'cap_scoring_pct',
      'round2(noi_scoring / list_price * 100)',
      struct_pack(noi_scoring, list_price),
      cap_scoring_pct
    ),
    step(
      'coverage_scoring',
      'round2((noi_scoring - reserves_per_unit * units) / annual_debt_service)',
      struct_pack(noi_scoring, reserves_per_unit, units, annual_debt_service),
      coverage_scoring
    )
  ]) as steps
from texts
