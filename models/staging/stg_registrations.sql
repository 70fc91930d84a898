-- One row per filing in the latest reads of the registers. Two reads of one register (a file from the operator, and the
-- web) may have the same filing: the later read counts.
-- Key: filing_id
-- View: audited in filings

with

registrations as not materialized (select * from staged_registration),

types as (select * from ref_entity_types),

latest as (
  select *
  from registrations
  anti join stg_superseded using (register, document_number, observed_at, page_sha256, page_row)
),

-- Colorado appends the status to the names of inactive entities: ", Dissolved June 18, 2001"
named as (
  select
    *,
    case
      when register = 'colorado_sos' then regexp_replace(
        business_name_raw,
        ',\s*(?:Delinquent|Delinquency Cured|Noncompliant|(?:Administratively |Voluntarily |Judicially )?Dissolved'
        || '|Withdrawn|Merged|Consolidated|Expired|Revoked|Converted|Colorado Authority [^,]*)'
        || ' (?:January|February|March|April|May|June|July|August|September|October|November|December)'
        || ' \d{1,2}, \d{4}\s*$',
        ''
      )
      else business_name_raw
    end as name
  from latest
)

select
  named.* exclude (name, entity_type_file, source)
    rename (jurisdiction_raw as jurisdiction, agent_name as registered_agent_name),
  uuid_of('filing|' || named.register || '|' || document_number) as filing_id,
  coalesce(nullif(one_line(name), ''), one_line(business_name_raw)) as business_name,
  case
    when types.entity_type is not null then types.entity_type
    when coalesce(entity_type_file, entity_type_raw) is null then 'not_stated'
    else 'other'
  end as entity_type,
  case lower(trim(entity_status_raw))
    when 'good standing' then 'Good Standing'
    when 'exists' then 'Exists'
    when 'noncompliant' then 'Noncompliant'
    when 'delinquent' then 'Delinquent'
    when 'registered agent resigned' then 'Registered Agent Resigned'
    when 'administratively dissolved' then 'Administratively Dissolved'
    when 'voluntarily dissolved' then 'Voluntarily Dissolved'
    when 'judicially dissolved' then 'Judicially Dissolved'
    when 'dissolved' then 'Dissolved'
    when 'dissolved (term expired)' then 'Dissolved (Term Expired)'
    when 'revoked' then 'Revoked'
    when 'withdrawn' then 'Withdrawn'
    when 'merged' then 'Merged'
    when 'consolidated' then 'Consolidated'
    when 'converted' then 'Converted'
    when 'expired' then 'Expired'
    else if(entity_status_raw is null, null, 'Other')
  end as entity_status,
  case named.register when 'ohio_sos' then 'OH' when 'colorado_sos' then 'CO' end as source_state
from named
left join types
  on types.register = named.register
  and types.code = upper(coalesce(entity_type_file, entity_type_raw))
where filing_id not in (select subject from staged_suppression)
