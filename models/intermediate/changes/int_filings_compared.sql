-- Filings that may differ from the snapshot published last, as they are today.
-- Key: id

select * from filings

union all by name

select previous_filings.*
from previous_filings
semi join (select id from int_filings_followed anti join filings using (id)) using (id)
