-- One row per organization with at least two distressed or listed properties in a county. Natural persons, family
-- trusts and public bodies are left out.

with

owned as (
  select *, dense_rank() over (partition by county_fips, owner_key order by property) as property_number
  from int_owned_records
  where in_slice(owner_id)
),

owners as (
  select
    min(owner_id) as id,
    county_fips,
    owner_key,
    min(county) as county,
    min(owner_kind) as owner_kind,
    count(distinct property) as properties_count,
    count(distinct property) filter (where kind <> 'listing') as distressed_count,
    count(distinct property) filter (where kind = 'listing') as listed_count,
    to_json(histogram(kind)) as kind_counts,
    to_json(list(
      struct_pack(
        property := property_number,
        kind := kind,
        id := record_id,
        address := address,
        city := city,
        parcel_id := parcel_id,
        amount := as_text(amount),
        source_url := source_url,
        last_seen := instant_text(last_seen)
      )
      order by property_number, kind, record_id
    )) as properties,
    coalesce(bool_or(right(county, 2) in ('OH', 'CO') or mail_state in ('OH', 'CO')), false) as is_covered,
    max(last_seen) as last_verified
  from owned
  group by county_fips, owner_key
  having count(distinct property) >= 2
),

-- Debts of one kind of distress may be the same debt: per property, the record kind with the largest sum counts
sums as (
  select county_fips, owner_key, property, counts_as, kind, sum(amount) as amount
  from owned
  where amount is not null
  group by all
),

debts as (
  select county_fips, owner_key, property, counts_as, max(amount) as amount
  from sums
  group by all
),

totals as (
  select county_fips, owner_key, sum(amount) as total_amount
  from debts
  group by all
),

-- The most frequent spelling and mailing place
spellings as (
  select county_fips, owner_key, owner_name
  from owned
  group by county_fips, owner_key, owner_name
  qualify row_number() over (partition by county_fips, owner_key order by count(*) desc, owner_name) = 1
),

mail as (
  select county_fips, owner_key, mail_city, mail_state
  from owned
  where mail_city is not null and mail_state is not null
  group by county_fips, owner_key, mail_city, mail_state
  qualify row_number() over (partition by county_fips, owner_key order by count(*) desc, mail_state, mail_city) = 1
),

-- An entity of Ohio has several filings with one charter number
filings_of_owners as (
  select
    county_fips,
    owner_key,
    count(distinct (source, coalesce(charter_number, document_number))) as entities,
    count(distinct (source, coalesce(charter_number, document_number))) filter (where is_agent_at_owner_mail)
      as entities_with_agent,
    to_json(list(
      struct_pack(
        id := id,
        source := source,
        document_number := document_number,
        charter_number := charter_number,
        business_name := business_name,
        entity_type := entity_type,
        entity_status := entity_status,
        filing_date := as_text(filing_date),
        is_agent_at_owner_mail := is_agent_at_owner_mail,
        source_url := source_url
      )
      order by filing_date desc, id
    )) as register_filings
  from int_owner_filings
  semi join owned using (county_fips, owner_key)
  group by all
)

select
  * replace (
    cast(properties_count as integer) as properties_count,
    cast(distressed_count as integer) as distressed_count,
    cast(listed_count as integer) as listed_count,
    cast(total_amount as decimal(14, 2)) as total_amount,
    coalesce(register_filings, '[]'::json) as register_filings
  ),
  right(county, 2) as state,
  case
    when not is_covered then 'register_not_covered'
    when coalesce(entities, 0) = 0 then 'none'
    when entities_with_agent = 1 then 'exact_name_and_agent'
    when entities = 1 then 'exact_name'
    else 'ambiguous'
  end as register_match_basis
from owners
join spellings using (county_fips, owner_key)
left join totals using (county_fips, owner_key)
left join mail using (county_fips, owner_key)
left join filings_of_owners using (county_fips, owner_key)

-- never several_properties: an owner has at least two properties
properties_count < 2;
-- never counts_agree: the counts are those of the listed records
properties_count <> len(list_distinct(properties ->> '$[*].property'))
  or properties_count not between greatest(distressed_count, listed_count) and distressed_count + listed_count
  or json_array_length(properties) <> list_sum(cast(kind_counts ->> '$.*' as integer[]));
-- never organizations_only: every name is the normalized name of an organization
owner_key <> organization_key(owner_name) or owner_kind is distinct from organization_kind(owner_key);
-- never register_as_said: there are filings exactly if register_match_basis says so
(register_match_basis in ('none', 'register_not_covered')) <> (json_array_length(register_filings) = 0);
-- audit records_whole: each organization with two properties is an owner, with all its records
select id from owners
full join (
  select owner_id as id, count(*) as records
  from int_owned_records
  group by owner_id
  having count(distinct property) > 1
) as held using (id)
where json_array_length(properties) is distinct from records;
-- audit records_exist: every record of an owner is published
-- An anti join, which spills; a lateral join or NOT IN would keep every id in memory.
select listed.id, listed.record
from (select id, unnest(properties ->> '$[*].id') as record from owners) as listed
anti join (
  select id from signals union all select id from auctions union all select id from int_properties
) as published on published.id = listed.record;
