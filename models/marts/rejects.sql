-- Rejected rows, each with its reason.

select * from rejected_rows
