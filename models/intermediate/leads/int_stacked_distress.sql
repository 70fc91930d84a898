-- One row per record that may be a lead and has other records in force of its property: which records, which kinds of
-- distress they count as, and the points for kinds that no other part of the score covers.
-- Key: record_id
-- Not null: citations, other_kinds, further_kinds, stacked_points

with

-- One record per kind and source is cited: the same parcel first, then the next sale or the latest filing
cited as (
  select
    *,
    bool_or(sale_date is not null and counts_as = own_counts_as) over (partition by record_id) as has_sale_of_own_kind
  from int_record_pairs
  where kind <> own_kind or counts_as <> own_counts_as
  qualify row_number() over (
    partition by record_id, kind, counts_as, source
    order by match_basis desc, sale_date, filed_on desc nulls last, other_id
  ) = 1
),

-- The part "corroboration" already scores the sale of a debt and the debt of a sale. Of two sales of a debt, it scores
-- the one that collects the debt
kinds as (
  select
    record_id,
    counts_as,
    counts_as <> own_counts_as as is_further,
    bool_or(case
      when own_kind = 'tax_delinquent' then sale_date is not null and not has_sale_of_own_kind
      else kind = 'tax_delinquent'
    end) as is_paid_as_corroboration,
    string_agg(record_text(kind, record_name), ' and ' order by kind, other_id) as records_text
  from cited
  group by record_id, counts_as, own_counts_as
),

points as (
  select
    record_id,
    count(*) filter (where is_further) as further_kinds,
    sum(assumption('stacked_' || counts_as)::integer) filter (where is_further and not is_paid_as_corroboration)
      as stacked_points,
    string_agg(records_text, ', ' order by counts_as) filter (where is_further and not is_paid_as_corroboration)
      as stacked_text
  from kinds
  group by record_id
),

citations as (
  select
    record_id,
    to_json(list(
      json_object(
        'kind', kind,
        'id', other_id,
        'match_basis', match_basis,
        'source_url', source_url,
        'counts_as', counts_as
      )
      order by kind <> 'tax_delinquent' and sale_date is null, kind, other_id
    )) as citations,
    to_json(list_sort(list_distinct(list(kind)))) as other_kinds
  from cited
  group by record_id
)

select
  record_id, citations, other_kinds,
  cast(further_kinds as integer) as further_kinds,
  cast(coalesce(stacked_points, 0) as integer) as stacked_points,
  stacked_text
from points
join citations using (record_id)
