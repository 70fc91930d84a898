-- One row per property: rents, taxes and expenses in the form in which a deal shows them, each with its place, its year
-- and its source.
-- Key: id

select
  properties.id, rents.market_rent_mix, rents.rent_in_place, rents.contract_rent,

  json_object(
    'mix', json_object(
      'basis', mixes.unit_mix_basis,
      'weights', by_bedrooms(mixes.mix_0br, mixes.mix_1br, mixes.mix_2br, mixes.mix_3br, mixes.mix_4br),
      'sum', as_text(mixes.mix_sum)
    ),
    'market', json_object(
      'basis', market.rent_basis,
      'rents', by_bedrooms(
        market.market_rent_0br, market.market_rent_1br, market.market_rent_2br, market.market_rent_3br,
        market.market_rent_4br
      )
    ),
    'in_place', json_object(
      'basis', rents.in_place_basis,
      'area', case when rents.in_place_basis <> 'declared' then census.metro_name end,
      'year', case when rents.in_place_basis <> 'declared' then census.metro_vintage end,
      'ratios', by_bedrooms(
        rents.in_place_ratio_0br, rents.in_place_ratio_1br, rents.in_place_ratio_2br, rents.in_place_ratio_3br,
        rents.in_place_ratio_4br
      ),
      'source_url', case when rents.in_place_basis = 'metro_of_source' then census.metro_source_url end
    ),
    'contract', json_object(
      'basis', rents.contract_basis,
      'area', case when rents.contract_basis <> 'declared' then census.county_name end,
      'year', case when rents.contract_basis <> 'declared' then census.county_vintage end,
      'utility_share', as_text(rents.utility_share_used),
      'source_url', case when rents.contract_basis <> 'declared' then census.county_source_url end
    )
  ) as rent_steps,

  case when vacancies.area_name is not null then json_object(
    'area', vacancies.area_name,
    'region', vacancies.region,
    'year', vacancies.year,
    'quarter', vacancies.quarter,
    'quarters', vacancies.quarters,
    'metro_pct', as_text(vacancies.metro_pct),
    'margin_pct', as_text(vacancies.margin_pct),
    'region_pct', as_text(vacancies.region_pct),
    'metro_weight', as_text(vacancies.metro_weight),
    'shrunk_pct', as_text(vacancies.shrunk_pct),
    'source_url', vacancies.source_url
  ) end as vacancy_survey,

  to_json(case when expenses.effective_gross_income is null then [] else list_filter([
    case when taxes.tax_after_reset is not null then expense_line(
      'property_tax', taxes.tax_after_reset, taxes.tax_after_basis, properties.state,
      case when taxes.tax_after_basis <> 'bill' then last_day_of(census.tax_rate_year) end,
      case taxes.tax_after_basis
        when 'bill' then taxes.tax_bill_source
        else coalesce(census.tax_rate_source, 'assumptions')
      end
    ) end,
    expense_line(
      'insurance', expenses.insurance, expenses.insurance_basis,
      case expenses.insurance_basis when 'size_and_state' then properties.state end,
      states.as_of, coalesce(states.source, 'assumptions')
    ),
    expense_line('management', expenses.management, 'size', null, null, 'assumptions'),
    expense_line('repairs', expenses.repairs, 'size', null, survey.as_of, survey.source),
    expense_line('owner_utilities', expenses.owner_utilities, 'size', null, survey.as_of, survey.source),
    expense_line('other', expenses.other, 'declared', null, null, 'assumptions')
  ], lambda line: line is not null) end) as expense_lines,
  expenses.expense_typical_pct,

  json_object(
    'rate_pct', as_text(taxes.tax_rate_pct),
    'rate_basis', taxes.tax_rate_basis,
    'rate_area', census.tax_rate_area,
    'rate_year', census.tax_rate_year,
    'rate_source_url', census.tax_rate_source_url,
    'class_factor', as_text(taxes.tax_class_factor),
    'at_price', as_text(taxes.tax_at_price),
    'bill', as_text(taxes.tax_bill),
    'current', as_text(taxes.tax_current),
    'current_basis', taxes.tax_current_basis,
    'at_sale', taxes.tax_at_sale,
    'reset_share', as_text(taxes.tax_reset_share),
    'taxed_value', as_text(taxes.tax_taxed_value),
    'after_basis', taxes.tax_after_basis,
    'if_appealed', as_text(taxes.tax_if_appealed),
    'appeal_basis', taxes.tax_appeal_basis,
    'rule_basis', taxes.tax_rule_basis,
    'statute', taxes.tax_rule_statute
  ) as property_tax,
  taxes.tax_after_reset,

  -- Where the figures come from
  origin_by(
    rents.in_place_basis, terms.assumption_set_id,
    'published', census.metro_source, census.metro_source_url, census.metro_observed_at, [census.metro_name]
  ) as rent_in_place_origin,
  origin_by(
    rents.contract_basis, terms.assumption_set_id,
    'published', census.county_source, census.county_source_url, census.county_observed_at, [census.county_name]
  ) as utilities_origin,
  origin_by(
    vacancies.vacancy_basis, terms.assumption_set_id,
    'derived', vacancies.source, vacancies.source_url, vacancies.observed_at,
    [vacancies.area_name, as_text(vacancies.year), as_text(vacancies.quarter)]
  ) as vacancy_origin,
  origin_by(
    taxes.tax_rate_basis, terms.assumption_set_id,
    'derived', census.tax_rate_source, census.tax_rate_source_url, census.tax_rate_observed_at, [census.tax_rate_area]
  ) as tax_rate_origin,
  case
    when taxes.tax_bill is null then origin('absent', null, null, null, null)
    else origin(
      'published', taxes.tax_bill_source, taxes.tax_bill_url, taxes.tax_bill_observed_at, [taxes.tax_bill_row]
    )
  end as tax_bill_origin
from int_properties as properties
join int_market_rents as market on market.id = properties.id
join int_unit_mixes as mixes on mixes.id = properties.id
join int_rents_in_place as rents on rents.id = properties.id
join int_property_taxes as taxes on taxes.id = properties.id
join int_expenses as expenses on expenses.id = properties.id
join int_deal_census as census on census.id = properties.id
join int_vacancies as vacancies on vacancies.id = properties.id
cross join terms
left join ref_insurance_states as states on states.state = properties.state
cross join (select max(as_of) as as_of, max(source) as source from ref_expense_lines) as survey
