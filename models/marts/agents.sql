-- One row per agent of a register whose number of filings changed today. Spellings of one name that differ only in case
-- and punctuation are one agent.

with

names as (
  select source, registered_agent_name as name, count(*) as filings
  from filings
  group by all
  union all
  select source, registered_agent_name, -count(*)
  from int_filings_before
  semi join filings using (id)
  group by all
),

changes as (
  select source, agent_of(name) as agent, sum(filings) as filings
  from names
  where name is not null
  group by all
  having sum(filings) <> 0
)

select source, agent, cast(changes.filings + coalesce(agents.filings, 0) as integer) as filings
from changes
left join int_agents_before as agents using (source, agent)

-- never counted: an agent has no fewer filings than none
filings < 0;
