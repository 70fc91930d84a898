-- One row per version of a listing. A version lasts as long as what the site shows stays the same; the table of the
-- day before is carried on, and today's rows extend its latest versions or follow them with new ones.

with

as_of as (select as_of from run),

terms as (
  select assumption('relisting_days')::integer as relisting_days
),

sites as (select source, last_good_at from source_reads),

shown as (select * from stg_listings),

carried as (select * from previous_listing_history),

latest as (select * from carried where is_latest),

-- A listing is gone once its site was read well without it. A site that could not be read proves nothing.
latest_today as (
  select
    latest.* exclude (gone_on),
    shown.listing_id is not null as is_shown,
    case
      when shown.listing_id is not null then null
      when latest.gone_on is not null then latest.gone_on
      when sites.last_good_at > latest.version_last_seen then as_of.as_of
    end as gone_on
  from latest
  cross join as_of
  left join sites on sites.source = latest.source
  left join shown on shown.source = latest.source and shown.listing_id = latest.listing_id
),

-- A new listing may go on where an earlier one of the same property on the same site ended
ended as (
  select latest_today.*
  from latest_today
  cross join as_of
  cross join terms
  where gone_on is not null
    and date_diff('day', gone_on, as_of.as_of) <= terms.relisting_days
  qualify row_number() over (partition by source, deal_id order by gone_on desc, version_last_seen desc, listing_id) = 1
),

compared as (
  select
    shown.*,
    before.listing_id is not null as is_known,
    before.gone_on as gone_before,
    before.version as version_before,
    before.list_price as price_before,
    before.availability as availability_before,
    -- What the listing continues: itself, or the ended one, unless too long ago
    coalesce(
      case
        when before.listing_id is null then ended.listing_first_seen
        when before.gone_on is null or date_diff('day', before.gone_on, as_of.as_of) <= terms.relisting_days then before.listing_first_seen
      end,
      shown.observed_at
    ) as listing_first_seen,
    coalesce(
      case
        when before.listing_id is null then ended.first_price
        when before.gone_on is null or date_diff('day', before.gone_on, as_of.as_of) <= terms.relisting_days then before.first_price
      end,
      shown.list_price
    ) as first_price,
    case
      when before.listing_id is null then ended.listing_id is not null
      when before.gone_on is not null then date_diff('day', before.gone_on, as_of.as_of) <= terms.relisting_days
      else before.relisted
    end as relisted,
    before.listing_id is not null
      and before.gone_on is null
      and before.deal_id = shown.deal_id
      and (before.listing_url, before.street, before.city, before.state, before.zip, before.list_price, before.units, before.cap_rate, before.noi,
        before.year_built, before.property_type, before.listed_on, before.availability)
        is not distinct from (shown.listing_url, shown.street, shown.city, shown.state, shown.zip, shown.list_price, shown.units, shown.cap_rate, shown.noi,
        shown.year_built, shown.property_type, shown.listed_on, shown.availability) as is_unchanged
  from shown
  cross join as_of
  cross join terms
  left join latest as before on before.source = shown.source and before.listing_id = shown.listing_id
  left join ended on ended.source = shown.source and ended.deal_id = shown.deal_id
),

-- Versions that begin today
begun as (
  select
    deal_id, source, listing_id,
    coalesce(version_before, 0) + 1 as version,
    true as is_latest,
    case
      when (not is_known and relisted) or gone_before is not null then 'relisted'
      when not is_known then 'added'
      when list_price < price_before then 'price_cut'
      when list_price > price_before then 'price_rise'
      when price_before is null and list_price is not null then 'price_published'
      when price_before is not null and list_price is null then 'price_hidden'
      when availability <> availability_before then 'availability'
      else 'details'
    end as change,
    listing_url, street, city, state, zip, list_price, units, cap_rate, noi, year_built, property_type, listed_on, availability,
    observed_at as version_first_seen,
    observed_at as version_last_seen,
    listing_first_seen, first_price, relisted,
    cast(null as date) as gone_on,
    source_url, page_sha256, page_row
  from compared
  where not is_unchanged
),

-- The latest versions of before: seen again, followed by another, or gone
continued as (
  select
    before.deal_id, before.source, before.listing_id, before.version,
    begun.listing_id is null as is_latest,
    before.change,
    before.listing_url, before.street, before.city, before.state, before.zip, before.list_price, before.units, before.cap_rate, before.noi,
    before.year_built, before.property_type, before.listed_on, before.availability,
    before.version_first_seen,
    case when compared.is_unchanged then greatest(before.version_last_seen, compared.observed_at) else before.version_last_seen end as version_last_seen,
    before.listing_first_seen, before.first_price, before.relisted,
    case when begun.listing_id is not null then latest.gone_on else before.gone_on end as gone_on,
    case when compared.is_unchanged then compared.source_url else before.source_url end as source_url,
    case when compared.is_unchanged then compared.page_sha256 else before.page_sha256 end as page_sha256,
    case when compared.is_unchanged then compared.page_row else before.page_row end as page_row
  from latest_today as before
  join latest on latest.source = before.source and latest.listing_id = before.listing_id
  left join compared on compared.source = before.source and compared.listing_id = before.listing_id
  left join begun on begun.source = before.source and begun.listing_id = before.listing_id
),

older as (select * from carried where not is_latest),

together as (
  select * from begun
  union all by name
  select * from continued
  union all by name
  select * from older
)

select
  deal_id, source, listing_id,
  cast(version as integer) as version,
  is_latest, change,
  listing_url, street, city, state, zip, list_price, units, cap_rate, noi, year_built, property_type, listed_on, availability,
  version_first_seen, version_last_seen, listing_first_seen, first_price, relisted, gone_on,
  source_url, page_sha256, page_row
from together
