-- Filings of the previous snapshot that today's reads contain or that an amendment names, as they were.
-- Key: id?

with

filings_to_update as (
  select register, document_number from stg_registrations
  union all
  select previous.source as register, previous.document_number
  from previous_filings as previous
  join stg_amendments as amendment
    on amendment.register = previous.source
    and amendment.charter_number = previous.charter_number
)

select previous.*
from previous_filings as previous
semi join filings_to_update
  on filings_to_update.register = previous.source
  and filings_to_update.document_number = previous.document_number
