-- One row per filing, kept from first sight on. The registers are read in increments: today's rows are new or perhaps
-- changed, and a filing that is absent today stays as it was.

with

-- The register holds millions of rows: what is read several times is read again rather than kept in memory
shown as not materialized (select * from stg_registrations),

-- Filings of the previous snapshot that today's reads show or amend
before as not materialized (select * from int_filings_before),

-- What the register says last became of each business
amendments as (
  select *
  from stg_amendments
  qualify row_number() over (partition by register, charter_number order by effective_date desc, document_number desc) = 1
),

-- How far the feed had come before today: a filing from before that day that appears only now is late. Some filings
-- take effect in the future, which says nothing of how far the feed had come.
reached as (
  select source, max(filing_date) as filing_date
  from previous_filings
  where filing_date <= cast(first_seen as date)
  group by source
),

compared as (
  select
    shown.*,
    before.id is not null as is_known,
    before.first_seen as first_seen_before,
    before.last_seen as last_seen_before,
    before.last_updated as last_updated_before,
    before.change_kind as change_kind_before,
    before.amendment_kind,
    before.amendment_date,
    before.amendment_document,
    before.amendment_url,
    (before.charter_number, before.business_name_raw, before.filing_date, before.entity_type_raw, before.entity_status_raw, before.jurisdiction,
      before.registered_agent_name, before.agent_addr1, before.agent_addr2, before.agent_city, before.agent_state, before.agent_zip,
      before.business_city, before.business_state, before.business_zip, before.business_county)
      is not distinct from (shown.charter_number, shown.business_name_raw, shown.filing_date, shown.entity_type_raw, shown.entity_status_raw, shown.jurisdiction,
      shown.registered_agent_name, shown.agent_addr1, shown.agent_addr2, shown.agent_city, shown.agent_state, shown.agent_zip,
      shown.business_city, shown.business_state, shown.business_zip, shown.business_county) as is_unchanged,
    shown.filing_date < reached.filing_date as is_late
  from shown
  left join before on before.source = shown.register and before.document_number = shown.document_number
  left join reached on reached.source = shown.register
),

today as (
  select
    -- Business
    filing_id as id,
    document_number,
    charter_number,
    business_name,
    filing_date,
    entity_type,
    entity_type_raw,
    entity_status,

    -- Agent
    registered_agent_name,
    case when registered_agent_name is null then 'not_provided_by_source' else 'available' end as registered_agent_status,
    agent_addr1,
    agent_city,
    agent_state,
    agent_zip,

    -- Where it is
    business_city,
    business_state,
    business_zip,
    source_state,

    -- Neither registry collects industry codes
    cast(null as varchar) as naics,
    'not_collected_by_source' as naics_status,

    -- Provenance and time
    register as source,
    source_url,
    coalesce(first_seen_before, observed_at) as first_seen,
    greatest(observed_at, last_seen_before) as last_seen,
    case when is_known and is_unchanged then last_updated_before else greatest(observed_at, last_seen_before) end as last_updated,
    case
      when is_known and is_unchanged then change_kind_before
      when is_known then 'changed'
      when is_late then 'late'
      else 'added'
    end as change_kind,

    -- As published
    business_name_raw,
    entity_status_raw,
    jurisdiction,
    agent_addr2,
    business_county,
    page_sha256,
    page_row,

    -- What became of it
    amendment_kind,
    amendment_date,
    amendment_document,
    amendment_url,
    is_known
  from compared
),

together as (
  select * from today
  union all by name
  select * exclude (agent_filings), true as is_known
  from before anti join shown on shown.register = before.source and shown.document_number = before.document_number
),

-- A later amendment of the same charter takes the place of the one known before
news as (
  select
    together.*,
    amendments.kind as new_kind,
    amendments.effective_date as new_date,
    amendments.document_number as new_document,
    amendments.source_url as new_url,
    amendments.observed_at as new_observed_at,
    amendments.document_number is not null
      and (amendments.effective_date, amendments.document_number) > (coalesce(amendment_date, date '0001-01-01'), coalesce(amendment_document, '')) as is_news
  from together
  left join amendments
    on amendments.register = together.source
    and amendments.charter_number = together.charter_number
    and amendments.effective_date >= together.filing_date
),

amended as (
  select
    * replace (
      case when is_news then new_kind else amendment_kind end as amendment_kind,
      case when is_news then new_date else amendment_date end as amendment_date,
      case when is_news then new_document else amendment_document end as amendment_document,
      case when is_news then new_url else amendment_url end as amendment_url,
      case when is_news then greatest(last_updated, new_observed_at) else last_updated end as last_updated,
      case when is_news then greatest(last_seen, new_observed_at) else last_seen end as last_seen,
      case when is_news and is_known then 'changed' else change_kind end as change_kind
    )
  from news
),

-- Today's filings, and all others as they were. Materialized, because DuckDB cannot spill the sort of a UNION ALL to the
-- disk once its first part has ended, and a register of millions does not fit into memory
filings as materialized (
  select * exclude (new_kind, new_date, new_document, new_url, new_observed_at, is_news, is_known) from amended
  union all by name
  select * exclude (agent_filings)
  from previous_filings anti join before on before.source = previous_filings.source and before.document_number = previous_filings.document_number
)

select
  id, document_number, charter_number, business_name, filing_date, entity_type, entity_type_raw, entity_status,
  registered_agent_name, registered_agent_status, agent_addr1, agent_city, agent_state, agent_zip,
  business_city, business_state, business_zip, source_state, naics, naics_status,
  filings.source, source_url, first_seen, last_seen, last_updated,
  change_kind, business_name_raw, entity_status_raw, jurisdiction, agent_addr2, business_county,
  agents.filings as agent_filings,
  amendment_kind, amendment_date, amendment_document, amendment_url,
  page_sha256, page_row
from filings
left join int_agents as agents on agents.source = filings.source and agents.name = filings.registered_agent_name
