-- Agents of today's filings, of those that they replace and of the filings around them, with their number of filings in
-- the previous snapshot.
-- Key: source, agent

select previous_agents.*
from previous_agents
semi join (
  select source, agent_of(registered_agent_name) as agent from filings
  union
  select source, agent_of(registered_agent_name) from int_filings_before
) using (source, agent)
