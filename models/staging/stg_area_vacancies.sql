-- One row per metropolitan area and quarter of the Housing Vacancy Survey.
-- Key: area_name, year, quarter
-- Not null: ends_on, vacancy_pct, source_url

select * from staged_area_vacancy;

-- audit a_share: vacancy and its margin are from 0 to 100 percent
select * from stg_area_vacancies
where not (vacancy_pct between 0 and 100) or not (margin_pct between 0 and 100);
