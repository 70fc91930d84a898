-- The declared tax rules of the states. A rule is confirmed if the file of notes on statutes has the mark E, which
-- means that the statute's text was read. A state that the file lacks is unconfirmed.

with

notes as (
  select left(state, 2) as state, bool_or(regexp_matches(mark, '^E($| \()')) as confirmed
  from statutes_file
  group by all
)

select
  declared.state,
  declared.at_sale,
  declared.class_factor,
  declared.class_factor_from_units,
  declared.rule,
  declared.statute,
  coalesce(notes.confirmed, false) as confirmed,
  declared.read_on
from ref_tax_rules as declared
left join notes on notes.state = declared.state
