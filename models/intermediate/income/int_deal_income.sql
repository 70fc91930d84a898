-- One row per property: rents, taxes and expenses in the form in which a deal shows them, each with its place, its year
-- and its source.
-- Key: id

select
  properties.id,
  rents.market_rent_mix,
  rents.rent_in_place,
  rents.contract_rent,

  json_object(
    'mix', json_object(
      'basis', mixes.unit_mix_basis,
      'weights', json_object(
        'br_0', as_text(mixes.mix_0br),
        'br_1', as_text(mixes.mix_1br),
        'br_2', as_text(mixes.mix_2br),
        'br_3', as_text(mixes.mix_3br),
        'br_4', as_text(mixes.mix_4br)
      ),
      'sum', as_text(mixes.mix_sum)
    ),
    'market', json_object(
      'basis', market.rent_basis,
      'rents', json_object(
        'br_0', as_text(market.market_rent_0br),
        'br_1', as_text(market.market_rent_1br),
        'br_2', as_text(market.market_rent_2br),
        'br_3', as_text(market.market_rent_3br),
        'br_4', as_text(market.market_rent_4br)
      )
    ),
    'in_place', json_object(
      'basis', rents.in_place_basis,
      'area', case when rents.in_place_basis <> 'declared' then census.metro_name end,
      'year', case when rents.in_place_basis <> 'declared' then census.metro_vintage end,
      'ratios', json_object(
        'br_0', as_text(rents.in_place_ratio_0br),
        'br_1', as_text(rents.in_place_ratio_1br),
        'br_2', as_text(rents.in_place_ratio_2br),
        'br_3', as_text(rents.in_place_ratio_3br),
        'br_4', as_text(rents.in_place_ratio_4br)
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
    case when taxes.tax_after_reset is not null then json_object(
      'line', 'property_tax',
      'amount', as_text(taxes.tax_after_reset),
      'basis', taxes.tax_after_basis,
      'place', properties.state,
      'as_of', case when taxes.tax_after_basis <> 'bill' then as_text(last_day_of(census.tax_rate_year)) end,
      'source', case taxes.tax_after_basis
        when 'bill' then taxes.tax_bill_source
        else coalesce(census.tax_rate_source, 'assumptions')
      end
    ) end,
    json_object(
      'line', 'insurance',
      'amount', as_text(expenses.insurance),
      'basis', expenses.insurance_basis,
      'place', case expenses.insurance_basis when 'size_and_state' then properties.state end,
      'as_of', states.as_of,
      'source', coalesce(states.source, 'assumptions')
    ),
    json_object(
      'line', 'management',
      'amount', as_text(expenses.management),
      'basis', 'size',
      'place', null,
      'as_of', null,
      'source', 'assumptions'
    ),
    json_object(
      'line', 'repairs',
      'amount', as_text(expenses.repairs),
      'basis', 'size',
      'place', null,
      'as_of', survey.as_of,
      'source', survey.source
    ),
    json_object(
      'line', 'owner_utilities',
      'amount', as_text(expenses.owner_utilities),
      'basis', 'size',
      'place', null,
      'as_of', survey.as_of,
      'source', survey.source
    ),
    json_object(
      'line', 'other',
      'amount', as_text(expenses.other),
      'basis', 'declared',
      'place', null,
      'as_of', null,
      'source', 'assumptions'
    )
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
  case
    when rents.in_place_basis = 'declared' then origin('assumed', terms.assumption_set_id, null, null, null)
    else origin(
      'published', census.metro_source, census.metro_source_url, census.metro_observed_at, [census.metro_name]
    )
  end as rent_in_place_origin,
  case
    when rents.contract_basis = 'declared' then origin('assumed', terms.assumption_set_id, null, null, null)
    else origin(
      'published', census.county_source, census.county_source_url, census.county_observed_at, [census.county_name]
    )
  end as utilities_origin,
  case
    when vacancies.vacancy_basis = 'declared' then origin('assumed', terms.assumption_set_id, null, null, null)
    else origin(
      'derived', vacancies.source, vacancies.source_url, vacancies.observed_at,
      [vacancies.area_name, as_text(vacancies.year), as_text(vacancies.quarter)]
    )
  end as vacancy_origin,
  case
    when taxes.tax_rate_basis = 'declared' then origin('assumed', terms.assumption_set_id, null, null, null)
    else origin(
      'derived', census.tax_rate_source, census.tax_rate_source_url, census.tax_rate_observed_at,
      [census.tax_rate_area]
    )
  end as tax_rate_origin,
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
