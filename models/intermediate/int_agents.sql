-- One row per agent name and register, with the number of filings of that agent: those that today's reads show, and those
-- of the previous snapshot that they do not.

with

-- The register holds millions of rows: what is read several times is read again rather than kept in memory
shown as not materialized (select register, document_number, registered_agent_name from stg_registrations),

-- All of the previous snapshot is counted, and the few filings that today's reads show again are subtracted
counted as (
  select register as source, registered_agent_name as name, count(*) as filings
  from shown
  group by all
  union all
  select source, registered_agent_name, count(*)
  from previous_filings
  group by all
  union all
  select before.source, before.registered_agent_name, -count(*)
  from int_filings_before as before
  semi join shown on shown.register = before.source and shown.document_number = before.document_number
  group by all
),

names as (
  select source, name, sum(filings) as filings
  from counted
  where name is not null
  group by all
  having sum(filings) > 0
)

-- Agents that serve thousands stand out, however their names are punctuated
select
  source,
  name,
  cast(sum(filings) over (partition by source, upper(regexp_replace(name, '[^A-Za-z0-9]+', ' ', 'g'))) as integer) as filings
from names
