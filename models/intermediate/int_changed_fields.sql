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
    from previous_deals
    semi join changed on changed.list = 'deals' and changed.id = previous_deals.id
  ) as fields

  union all

  select 'signals' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from previous_signals
    semi join changed on changed.list = 'signals' and changed.id = previous_signals.id
  ) as fields

  union all

  select 'auctions' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from previous_auctions
    semi join changed on changed.list = 'auctions' and changed.id = previous_auctions.id
  ) as fields

  union all

  select 'leads' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from previous_leads
    semi join changed on changed.list = 'leads' and changed.id = previous_leads.id
  ) as fields

  union all

  select 'filings' as list, fields.id, to_json(fields) as fields
  from (
    select columns(lambda field: is_compared(field))::varchar
    from int_filings_before
    semi join changed on changed.list = 'filings' and changed.id = int_filings_before.id
  ) as fields
)

select list, id as record_id, to_json(fields_that_differ(today.fields, before.fields)) as changed_fields
from today
join before using (list, id)
