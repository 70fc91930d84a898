-- One row per property: the vacancy of its metropolitan area in the survey, the mean of the last four quarters, shrunk
-- toward the mean of its region by the margin of error, with credit loss, the greater loss of small buildings and the
-- declared limits. Without a survey of the area, the declared vacancy.
-- Key: id
-- Not null: vacancy_pct, vacancy_basis

with

newest as (
  select
    areas.cbsa, areas.region, areas.area_name, survey.year, survey.quarter, survey.vacancy_pct, survey.margin_pct,
    survey.source, survey.source_url, survey.observed_at
  from stg_area_vacancies as survey
  join ref_hvs_areas as areas on areas.area_name = survey.area_name
  cross join run
  where survey.vacancy_pct is not null
    and survey.margin_pct is not null
    and survey.ends_on < run.as_of
  qualify row_number() over (
    partition by areas.cbsa
    order by survey.year desc, survey.quarter desc, survey.observed_at desc, survey.source
  ) <= (select vacancy_quarters from terms)
),

means as (
  select
    cbsa,
    region,
    any_value(area_name) as area_name,
    max_by(year, (year, quarter)) as year,
    max_by(quarter, (year, quarter)) as quarter,
    count(*)::integer as quarters,
    quotient(sum(vacancy_pct), count(*)) as metro_pct,
    quotient(sum(margin_pct), count(*)) as margin_pct,
    max_by(source, (year, quarter)) as source,
    max_by(source_url, (year, quarter)) as source_url,
    max_by(observed_at, (year, quarter)) as observed_at
  from newest
  group by cbsa, region
),

regions as (
  select
    *,
    quotient(sum(metro_pct) over (partition by region), count(*) over (partition by region)) as region_pct
  from means
),

inputs as (
  select
    rents.*,
    properties.units,
    regions.*,
    terms.*
  from int_market_rents as rents
  join int_properties as properties on properties.id = rents.id
  left join regions on regions.cbsa = cbsa_of(rents.rent_area_code)
  cross join terms
),

-- One SELECT a stage, as in int_offers
errors as (
  select
    *,
    vacancy_spread_points * vacancy_spread_points as spread_squared,
    quotient(margin_pct, vacancy_margin_divisor) as standard_error
  from inputs
),

-- The weight of the metro's own figure: t2 / (t2 + se2), with t the spread between metros and se the standard error
weights as (
  select
    *,
    share_of(spread_squared, spread_squared + standard_error * standard_error) as metro_weight
  from errors
),

vacancies as (
  select
    *,
    rounded(region_pct + wide(metro_pct - region_pct) * metro_weight) as shrunk_pct,
    case
      when units is null then 0
      else rounded(loss_of_small * share_below_pct(units, small_loss_units + small_loss_span, small_loss_span))
    end as loss_of_size_pct,
    case
      when shrunk_pct is null then least(in_percent(vacancy_most), total(in_percent(vacancy) + loss_of_size_pct))
      else least(
        in_percent(vacancy_most),
        total(greatest(in_percent(vacancy_least), shrunk_pct) + in_percent(credit_loss) + loss_of_size_pct)
      )
    end as vacancy_pct
  from weights
)

select
  id, area_name, region, year, quarter, quarters, metro_pct, margin_pct, region_pct, metro_weight, shrunk_pct,
  loss_of_size_pct, vacancy_pct,
  case when shrunk_pct is null then 'declared' else 'metro_survey' end as vacancy_basis,
  source, source_url, observed_at
from vacancies;

-- audit shrunk_is_between: the drawn figure is between the area's and the region's
select * from int_vacancies
where shrunk_pct not between least(metro_pct, region_pct) and greatest(metro_pct, region_pct);
