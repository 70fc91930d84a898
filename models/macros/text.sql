-- Text as it is written.

-- Every run of white space is one space, and none stands around the text. Most texts are so: one search tells, where to
-- look up the Unicode class of every character, as trim does, takes several times as long.
CREATE OR REPLACE MACRO one_line(written) AS CASE
  WHEN regexp_matches(written, '^\s|\s$|\s\s|[^\S ]|[^ -~]') THEN trim(regexp_replace(written, '\s\s+|[^\S ]', ' ', 'g'))
  ELSE written END;
