-- One row per organization of a county and filing of a register with exactly its normalized name. The registers are
-- those of the states of the county and of the organization's mail.
-- Key: county_fips, owner_key, id
-- Not null: source, document_number, business_name, entity_type, filing_date, source_url, is_agent_at_owner_mail

with

names as (
  select distinct county_fips, owner_key, right(county, 2) as source_state from int_owned_records
  union
  select distinct county_fips, owner_key, mail_state as source_state from int_owned_records
),

mail_places as (
  select distinct county_fips, owner_key, letters_and_digits(mail_street) as street, mail_zip as zip
  from int_owned_records
  where mail_street is not null
),

-- Today's filings, and the others as they were
register as not materialized (
  select * from filings
  union all by name
  select previous_filings.* from previous_filings anti join filings using (id)
),

-- Compare the first letters first: the register has millions of names, and the name rule is slow
candidates as (
  select
    id, source, source_state, document_number, charter_number, business_name, entity_type, entity_status, filing_date,
    source_url,
    organization_key(business_name) as owner_key,
    letters_and_digits(agent_addr1) as agent_street,
    left(agent_zip, 5) as agent_zip
  from register
  where first_letters(business_name) in (select first_letters(owner_key) from names)
)

select
  names.county_fips, names.owner_key, filings.id, filings.source, filings.document_number, filings.charter_number,
  filings.business_name, filings.entity_type, filings.entity_status, filings.filing_date, filings.source_url,
  mail_places.street is not null as is_agent_at_owner_mail
from names
join candidates as filings
  on filings.owner_key = names.owner_key
  and filings.source_state = names.source_state
left join mail_places
  on mail_places.county_fips = names.county_fips
  and mail_places.owner_key = names.owner_key
  and mail_places.street = filings.agent_street
  and mail_places.zip = filings.agent_zip
