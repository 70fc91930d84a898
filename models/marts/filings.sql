-- One row per filing that today's reads contain or newly amend. The registers are read in increments, and the table is
-- published in parts: a filing that is absent today stays as it is in an earlier part.

with

-- Not materialized: the register has millions of rows, and reading them again uses less memory
todays_filings as not materialized (select * from stg_registrations),

-- Filings of the previous snapshot that today's reads contain or amend
previous_versions as not materialized (select * from int_filings_before),

-- The latest amendment of each business
latest_amendments as (
  select *
  from stg_amendments
  qualify row_number() over (
    partition by register, charter_number
    order by effective_date desc, document_number desc
  ) = 1
),

compared_filings as (
  select
    filing.*,
    previous.id is not null as is_known,
    previous.first_seen as first_seen_before,
    previous.last_seen as last_seen_before,
    previous.last_updated as last_updated_before,
    previous.change_kind as change_kind_before,
    previous.amendment_kind, previous.amendment_date, previous.amendment_document, previous.amendment_url,
    (
      previous.charter_number, previous.business_name_raw, previous.filing_date, previous.entity_type_raw,
      previous.entity_status_raw, previous.jurisdiction,
      previous.registered_agent_name, previous.agent_addr1, previous.agent_addr2, previous.agent_city,
      previous.agent_state, previous.agent_zip,
      previous.business_city, previous.business_state, previous.business_zip, previous.business_county
    ) is not distinct from (
      filing.charter_number, filing.business_name_raw, filing.filing_date, filing.entity_type_raw,
      filing.entity_status_raw, filing.jurisdiction,
      filing.registered_agent_name, filing.agent_addr1, filing.agent_addr2, filing.agent_city,
      filing.agent_state, filing.agent_zip,
      filing.business_city, filing.business_state, filing.business_zip, filing.business_county
    ) as is_unchanged,
    -- A filing that first appears now, although its register had reached a later date
    filing.filing_date < registers.last_filing_date as is_late
  from todays_filings as filing
  left join previous_versions as previous
    on previous.source = filing.register
    and previous.document_number = filing.document_number
  left join previous_registers as registers on registers.source = filing.register
),

today as (
  select
    *,
    filing_id as id,
    register as source,
    if(registered_agent_name is null, 'not_provided_by_source', 'available') as registered_agent_status,
    -- Neither registry collects industry codes
    cast(null as varchar) as naics,
    'not_collected_by_source' as naics_status,
    coalesce(first_seen_before, observed_at) as first_seen,
    greatest(observed_at, last_seen_before) as last_seen,
    case
      when is_known and is_unchanged then last_updated_before
      else greatest(observed_at, last_seen_before)
    end as last_updated,
    case
      when is_known and is_unchanged then change_kind_before
      when is_known then 'changed'
      when is_late then 'late'
      else 'added'
    end as change_kind,
    true as is_read
  from compared_filings
),

filings_to_amend as (
  select * from today

  union all by name

  select *, true as is_known, false as is_read
  from previous_versions
  anti join todays_filings
    on todays_filings.register = previous_versions.source
    and todays_filings.document_number = previous_versions.document_number
),

-- A later amendment of the same charter replaces the one known before
filings_and_amendments as (
  select
    filing.*,
    amendment.kind as new_kind,
    amendment.effective_date as new_date,
    amendment.document_number as new_document,
    amendment.source_url as new_url,
    amendment.observed_at as new_observed_at,
    amendment.document_number is not null
      and (amendment.effective_date, amendment.document_number)
        > (coalesce(amendment_date, date '0001-01-01'), coalesce(amendment_document, '')) as is_newly_amended
  from filings_to_amend as filing
  left join latest_amendments as amendment
    on amendment.register = filing.source
    and amendment.charter_number = filing.charter_number
    and amendment.effective_date >= filing.filing_date
),

amended_filings as (
  select
    * replace (
      case when is_newly_amended then new_kind else amendment_kind end as amendment_kind,
      case when is_newly_amended then new_date else amendment_date end as amendment_date,
      case when is_newly_amended then new_document else amendment_document end as amendment_document,
      case when is_newly_amended then new_url else amendment_url end as amendment_url,
      case when is_newly_amended then greatest(last_updated, new_observed_at) else last_updated end as last_updated,
      case when is_newly_amended then greatest(last_seen, new_observed_at) else last_seen end as last_seen,
      case when is_newly_amended and is_known then 'changed' else change_kind end as change_kind
    )
  from filings_and_amendments
)

select *
from amended_filings
where is_read or is_newly_amended

-- never seen_in_order: first_seen is not after last_updated, and last_updated is not after last_seen
first_seen > last_updated or last_updated > last_seen;
-- never amended_after_filed: an amendment is complete, and not older than its filing
amendment_date < filing_date
  or (amendment_kind is null) <> (amendment_date is null)
  or (amendment_kind is null) <> (amendment_document is null)
  or (amendment_kind is null) <> (amendment_url is null);
