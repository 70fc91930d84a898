-- One row per property: what owners of such buildings earned in the survey, given our own cap rate, and the NOI that
-- scores use. A high cap rate of ours is mostly our own optimism, selected; given the cap rate, this is taken out.
-- Key: id
-- Not null: noi_range_reason

with

segments as (
  select
    least_units,
    most_units,
    columns('(cap|low|middle|high)_pct') as '\1_from',
    n as n_from,
    lead(columns('(cap|low|middle|high)_pct')) over by_cap as '\1_to',
    lead(n) over by_cap as n_to,
    year(as_of) as survey_year,
    row_number() over by_cap = 1 as is_first
  from ref_noi_ranges
  window by_cap as (partition by least_units order by cap_pct)
),

-- The knot below our cap rate and the one above it, in the block of small buildings and in that of large ones
knots as (
  select underwriting.id, segments.*
  from int_underwriting as underwriting
  join segments on segments.is_first or underwriting.cap_rate_underwritten >= segments.cap_from
  qualify row_number() over (partition by underwriting.id, segments.least_units order by segments.cap_from desc) = 1
),

inputs as (
  select
    underwriting.*,
    properties.* exclude (id, noi),
    expenses.* exclude (id),
    date_part('year', properties.as_of) as this_year,
    columns(small.*) as 'small_\0',
    columns(large.*) as 'large_\0',
    terms.*
  from int_underwriting as underwriting
  join int_properties as properties using (id)
  join int_expenses as expenses using (id)
  join knots as small on small.id = underwriting.id and small.most_units is not null
  join knots as large on large.id = underwriting.id and large.most_units is null
  cross join terms
),

-- In steps of their own: DuckDB repeats the expression of an alias that the same SELECT uses
positions as (
  select
    *,
    case when underwrite_reason is null and not has_no_rent(dscr_reason) then cap_rate_underwritten end as own_cap_pct,
    share_pct(units, range_small_units, range_units_span) as large_share_pct
  from inputs
),

rates as (
  select
    *,
    owners_rate(own_cap_pct, small_cap_from, small_cap_to, small_low_from, small_low_to) as small_low_pct,
    owners_rate(own_cap_pct, small_cap_from, small_cap_to, small_middle_from, small_middle_to) as small_middle_pct,
    owners_rate(own_cap_pct, small_cap_from, small_cap_to, small_high_from, small_high_to) as small_high_pct,
    owners_rate(own_cap_pct, large_cap_from, large_cap_to, large_low_from, large_low_to) as large_low_pct,
    owners_rate(own_cap_pct, large_cap_from, large_cap_to, large_middle_from, large_middle_to) as large_middle_pct,
    owners_rate(own_cap_pct, large_cap_from, large_cap_to, large_high_from, large_high_to) as large_high_pct
  from positions
),

-- Blended over the sizes at which one block becomes the other
blends as (
  select
    *,
    rounded(small_low_pct + wide(large_low_pct - small_low_pct) * as_share(large_share_pct)) as cap_rate_low,
    rounded(small_middle_pct + wide(large_middle_pct - small_middle_pct) * as_share(large_share_pct))
      as cap_rate_middle,
    rounded(small_high_pct + wide(large_high_pct - small_high_pct) * as_share(large_share_pct)) as cap_rate_high
  from rates
),

amounts as (
  select *, rounded(wide(list_price) * as_share(cap_rate_middle)) as noi_of_owners from blends
),

-- A survey never lifts the NOI of scores above our own, nor does a claim: one below that NOI lowers it half way
scoring as (
  select
    *,
    case when noi_of_owners is not null and noi_underwritten is not null then least(noi_of_owners, noi_underwritten) end
      as noi_cautious,
    case
      when noi_cautious is null then null
      when claimed_noi is null then noi_cautious
      else least(noi_cautious, rounded(half(wide(claimed_noi) + noi_cautious)))
    end as noi_scoring,
    case
      when underwrite_reason is not null then underwrite_reason
      when has_no_rent(dscr_reason) then dscr_reason
      when year_built >= new_from_year and year_built <= this_year then 'built_from_2000'
      else 'owners_of_survey'
    end as noi_range_reason,
    case when noi_range_reason = 'owners_of_survey' then noi_of_owners end as noi_middle,
    case when noi_range_reason = 'owners_of_survey' then rounded(wide(list_price) * as_share(cap_rate_low)) end
      as noi_low,
    case when noi_range_reason = 'owners_of_survey' then rounded(wide(list_price) * as_share(cap_rate_high)) end
      as noi_high
  from amounts
),

ranges as (
  select
    *,
    large_share_pct < 100 - large_share_pct as is_small,
    case
      when noi_middle is null then null
      when is_small and small_cap_to - own_cap_pct < own_cap_pct - small_cap_from then small_n_to
      when is_small then small_n_from
      when large_cap_to - own_cap_pct < own_cap_pct - large_cap_from then large_n_to
      else large_n_from
    end as noi_range_n,
    case
      when noi_middle is null then null
      when is_small then '2 to ' || small_most_units || ' units'
      else small_most_units + 1 || ' units and more'
    end as noi_range_units
  from scoring
)

select
  id,

  -- What owners earned over the value, at each of the two quartiles and the median
  large_share_pct, small_low_pct, small_middle_pct, small_high_pct, large_low_pct, large_middle_pct, large_high_pct,
  cap_rate_low, cap_rate_middle, cap_rate_high, noi_of_owners,

  -- The published range
  noi_low, noi_middle, noi_high, noi_range_reason, noi_range_n, noi_range_units,
  case
    when noi_middle is not null
      then 'Half of the owners of such buildings in a national survey (' || small_survey_year || ', ' || noi_range_n
        || ' of ' || noi_range_units || ') earned between ' || hundreds_of_dollars(noi_low) || ' and '
        || hundreds_of_dollars(noi_high) || '; our figure is ' || hundreds_of_dollars(noi_underwritten) || '.'
  end as noi_range_note,

  -- Inputs of scores
  noi_cautious,
  noi_scoring,
  percentage(noi_scoring, list_price) as cap_scoring_pct,
  quotient(noi_scoring - reserves, annual_debt_service) as coverage_scoring,
  quotient(noi_scoring - reserves, seller_debt_service) as seller_coverage
from ranges;

-- audit range_in_order: the range rises from low to middle to high
select * from int_owner_incomes where noi_low > noi_middle or noi_middle > noi_high;
