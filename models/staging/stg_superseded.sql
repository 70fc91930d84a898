-- One row per registration that a later read of the same filing replaces.
-- Key: register, document_number, observed_at, page_sha256, page_row

with

-- Filings in more than one read. Most of a register's millions are in one read and need no ordering
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
