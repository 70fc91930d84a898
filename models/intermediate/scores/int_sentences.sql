-- One row per property: the one line that says what decides the deal, and whether the underwriting agrees with the
-- claim.
-- Key: id

with

inputs as (
  select *
  from int_underwriting
  join int_properties using (id)
  join int_market_rents using (id)
  join int_property_taxes using (id)
  join int_debt_coverage using (id)
  join int_owner_incomes using (id)
  join int_scores using (id)
  join int_paths using (id)
  join int_offers using (id)
  join int_distress using (id)
  cross join terms
),

texts as (
  select
    *,
    as_text(coalesce(cap_rate, cap_rate_derived)) || '%' as claim,
    case when cap_rate is null then 'cap by stated NOI' else 'claimed cap' end as claim_name,
    as_text(cap_rate_underwritten) || '%' as hud_cap,
    as_text(dscr_underwritten) as coverage,
    dollars(round(price_per_unit)) || ' a unit' as unit_price,
    dollars(round(tax_amount)) as owed,
    case sale_in_days when 0 then 'today' when 1 then 'in 1 day' else 'in ' || sale_in_days || ' days' end as sale_day,
    concat_ws(', ',
      case when list_price is null then 'no price' end,
      case when units is null then 'no units' end,
      case when market_rent_2br is null then 'no HUD rent' end
    ) as missing,
    coalesce(' since ' || condition_record_on, ' (date unknown)') as since,
    list_filter(
      ['code_violation', 'blight_judgment', 'foreclosure_filing', 'tax_lien'],
      lambda kind: list_contains(from_json(distress_kinds, '["VARCHAR"]'), kind)
    )[1] as record,
    case
      when claim is null then 'no_claim'
      when hud_cap is null then 'no_underwriting'
      when claim_issue in ('noi_not_positive', 'noi_contradicts_cap_rate') then 'contradicted'
      when underwrite_reliability <> 'ok' then 'unreliable'
      when cap_gap_pct >= material_gap then 'claim_too_high'
      when cap_gap_pct <= -material_gap then 'claim_too_low'
      when rental_status = 'Pass' then 'rated_pass'
      else 'agrees'
    end as underwriting_agreement,
    underwriting_agreement <> 'contradicted' and underwrite_reliability <> 'unknown' as is_comparable,
    is_comparable and cap_gap_pct >= material_gap as is_claim_high,
    is_comparable and cap_gap_pct <= -material_gap as is_claim_low,
    noi_scoring is not null and not is_not_let as is_let,
    noi_scoring is not null and dscr_underwritten < 1 as is_uncovered,
    claim is not null and dscr < 1 as is_claim_uncovered,
    is_uncovered and dscr_underwritten < line_far_coverage as is_far,
    is_let and dscr_underwritten >= 1 and is_claim_uncovered is not true as is_covered
  from inputs
),

