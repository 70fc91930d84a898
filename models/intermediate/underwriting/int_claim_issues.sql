-- One row per property: whether the listing's figures are impossible or contradict each other.
-- Key: id

select
  underwriting.id,
  case
    when underwriting.claimed_noi <= 0 then 'noi_not_positive'
    when
      underwriting.claim_consistency = 'inconsistent'
      and abs(percentage(underwriting.claimed_noi, underwriting.list_price) - underwriting.cap_rate)
        > claim_contradiction
      then 'noi_contradicts_cap_rate'
    when properties.year_built > extract(year from properties.as_of) then 'year_built_in_future'
    else 'none'
  end as claim_issue
from int_underwriting as underwriting
join int_properties as properties on properties.id = underwriting.id
cross join terms
