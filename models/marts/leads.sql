-- One row per property that qualifies as a lead: a listed delinquency or an upcoming sale, with a street address and
-- read within the last seven days. Public records only. The rules that depend on time (seven days, sale date) hold at
-- the data clock here, and the API applies them again. A sold property is left out.

with

all_leads as materialized (
  select * from int_auction_leads
  union all by name
  select * from int_tax_leads
),

corrected_records as (
  select id as record_id, corrected from signals where corrected is not null
  union all
  select id as record_id, corrected from auctions where corrected is not null
),

rolls as (
  select
    county_fips, parcel_key, last_sale_date, last_sale_price,
    county_value as assessed_market_value,
    source as roll_source,
    source_url as roll_source_url
  from stg_parcels
)

select
  *,
  by_age(
    verified_age_days, lead_fresh_days, lead_recent_days,
    'within_1_day', 'within_3_days', 'within_7_days'
  ) as freshness
from all_leads
cross join terms
left join rolls using (county_fips, parcel_key)
left join int_metros using (county_fips)
left join int_missing_fields using (source)
left join corrected_records on record_id = coalesce(signal_id, auction_id)
where id not in (select subject from staged_suppression)

-- never score_is_sum_of_parts: lead_score is the sum of score_parts
lead_score <> (select sum(cast(value as integer)) from json_each(score_parts));
-- never score_in_range: lead_score is from 0 to 100
lead_score not between 0 and 100;
-- never seven_days: no lead is of a signal older than seven days
verified_age_days not between 0 and 7;
-- never sale_to_come: no auction lead is of a past sale
sale_date < (select as_of from run);
-- never kind_as_said: a lead has the fields of its kind
(signal_id is not null) <> (lead_type = 'tax_delinquent')
  or (auction_id is not null) <> (lead_type = 'sheriff_sale_auction')
  or (amount is null) <> (auction_id is not null);
-- never mail_ready: a lead has a street address with a house number
address_key is null;
-- never rationale_agrees: the rationale of each component has its points
exists (
  select 1 from json_each(score_parts) as part
  where not starts_with((score_rationale ->> part.key), '+' || part.value || ' points, '));
-- never ratio_as_said: amount_to_value_pct is amount over county_value
amount_to_value_pct is distinct from percentage(amount, county_value);
-- never freshness_agrees: freshness agrees with verified_age_days
freshness <> case
  when verified_age_days <= 1 then 'within_1_day'
  when verified_age_days <= 3 then 'within_3_days'
  else 'within_7_days' end;
-- never signals_counted: signals_count is the number of independent kinds of the lead and its corroboration
signals_count <> 1 + (
  select count(distinct value ->> 'counts_as') from json_each(corroboration)
  where (value ->> 'counts_as')
    <> coalesce(independent_kind_of(auction_type, sale_kind), 'unpaid_tax'));
-- never signal_kinds_as_cited: signal_kinds are the kinds of the lead and of the records in corroboration
signal_kinds is distinct from kinds_in_force(
  coalesce(auction_type, 'tax_delinquent'),
  (select to_json(list(value ->> 'kind')) from json_each(corroboration) where (value ->> 'kind') <> 'listing'));
-- audit corroboration_exists: a record that corroborates a lead is published
select leads.id, (found.value ->> 'id') as record from leads, json_each(corroboration) as found
where (found.value ->> 'id') not in (
  select id from signals union all select id from auctions union all select id from int_properties);
