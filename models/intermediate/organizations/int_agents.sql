-- One row per agent name and register, with the agent's number of filings: today's, and those of the previous snapshot
-- that today's reads do not contain.
-- Key: source, name
-- Not null: filings

with

-- Not materialized: the register has millions of rows, and reading them again uses less memory
todays_filings as not materialized (select register, document_number, registered_agent_name from stg_registrations),

-- Count the whole previous snapshot and subtract the few filings that today's reads contain again
counts as (
  select register as source, registered_agent_name as name, count(*) as filings
  from todays_filings
  group by all
  union all
  select source, registered_agent_name, count(*)
  from previous_filings
  group by all
  union all
  select before.source, before.registered_agent_name, -count(*)
  from int_filings_before as before
  semi join todays_filings
    on todays_filings.register = before.source
    and todays_filings.document_number = before.document_number
  group by all
),

names as (
  select source, name, sum(filings) as filings
  from counts
  where name is not null
  group by all
  having sum(filings) > 0
)

-- Spellings of one name that differ only in case and punctuation are one agent
select
  source,
  name,
  cast(sum(filings) over (
    partition by source, upper(regexp_replace(name, '[^A-Za-z0-9]+', ' ', 'g'))
  ) as integer) as filings
from names
