-- One row per register: its filings so far.

with

-- A filing that takes effect in the future does not count as the latest
counted as (
  select source, filings, first_seen, last_filing_date
  from previous_registers
  union all
  select source, count(*), min(first_seen), max(filing_date) filter (where filing_date <= cast(first_seen as date))
  from filings
  group by source
  union all
  select source, -count(*), null, null
  from int_filings_before
  semi join filings using (id)
  group by source
)

select
  source,
  cast(sum(filings) as integer) as filings,
  min(first_seen) as first_seen,
  max(last_filing_date) as last_filing_date
from counted
group by source

-- never none_lost: every published filing stays
filings < (select max(filings) from previous_registers as before where before.source = registers.source);
