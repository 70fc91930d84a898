-- One row per changed record of a list, with the names of the fields that have another value.
-- Key: list, record_id
-- Not null: changed_fields

with

changed as (
  select list, record_id as id from int_record_changes where change = 'changed'
),

-- Ids are unique within a list only
today as (
  select 'deals' as list, id, to_json(deals) as fields from deals semi join changed using (id)
  union all
  select 'signals' as list, id, to_json(signals) as fields from signals semi join changed using (id)
  union all
  select 'auctions' as list, id, to_json(auctions) as fields from auctions semi join changed using (id)
  union all
  select 'leads' as list, id, to_json(leads) as fields from leads semi join changed using (id)
  union all
  select 'filings' as list, id, to_json(int_filings_compared) as fields
  from int_filings_compared semi join changed using (id)
),

before as (
  select 'deals' as list, id, to_json(followed_deals) as fields
  from followed_deals semi join changed using (id)
  union all
  select 'signals' as list, id, to_json(followed_signals) as fields
  from followed_signals semi join changed using (id)
  union all
  select 'auctions' as list, id, to_json(followed_auctions) as fields
  from followed_auctions semi join changed using (id)
  union all
  select 'leads' as list, id, to_json(followed_leads) as fields
  from followed_leads semi join changed using (id)
  union all
  select 'filings' as list, id, to_json(int_filings_followed) as fields
  from int_filings_followed semi join changed using (id)
)

select list, id as record_id, to_json(fields_that_differ(list, today.fields, before.fields)) as changed_fields
from changed
join today using (list, id)
join before using (list, id)