-- What may be said, the most important first (docs/underwriting.md): how due it is, its words first and later in a line
facts as (
  select
    *,
    list_filter([
      fact(condition_record = 'condemned', 0, 'condemned' || since, ''),
      fact(condition_record = 'order_to_vacate', 0, 'under an order to vacate' || since, ''),
      fact(condition_record = 'vacant_building', 0, 'registered as vacant' || since, ''),
      fact(is_not_let, 1, null, 'no rent is paid'),
      fact(is_claim_high, 0, claim_name || ' ' || claim || ', underwritten ' || hud_cap, ''),
      fact(is_claim_low, 0, claim_name || ' only ' || claim || ', underwritten ' || hud_cap, ''),
      fact(claim_issue = 'noi_not_positive', 1,
        'stated NOI is zero or less: vacant, or an error', 'no profit'),
      fact(claim_issue = 'noi_contradicts_cap_rate', 1,
        'stated NOI of ' || dollars(round(claimed_noi)) || ' contradicts the ' || claim || ' cap',
        'its stated NOI conflicts'),
      fact(underwrite_reliability = 'unknown' and missing = '', 1,
        'check the price: ' || unit_price || ' is too low for HUD rents', 'check the price: ' || unit_price),
      fact(next_sale_type is not null, 0,
        replace(next_sale_type, '_', ' ') || ' ' || sale_day, 'auction ' || sale_day),
      fact(owed is not null, 0, 'owes ' || owed || ' in delinquent taxes', 'owes ' || owed || ' in taxes'),
      fact(tax_records > 0 and owed is null, 0,
        'owes delinquent tax of an unknown amount', 'owes delinquent tax'),
      fact(condition_record = 'code_case', 0, 'serious code case' || since, 'serious code case'),
      fact(dscr_reason = 'single_unit', 1,
        'one unit is no income property under these terms', 'one unit is no income property'),
      fact(dscr_reason = 'not_income_property', 1, 'land has no rent to underwrite', 'land has no rent'),
      fact(missing <> '', 1, 'not underwritten: ' || missing, null),
      fact(underwrite_reliability = 'proxy_out_of_range', 1,
        'too expensive for HUD rents: ' || unit_price, 'HUD rent does not fit'),
      fact(score_limit = 'condition_risk' and condition_risk in ('low_price_per_unit', 'low_price_to_rent'), 1,
        unit_price || ' points to poor condition', 'condition in doubt'),
      fact(score_limit = 'condition_risk' and condition_risk = 'high_cap_rate', 1,
        'a cap of ' || hud_cap || ' points to poor condition', 'condition in doubt'),
      fact(price_reduction_pct >= line_price_cut_pct, 0, 'price cut by ' || price_reduction_pct || '%', null),
      fact(tax_after_reset >= tax_bill * line_tax_rise, 0,
        'a sale raises the tax from ' || dollars(round(tax_bill)) || ' to ' || dollars(round(tax_after_reset)),
        'tax after a sale ' || dollars(round(tax_after_reset))),
      fact(underwriting_agreement in ('agrees', 'rated_pass'), 0,
        claim_name || ' ' || claim || ' is near our ' || hud_cap, ''),
      fact(is_uncovered and is_claim_uncovered, 2, null, 'does not cover its debt, even as claimed'),
      fact(is_far, 2,
        'does not cover its debt: DSCR only ' || coverage || ', our cap ' || hud_cap,
        'does not cover its debt: DSCR only ' || coverage),
      fact(is_uncovered and not is_far, 2,
        'does not cover its debt: DSCR ' || coverage || ', our cap ' || hud_cap,
        'does not cover its debt: DSCR ' || coverage),
      fact(is_uncovered, 2, null, 'does not cover its debt'),
      fact(is_covered and dscr_underwritten < loan_coverage, 0,
        'barely covers a new loan: DSCR ' || coverage || ', our cap ' || hud_cap,
        'barely covers a new loan: DSCR ' || coverage),
      fact(is_covered and dscr_underwritten >= loan_coverage, 0,
        'covers a new loan: DSCR ' || coverage || ', our cap ' || hud_cap,
        'covers a new loan: DSCR ' || coverage),
      fact(is_let and dscr_underwritten >= 1 and is_claim_uncovered, 0,
        'DSCR ' || coverage || ', but ' || as_text(dscr) || ' at the claimed NOI', null),
      fact(dscr_reason = 'loan_below_minimum', 0,
        'no loan: it would be below ' || dollars(minimum_loan) || '; our cap ' || hud_cap,
        'no loan below ' || dollars(minimum_loan)),
      fact(is_covered, 0, null, 'DSCR ' || coverage),
      fact(condition_record = 'none' and record is not null, 0, null, replace(record, '_', ' ') || ' on record'),
      fact(underwrite_reliability = 'proxy_out_of_range', 0, null, unit_price),
      fact(underwrite_reason is not null and claim is not null and (is_claim_high or is_claim_low) is not true, 0,
        null, claim_name || ' ' || claim),
      fact(is_let and offer_high < list_price, 0, null, 'offer up to ' || dollars(offer_high))
    ], lambda fact: fact is not null) as facts
  from texts
),

lines as (
  select
    *,
    list_reduce(
      list_transform(
        flatten(list_transform([2, 1, 0], lambda due: list_filter(facts[2:], lambda fact: fact.due = due))),
        lambda fact: coalesce(fact.later, fact.first)
      ),
      lambda line, later: case
        when length(line || '; ' || later || '.') > line_characters or contains(lower(line), lower(later)) then line
        else line || '; ' || later
      end,
      upper(facts[1].first[1]) || facts[1].first[2:]
    ) || '.' as why_this_is_interesting
  from facts
)

select
  id, why_this_is_interesting, underwriting_agreement,
  case underwriting_agreement
    when 'no_claim' then 'There is no claimed cap rate to compare with the underwriting'
    when 'no_underwriting' then 'The claimed cap rate of ' || claim || ' is not underwritten: ' || missing
    when 'contradicted' then case claim_issue
      when 'noi_not_positive' then 'The stated NOI is zero or less'
      else 'The stated NOI of ' || dollars(round(claimed_noi)) || ' contradicts the claimed cap rate of ' || claim
    end || ': no claim is compared'
    when 'unreliable' then 'HUD rent does not fit the price: the claimed cap rate of ' || claim || ' is not confirmed'
    else 'HUD rent gives a cap rate of ' || hud_cap || ', '
      || case underwriting_agreement
        when 'claim_too_high' then as_text(cap_gap_pct) || ' points below'
        when 'claim_too_low' then as_text(-cap_gap_pct) || ' points above'
        else 'near'
      end
      || ' the claimed ' || claim
  end || '; the rental path is ' || rental_status || '.' as underwriting_note
from lines
