-- One row per version of a listing. A version lasts while the site shows the same values. The table of the previous
-- snapshot carries over: today's rows extend its latest versions or begin new ones.

with

latest_before as (select * from previous_listing_history where is_latest),

-- A listing is gone if a good read of its site lacks it. An unreadable site proves nothing
latest_today as (
  select
    previous.* exclude (gone_on),
    case
      when shown.listing_id is not null then null
      when previous.gone_on is not null then previous.gone_on
      when sites.last_good_at > previous.version_last_seen then run.as_of
    end as gone_on
  from latest_before as previous
  cross join run
  left join source_reads as sites on sites.source = previous.source
  left join stg_listings as shown
    on shown.source = previous.source
    and shown.listing_id = previous.listing_id
),

-- A new listing may continue an earlier one of the same property on the same site
ended_listings as (
  select latest_today.*
  from latest_today
  cross join run
  cross join terms
  where gone_on is not null
    and date_diff('day', gone_on, run.as_of) <= terms.relisting_days
  qualify row_number() over (
    partition by source, deal_id
    order by gone_on desc, version_last_seen desc, listing_id
  ) = 1
),

-- Whether a gone listing came back soon enough to continue
previous_versions as (
  select
    latest_before.*,
    gone_on is null or date_diff('day', gone_on, run.as_of) <= terms.relisting_days as may_continue
  from latest_before
  cross join run
  cross join terms
),

todays_listings as (
  select
    shown.*,
    previous.listing_id is not null as is_known,
    previous.gone_on as gone_before,
    previous.version as version_before,
    previous.list_price as price_before,
    previous.availability as availability_before,
    -- A listing continues itself, or an ended listing of the same property
    coalesce(
      case
        when previous.listing_id is null then ended.listing_first_seen
        when previous.may_continue then previous.listing_first_seen
      end,
      shown.observed_at
    ) as listing_first_seen,
    contains(coalesce(corrections.corrected, ''), 'list_price (') as is_price_corrected,
    coalesce(
      case
        -- The price that was read before was wrong
        when contains(coalesce(corrections.corrected, ''), 'list_price (') then shown.list_price
        when previous.listing_id is null then ended.first_price
        when previous.may_continue then previous.first_price
      end,
      shown.list_price
    ) as first_price,
    case
      when previous.listing_id is null then ended.listing_id is not null
      when previous.gone_on is not null then previous.may_continue
      else previous.relisted
    end as relisted,
    previous.listing_id is not null
      and previous.gone_on is null
      and previous.deal_id = shown.deal_id
      and (
        previous.listing_url, previous.street, previous.city, previous.state, previous.zip, previous.list_price,
        previous.units, previous.units_0br, previous.units_1br, previous.units_2br, previous.units_3br,
        previous.units_4br, previous.cap_rate, previous.noi, previous.annual_taxes, previous.year_built,
        previous.property_type, previous.listed_on, previous.unread_fields, previous.availability
      ) is not distinct from (
        shown.listing_url, shown.street, shown.city, shown.state, shown.zip, shown.list_price,
        shown.units, shown.units_0br, shown.units_1br, shown.units_2br, shown.units_3br, shown.units_4br,
        shown.cap_rate, shown.noi, shown.annual_taxes, shown.year_built, shown.property_type,
        shown.listed_on, shown.unread_fields, shown.availability
      ) as is_unchanged
  from stg_listings as shown
  left join previous_versions as previous
    on previous.source = shown.source
    and previous.listing_id = shown.listing_id
  left join ended_listings as ended
    on ended.source = shown.source
    and ended.deal_id = shown.deal_id
  left join corrected_rows as corrections
    on corrections.source = shown.source
    and corrections.page_sha256 = shown.page_sha256
    and corrections.page_row = shown.page_row
),

-- Versions that begin today
new_versions as (
  select
    *,
    coalesce(version_before, 0) + 1 as version,
    true as is_latest,
    case
      when (not is_known and relisted) or gone_before is not null then 'relisted'
      when not is_known then 'added'
      when is_price_corrected and list_price is distinct from price_before then 'details'
      when list_price < price_before then 'price_cut'
      when list_price > price_before then 'price_rise'
      when price_before is null and list_price is not null then 'price_published'
      when price_before is not null and list_price is null then 'price_hidden'
      when availability <> availability_before then 'availability'
      else 'details'
    end as change,
    observed_at as version_first_seen,
    observed_at as version_last_seen,
    cast(null as date) as gone_on
  from todays_listings
  where not is_unchanged
),

-- The latest versions of the previous snapshot: seen again, followed by another, or gone
updated_versions as (
  select
    latest_today.* replace (
      new_version.listing_id is null as is_latest,
      case
        when today.is_unchanged then greatest(latest_today.version_last_seen, today.observed_at)
        else latest_today.version_last_seen
      end as version_last_seen,
      case when new_version.listing_id is not null then previous.gone_on else latest_today.gone_on end as gone_on,
      case when today.is_unchanged then today.source_url else latest_today.source_url end as source_url,
      case when today.is_unchanged then today.page_sha256 else latest_today.page_sha256 end as page_sha256,
      case when today.is_unchanged then today.page_row else latest_today.page_row end as page_row
    )
  from latest_today
  join latest_before as previous
    on previous.source = latest_today.source
    and previous.listing_id = latest_today.listing_id
  left join todays_listings as today
    on today.source = latest_today.source
    and today.listing_id = latest_today.listing_id
  left join new_versions as new_version
    on new_version.source = latest_today.source
    and new_version.listing_id = latest_today.listing_id
),

all_versions as (
  select * from new_versions
  union all by name
  select * from updated_versions
  union all by name
  select * from previous_listing_history where not is_latest
)

select
  * replace (
    -- A broker who corrects an address moves the whole listing to another deal
    arg_max(deal_id, version) over (partition by source, listing_id) as deal_id,
    cast(version as integer) as version
  )
from all_versions

-- audit one_latest: a listing has exactly one latest version
select source, listing_id, count(*) filter (where is_latest) as latest
from listing_history group by all having latest <> 1;
-- audit versions_follow: the versions of a listing are numbered from 1 without a gap, the latest last
select source, listing_id from listing_history group by all
having min(version) <> 1
  or max(version) <> count(*)
  or max(version) <> max(version) filter (where is_latest);
-- never seen_in_order: a version is not first seen after it is last seen
version_last_seen < version_first_seen or listing_first_seen > version_first_seen;
