-- Values as text, and text in one form.

-- A value as text for JSON, where decimals are strings.
CREATE OR REPLACE MACRO as_text(x) AS CAST(x AS VARCHAR);

-- An instant as text.
CREATE OR REPLACE MACRO instant_text(t) AS strftime(t, '%Y-%m-%dT%H:%M:%SZ');

-- The day on which a year of census figures ends.
CREATE OR REPLACE MACRO last_day_of(year) AS make_date(year, 12, 31);

-- Where a value comes from, as JSON. `names` are the texts that together name its row on the page.
CREATE OR REPLACE MACRO origin(method, source, source_url, observed_at, names) AS json_object(
  'method', method, 'source', source, 'source_url', source_url, 'observed_at', instant_text(observed_at), 'row', names);

-- Dollars for a sentence: "$92,500", or "$3,750.25" if there are cents.
CREATE OR REPLACE MACRO dollars(x) AS
  '$' || format('{:,}', CAST(trunc(x) AS BIGINT))
  || CASE WHEN x = trunc(x) THEN '' ELSE right(CAST(x AS VARCHAR), 3) END;

-- Dollars in whole hundreds, for a sentence about a figure that is not known to the dollar.
CREATE OR REPLACE MACRO hundreds_of_dollars(x) AS
  CASE WHEN x < 0 THEN '-' ELSE '' END || dollars(abs(round(CAST(x AS DECIMAL(14, 2)), -2)));

-- One space for every run of white space, and none at the ends. Most texts already have this form, and one search
-- confirms it; trim looks up the Unicode class of every character, which takes several times as long.
CREATE OR REPLACE MACRO one_line(written) AS CASE
  WHEN regexp_matches(written, '^\s|\s$|\s\s|[^\S ]|[^ -~]')
    THEN trim(regexp_replace(written, '\s\s+|[^\S ]', ' ', 'g'))
  ELSE written END;

-- A fact of a line, if it holds: how due it is from 2 to 0, its words first in the line, and later if others.
CREATE OR REPLACE MACRO fact(holds, due, first, later) AS
  CASE WHEN holds THEN {'due': due, 'first': first, 'later': later} END;

-- The first number of a street as published, without leading zeros: equal for all spellings of an address. Empty if
-- there is none.
CREATE OR REPLACE MACRO first_number(street) AS regexp_extract(street, '[1-9]\d*');

-- JSON objects that a deal or a report has several of.

-- Amounts by number of bedrooms.
CREATE OR REPLACE MACRO by_bedrooms(br_0, br_1, br_2, br_3, br_4) AS json_object(
  'br_0', as_text(br_0), 'br_1', as_text(br_1), 'br_2', as_text(br_2), 'br_3', as_text(br_3), 'br_4', as_text(br_4)
);

-- A line of operating expenses.
CREATE OR REPLACE MACRO expense_line(line, amount, basis, place, as_of, source) AS json_object(
  'line', line, 'amount', as_text(amount), 'basis', basis, 'place', place, 'as_of', as_text(as_of), 'source', source
);

-- Origin of a figure that is declared, or else read from a page.
CREATE OR REPLACE MACRO origin_by(basis, assumption_set_id, method, source, source_url, observed_at, names) AS CASE
  WHEN basis = 'declared' THEN origin('assumed', assumption_set_id, NULL, NULL, NULL)
  ELSE origin(method, source, source_url, observed_at, names) END;

-- A figure as claimed and as underwritten.
CREATE OR REPLACE MACRO compared_line(figure, claimed, underwritten, difference) AS json_object(
  'figure', figure,
  'claimed', as_text(claimed),
  'underwritten', as_text(underwritten),
  'difference', as_text(difference)
);

-- A limit of an offer.
CREATE OR REPLACE MACRO offer_limit(name, figure, binding) AS
  json_object('constraint', name, 'figure', as_text(figure), 'binding', binding = name);
