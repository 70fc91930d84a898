-- One row per changed record of a list, with the names of the fields that have another value.

with

changed as (
  select list, record_id as id from int_record_changes where change = 'changed'
),

today as (
  select 'deals' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from deals
    semi join changed on changed.list = 'deals' and changed.id = deals.id
  ) as fields

  union all

  select 'signals' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from signals
    semi join changed on changed.list = 'signals' and changed.id = signals.id
  ) as fields

  union all

  select 'auctions' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from auctions
    semi join changed on changed.list = 'auctions' and changed.id = auctions.id
  ) as fields

  union all

  select 'leads' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from leads
    semi join changed on changed.list = 'leads' and changed.id = leads.id
  ) as fields

  union all

  select 'filings' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from filings
    semi join changed on changed.list = 'filings' and changed.id = filings.id
  ) as fields
),

before as (
  select 'deals' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from followed_deals
    semi join changed on changed.list = 'deals' and changed.id = followed_deals.id
  ) as fields

  union all

  select 'signals' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from followed_signals
    semi join changed on changed.list = 'signals' and changed.id = followed_signals.id
  ) as fields

  union all

  select 'auctions' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from followed_auctions
    semi join changed on changed.list = 'auctions' and changed.id = followed_auctions.id
  ) as fields

  union all

  select 'leads' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from followed_leads
    semi join changed on changed.list = 'leads' and changed.id = followed_leads.id
  ) as fields

  union all

  select 'filings' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from followed_filings
    semi join changed on changed.list = 'filings' and changed.id = followed_filings.id
  ) as fields
)

select list, id as record_id, to_json(fields_that_differ(today.fields, before.fields)) as changed_fields
from today
join before using (list, id)
