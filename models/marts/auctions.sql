-- One row per court case, parcel and sale day. Today's pages first. A sale of the previous snapshot that its page no
-- longer shows stays: its day passed without a published result, or it was taken off the calendar.

with

-- A county's own page and the auction site may show the same sale. It becomes one row, from the page with a status;
-- parties and kind come from the other page if only that one has them
todays_sales as (
  select
    * replace (
      coalesce(plaintiff, max(plaintiff) over same_sale) as plaintiff,
      coalesce(defendant, max(defendant) over same_sale) as defendant,
      case
        when sale_kind <> 'unknown' then sale_kind
        else coalesce(max(nullif(sale_kind, 'unknown')) over same_sale, sale_kind)
      end as sale_kind
    )
  from stg_auctions
  window same_sale as (partition by auction_id)
  qualify row_number() over (
    partition by auction_id
    order by status = 'unknown', observed_at desc, source, item_id, page_row
  ) = 1
),

-- Every sale day of every case
case_days as (
  select county_fips, case_key, sale_date from todays_sales
  union
  select county_fips, letters_and_digits(case_number) as case_key, sale_date from previous_auctions
),

-- Sales whose minimum bid is two thirds of the appraisal by state law
two_thirds_sales as (
  select state, auction_type, sale_kind, true as has_two_thirds
  from ref_sale_rules
  where opening_bid_basis = 'two_thirds_of_appraisal'
),

-- Where the law distinguishes first and later sales, a mortgage case without an earlier sale day is at its first sale
sale_rounds as (
  select
    todays_sales.*,
    coalesce(has_two_thirds, false) as has_two_thirds,
    case
      when sale_round is not null then 'published'
      when has_two_thirds and sale_kind = 'mortgage_foreclosure' and not exists (
        from case_days
        where case_days.county_fips = todays_sales.county_fips
          and case_days.case_key = todays_sales.case_key
          and case_days.sale_date < todays_sales.sale_date
      ) then 'case_not_seen_before'
      else 'unknown'
    end as sale_round_basis
  from todays_sales
  left join two_thirds_sales using (state, auction_type, sale_kind)
),

-- Two thirds of the appraisal, rounded up to the cent: the law says "not less than"
minimum_bids as (
  select
    sale_rounds.* replace (
      case when sale_round_basis = 'case_not_seen_before' then 1 else sale_round end as sale_round
    ),
    quotient_up_to_cent(wide(appraised_value) * opening_bid_numerator, opening_bid_denominator) as two_thirds,
    opening_bid_round_up
  from sale_rounds
  cross join terms
),

published_bids as (
  select
    *,
    opening_bid as published_bid,
    opening_bid >= two_thirds and opening_bid - two_thirds < opening_bid_round_up as is_two_thirds,
    has_two_thirds and sale_kind = 'mortgage_foreclosure' and sale_round = 1 as is_first_mortgage_sale
  from minimum_bids
),

-- A published figure wins. Only the bid of a first mortgage foreclosure sale is ever derived, and only where state law
-- sets it
opening_bids as (
  select
    *,
    case
      when published_bid is not null
        and has_two_thirds
        and coalesce(is_two_thirds, false)
        and coalesce(sale_round, 1) = 1
        then 'two_thirds_of_appraisal'
      when published_bid is not null then 'published_minimum'
      when is_first_mortgage_sale and two_thirds is not null then 'two_thirds_of_appraisal'
      when has_two_thirds and sale_kind = 'mortgage_foreclosure' and sale_round = 2 then 'no_minimum_second_sale'
      else 'unknown'
    end as opening_bid_basis,
    published_bid is null and is_first_mortgage_sale and two_thirds is not null as opening_bid_derived
  from published_bids
),

today as (
  select
    sales.* replace (
      if(sales.opening_bid_derived, sales.two_thirds, sales.published_bid) as opening_bid,
      coalesce(sales.opening_bid_derived, false) as opening_bid_derived
    ),
    sales.auction_id as id,
    sales.street as property_address,
    case
      when sales.status = 'scheduled' and sales.sale_date < run.as_of then 'result_unknown'
      else sales.status
    end as sale_status,
    coalesce(
      sales.published_bid is not null and sales.is_first_mortgage_sale and not sales.is_two_thirds,
      false
    ) as opening_bid_mismatch,
    rules.statute_ref,
    case
      when sales.plaintiff_max_bid is not null then 'published'
      when upper(sales.plaintiff_max_bid_raw) = 'HIDDEN' then 'hidden_until_sale'
      when sales.auction_type in ('tax_deed_sale', 'tax_sale') then 'no_plaintiff'
      else 'not_published'
    end as plaintiff_max_bid_status,
    sales.observed_at as last_seen
  from opening_bids as sales
  cross join run
  left join ref_sale_rules as rules
    on rules.state = sales.state
    and rules.auction_type = sales.auction_type
    and rules.sale_kind = sales.sale_kind
    and rules.opening_bid_basis = sales.opening_bid_basis
),

-- A clerk's page may omit a value that it printed earlier: the last read value stays. Only rows with such gaps have a
-- join id, because a left join on a condition of today's row would compare all pairs of rows
today_with_gaps as (
  select
    *,
    case when auction_type <> 'sheriff_sale' then id end as id_of_clerk,
    case when auction_type <> 'sheriff_sale' and property_address is null then id end as id_without_address
  from today
),

