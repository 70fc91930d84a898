-- One row per property: the one-line reason, and whether the underwriting agrees with the claim. A sentence attributes
-- each figure to the broker or to HUD's rent. A material gap between the two comes first.
-- Key: id

with

inputs as (
  select
    underwriting.*,
    coverage.dscr_underwritten,
    claims.claim_issue,
    claims.claim_issue in ('noi_not_positive', 'noi_contradicts_cap_rate') as is_contradicted,
    scores.score_limit,
    scores.condition_risk,
    paths.rental_status,
    distress.tax_amount,
    distress.tax_records,
    distress.sale_records,
    distress.sale_in_days,
    distress.next_sale_type
  from int_underwriting as underwriting
  join int_debt_coverage as coverage on coverage.id = underwriting.id
  join int_claim_issues as claims on claims.id = underwriting.id
  join int_scores as scores on scores.id = underwriting.id
  join int_paths as paths on paths.id = underwriting.id
  join int_distress as distress on distress.id = underwriting.id
),

-- Figures as text, each with its source
texts as (
  select
    inputs.*,
    abs(cap_gap_pct) >= material_gap as is_gap_material,
    as_text(coalesce(cap_rate, cap_rate_derived)) as claimed_cap,
    case
      when cap_rate is not null then 'The broker advertises a cap rate of ' || claimed_cap || '%'
      else 'The broker''s stated NOI gives a cap rate of ' || claimed_cap || '%'
    end as claim,
    case
      when cap_rate is not null then 'advertised cap rate of ' || claimed_cap || '%'
      else 'cap rate of ' || claimed_cap || '% from the stated NOI'
    end as claimed,
    as_text(cap_rate_underwritten) as hud_cap,
    dollars(round(price_per_unit)) as dollars_per_unit,
    case condition_risk when 'high_cap_rate' then 'such a cap rate' else dollars_per_unit || ' per unit' end as risk,
    dollars(round(claimed_noi)) as dollars_of_noi,
    dollars(minimum_loan) as smallest_loan,
    coalesce(dollars(tax_amount), 'an unknown amount') || ' of delinquent tax' as tax,
    'a ' || replace(next_sale_type, '_', ' ') || ' '
      || case sale_in_days when 0 then 'today' when 1 then 'in 1 day' else 'in ' || sale_in_days || ' days' end
      as sale,
    concat_ws(', ',
      case when list_price is null then 'price' end,
      case when units is null then 'units' end,
      case when market_rent_2br is null then 'HUD rent' end
    ) as missing_inputs
  from inputs
  cross join terms
),

-- Caveats without which the gap would mislead
caveats as (
  select
    *,
    case
      when claim_issue = 'noi_not_positive'
        then ', but an NOI of zero or less points to a vacant building or an error'
      when claim_issue = 'noi_contradicts_cap_rate'
        then ', but the broker''s stated NOI of ' || dollars_of_noi || ' contradicts the advertised cap rate'
      when dscr_reason = 'single_unit' then ', but one unit is not an income property under these terms'
      when dscr_reason = 'not_income_property' then ', but the listing is of land'
      when underwrite_reliability = 'proxy_out_of_range'
        then ', but HUD''s 2-bedroom rent does not fit ' || dollars_per_unit || ' per unit'
      when underwrite_reliability = 'unknown'
        then ', but ' || dollars_per_unit || ' per unit is far below what HUD''s rent suggests: check the price first'
      when score_limit = 'condition_risk'
        then ', but ' || risk || ' points to the condition of the building'
      when cap_gap_pct < 0 then ', a possible upside'
      else ''
    end as caveat
  from texts
),

