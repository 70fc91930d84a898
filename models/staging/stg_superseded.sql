-- One row per row of a register's read in whose place that of a later read of the same filing stands.

with

-- Filings that more than one read shows; most of a register's millions are shown by one, and need no ordering
repeated as (
  select register, document_number
  from staged_registration
  group by all
  having count(*) > 1
)

select register, document_number, observed_at, page_sha256, page_row
from staged_registration
semi join repeated using (register, document_number)
qualify row_number() over (
  partition by register, document_number
  order by observed_at desc, page_sha256, page_row desc
) > 1
