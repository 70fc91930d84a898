-- One row per amendment and business in the latest reads; the later of two reads of the same one.
-- Key: register, document_number, charter_number
-- Not null: effective_date

select * replace (trim(charter_number) as charter_number)
from staged_amendment
qualify row_number() over (
  partition by register, document_number, trim(charter_number)
  order by observed_at desc, page_sha256, page_row desc
) = 1
