-- Filings of the snapshot published last that may differ today, as they were. It is the previous snapshot, or an
-- earlier one of the same day (only then, followed_filings has rows), which may have filings that this run does not
-- read.
-- Key: id

select followed_filings.*
from followed_filings
cross join run
where id in (select id from filings) or cast(last_updated as date) >= run.as_of - 1

union all by name

select int_filings_before.*
from int_filings_before
semi join filings using (id)
anti join followed_filings using (id)
