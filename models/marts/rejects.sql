-- Rows that were refused, each with its reason.

select * from rejected_rows