-- The first that applies
headlines as (
  select
    *,
    case
      when is_gap_material then
        claim || ' and HUD rent supports ' || hud_cap || '%, ' || as_text(abs(cap_gap_pct)) || ' points '
        || case when cap_gap_pct > 0 then 'lower' else 'higher' end || caveat
      when dscr_reason = 'single_unit' then 'One unit is not an income property under these terms'
      when dscr_reason = 'not_income_property' then 'Listed as land: there is no rent to underwrite'
      when claim_issue = 'noi_contradicts_cap_rate' then
        'The broker''s stated NOI of ' || dollars_of_noi || ' contradicts the advertised cap rate of ' || claimed_cap
        || '%' || case when hud_cap is null then '' else '; HUD rent supports ' || hud_cap || '%' end
      when underwrite_reliability = 'proxy_out_of_range' and claimed_cap is not null then
        claim || ', which HUD''s 2-bedroom rent cannot confirm: it does not fit ' || dollars_per_unit || ' per unit'
      when underwrite_reliability = 'proxy_out_of_range' then
        'HUD''s 2-bedroom rent does not fit ' || dollars_per_unit || ' per unit, and no cap rate is advertised'
      when underwrite_reason in ('price_missing', 'units_missing', 'rent_missing') then
        'Not enough data to underwrite: missing ' || missing_inputs
      when underwrite_reason is not null then
        dollars_per_unit || ' per unit is far below what HUD''s rent suggests: check the price before anything else'
      when score_limit = 'condition_risk' then
        'HUD rent supports a cap rate of ' || hud_cap || '%, but ' || risk || ' points to the condition of the building'
      when dscr_reason = 'loan_below_minimum' then
        'HUD rent supports a cap rate of ' || hud_cap || '%; the loan at declared terms is below ' || smallest_loan
        || ', so DSCR does not apply'
      else
        'HUD rent supports a cap rate of ' || hud_cap || '% and a DSCR of ' || as_text(dscr_underwritten)
        || ' at declared terms; ' || units || ' units at ' || dollars_per_unit || ' per unit'
    end as headline,
    case
      when sale_records > 0 and tax_records > 0 then '; county records show ' || sale || ' and ' || tax
      when sale_records > 0 then '; county records show ' || sale
      when tax_records > 0 then '; county records show ' || tax
      else ''
    end as county_records,
    case
      when claimed_cap is null then 'no_claim'
      when hud_cap is null then 'no_underwriting'
      when is_contradicted then 'contradicted'
      when underwrite_reliability <> 'ok' then 'unreliable'
      when is_gap_material and cap_gap_pct > 0 then 'claim_too_high'
      when is_gap_material then 'claim_too_low'
      when rental_status = 'Pass' then 'rated_pass'
      else 'agrees'
    end as underwriting_agreement
  from caveats
)

select
  id,
  headline || county_records || '.' as why_this_is_interesting,
  underwriting_agreement,
  case underwriting_agreement
    when 'no_claim' then 'There is no claimed cap rate to compare with the underwriting'
    when 'no_underwriting' then 'The ' || claimed || ' is not underwritten: missing ' || missing_inputs
    when 'contradicted' then
      case claim_issue
        when 'noi_not_positive' then 'The claimed NOI is zero or less, so there is no cap rate to compare'
        else 'The stated NOI and the advertised cap rate contradict each other, so neither is confirmed'
      end || ': HUD rent supports ' || hud_cap || '%'
    when 'unreliable' then 'The ' || claimed || ' is not confirmed: HUD rent does not fit this price'
    when 'claim_too_high' then
      'Underwriting disagrees: HUD rent supports ' || hud_cap || '%, ' || as_text(cap_gap_pct) || ' points below the '
      || claimed
    when 'claim_too_low' then
      'Underwriting disagrees: HUD rent supports ' || hud_cap || '%, ' || as_text(-cap_gap_pct)
      || ' points above the ' || claimed
    when 'rated_pass' then
      'HUD rent supports the ' || claimed || ' to within ' || as_text(abs(cap_gap_pct))
      || ' points, and underwriting still disagrees'
    else
      'Underwriting agrees: HUD rent supports ' || hud_cap || '%, against the ' || claimed
  end || '; the rental path is ' || rental_status || '.' as underwriting_note
from headlines
