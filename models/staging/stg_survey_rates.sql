-- One row per series and day of the interest rate survey.
-- Key: series, observed_on
-- Not null: source, observed_at

select * from staged_survey_rate;

-- audit not_of_the_future: no rate is of a day after it was read
select * from stg_survey_rates
where observed_on > cast(observed_at as date);

-- audit all_made_up_or_none: either all rates are made up or none is
select count(*) as rates from stg_survey_rates having min(is_made_up) <> max(is_made_up);
