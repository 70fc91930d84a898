-- One row per series and day of the interest rate surveys, from the source that was read last and has a figure.
-- Key: series, observed_on
-- Not null: source, observed_at

select
  series,
  observed_on,
  rate_pct,
  is_made_up,
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from staged_survey_rate
-- For equal reads, freddie_pmms (the publisher's own) takes precedence over fred_rates
qualify row_number() over (
  partition by series, observed_on
  order by rate_pct is null, observed_at desc, source desc
) = 1;

-- audit not_of_the_future: no rate is of a day after it was read
select * from stg_survey_rates
where observed_on > cast(observed_at as date);

-- warning sources_agree: two sources of one series state the same rate of a day
select series, observed_on from staged_survey_rate where rate_pct is not null
group by all having min(rate_pct) <> max(rate_pct);

-- audit all_made_up_or_none: either all rates are made up or none is
select count(*) as rates from stg_survey_rates having min(is_made_up) <> max(is_made_up);
