-- One row per source whose last good read lacks fields that earlier reads filled.
-- Key: source
-- Not null: missing_fields, missing_since

select source, missing_fields, missing_since
from source_reads
where missing_fields is not null