auctions_with_dates as (
  select
    today.* exclude (id_of_clerk, id_without_address) replace (
      coalesce(today.property_address, address_before.property_address) as property_address,
      coalesce(today.city, address_before.city) as city,
      coalesce(today.zip, address_before.zip) as zip,
      coalesce(today.address_key, address_before.address_key) as address_key,
      coalesce(today.street_key, address_before.street_key) as street_key,
      coalesce(today.house_low, address_before.house_low) as house_low,
      coalesce(today.house_high, address_before.house_high) as house_high,
      coalesce(today.unit_key, address_before.unit_key) as unit_key,
      coalesce(today.parcel_id, printed_before.parcel_id) as parcel_id,
      coalesce(today.parcel_key, printed_before.parcel_key) as parcel_key,
      coalesce(today.judgment_amount, printed_before.judgment_amount) as judgment_amount,
      coalesce(today.assessed_value, printed_before.assessed_value) as assessed_value
    ),
    case when previous.sale_status = today.sale_status then previous.status_since else run.as_of end as status_since,
    coalesce(previous.first_seen, today.last_seen) as first_seen
  from today_with_gaps as today
  cross join run
  left join previous_auctions as previous on previous.id = today.id
  left join previous_auctions as printed_before on printed_before.id = today.id_of_clerk
  left join previous_auctions as address_before on address_before.id = today.id_without_address
),

no_longer_shown as (
  select
    previous.* replace (
      case
        when previous.sale_status not in ('scheduled', 'unknown') then previous.sale_status
        when previous.sale_date < run.as_of then 'result_unknown'
        when sources.last_good_at > previous.last_seen then 'removed'
        else previous.sale_status
      end as sale_status,
      case
        when previous.sale_status not in ('scheduled', 'unknown') then previous.status_since
        when previous.sale_date < run.as_of or sources.last_good_at > previous.last_seen then run.as_of
        else previous.status_since
      end as status_since
    )
  from previous_auctions as previous
  cross join run
  left join source_reads as sources on sources.source = previous.source
  where previous.id not in (select id from today)
),

all_auctions as materialized (
  select * from auctions_with_dates
  union all by name
  select
    * exclude (
      party_status, appraisal_discount_pct, previous_sale_date, next_sale_date, units, property_class, property_kind,
      property_kind_basis, latitude, longitude, geo_basis, metro, missing_fields, missing_since, corrected
    )
  from no_longer_shown
),

-- The class of the tax list first, as of leads
listed_classes as (
  select county_fips, parcel_key, min(property_class) as listed_class
  from stg_tax_parcels
  group by county_fips, parcel_key
),

parcels as (
  select
    county_fips, parcel_key, units, coalesce(listed_class, property_class) as property_class,
    latitude as parcel_latitude, longitude as parcel_longitude
  from stg_parcels
  full join listed_classes using (county_fips, parcel_key)
),

zip_points as (
  select zip, latitude as zip_latitude, longitude as zip_longitude
  from ref_zip_places
)

select
  * replace (
    coalesce(property_kind, 'unknown') as property_kind,
    case
      when parcel_key is null then 'no_parcel_number'
      else coalesce(property_kind_basis, 'not_published_by_county')
    end as property_kind_basis
  ),
  case
    when plaintiff is not null and defendant is not null then 'available'
    when plaintiff is not null then 'plaintiff_only'
    when defendant is not null then 'defendant_only'
    when auction_type = 'sheriff_sale' then 'login_required'
    else 'not_published'
  end as party_status,
  percentage(appraised_value - opening_bid, appraised_value) as appraisal_discount_pct,
  max(sale_date) over sales_before as previous_sale_date,
  min(sale_date) over sales_after as next_sale_date,
  coalesce(parcel_latitude, zip_latitude) as latitude,
  coalesce(parcel_longitude, zip_longitude) as longitude,
  geo_basis_of(parcel_latitude, zip, zip_latitude) as geo_basis
from all_auctions
left join parcels using (county_fips, parcel_key)
left join int_property_classes using (county_fips, property_class)
left join zip_points using (zip)
left join int_metros using (county_fips)
left join int_missing_fields using (source)
left join corrected_rows using (source, page_sha256, page_row)
-- A clerk's site may show a case twice on a day, as two items
window sales_before as (
  partition by county_fips, letters_and_digits(case_number), parcel_key
  order by sale_date
  range between unbounded preceding and interval 1 day preceding
),
sales_after as (
  partition by county_fips, letters_and_digits(case_number), parcel_key
  order by sale_date
  range between interval 1 day following and unbounded following
)

-- never two_thirds_holds: an opening bid of two thirds is not below two thirds of the appraisal
opening_bid_basis = 'two_thirds_of_appraisal' and 3 * opening_bid < 2 * appraised_value;
-- never tax_never_derived: the bid of a tax sale is never derived
sale_kind = 'tax_foreclosure' and opening_bid_derived;
-- never derived_in_ohio_alone: no bid outside Ohio is derived or has a basis of Ohio law
state <> 'OH'
  and (opening_bid_derived or opening_bid_basis in ('two_thirds_of_appraisal', 'no_minimum_second_sale'));
-- never past_is_not_scheduled: a sale with a past day is not scheduled
sale_status = 'scheduled' and sale_date < (select as_of from run);
-- never discount_as_said: appraisal_discount_pct is the gap of bid and appraisal, null exactly if one of them is
appraisal_discount_pct is distinct from percentage(appraised_value - opening_bid, appraised_value);
-- never figures_in_range: amounts are positive and rounds are the first or the second
appraised_value <= 0 or opening_bid < 0 or deposit < 0 or sold_amount < 0 or sale_round not in (1, 2)
  or judgment_amount <= 0 or assessed_value <= 0 or plaintiff_max_bid <= 0;
-- never days_in_order: previous_sale_date is before sale_date, next_sale_date after it
previous_sale_date >= sale_date or next_sale_date <= sale_date;
-- never seen_in_order: first_seen is not after last_seen
first_seen > last_seen;
