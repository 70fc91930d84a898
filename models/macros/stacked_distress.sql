-- Further kinds of distress of a lead: their points, the reason, and the cited records.

-- A record in a sentence: "vacant building VB-0012".
CREATE OR REPLACE MACRO record_text(kind, record_name) AS
  concat_ws(' ', if(kind = 'condemned', 'condemned building', replace(kind, '_', ' ')), record_name);

-- Points for further kinds of distress: a score is at most 100.
CREATE OR REPLACE MACRO points_up_to_highest(points, other_points) AS
  greatest(0, least(points, 100 - other_points));

-- Why a lead has these points for further kinds of distress.
CREATE OR REPLACE MACRO stacked_reason(records, earned, points) AS CASE
  WHEN records IS NULL THEN 'no further kind of public record of it is known here'
  ELSE 'public records of further kinds: ' || records
    || if(points < earned, ' (' || earned || ' points, but a score is at most 100)', '') END;

-- The other public records of a lead, and its listing.
CREATE OR REPLACE MACRO cited_records(citations, listing) AS to_json(list_filter(
  list_append(coalesce(from_json(citations, '["JSON"]'), []), listing),
  lambda record: record IS NOT NULL
));

-- Number of independent kinds of distress of a lead, its own included.
CREATE OR REPLACE MACRO independent_signals(further_kinds) AS 1 + further_kinds;

-- Kinds of all records in force of a lead, its own included.
CREATE OR REPLACE MACRO kinds_in_force(own_kind, other_kinds) AS
  to_json(list_sort(list_distinct(list_append(coalesce(from_json(other_kinds, '["VARCHAR"]'), []), own_kind))));
