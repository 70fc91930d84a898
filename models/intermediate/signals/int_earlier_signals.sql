-- One row per signal of the previous snapshot. Snapshots of an older version have the id of the lead as the id of a tax
-- delinquency.
-- Key: id
-- View: audited in signals

select * replace (
  case when signal_type = 'tax_delinquent' then signal_id_of(county_fips, parcel_key) else id end as id
)
from previous_signals
