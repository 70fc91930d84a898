/** Faults in staging, models and audits: a wrong formula, a lost history, a join of two properties. */
import { audit, fault, HISTORY_DAYS, reconcile, RECOMPUTED, test, type PlantedFault } from './fault.ts';

export const modelFaults: readonly PlantedFault[] = [
  fault(
    'a listing of all units without their number is another property',
    ['lib/addresses/forms.ts', 'units === null ? named >= 2 && named <= 99 : named === units', 'named === units'],
    test('models/identity/identity.test.ts', 'match exactly as they declare'),
  ),
  fault(
    'the same street in two ZIPs is one deal',
    ['models/staging/stg_listings.sql', "'deal|' || address_key || '|' || zip", "'deal|' || address_key"],
    test('models/history/history.test.ts', 'with the same street in another ZIP'),
  ),
  fault(
    'the debt of a condominium counts against its building',
    [
      'models/intermediate/distress/int_distress_matches.sql',
      'records.is_condominium and matches.unit_key is null as is_unit_of_building',
      'false as is_unit_of_building',
    ],
    test('models/identity/identity.test.ts', 'attach no distress to another property'),
  ),
  fault(
    'a record of an unknown place matches no city and no ZIP',
    ['lib/addresses/match.ts', "if (agreement === 'other')", "if (agreement !== 'same')"],
    test('api/routes/lookup_places.test.ts', 'matches a record without a place by a city or a ZIP'),
  ),
  fault(
    'the first price is lost on a second cut',
    [
      'models/marts/listing_history.sql',
      'when previous.may_continue then previous.first_price',
      'when previous.may_continue then previous.list_price',
    ],
    reconcile('listings: first_price', HISTORY_DAYS),
    test('models/history/history.test.ts', 'measures a second price cut from the first price'),
  ),
  fault(
    'first_seen is that of the main listing, not of the first of two sites',
    [
      'models/intermediate/properties/int_properties.sql',
      'coalesce(first_seen_if_listed, listing_first_seen) as first_seen',
      'listing_first_seen as first_seen',
    ],
    test('models/history/history.test.ts', 'on two sites has the earlier first-seen time'),
  ),
  fault(
    'a listing that disappears stays listed',
    [
      'models/marts/listing_history.sql',
      'when sites.last_good_at > previous.version_last_seen then run.as_of',
      'when false then run.as_of',
    ],
    reconcile('listings: gone_on', HISTORY_DAYS),
  ),
  fault(
    'a relisting starts a new history',
    [
      'models/marts/listing_history.sql',
      'when previous.listing_id is null then ended.listing_id is not null',
      'when previous.listing_id is null then false',
    ],
    test('models/history/history.test.ts', 'of the same property with a new number is a relisting'),
  ),
  fault(
    'a debt that leaves its list stays listed',
    [
      'models/marts/signals.sql',
      "when sources.last_good_at > previous.last_seen then 'removed'",
      "when sources.last_good_at > previous.last_seen then 'listed'",
    ],
    test('models/history/history.test.ts', 'is removed when it leaves its list'),
  ),
  fault(
    'days_on_feed counts one day too many',
    [
      'models/intermediate/properties/int_properties.sql',
      'days_since(first_seen, coalesce(gone_on, run.as_of))',
      '1 + days_since(first_seen, coalesce(gone_on, run.as_of))',
    ],
    RECOMPUTED,
  ),
  fault(
    'of several debts of a deal only the greatest counts',
    [
      'models/intermediate/distress/int_distress.sql',
      "sum(amount) filter (where is_exact and kind = 'tax_delinquent') as tax_amount",
      "max(amount) filter (where is_exact and kind = 'tax_delinquent') as tax_amount",
    ],
    test('models/distress/distress.test.ts', 'several debts of one property count with their sum'),
    RECOMPUTED,
  ),
  fault(
    'no vacancy is deducted',
    [
      'models/intermediate/income/int_hud_proxies.sql',
      'months_per_year * (1 - vacancy) as effective',
      'months_per_year as effective',
    ],
    test('models/underwriting/worked_deals.test.ts', '1 overclaim in Cleveland'),
    RECOMPUTED,
    test('models/recompute.test.ts', 'has deals whose every figure is recomputed'),
  ),
  fault(
    'the discount of a sale is a share of the bid',
    [
      'models/marts/auctions.sql',
      'percentage(appraised_value - opening_bid, appraised_value) as appraisal_discount_pct',
      'percentage(appraised_value - opening_bid, opening_bid) as appraisal_discount_pct',
    ],
    test('models/recompute.test.ts', 'has leads, debts and sales whose every figure is recomputed'),
  ),
  fault(
    'a price per unit is said to need a price only',
    [
      'models/deal/absence.ts',
      'export const NO_PRICE_OR_UNITS = because(PRICE, UNITS);',
      'export const NO_PRICE_OR_UNITS = because({ ...PRICE });',
    ],
    audit('deals.price_per_unit_absent_as_said'),
  ),
  fault(
    'scores use the greater of two incomes',
    [
      'models/intermediate/underwriting/int_owner_incomes.sql',
      'else least(noi_cautious, rounded(',
      'else greatest(noi_cautious, rounded(',
    ],
    audit('deals.claims_never_lift'),
  ),
  fault(
    'owners earn more the higher our cap rate is above the last knot',
    [
      'models/macros/underwriting.sql',
      'AND cap_to IS NULL THEN rate_from',
      'AND cap_to IS NULL THEN quotient(wide(rate_from) * cap, cap_from)',
    ],
    RECOMPUTED,
  ),
  fault(
    'the weight of the upper of two knots is a step',
    [
      'models/macros/arithmetic.sql',
      'greatest(0, share_of(x - before, knot - before))',
      'greatest(0, round(share_of(x - before, knot - before)))',
    ],
    test('models/properties.test.ts', 'no score by more than three points'),
  ),
  fault(
    "the claim of a broker replaces HUD's rent in the cap rate",
    [
      'models/intermediate/underwriting/int_underwriting.sql',
      'percentage(noi_underwritten, list_price) as cap_rate_underwritten',
      'percentage(coalesce(claimed_noi, noi_underwritten), list_price) as cap_rate_underwritten',
    ],
    audit('deals.cap_identity'),
  ),
  fault(
    'the survey rate of a week to come counts',
    ['models/intermediate/underwriting/int_loan_rates.sql', 'and weeks.observed_on <= run.as_of', ''],
    test('models/underwriting/loan_rates.test.ts', 'is that of the newest survey week at or before the day'),
  ),
  fault(
    'a second sale has the minimum of a first',
    [
      'models/marts/auctions.sql',
      "sale_kind = 'mortgage_foreclosure' and sale_round = 1 as is_first_mortgage_sale",
      "sale_kind = 'mortgage_foreclosure' as is_first_mortgage_sale",
    ],
    reconcile('sales of sheriffs: opening_bid_basis'),
  ),
  fault(
    'the two thirds of Ohio hold in every state',
    [
      'models/marts/auctions.sql',
      'left join two_thirds_sales using (state, auction_type, sale_kind)',
      'left join two_thirds_sales using (sale_kind)',
    ],
    test('models/leads/auctions.test.ts', 'a bid outside Ohio is the published one or unknown'),
  ),
  fault(
    'a post office box shows where an owner lives',
    [
      'models/macros/owners.sql',
      "WHEN mail.kind <> 'street' OR home.street_key IS NULL THEN 'unknown'",
      "WHEN home.street_key IS NULL THEN 'unknown'",
    ],
    reconcile('tax debts of 39035: owner_location'),
  ),
  fault(
    'years of delinquency score without a limit',
    [
      'models/intermediate/leads/int_tax_leads.sql',
      'else least(tax_years_max, points_of_months(months_delinquent, tax_points_per_year, months_per_year))',
      'else points_of_months(months_delinquent, tax_points_per_year, months_per_year)',
    ],
    audit('leads.score_in_range'),
  ),
  fault(
    'a sale of the day itself is no lead',
    [
      'models/macros/sales.sql',
      "sale_status = 'scheduled' AND sale_date >= as_of",
      "sale_status = 'scheduled' AND sale_date > as_of",
    ],
    reconcile('leads: rows'),
  ),
  fault(
    'an offer takes the tax of the asking price',
    [
      'models/intermediate/income/int_expenses.sql',
      'rounded(effective_gross_income - expenses_without_tax - tax_fixed) as noi_untaxed',
      'total(effective_gross_income - operating_expenses) as noi_untaxed',
    ],
    RECOMPUTED,
  ),
  fault(
    'a claim below the underwriting lowers no offer',
    [
      'models/macros/underwriting.sql',
      '    price_at_yield(highest + claim, untaxed + claim, tax_per_dollar, 2 * costs, 2 * yield)',
      '    price_at_yield(highest, untaxed, tax_per_dollar, costs, yield)',
    ],
    RECOMPUTED,
    test('models/underwriting/worked_deals.test.ts', '2 hidden upside in Columbus'),
  ),
  fault(
    'the vacancy of a deal names no page',
    [
      'models/intermediate/income/int_deal_income.sql',
      "'derived', vacancies.source, vacancies.source_url, vacancies.observed_at,",
      "'derived', vacancies.source, null, vacancies.observed_at,",
    ],
    test('pipelines/commands/worked_queries.test.ts', 'shows for a deal every page that supports its figures'),
  ),
  fault(
    'a judgement is of the page that it judges',
    ['pipelines/analyse/explain/explain.ts', 'isJudgement ? new Map() : positions', 'positions'],
    test('pipelines/commands/worked_queries.test.ts', 'shows for a deal every page that supports its figures'),
  ),
  fault(
    'a registration ends on the day on which it is three years old',
    [
      'models/intermediate/signals/int_todays_signals.sql',
      'to_months(condition_months) < run.as_of',
      'to_months(condition_months) <= run.as_of',
    ],
    test('models/underwriting/condition_records.test.ts', 'registered as vacant three years ago to the day are vacant'),
  ),
  fault(
    'a condemnation whose list says that it is in force ends after three years',
    [
      'models/intermediate/signals/int_todays_signals.sql',
      "(record.record_state = 'unknown' or record.state_raw is null)",
      'true',
    ],
    test(
      'models/underwriting/condition_records.test.ts',
      'condemned long ago are condemned as long as the list says so',
    ),
  ),
  fault(
    'a range of house numbers condemns each house in it',
    [
      'models/intermediate/distress/int_distress.sql',
      'where is_exact and condition_record is not null',
      'where condition_record is not null',
    ],
    test('models/underwriting/condition_records.test.ts', 'whose number is in a range of the record are not matched'),
  ),
  fault(
    'the cap of a condemned building holds only where no other limit is near',
    [
      'models/intermediate/scores/int_scores.sql',
      'when is_not_let then least(0,',
      'when is_not_let and score_share_pct = 100 then least(0,',
    ],
    RECOMPUTED,
  ),
  fault(
    'a condemned building may have 60 points',
    ['models/assumptions/declared.csv', 'condition_score_cap,10,', 'condition_score_cap,60,'],
    test('models/properties.test.ts', 'A building where nobody may live'),
  ),
  fault(
    'a condemned building keeps its rental path',
    [
      'models/intermediate/underwriting/int_paths.sql',
      "case when is_not_let then 'Pass' else status_with_risk(rental",
      "case when false then 'Pass' else status_with_risk(rental",
    ],
    test('models/properties.test.ts', 'A building where nobody may live'),
    RECOMPUTED,
  ),
  fault(
    'a sale in exactly thirty days is not soon',
    [
      'models/intermediate/scores/int_scores.sql',
      'sale_in_days <= distress_sale_soon_days',
      'sale_in_days < distress_sale_soon_days',
    ],
    test('models/distress/distress.test.ts', 'days earns'),
  ),
  fault(
    'an audit of a source finds nothing',
    ['models/marts/sources.sql', 'where rows_in <> rows_out + rows_rejected + rows_merged', 'where rows_in < 0'],
    test('models/build/audits.test.ts', 'of the models fail for their error'),
  ),
  fault(
    'repeated keys are not audited',
    ['models/contract.ts', 'GROUP BY ALL HAVING count(*) > 1', 'GROUP BY ALL HAVING count(*) > 9'],
    test('models/build/audits.test.ts', 'of columns fail for a repeated key'),
  ),
  fault(
    'a whole address counts as a street in the join rates',
    [
      'models/intermediate/signals/int_join_rates.sql',
      "and not regexp_matches(rows.street, ',.*\\b[A-Z]{2},?\\s*\\d{5}(-\\d{4})?\\s*$', 'i')",
      '',
    ],
    test('models/distress/join_rates.test.ts', 'a whole address in the street field does not count as a street'),
  ),
  fault(
    'a fall of a join rate is never reported',
    ['models/macros/join_rates.sql', '100 * share_pct < 60 * before_pct', '100 * share_pct < 0 * before_pct'],
    test('models/distress/join_rates.test.ts', 'a source degrades if its join rate falls'),
  ),
  fault(
    'one bedroom has the rent of the area instead of the ZIP',
    [
      'models/intermediate/income/int_market_rents.sql',
      'coalesce(zip_rents.rent_1, areas.fmr_1)',
      'coalesce(areas.fmr_1, zip_rents.rent_1)',
    ],
    test('models/underwriting/pages_to_noi.test.ts', "has HUD's rents of its ZIP for each number of bedrooms"),
  ),
  fault(
    'the rent in place is measured against the rent of the ZIP',
    [
      'models/intermediate/income/int_rents_in_place.sql',
      'in_place_ratio_of(gross_rent_1, area_rent_1br',
      'in_place_ratio_of(gross_rent_1, market_rent_1br',
    ],
    test(
      'models/underwriting/pages_to_noi.test.ts',
      "has the ratio of the census rent to HUD's rent of its metropolitan area",
    ),
  ),
  fault(
    'the share of utilities is over contract rent',
    [
      'models/intermediate/income/int_rents_in_place.sql',
      'share_of(county_gross_rent - county_contract_rent, county_gross_rent)',
      'share_of(county_gross_rent - county_contract_rent, county_contract_rent)',
    ],
    test('models/underwriting/pages_to_noi.test.ts', 'has the share of utilities of its own county'),
  ),
  fault(
    'the largest county counts although the own one is known',
    [
      'models/intermediate/income/int_deal_census.sql',
      'coalesce(places.county_fips, largest_counties.county_fips)',
      'coalesce(largest_counties.county_fips, places.county_fips)',
    ],
    test(
      'models/underwriting/underwriting_places.test.ts',
      'takes the rate and the utilities of its own county, not of the largest one of the HUD area',
    ),
  ),
  fault(
    'the bill of any parcel of the county counts',
    ['models/intermediate/income/int_property_taxes.sql', '    and parcels.parcel_key = rolls.parcel_key\n', ''],
    test(
      'models/underwriting/underwriting_places.test.ts',
      "prefers the county's bill of its own parcel to that of the listing",
    ),
  ),
  fault(
    'a parcel of another county with the same number is the property',
    [
      'models/intermediate/properties/int_property_rolls.sql',
      'on parcels.county_fips = records.county_fips\n    and parcels.parcel_key',
      'on parcels.parcel_key',
    ],
    test(
      'models/identity/property_rolls.test.ts',
      'is that of the parcel that a matching county record names, not of its number in another county',
    ),
  ),
  fault(
    'the roll is joined by the street without the ZIP',
    [
      'models/intermediate/properties/int_property_rolls.sql',
      'on parcels.zip = properties.zip\n    and parcels.address_key',
      'on parcels.address_key',
    ],
    test('models/identity/property_rolls.test.ts', 'says whether a roll of the place was read'),
  ),
  fault(
    'a sale ends no limit in Florida and Michigan',
    ['models/intermediate/income/int_property_taxes.sql', "in ('uncapped', 'valued_yearly')", "in ('valued_yearly')"],
    test('models/recompute.test.ts', 'has deals whose every figure is recomputed'),
  ),
  fault(
    'the score of a lead that moves with the date is a change of it',
    [
      'models/marts/leads.ts',
      "'0 to 100, the sum of score_parts.', { unit: 'points', follows: 'day' }",
      "'0 to 100, the sum of score_parts.', { unit: 'points' }",
    ],
    test('pipelines/run/quiet_days.test.ts', 'yield no change, although scores and ages move'),
  ),
];
