-- One row per property: the figures of rent, tax, expenses and NOI as formulas over named inputs, each with its result.
-- Figures and assumptions are columns under the names that formulas use.
-- Key: id

with

terms as (
  select
    assumption('utility_share') as utility_share,
    assumption('months_per_year') as months_per_year,
    assumption('vacancy') as vacancy,
    assumption('insurance_per_unit') as insurance_per_unit,
    assumption('other_per_unit') as other_per_unit,
    assumption('tax_bill_least_multiple') as tax_bill_least_multiple,
    assumption('tax_bill_most_multiple') as tax_bill_most_multiple
),

figures as (
  select
    underwriting.*,
    mixes.mix_0br,
    mixes.mix_1br,
    mixes.mix_2br,
    mixes.mix_3br,
    mixes.mix_4br,
    mixes.mix_sum,
    market.market_rent_0br,
    market.market_rent_1br,
    market.market_rent_3br,
    market.market_rent_4br,
    rents.* exclude (id),
    taxes.* exclude (id),
    expenses.cell_q1_pct as expense_q1_pct,
    expenses.cell_q3_pct as expense_q3_pct,
    expenses.cell_shrunk_pct as expense_typical_pct,
    expenses.* exclude (
      id, gross_potential_rent, vacancy_pct, vacancy_basis, effective_gross_income, operating_expenses,
      reserves, reserves_per_unit, noi_after_reset, noi_at_current_tax
    ),
    proxies.expense_ratio_of_size_pct,
    proxies.expense_adjustment_pct
  from int_underwriting as underwriting
  join int_unit_mixes as mixes on mixes.id = underwriting.id
  join int_market_rents as market on market.id = underwriting.id
  join int_rents_in_place as rents on rents.id = underwriting.id
  join int_property_taxes as taxes on taxes.id = underwriting.id
  join int_expenses as expenses on expenses.id = underwriting.id
  join int_hud_proxies as proxies on proxies.id = underwriting.id
),

-- Formulas take every value as text
texts as (
  select cast(columns(*) as varchar)
  from figures
)

