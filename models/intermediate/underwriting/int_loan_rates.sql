-- One row: the loan rate of the day, with its factors. The rate is the newest survey week up
-- to the day plus the declared spread. Without a survey week, or if the method says so, it is the declared rate.
-- Key: as_of
-- Not null: loan_years

with

newest_week as (
  select
    weeks.series, weeks.observed_on, weeks.rate_pct, weeks.source, weeks.source_url, weeks.observed_at, weeks.is_made_up
  from stg_survey_rates as weeks
  cross join run
  where weeks.series = 'MORTGAGE30US'
    and weeks.rate_pct is not null
    and weeks.observed_on <= run.as_of
  order by weeks.observed_on desc
  limit 1
),

inputs as (
  select
    run.as_of,
    newest_week.* exclude (rate_pct),
    newest_week.rate_pct as survey_rate_pct,
    age_in_days(newest_week.observed_on, run.as_of) as loan_rate_age_days,
    terms.* exclude (loan_rate_pct),
    terms.loan_rate_pct as declared_loan_rate_pct
  from run
  cross join terms
  left join newest_week on terms.loan_rate_method = 'survey'
),

rates as (
  select
    *,
    case
      when survey_rate_pct is null then declared_loan_rate_pct
      else total(survey_rate_pct + loan_rate_spread)
    end as loan_rate_pct
  from inputs
)

select
  rates.as_of,
  rates.loan_rate_pct,
  case when survey_rate_pct is null then 'declared' else 'survey' end as loan_rate_basis,
  series as loan_rate_series,
  observed_on as loan_rate_on,
  loan_rate_age_days,
  survey_rate_pct,
  source as loan_rate_source,
  source_url as loan_rate_source_url,
  observed_at as loan_rate_observed_at,
  is_made_up as loan_rate_is_made_up,
  loan_years,
  coalesce(factors.monthly_factor, error(not_in_loan_factors(rates.loan_rate_pct, loan_years))) as monthly_factor,
  coalesce(factors.annual_constant, error(not_in_loan_factors(rates.loan_rate_pct, loan_years))) as annual_constant
from rates
left join ref_loan_factors as factors
  on factors.rate_pct = rates.loan_rate_pct
  and factors.years = rates.loan_years;

-- audit survey_as_said: a rate from a survey is the survey rate plus loan_rate_spread, with its series, day and source
select * from int_loan_rates
where (survey_rate_pct is null) <> (loan_rate_basis = 'declared')
  or (loan_rate_series is null or loan_rate_on is null) <> (loan_rate_basis = 'declared')
  or (loan_rate_age_days is null or loan_rate_source_url is null) <> (loan_rate_basis = 'declared')
  or loan_rate_pct <> survey_rate_pct + (select loan_rate_spread from terms)
  or loan_rate_on > as_of;
