-- One row per scored deal and possible outcome, with the first day on which it happened; null if it did not. A deal
-- leaves the market as sold or as withdrawn, by its last status: withdrawn means that no site shows it any longer, and
-- none showed it as sold. Some withdrawn deals were sold too.
-- Reads scored_deals, and the views deal_days, signal_days and auction_days, each with as_of.

with

exits as (
  select
    deals.landmark,
    deals.id,
    later.as_of as left_on,
    later.listing_status
  from scored_deals as deals
  join deal_days as later on later.id = deals.id and later.as_of > scored_on
  where later.listing_status in ('delisted', 'sold')
  qualify row_number() over (partition by deals.landmark, deals.id order by later.as_of) = 1
),

matches as (
  select
    deals.landmark,
    deals.id,
    scored_on,
    match.value ->> 'kind' as kind,
    match.value ->> 'id' as record_id
  from scored_deals as deals, json_each(distress_matches) as match
),

-- Sales and debts of deals, minus those that had ended when the deal was scored
sales as (
  select landmark, id, scored_on, record_id
  from matches
  anti join (select id as record_id, as_of as scored_on from auction_days where sale_status = 'sold')
    using (record_id, scored_on)
  where ends_with(kind, '_sale')
),

debts as (
  select landmark, id, scored_on, record_id
  from matches
  anti join (select id as record_id, as_of as scored_on from signal_days where signal_state = 'removed')
    using (record_id, scored_on)
  where kind = 'tax_delinquent'
)

select
  deals.landmark,
  deals.id,
  'price_cut' as outcome,
  min(later.as_of) filter (where later.list_price < deals.list_price) as on_day
from scored_deals as deals
left join deal_days as later on later.id = deals.id and later.as_of > scored_on
where deals.list_price is not null
group by deals.landmark, deals.id

union all

select landmark, id, 'off_market' as outcome, left_on as on_day
from scored_deals
left join exits using (landmark, id)

union all

select landmark, id, 'sold' as outcome, case when listing_status = 'sold' then left_on end as on_day
from scored_deals
left join exits using (landmark, id)

union all

select landmark, id, 'withdrawn' as outcome, case when listing_status = 'delisted' then left_on end as on_day
from scored_deals
left join exits using (landmark, id)

union all

select
  sales.landmark,
  sales.id,
  'sale_held' as outcome,
  min(later.as_of) filter (where later.sale_status = 'sold') as on_day
from sales
left join auction_days as later on later.id = record_id and later.as_of > scored_on
group by sales.landmark, sales.id

union all

select
  debts.landmark,
  debts.id,
  'debt_cleared' as outcome,
  min(later.as_of) filter (where later.signal_state = 'removed') as on_day
from debts
left join signal_days as later on later.id = record_id and later.as_of > scored_on
group by debts.landmark, debts.id
