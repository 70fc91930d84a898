-- One row per record that left a list since the previous snapshot, with the reason as far as today's data show it.
-- Key: list, record_id
-- Not null: reason

with

gone as (
  select list, record_id as id from int_record_changes where change = 'gone'
),

gone_deals as (
  select
    before.id,
    case
      when today.listing_status in ('sold', 'under_contract') then today.listing_status
      when today.listing_status = 'delisted' then 'withdrawn'
      when history.deal_id <> before.id then 'other_id'
      else 'left_the_list'
    end as reason
  from followed_deals as before
  semi join gone on gone.list = 'deals' and gone.id = before.id
  left join deals as today on today.id = before.id
  left join listing_history as history
    on history.source = before.source
    and history.listing_id = before.listing_id
    and history.is_latest
),

gone_signals as (
  select gone.id, reason_of_signal(today.signal_type, today.state_reason) as reason
  from gone
  left join signals as today on today.id = gone.id
  where gone.list = 'signals'
),

gone_auctions as (
  select gone.id, reason_of_sale(today.sale_status, today.sale_date, today.next_sale_date, run.as_of) as reason
  from gone
  cross join run
  left join auctions as today on today.id = gone.id
  where gone.list = 'auctions'
),

gone_leads as (
  select
    before.id,
    case
      when sold.id is not null then 'sold'
      when other_ids.record_id is not null then 'other_id'
      when signals.signal_state = 'removed' then reason_of_signal(signals.signal_type, signals.state_reason)
      when signals.signal_state = 'unknown' then 'not_verified'
      when auctions.sale_status in ('sold', 'unsold') then 'held'
      when is_called_off(auctions.sale_status) or auctions.sale_date < run.as_of
        then reason_of_sale(auctions.sale_status, auctions.sale_date, auctions.next_sale_date, run.as_of)
      when days_since(coalesce(signals.last_seen, auctions.last_seen), run.as_of) > terms.lead_max_age_days
        then 'not_verified'
      when coalesce(signals.id, auctions.id) is not null then 'no_longer_qualifies'
      else 'left_the_list'
    end as reason
  from followed_leads as before
  semi join gone on gone.list = 'leads' and gone.id = before.id
  cross join run
  cross join terms
  left join int_sold_lead_ids as sold on sold.id = before.id
  left join (select distinct coalesce(signal_id, auction_id) as record_id from leads) as other_ids
    on other_ids.record_id = coalesce(before.signal_id, before.auction_id)
  left join signals on signals.id = before.signal_id
  left join auctions on auctions.id = before.auction_id
)

select 'deals' as list, id as record_id, reason from gone_deals
union all
select 'signals' as list, id as record_id, reason from gone_signals
union all
select 'auctions' as list, id as record_id, reason from gone_auctions
union all
select 'leads' as list, id as record_id, reason from gone_leads
union all
-- A filing leaves only if a repeated run of the day does not read it again
select 'filings' as list, id as record_id, 'left_the_list' as reason from gone where list = 'filings'