select
  id,
  steps_of([
    -- Rent
    step(
      'market_rent_mix',
      'round2((mix_0br * market_rent_0br + mix_1br * market_rent_1br + mix_2br * market_rent_2br'
        || ' + mix_3br * market_rent_3br + mix_4br * market_rent_4br) / mix_sum)',
      struct_pack(
        mix_0br, mix_1br, mix_2br, mix_3br, mix_4br,
        market_rent_0br, market_rent_1br, market_rent_2br, market_rent_3br, market_rent_4br, mix_sum
      ),
      market_rent_mix
    ),
    step(
      'rent_in_place',
      'round2((mix_0br * round2(market_rent_0br * in_place_ratio_0br)'
        || ' + mix_1br * round2(market_rent_1br * in_place_ratio_1br)'
        || ' + mix_2br * round2(market_rent_2br * in_place_ratio_2br)'
        || ' + mix_3br * round2(market_rent_3br * in_place_ratio_3br)'
        || ' + mix_4br * round2(market_rent_4br * in_place_ratio_4br)) / mix_sum)',
      struct_pack(
        mix_0br, mix_1br, mix_2br, mix_3br, mix_4br,
        market_rent_0br, market_rent_1br, market_rent_2br, market_rent_3br, market_rent_4br,
        in_place_ratio_0br, in_place_ratio_1br, in_place_ratio_2br, in_place_ratio_3br, in_place_ratio_4br, mix_sum
      ),
      rent_in_place
    ),
    step(
      'contract_rent',
      'round2(rent_in_place * (1 - utility_share_used))',
      struct_pack(rent_in_place, utility_share_used),
      contract_rent
    ),

    -- Income
    step(
      'gross_potential_rent',
      'round2(units * contract_rent * months_per_year)',
      struct_pack(units, contract_rent, months_per_year),
      gross_potential_rent
    ),
    step(
      'effective_gross_income',
      'round2(gross_potential_rent * (1 - vacancy_pct / 100))',
      struct_pack(gross_potential_rent, vacancy_pct),
      effective_gross_income
    ),

    -- Property tax
    step(
      'tax_at_price',
      'round2(list_price * tax_rate_pct / 100 * tax_class_factor)',
      struct_pack(list_price, tax_rate_pct, tax_class_factor),
      tax_at_price
    ),
    case when tax_bill is not null then step(
      'tax_current',
      'min(max(tax_bill, round2(tax_at_price * tax_bill_least_multiple)),'
        || ' round2(tax_at_price * tax_bill_most_multiple))',
      struct_pack(tax_bill, tax_at_price, tax_bill_least_multiple, tax_bill_most_multiple),
      tax_current
    ) end,
    step(
      'tax_after_reset',
      'round2(tax_reset_share * tax_at_price + (1 - tax_reset_share) * tax_current)',
      struct_pack(tax_reset_share, tax_at_price, tax_current),
      tax_after_reset
    ),

    -- Expenses
    step(
      'insurance',
      'round2(units * insurance_per_unit * insurance_size_factor * insurance_state_factor)',
      struct_pack(units, insurance_per_unit, insurance_size_factor, insurance_state_factor),
      insurance
    ),
    step(
      'management',
      'round2(effective_gross_income * management_share)',
      struct_pack(effective_gross_income, management_share),
      management
    ),
    step(
      'repairs',
      'round2(units * repairs_per_unit)',
      struct_pack(units, repairs_per_unit),
      repairs
    ),
    step(
      'owner_utilities',
      'round2(units * utilities_per_unit)',
      struct_pack(units, utilities_per_unit),
      owner_utilities
    ),
    step(
      'other',
      'round2(units * other_per_unit)',
      struct_pack(units, other_per_unit),
      other
    ),
    step('reserves', 'round2(units * reserves_per_unit)', struct_pack(units, reserves_per_unit), reserves),

    -- NOI
    step(
      'noi_after_reset',
      noi_formula(expense_check, 'tax_after_reset'),
      struct_pack(
        effective_gross_income, tax_after_reset, insurance, management, repairs, owner_utilities, other,
        expense_q1_pct, expense_q3_pct, expense_typical_pct
      ),
      noi_after_reset
    ),
    step(
      'noi_at_current_tax',
      noi_formula(expense_check_at_current_tax, 'tax_current'),
      struct_pack(
        effective_gross_income, tax_current, insurance, management, repairs, owner_utilities, other,
        expense_q1_pct, expense_q3_pct, expense_typical_pct
      ),
      noi_at_current_tax
    ),
    step(
      'noi_hud_2br',
      'round2(units * market_rent_2br * (1 - utility_share) * months_per_year * (1 - vacancy)'
        || ' * (1 - (expense_ratio_of_size_pct + expense_adjustment_pct) / 100))',
      struct_pack(
        units, market_rent_2br, utility_share, months_per_year, vacancy,
        expense_ratio_of_size_pct, expense_adjustment_pct
      ),
      noi_hud_2br
    ),
    step(
      'cap_rate_hud_2br',
      'round2(noi_hud_2br / list_price * 100)',
      struct_pack(noi_hud_2br, list_price),
      cap_rate_hud_2br
    ),
    step('noi_underwritten', 'noi_after_reset', struct_pack(noi_after_reset), noi_underwritten),
    step(
      'operating_expenses',
      'effective_gross_income - noi_underwritten',
      struct_pack(effective_gross_income, noi_underwritten),
      operating_expenses
    ),
    step(
      'expense_ratio_pct',
      'round2(operating_expenses / effective_gross_income * 100)',
      struct_pack(operating_expenses, effective_gross_income),
      expense_ratio_pct
    )
  ]) as steps
from texts
cross join terms
