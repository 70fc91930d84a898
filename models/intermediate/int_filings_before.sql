-- Filings of the previous snapshot that today's reads show or that an amendment names, as they were then.

with

touched as (
  select register, document_number from stg_registrations
  union all
  select before.source as register, before.document_number
  from previous_filings as before
  join stg_amendments as amendment on amendment.register = before.source and amendment.charter_number = before.charter_number
)

select before.*
from previous_filings as before
semi join touched on touched.register = before.source and touched.document_number = before.document_number
